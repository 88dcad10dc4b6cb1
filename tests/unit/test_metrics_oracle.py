"""Ranking metrics against an independent library, and rules that hold for every input."""

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import R, nDCG

from rig.metrics.averages import Averaging
from rig.metrics.bounded import Bounded
from rig.metrics.ranking import CUTOFFS
from rig.metrics.scoring import score
from rig.model import Answer, Language, Outcome, Query, Result, SourceType, Verdict

PHOTOS = [f"p{i:02d}" for i in range(30)]
LISTS = st.lists(st.sampled_from(PHOTOS), unique=True, max_size=30)
RELEVANT = st.sets(st.sampled_from(PHOTOS), min_size=1, max_size=25)


def _answer(query: str, photos: list[str]) -> Answer:
    results = tuple(Result(i, Verdict.MATCHED, photo) for i, photo in enumerate(photos))
    return Answer(query, Language.EN, Outcome.ANSWERED, results)


@given(st.lists(st.tuples(LISTS, RELEVANT), min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_ranking_equals_ir_measures(cases: list[tuple[list[str], set[str]]]) -> None:
    queries = [Query(f"q{i}", "one", {}, SourceType.V, frozenset(r)) for i, (_, r) in enumerate(cases)]
    ours = score(queries, [_answer(f"q{i}", photos) for i, (photos, _) in enumerate(cases)])
    qrels = [ir_measures.Qrel(q.id, photo, 1) for q in queries for photo in sorted(q.relevant)]
    run = [
        ir_measures.ScoredDoc(f"q{i}", p, -float(rank)) for i, (photos, _) in enumerate(cases) for rank, p in enumerate(photos)
    ]
    measures = {name: measure @ k for k in CUTOFFS for name, measure in ((f"recall@{k}", R), (f"ndcg@{k}", nDCG))}
    theirs = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(list(measures.values()), qrels, run)}
    for seen in ours.queries:
        for name, measure in measures.items():
            expected = theirs.get((seen.query.id, str(measure)), 0.0)  # it leaves out queries without results
            assert seen.ranking[name].value == pytest.approx(expected, abs=1e-12)


@given(LISTS, RELEVANT)
@settings(max_examples=100, deadline=None)
def test_scores_lie_between_zero_and_one_and_f1_is_the_harmonic_mean(photos: list[str], relevant: set[str]) -> None:
    seen = score([Query("q", "one", {}, SourceType.V, frozenset(relevant))], [_answer("q", photos)])
    sets = seen.overall[Averaging.POOLED].sets
    p, r, f = sets.precision.value, sets.recall.value, sets.f1.value
    assert p is not None
    assert r is not None
    assert 0 <= p <= 1
    assert 0 <= r <= 1
    assert f == pytest.approx(2 * p * r / (p + r) if p + r else 0.0)


@given(LISTS, RELEVANT)
@settings(max_examples=50, deadline=None)
def test_repeats_change_nothing(photos: list[str], relevant: set[str]) -> None:
    query = Query("q", "one", {}, SourceType.V, frozenset(relevant))
    once = score([query], [_answer("q", photos)]).queries[0]
    twice = score([query], [_answer("q", photos + photos)]).queries[0]
    assert (once.sets, once.ranking) == (twice.sets, twice.ranking)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([True, False, None])), max_size=12))
@settings(max_examples=200, deadline=None)
def test_rejection_scores_lie_within_their_bounds(decisions: list[tuple[bool, bool | None]]) -> None:
    queries = [
        Query(str(i), "one", {}, SourceType.V, frozenset() if zero else frozenset("a")) for i, (zero, _) in enumerate(decisions)
    ]
    answers = [_answer(str(i), [] if empty else ["a"]) for i, (_, empty) in enumerate(decisions) if empty is not None]
    rejection = score(queries, answers).rejection
    for bounded in (rejection.precision, rejection.recall, rejection.f1):
        assert _ordered(bounded)


def _ordered(bounded: Bounded) -> bool:
    if bounded.value is None or bounded.low is None or bounded.high is None:
        return bounded.value is None
    return bounded.low <= bounded.value <= bounded.high
