"""What was left open widens a score exactly as far as it must, and no further."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.metrics.averages import Averaging
from rig.metrics.bounded import Bounded
from rig.metrics.scoring import QueryScore, score
from rig.model import Answer, Language, Outcome, Query, Result, SourceType, Verdict


def look(relevant: str, *places: str, capped: bool = False, end_proven: bool = True, album: str | None = None) -> QueryScore:
    """Scores one answer: "a" is matched to a, "a|b" undecided between both, "a=b" matched to the twins a and b, "?" open."""
    results = tuple(_result(i, place) for i, place in enumerate(places))
    answer = Answer("q", Language.ZH, Outcome.ANSWERED, results, capped=capped, end_proven=end_proven)
    query = Query("q", "one", {}, SourceType.V, frozenset(relevant))
    return score([query], [answer], albums=None if album is None else {"one": album}).queries[0]


def _result(rank: int, place: str) -> Result:
    if place == "?":
        return Result(rank, Verdict.AMBIGUOUS, None)
    if "=" in place:
        return Result(rank, Verdict.MATCHED, place[0], tuple(place.split("=")))
    if "|" in place:
        return Result(rank, Verdict.AMBIGUOUS, None, tuple(place.split("|")))
    return Result(rank, Verdict.MATCHED, place)


def f1(seen: QueryScore) -> Bounded:
    assert seen.sets is not None
    return seen.sets.f1


def test_an_undecided_thumbnail_widens_all_three() -> None:
    # relevant {a, b}; a and (b or x): 1 or 2 hits of 2
    seen = look("ab", "a", "b|x")
    assert seen.sets is not None
    assert seen.sets.precision == Bounded(0.5, 0.5, 1.0)
    assert seen.sets.recall == Bounded(0.5, 0.5, 1.0)
    assert seen.sets.f1 == Bounded(0.5, 0.5, 1.0)


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        pytest.param(("a", "b|c"), 2 * 2 / (2 + 3), id="all candidates relevant"),
        pytest.param(("a", "x|y"), 2 * 1 / (2 + 3), id="all candidates irrelevant"),
        pytest.param(("a", "a|b"), 2 * 2 / (2 + 3), id="one candidate is shown elsewhere already"),
        pytest.param(("a", "b=c"), 2 * 2 / (2 + 3), id="matched to twins that are both relevant"),
        pytest.param(("a", "x=y"), 2 * 1 / (2 + 3), id="matched to twins that are both irrelevant"),
        pytest.param(("b|x", "b|x"), 2 * 1 / (2 + 3), id="two places share one relevant and one irrelevant photo"),
        pytest.param(("b|c", "b|c", "b|c"), 2 * 2 / (2 + 3), id="three places for two photos: one is a repeat"),
        pytest.param(("a", "a|a"), 2 * 1 / (1 + 3), id="only what is shown already: a repeat"),
    ],
)
def test_what_cannot_change_the_score_widens_nothing(places: tuple[str, ...], expected: float) -> None:
    seen = f1(look("abc", *places))
    assert (seen.low, seen.value, seen.high) == pytest.approx((expected, expected, expected))


def test_a_match_to_twins_of_which_one_is_relevant_is_undecided() -> None:
    assert f1(look("a", "a=x")) == Bounded(0.0, 0.0, 1.0)


def test_both_twins_shown_are_one_hit_and_one_miss() -> None:
    assert f1(look("a", "a=x", "a=x")) == Bounded.exact(1 * 2 / (2 + 1))


def test_an_undecided_thumbnail_without_candidates_may_be_anything() -> None:
    # relevant {a, b}, a is shown: the other is b (2 hits of 2) or something else (1 of 2)
    assert f1(look("ab", "a", "?")) == Bounded(0.5, 0.5, 1.0)
    assert f1(look("a", "a", "?")) == Bounded.exact(2 * 1 / (2 + 1))  # nothing relevant is left for it to be


def test_a_list_that_may_go_on_can_end_anywhere_in_the_album() -> None:
    # relevant {a, b}, album abcde, a shown. Best: b follows, 2 of 2. Worst: c, d, e follow, 1 of 4: F1 2/(4+2).
    for seen in (look("ab", "a", capped=True, album="abcde"), look("ab", "a", end_proven=False, album="abcde")):
        assert seen.sets is not None
        assert seen.sets.precision == Bounded(1.0, 0.25, 1.0)
        assert seen.sets.recall == Bounded(0.5, 0.5, 1.0)
        assert seen.sets.f1 == Bounded(pytest.approx(2 / 3), pytest.approx(2 / 6), 1.0)


def test_a_list_that_may_go_on_in_an_album_of_unknown_size_may_lose_all_precision() -> None:
    seen = look("ab", "a", capped=True)
    assert seen.sets is not None
    assert seen.sets.precision == Bounded(1.0, 0.0, 1.0)
    assert seen.sets.recall == Bounded(0.5, 0.5, 1.0)


def test_a_list_that_may_go_on_widens_ranking_only_where_ranks_are_empty() -> None:
    ranking = look("ab", "a", capped=True).ranking
    assert ranking["recall@1"] == Bounded.exact(0.5)
    assert ranking["recall@5"] == Bounded(0.5, 0.5, 1.0)
    # ideal = 1 + 1/log2(3); best: b follows at rank 2
    assert ranking["ndcg@5"] == Bounded(
        pytest.approx(1 / (1 + 1 / math.log2(3))), pytest.approx(1 / (1 + 1 / math.log2(3))), 1.0
    )


def test_an_invalid_search_may_have_gone_either_way() -> None:
    queries = [Query(q, "one", {}, SourceType.V, frozenset(r)) for q, r in (("q1", "a"), ("q2", "a"), ("n1", ""), ("n2", ""))]
    answers = [
        Answer("q1", Language.ZH, Outcome.ANSWERED, ()),
        Answer("q2", Language.ZH, Outcome.INVALID, (), "spinner"),
        Answer("n1", Language.ZH, Outcome.ANSWERED, ()),
        Answer("n2", Language.ZH, Outcome.INVALID, (), "spinner"),
    ]
    scores = score(queries, answers)
    assert scores.overall[Averaging.POOLED].sets.f1 == Bounded(0.0, 0.0, 0.5)
    # seen: A 1, B 1. Worst: n2 missed, q2 rejected: P 1/3, R 1/2, F1 2/(2+2+1). Best: n2 rejected, q2 not: P 2/3, R 1.
    assert scores.rejection.precision == Bounded(0.5, pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert scores.rejection.recall == Bounded(1.0, 0.5, 1.0)
    assert scores.rejection.f1 == Bounded(pytest.approx(2 / 3), pytest.approx(2 / 5), pytest.approx(4 / 5))


PHOTOS = "abcdef"
PLACES = st.lists(st.sets(st.sampled_from(PHOTOS), min_size=1, max_size=3), max_size=5)


def every_reading(places: list[set[str]]) -> list[tuple[str | None, ...]]:
    """Every way to give as many places as possible different photos, by trying all; None is a repeat."""
    shown = {next(iter(place)) for place in places if len(place) == 1}
    choices: list[list[str | None]] = []
    seen: set[str] = set()
    for place in places:
        if len(place) == 1:
            photo = next(iter(place))
            choices.append([None if photo in seen else photo])
            seen.add(photo)
        else:
            choices.append([*sorted(place - shown), None])
    readings = [r for r in itertools.product(*choices) if len({p for p in r if p}) == sum(p is not None for p in r)]
    most = max(sum(p is not None for p in r) for r in readings)
    return [r for r in readings if sum(p is not None for p in r) == most]


@given(PLACES, st.sets(st.sampled_from(PHOTOS), min_size=1))
@settings(max_examples=300, deadline=None)
def test_the_bounds_are_those_of_trying_every_reading(places: list[set[str]], relevant: set[str]) -> None:
    seen = f1(look("".join(sorted(relevant)), *("|".join(sorted(place)) for place in places)))
    readings = [{p for p in r if p} for r in every_reading(places)]
    f1s = [2 * len(r & relevant) / (len(r) + len(relevant)) for r in readings]
    assert seen.low == pytest.approx(min(f1s))
    assert seen.high == pytest.approx(max(f1s))
    assert seen.value == seen.low


@given(PLACES, st.sets(st.sampled_from(PHOTOS), min_size=1))
@settings(max_examples=200, deadline=None)
def test_ranking_bounds_hold_every_reading_without_repeats(places: list[set[str]], relevant: set[str]) -> None:
    readings = [r for r in every_reading(places) if None not in r]
    ranking = look("".join(sorted(relevant)), *("|".join(sorted(place)) for place in places)).ranking["ndcg@5"]
    ideal = sum(1 / math.log2(i + 2) for i in range(min(5, len(relevant))))
    gains = [sum(1 / math.log2(i + 2) for i, p in enumerate(r) if p in relevant) / ideal for r in readings]
    if gains:
        assert ranking.low == pytest.approx(min(gains))
        assert ranking.high == pytest.approx(max(gains))
