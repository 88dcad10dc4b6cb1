"""Scores as one JSON value with stable keys (docs/scoring.md).

Scores are fractions, except where a key ends in `_percent`; what is undefined is null.
"""

from collections.abc import Mapping

from rig.metrics.averages import Averaging, QueryScore
from rig.metrics.bounded import Bounded
from rig.metrics.coverage import Coverage
from rig.metrics.rejection import Rejection
from rig.metrics.scoring import Scores
from rig.metrics.sets import SetScore
from rig.metrics.tables import Complexity, DepthGap, Slice

Json = dict[str, object]


def scores_document(scores: Scores, *, per_query: bool = False) -> Json:
    """Everything that is known of one system."""
    document: Json = {
        "language": scores.language,
        "complete": scores.coverage.is_complete,
        "coverage": _coverage(scores.coverage),
        "normal": {a: _sets(s.sets) for a, s in scores.overall.items()},
        "ranking": {a: _ranking(s.ranking) for a, s in scores.overall.items()},
        "rejection": rejection_document(scores.rejection),
        "by_album": {album: _slice(s) for album, s in scores.by_album.items()},
        "by_source_type": {a: {kind: _slice(s) for kind, s in kinds.items()} for a, kinds in scores.by_type.items()},
        "by_number_of_sources": {a: _complexity(c) for a, c in scores.complexity.items()},
        "by_dimension": _by_dimension(scores),
        "fact_and_cognitive": {a: _gap(g) for a, g in scores.depth_gap.items()},
    }
    if per_query:
        document["queries"] = [_query(q) for q in scores.queries]
    return document


def bounded_document(bounded: Bounded) -> Json:
    """The value and its bounds."""
    return {"value": bounded.value, "low": bounded.low, "high": bounded.high}


def rejection_document(rejection: Rejection) -> Json:
    """Appendix B.2's counts by their letters, and the scores."""
    counts = rejection.counts
    return {
        "A": counts.correct_rejections,
        "B": counts.false_rejections,
        "C": counts.missed_rejections,
        "D": counts.correct_non_rejections,
        "unanswered_normal": rejection.unanswered_normal,
        "unanswered_zero": rejection.unanswered_zero,
        "precision": bounded_document(rejection.precision),
        "recall": bounded_document(rejection.recall),
        "f1": bounded_document(rejection.f1),
    }


def _sets(sets: SetScore) -> Json:
    return {
        "precision": bounded_document(sets.precision),
        "recall": bounded_document(sets.recall),
        "f1": bounded_document(sets.f1),
    }


def _ranking(ranking: Mapping[str, Bounded]) -> Json:
    return {name: bounded_document(bounded) for name, bounded in ranking.items()}


def _slice(part: Slice | None) -> Json | None:
    if part is None:
        return None
    return {
        "normal_queries": part.normal,
        "answered": part.answered,
        **_sets(part.sets),
        "ranking": _ranking(part.ranking),
        "rejection": rejection_document(part.rejection),
    }


def _complexity(c: Complexity) -> Json:
    return {
        "metric": "f1",
        "single": bounded_document(c.single),
        "dual": bounded_document(c.dual),
        "triple": bounded_document(c.triple),
        "delta_2_1_percent": bounded_document(c.delta_2_1),
        "delta_3_2_percent": bounded_document(c.delta_3_2),
        "delta_3_1_percent": bounded_document(c.delta_3_1),
    }


def _by_dimension(scores: Scores) -> Json:
    def table(averaging: Averaging) -> Json:
        dimensions = scores.by_depth[averaging]
        return {name: {depth: _slice(part) for depth, part in depths.items()} for name, depths in dimensions.items()}

    return {averaging: table(averaging) for averaging in scores.by_depth}


def _gap(gap: DepthGap) -> Json:
    return {
        "metric": gap.metric,
        "fact": bounded_document(gap.fact),
        "cognitive": bounded_document(gap.cognitive),
        "fact_minus_cognitive": bounded_document(gap.gap),
        "fact_queries": gap.fact_queries,
        "cognitive_queries": gap.cognitive_queries,
        "untagged_queries": gap.untagged_queries,
    }


def _coverage(c: Coverage) -> Json:
    return {
        "asked": c.asked,
        "asked_normal": c.asked_normal,
        "asked_zero": c.asked_zero,
        "answered": c.answered,
        "unanswered": [{"query": query, "reason": reason} for query, reason in c.unanswered],
        "unanswered_reasons": dict(c.reasons),
        "retried": c.retried,
        "answers_to_other_queries": c.foreign,
        "results": c.results,
        "duplicates": c.duplicates,
        "cut_at_maximum": c.cut,
        "strangers": c.strangers,
        "unknown_names": c.unknown,
        "undecided": c.undecided,
        "open_ended": c.open_ended,
    }


def _query(q: QueryScore) -> Json:
    document: Json = {
        "query": q.query.id,
        "album": q.query.album,
        "source_type": q.query.source_type,
        "relevant": len(q.query.relevant),
        "unanswered": q.unanswered,
        "attempts": q.attempts,
        "empty": q.empty,
        "returned": None if q.returned is None else len(q.returned.places),
        "undecided": None if q.returned is None else q.returned.undecided,
    }
    if q.sets is not None:
        document |= {**_sets(q.sets), "ranking": _ranking(q.ranking)}
    return document
