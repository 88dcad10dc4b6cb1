"""Comparisons of two sides over the same queries."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from rig.compare.comparing import Comparison, Judged, Rules, compare
from rig.compare.document import comparison_document
from rig.compare.gates import judge_gates, parse_gate
from rig.errors import RigError
from rig.metrics.averages import Averaging
from rig.metrics.identity import identify
from rig.model import Answer, Language, Outcome, Query, Result, SourceType, Verdict
from rig.questions import Questions
from rig.sides import Side


def questions(count: int = 6, zero: int = 2, *, albums: int = 1) -> Questions:
    """Normal queries q0, q1, … with one relevant photo "a", then zero-ground-truth queries n0, n1, …"""
    normals = [Query(f"q{i}", f"album{i % albums}", {}, SourceType.V, frozenset("a")) for i in range(count)]
    zeros = [Query(f"n{i}", "album0", {}, SourceType.V, frozenset()) for i in range(zero)]
    queries = (*normals, *zeros)
    return Questions(queries, {}, (), {}, (), identify(queries))


def side(
    name: str,
    answers: Mapping[str, str | None],
    *,
    language: Language | None = None,
    stamps: Mapping[str, str] | None = None,
) -> Side:
    """Query → returned photos, "" for nothing, None for an invalid search."""
    made = tuple(_answer(query, photos) for query, photos in answers.items())
    return Side(name, Path(f"{name}.json"), language, made, stamps or {})


def _answer(query: str, photos: str | None) -> Answer:
    if photos is None:
        return Answer(query, Language.ZH, Outcome.INVALID, (), "spinner")
    results = tuple(Result(i, Verdict.MATCHED, photo) for i, photo in enumerate(photos))
    return Answer(query, Language.ZH, Outcome.ANSWERED, results)


ALL_RIGHT: dict[str, str | None] = {**{f"q{i}": "a" for i in range(6)}, "n0": "", "n1": ""}
"""F1 1 on every normal query, both rejections right."""
HALF_WRONG = ALL_RIGHT | {"q0": "x", "q1": "x", "q2": "x", "n0": "x"}


def judged(comparison: Comparison, metric: str) -> Judged:
    return next(j for j in comparison.compared[0].family if j.measured.metric == metric)


def run(old: Mapping[str, str | None], new: Mapping[str, str | None], rules: Rules | None = None) -> Comparison:
    return compare(questions(), [(side("old", old), side("new", new))], rules or Rules())


def test_a_paired_difference_with_its_wins_ties_and_losses() -> None:
    m = judged(run(HALF_WRONG, ALL_RIGHT), "f1").measured
    assert (m.old, m.new, m.difference) == (0.5, 1.0, 0.5)
    assert (m.wins, m.ties, m.losses) == (3, 3, 0)
    assert m.p_value is not None
    assert m.p_value.p == 2 / 2**3  # three differences of the same sign
    assert m.effect == pytest.approx(0.5 / 0.5477, rel=1e-3)  # sd of 1 1 1 0 0 0


def test_identical_sides_differ_in_nothing() -> None:
    comparison = run(ALL_RIGHT, ALL_RIGHT)
    m = judged(comparison, "f1").measured
    assert m.p_value is not None
    assert (m.difference, m.p_value.p, m.effect) == (0.0, 1.0, None)
    assert comparison.compared[0].changed == ()


def test_rejection_metrics_are_compared_as_ratios() -> None:
    rules = Rules(("rej-precision", "rej-recall", "rej-f1"))
    comparison = run(HALF_WRONG, ALL_RIGHT, rules)
    # old: A 1 of 2, B 0: Rej-P 1, Rej-R 1/2, Rej-F1 2/3
    assert judged(comparison, "rej-precision").measured.old == 1.0
    assert judged(comparison, "rej-recall").measured.old == 0.5
    assert judged(comparison, "rej-f1").measured.old == pytest.approx(2 / 3)
    recall = judged(comparison, "rej-recall").measured
    assert (recall.queries, recall.wins, recall.losses) == (2, 1, 0)


def test_an_undefined_ratio_stays_undefined() -> None:
    never = dict.fromkeys(ALL_RIGHT, "a")
    m = judged(run(never, ALL_RIGHT, Rules(("rej-precision",))), "rej-precision")
    assert (m.measured.old, m.measured.difference, m.measured.p_value, m.p_holm) == (None, None, None, None)
    assert m.non_inferior is None


def test_a_query_that_one_side_did_not_answer_is_left_out_of_both_and_counted() -> None:
    new = dict(ALL_RIGHT) | {"q0": None}
    del new["q1"]
    compared = run(HALF_WRONG, new).compared[0]
    assert compared.pairs.unanswered_new == (("q0", "spinner"), ("q1", "not run"))
    assert compared.pairs.excluded == 2
    m = compared.family[0].measured
    # of q2 to q5 the old side has q2 wrong: 3/4; with the two as 0 the new side has 4 of 6
    assert (m.queries, m.old, m.new) == (4, 0.75, 1.0)
    assert (m.old_with_zeros, m.new_with_zeros) == (0.5, pytest.approx(4 / 6))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param(
            side("a", ALL_RIGHT, language=Language.ZH),
            side("b", ALL_RIGHT, language=Language.EN),
            "a is in zh, b in en",
            id="language",
        ),
        pytest.param(
            side("a", ALL_RIGHT, stamps={"metric version": "1"}),
            side("b", ALL_RIGHT, stamps={"metric version": "2"}),
            "metric version differs: 1 for a, 2 for b",
            id="metric version",
        ),
        pytest.param(
            side("a", ALL_RIGHT, stamps={"album one": "aa", "x": "1"}),
            side("b", ALL_RIGHT, stamps={"album one": "bb", "y": "2"}),
            "album one differs",
            id="album",
        ),
        pytest.param(
            side("a", ALL_RIGHT, stamps={"query set": "0123456789abcdef"}),
            side("b", ALL_RIGHT),
            "a was measured over another query set",
            id="query set",
        ),
        pytest.param(side("a", {"q0": "a"}), side("b", {"q1": "a"}), "no answered query in common", id="other queries"),
    ],
)
def test_sides_that_are_not_about_the_same_are_refused_with_the_reason(old: Side, new: Side, message: str) -> None:
    with pytest.raises(RigError, match=message):
        compare(questions(), [(old, new)])


def test_non_inferiority_needs_the_interval_above_minus_the_margin() -> None:
    many = questions(200, 2)
    old = {q.id: "a" if q.relevant else "" for q in many.queries}
    slightly = old | {"q0": "x"}  # -0.5 points of 200 queries
    much = old | {f"q{i}": "x" for i in range(100)}
    verdicts = {
        name: compare(many, [(side("old", old), side("new", new))], Rules(("f1",))).compared[0].family[0].non_inferior
        for name, new in {"same": old, "slightly": slightly, "much": much}.items()
    }
    assert verdicts["same"] is True
    assert verdicts["much"] is False
    tight = compare(many, [(side("old", old), side("new", slightly))], Rules(("f1",), margin=0.001)).compared[0].family[0]
    assert tight.non_inferior is None  # the interval of -0.5 points holds -0.1


def test_a_difference_is_beyond_noise_only_when_larger_than_a_reruns() -> None:
    rules, q = Rules(("f1",)), questions()
    old, new = side("old", HALF_WRONG), side("new", ALL_RIGHT)
    assert compare(q, [(old, new)], rules).compared[0].family[0].beyond_noise is None
    quiet = compare(q, [(old, new)], rules, same=[(old, old)]).compared[0].family[0]
    assert (quiet.noise, quiet.beyond_noise) == (0.0, True)
    loud = compare(q, [(old, new)], rules, same=[(new, side("again", dict.fromkeys(ALL_RIGHT, "x")))]).compared[0].family[0]
    assert (loud.noise, loud.beyond_noise) == (1.0, False)


def test_holm_is_over_every_metric_of_every_pair() -> None:
    old, new = side("old", HALF_WRONG), side("new", ALL_RIGHT)
    one = compare(questions(), [(old, new)], Rules(("f1",))).compared[0].family[0]
    two = compare(questions(), [(old, new), (old, new)], Rules(("f1",))).compared[1].family[0]
    assert (one.p_holm, two.p_holm) == (0.25, 0.5)


def test_the_mean_of_albums_weighs_albums_alike() -> None:
    q = questions(3, 0, albums=2)  # q0, q2 in album0, q1 in album1
    old, new = side("old", {"q0": "x", "q1": "x", "q2": "x"}), side("new", {"q0": "x", "q1": "a", "q2": "x"})
    pooled, albums = (compare(q, [(old, new)], Rules(("f1",), averaging=a)).compared[0].family[0].measured for a in Averaging)
    assert pooled.difference == pytest.approx(1 / 3)
    assert albums.difference == pytest.approx(1 / 2)


def test_slices_are_exploratory_and_corrected_among_themselves() -> None:
    document = comparison_document(run(HALF_WRONG, ALL_RIGHT), [()])
    (pair,) = document["pairs"]  # type: ignore[misc]
    assert [(s["kind"], s["name"], s["exploratory"]) for s in pair["exploratory_slices"]] == [("source type", "V", True)]  # type: ignore[index]


def test_changed_queries_are_listed_with_what_came_and_went() -> None:
    changed = run(HALF_WRONG, ALL_RIGHT).compared[0].changed
    assert [c.old.query.id for c in changed] == ["q0", "q1", "q2", "n0"]
    assert changed[0].difference == 1.0
    assert changed[-1].difference is None


def test_undecided_results_widen_the_difference() -> None:
    open_ = Answer("q0", Language.ZH, Outcome.ANSWERED, (Result(0, Verdict.AMBIGUOUS, None, ("a", "x")),))
    old = Side("old", Path("old"), None, (open_,))
    new = side("new", {"q0": "a"})
    m = compare(questions(1, 0), [(old, new)], Rules(("f1",))).compared[0].family[0].measured
    assert (m.difference, m.bounds) == (1.0, (0.0, 1.0))


@pytest.mark.parametrize(
    ("gate", "passed"),
    [
        ("f1>=-1", True),
        ("f1>=60", False),
        ("f1.new>=100", True),
        ("f1.old>50", False),
        ("f1.low>-2", True),
        ("f1.p<0.05", False),
        ("f1.p_holm <= 1", True),
        ("non-inferior", True),
        ("complete", True),
    ],
)
def test_gates_speak_of_points(gate: str, passed: bool) -> None:
    comparison = run(HALF_WRONG, ALL_RIGHT)  # f1 50 → 100
    assert [r.passed for r in judge_gates([parse_gate(gate)], comparison.compared[0])] == [passed]


def test_a_gate_on_something_undefined_fails() -> None:
    never = dict.fromkeys(ALL_RIGHT, "a")
    comparison = run(never, ALL_RIGHT, Rules(("rej-precision",)))
    (result,) = judge_gates([parse_gate("rej-precision>=0")], comparison.compared[0])
    assert (result.passed, result.why) == (False, "rej-precision.difference is undefined")


@pytest.mark.parametrize("gate", ["f1", "f1==3", "f2>=1", "f1.median>0", "non-inferior>1", "f1>=much"])
def test_a_gate_that_says_nothing_known_is_refused(gate: str) -> None:
    with pytest.raises(RigError):
        parse_gate(gate)


def test_an_unknown_metric_is_refused_with_the_known_ones() -> None:
    with pytest.raises(RigError, match="there is no metric 'f2'; there are precision, recall, f1"):
        run(ALL_RIGHT, ALL_RIGHT, Rules(("f2",)))
