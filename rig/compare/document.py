"""A comparison as one JSON value with stable keys (docs/scoring.md): fractions, p values, counts; null where undefined."""

from collections.abc import Sequence

from rig.compare.comparing import Changed, Compared, Comparison, Judged, SliceOf
from rig.compare.gates import GateResult
from rig.compare.measuring import Measured
from rig.metrics.averages import QueryScore
from rig.metrics.document import Json
from rig.metrics.scoring import METRIC_VERSION
from rig.scoreboard import query_set_document
from rig.sides import Side
from rig.statistics import CONFIDENCE, RESAMPLES, Interval, PValue

SCHEMA_VERSION = 1


def comparison_document(comparison: Comparison, gates: Sequence[Sequence[GateResult]]) -> Json:
    """The comparison, with each pair's gate results."""
    rules = comparison.rules
    return {
        "kind": "gallery-rig comparison",
        "schema_version": SCHEMA_VERSION,
        "metric_version": METRIC_VERSION,
        "query_set": query_set_document(comparison.questions),
        "rules": {
            "averaging": rules.averaging,
            "family": list(rules.metrics),
            "family_size": len(rules.metrics) * len(comparison.compared),
            "family_correction": "Holm",
            "slices": "exploratory, Benjamini-Hochberg",
            "margin_points": 100 * rules.margin,
            "confidence": CONFIDENCE,
            "resamples": RESAMPLES,
            "seed": rules.seed,
            "noise_floor": [_side(side) for side in _measured_twice(comparison)] or None,
        },
        "pairs": [_pair(c, results) for c, results in zip(comparison.compared, gates, strict=True)],
        "gates_passed": all(result.passed for results in gates for result in results),
    }


def _measured_twice(comparison: Comparison) -> list[Side]:
    """The sides of the A/A pairs, each pair once."""
    pairs = {(id(c.same[0]), id(c.same[1])): c.same for c in comparison.compared if c.same is not None}
    return [side for pair in pairs.values() for side in pair]


def _pair(c: Compared, gates: Sequence[GateResult]) -> Json:
    return {
        "old": _side(c.old),
        "new": _side(c.new),
        "queries": {
            "paired": len(c.pairs.old),
            "paired_zero_ground_truth": sum(q.query.is_rejection for q in c.pairs.old),
            "excluded": c.pairs.excluded,
            "unanswered_old": [{"query": query, "reason": reason} for query, reason in c.pairs.unanswered_old],
            "unanswered_new": [{"query": query, "reason": reason} for query, reason in c.pairs.unanswered_new],
        },
        "metrics": {j.measured.metric: _judged(j) for j in c.family},
        "rejection_decisions": {
            "zero_ground_truth": _p_value(c.rejections_zero),
            "normal": _p_value(c.rejections_normal),
        },
        "exploratory_slices": [_slice(s) for s in c.slices],
        "changed_queries": [_changed(change) for change in c.changed],
        "gates": [{"gate": g.gate, "passed": g.passed, "why": g.why} for g in gates],
    }


def _side(side: Side) -> Json:
    return {"system": side.name, "file": side.source.name, "language": side.language, "stamps": dict(side.stamps)}


def _judged(j: Judged) -> Json:
    return {
        **_measured(j.measured),
        "p_holm": j.p_holm,
        "non_inferior": j.non_inferior,
        "noise_floor": j.noise,
        "beyond_noise": j.beyond_noise,
    }


def _measured(m: Measured) -> Json:
    return {
        "queries": m.queries,
        "old": m.old,
        "new": m.new,
        "difference": m.difference,
        "difference_bounds": None if m.bounds is None else {"low": m.bounds[0], "high": m.bounds[1]},
        "interval": _interval(m.interval),
        **_p_value(m.p_value),
        "wins": m.wins,
        "ties": m.ties,
        "losses": m.losses,
        "d_z": m.effect,
        "unanswered_as_zero": {
            "old": m.old_with_zeros,
            "new": m.new_with_zeros,
            "difference": None if m.old_with_zeros is None or m.new_with_zeros is None else m.new_with_zeros - m.old_with_zeros,
        },
    }


def _interval(interval: Interval | None) -> Json | None:
    return None if interval is None else {"low": interval.low, "high": interval.high, "method": interval.method}


def _p_value(value: PValue | None) -> Json:
    return {"p": None if value is None else value.p, "test": None if value is None else value.procedure}


def _slice(s: SliceOf) -> Json:
    m = s.measured
    return {
        "kind": s.kind,
        "name": s.name,
        "metric": m.metric,
        "queries": m.queries,
        "old": m.old,
        "new": m.new,
        "difference": m.difference,
        "interval": _interval(m.interval),
        **_p_value(m.p_value),
        "p_benjamini_hochberg": s.p_bh,
        "exploratory": True,
    }


def _changed(change: Changed) -> Json:
    query = change.old.query
    return {
        "query": query.id,
        "album": query.album,
        "text": {language.value: text for language, text in query.text.items()},
        "source_type": query.source_type,
        "difference_f1": change.difference,
        "old": _look(change.old),
        "new": _look(change.new),
        "appeared": sorted(_shown(change.new) - _shown(change.old)),
        "disappeared": sorted(_shown(change.old) - _shown(change.new)),
    }


def _look(q: QueryScore) -> Json:
    return {
        "empty": q.empty,
        "returned": None if q.returned is None else len(q.returned.places),
        "f1": None if q.sets is None else q.sets.f1.value,
    }


def _shown(q: QueryScore) -> frozenset[str]:
    return frozenset() if q.returned is None else q.returned.shown
