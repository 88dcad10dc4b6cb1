"""Scores of one query and of several, with the numbers worked by hand."""

import math
from collections.abc import Sequence

import pytest

from rig.errors import RigError
from rig.metrics.averages import Averaging
from rig.metrics.bounded import Bounded, mean, relative_change_percent
from rig.metrics.identity import identify
from rig.metrics.scoring import Missing, Scores, score
from rig.model import Answer, Depth, Language, Outcome, Query, Result, SourceType, Verdict


def query(
    name: str,
    relevant: str = "",
    *,
    album: str = "one",
    kind: SourceType = SourceType.V,
    dimensions: dict[str, Depth] | None = None,
) -> Query:
    return Query(name, album, {Language.ZH: name, Language.EN: name}, kind, frozenset(relevant), dimensions or {})


def answer(name: str, photos: str | Sequence[str] = "", *, language: Language = Language.ZH) -> Answer:
    results = tuple(Result(i, Verdict.MATCHED, photo) for i, photo in enumerate(photos))
    return Answer(name, language, Outcome.ANSWERED, results)


def invalid(name: str, reason: str = "dialog") -> Answer:
    return Answer(name, Language.ZH, Outcome.INVALID, (), reason)


def sets(scores: Scores, averaging: Averaging = Averaging.POOLED) -> tuple[float | None, float | None, float | None]:
    means = scores.overall[averaging].sets
    return means.precision.value, means.recall.value, means.f1.value


def test_repeats_are_counted_once_and_reported() -> None:
    # returned [a, a, a], relevant {a, b}: one different result, one hit: P 1/1, R 1/2, F1 2/(1+2)
    scores = score([query("q", "ab")], [answer("q", "aaa")])
    assert sets(scores) == (1.0, 0.5, pytest.approx(2 / 3))
    assert (scores.coverage.results, scores.coverage.duplicates) == (3, 2)


def test_mean_f1_is_the_mean_of_f1s_and_not_the_f1_of_means() -> None:
    # q1: 4 returned, 1 relevant, 1 hit: .25, 1, .4; q2: 1 returned, 4 relevant, 1 hit: 1, .25, .4
    queries = [query("q1", "a"), query("q2", "xyzw")]
    scores = score(queries, [answer("q1", "abcd"), answer("q2", "x")])
    assert sets(scores) == (0.625, 0.625, pytest.approx(0.4))


def test_an_empty_answer_on_a_normal_query_scores_zero_and_is_a_false_rejection() -> None:
    scores = score([query("q", "a")], [answer("q")])
    assert sets(scores) == (0.0, 0.0, 0.0)
    assert scores.rejection.counts.false_rejections == 1


def test_zero_ground_truth_queries_are_left_out_of_the_means() -> None:
    scores = score([query("q", "a"), query("nothing")], [answer("q", "a"), answer("nothing", "b")])
    assert sets(scores) == (1.0, 1.0, 1.0)
    assert scores.overall[Averaging.POOLED].normal == 1


def test_a_failed_search_is_not_a_rejection() -> None:
    queries = [query("q", "a"), query("nothing")]
    scores = score(queries, [invalid("q"), invalid("nothing", "spinner")])
    counts = scores.rejection.counts
    assert (counts.correct_rejections, counts.false_rejections, counts.missed_rejections) == (0, 0, 0)
    assert scores.rejection.precision == Bounded(None, 0.0, 1.0)
    assert scores.coverage.unanswered == (("q", "dialog"), ("nothing", "spinner"))


def test_an_empty_list_without_proof_of_its_end_is_no_answer() -> None:
    unproven = Answer("nothing", Language.ZH, Outcome.ANSWERED, (), end_proven=False)
    scores = score([query("nothing")], [unproven])
    assert scores.coverage.unanswered == (("nothing", "empty without proof"),)
    assert scores.rejection.counts.correct_rejections == 0


def test_rejection_scores_follow_appendix_b2() -> None:
    # A = 2 (n1, n2), C = 1 (n3), B = 1 (q1), D = 1 (q2): P 2/3, R 2/3, F1 4/(4+1+1)
    queries = [query("q1", "a"), query("q2", "a"), query("n1"), query("n2"), query("n3")]
    answers = [answer("q1"), answer("q2", "b"), answer("n1"), answer("n2"), answer("n3", "b")]
    rejection = score(queries, answers).rejection
    assert rejection.precision == Bounded.exact(2 / 3)
    assert rejection.recall == Bounded.exact(2 / 3)
    assert rejection.f1 == Bounded.exact(4 / 6)


@pytest.mark.parametrize(
    ("queries", "answers", "expected"),
    [
        pytest.param([query("n")], [answer("n", "a")], (None, 0.0, 0.0), id="nothing was ever rejected"),
        pytest.param([query("q", "a")], [answer("q")], (0.0, None, 0.0), id="there was nothing to reject"),
        pytest.param([query("q", "a")], [answer("q", "a")], (None, None, None), id="neither"),
    ],
)
def test_undefined_rejection_scores_are_none(
    queries: list[Query], answers: list[Answer], expected: tuple[float | None, ...]
) -> None:
    rejection = score(queries, answers).rejection
    assert (rejection.precision.value, rejection.recall.value, rejection.f1.value) == expected


def test_a_stranger_is_a_false_positive_and_no_rejection() -> None:
    stranger = Answer("q", Language.ZH, Outcome.ANSWERED, (Result(0, Verdict.MATCHED, "a"), Result(1, Verdict.STRANGER, None)))
    scores = score([query("q", "a")], [stranger])
    assert sets(scores) == (0.5, 1.0, pytest.approx(2 / 3))
    assert scores.coverage.strangers == 1


def test_an_unknown_name_is_a_false_positive_and_is_reported() -> None:
    scores = score([query("q", "a")], [answer("q", "az")], albums={"one": "abc"})
    assert sets(scores)[0] == 0.5
    assert scores.coverage.unknown == 1


def test_the_list_is_cut_at_one_hundred_after_repeats_are_dropped() -> None:
    photos = ["p0", *(f"p{i}" for i in range(101))]  # 102 raw, 101 different, the last one relevant
    scores = score([Query("q", "one", {}, SourceType.V, frozenset({"p100"}))], [answer("q", photos)])
    assert sets(scores)[1] == 0.0
    assert (scores.coverage.duplicates, scores.coverage.cut) == (1, 1)


def test_pooled_and_mean_of_albums_differ_when_albums_have_different_sizes() -> None:
    # album one: F1 1 and 1 and 1; album two: 0. Pooled 3/4, mean of albums 1/2.
    queries = [query(f"q{i}", "a") for i in range(3)] + [query("r", "a", album="two")]
    scores = score(queries, [answer("q0", "a"), answer("q1", "a"), answer("q2", "a"), answer("r", "b")])
    assert sets(scores, Averaging.POOLED)[2] == 0.75
    assert sets(scores, Averaging.ALBUMS)[2] == 0.5
    assert scores.by_album["two"].sets.f1.value == 0.0


def test_a_source_type_that_no_query_has_is_none_and_not_zero() -> None:
    scores = score([query("q", "a")], [answer("q", "a")])
    assert scores.by_type[Averaging.POOLED][SourceType.F] is None
    assert scores.complexity[Averaging.ALBUMS].dual == Bounded(None, None, None)
    assert scores.complexity[Averaging.ALBUMS].delta_2_1.value is None


def test_the_single_source_average_is_the_mean_over_albums_of_the_types_each_has() -> None:
    # one: V 1, M 0, F 0 -> 1/3; two has no F: V 1, M 1 -> 1. Mean of albums 2/3; plain mean of types (1 + 1/2 + 0)/3 = 1/2.
    queries = [
        query("1v", "a", kind=SourceType.V),
        query("1m", "a", kind=SourceType.M),
        query("1f", "a", kind=SourceType.F),
        query("2v", "a", album="two", kind=SourceType.V),
        query("2m", "a", album="two", kind=SourceType.M),
    ]
    answers = [answer("1v", "a"), answer("1m", "b"), answer("1f", "b"), answer("2v", "a"), answer("2m", "a")]
    scores = score(queries, answers)
    assert scores.complexity[Averaging.ALBUMS].single.value == pytest.approx(2 / 3)
    assert scores.complexity[Averaging.POOLED].single.value == pytest.approx(1 / 2)


def test_changes_are_relative_and_in_per_cent() -> None:
    assert relative_change_percent(Bounded.exact(0.5), Bounded.exact(0.25)).value == -50.0
    assert relative_change_percent(Bounded(0.5, 0.4, 0.8), Bounded(0.4, 0.4, 0.6)) == Bounded(
        pytest.approx(-20.0),
        pytest.approx(-50.0),
        pytest.approx(50.0),
    )
    assert relative_change_percent(Bounded.exact(0.0), Bounded.exact(0.25)).value is None


def test_fact_and_cognitive_queries_are_told_apart_by_their_dimensions() -> None:
    queries = [
        query("f", "a", dimensions={"Location": Depth.FACT}),
        query("c", "a", dimensions={"Location": Depth.FACT, "Time": Depth.COGNITIVE}),
        query("untagged", "a"),
    ]
    scores = score(queries, [answer("f", "a"), answer("c", "b"), answer("untagged", "b")])
    gap = scores.depth_gap[Averaging.POOLED]
    assert (gap.fact.value, gap.cognitive.value, gap.gap.value) == (1.0, 0.0, 1.0)
    assert (gap.fact_queries, gap.cognitive_queries, gap.untagged_queries) == (1, 1, 1)
    location = scores.by_depth[Averaging.POOLED]["Location"]
    assert location[Depth.FACT] is not None
    assert location[Depth.FACT].sets.f1.value == 0.5  # f and c are both fact in Location
    assert location[Depth.COGNITIVE] is None


def test_recall_and_ndcg_by_hand() -> None:
    # x a y b, relevant {a, b, c}: R@1 0, R@5 2/3; DCG@5 = 1/log2(3) + 1/log2(5), ideal = 1 + 1/log2(3) + 1/log2(4)
    ranking = score([query("q", "abc")], [answer("q", "xayb")]).queries[0].ranking
    assert ranking["recall@1"].value == 0.0
    assert ranking["recall@5"].value == pytest.approx(2 / 3)
    dcg, ideal = 1 / math.log2(3) + 1 / math.log2(5), 1 + 1 / math.log2(3) + 1 / 2
    assert ranking["ndcg@5"].value == pytest.approx(dcg / ideal)


def test_a_system_without_all_answers_is_incomplete_and_its_score_is_that_of_the_answered() -> None:
    queries = [query("q1", "a"), query("q2", "a")]
    scores = score(queries, [answer("q1", "a")])
    assert not scores.coverage.is_complete
    assert scores.coverage.reasons == (("not run", 1),)
    assert scores.overall[Averaging.POOLED].sets.f1 == Bounded(1.0, 0.5, 1.0)


def test_missing_as_zero_counts_unanswered_queries_as_wrong_but_never_as_empty() -> None:
    queries = [query("q1", "a"), query("q2", "a"), query("n")]
    scores = score(queries, [answer("q1", "a")], missing=Missing.ZERO)
    assert scores.overall[Averaging.POOLED].sets.f1 == Bounded(0.5, 0.5, 1.0)
    counts = scores.rejection.counts
    assert (counts.false_rejections, counts.missed_rejections, counts.correct_non_rejections) == (0, 1, 2)
    assert scores.rejection.recall == Bounded(0.0, 0.0, 1.0)


def test_answers_to_other_queries_are_left_out_and_counted() -> None:
    scores = score([query("q", "a")], [answer("q", "a"), answer("other", "b")])
    assert scores.coverage.foreign == 1
    assert scores.coverage.is_complete


def test_languages_are_never_mixed() -> None:
    queries = [query("q1", "a"), query("q2", "a")]
    with pytest.raises(RigError, match="en and zh are mixed"):
        score(queries, [answer("q1", "a"), answer("q2", "a", language=Language.EN)])


def test_a_query_answered_twice_is_refused() -> None:
    with pytest.raises(RigError, match="answered twice, first 'q'"):
        score([query("q", "a")], [answer("q", "a"), answer("q", "b")])


def test_no_answers_at_all_are_bounds_without_values() -> None:
    scores = score([query("q", "a")], [])
    assert scores.language is None
    assert scores.overall[Averaging.ALBUMS].sets.f1 == Bounded(None, 0.0, 1.0)


def test_the_mean_of_nothing_is_undefined() -> None:
    assert mean([]) == Bounded(None, None, None)


def test_the_identity_of_a_query_set_tells_questions_from_right_answers() -> None:
    one, other = identify([query("q", "a"), query("r")]), identify([query("r"), query("q", "b")])
    assert one.queries == other.queries
    assert one.truth != other.truth
    assert (one.count, one.zero, one.albums) == (2, 1, {"one": 2})
