"""One metric of a comparison: both values, their difference, and what speaks for it.

A metric of single queries (F1, Recall@10, …) is compared by its paired differences; a rejection metric is a ratio over
all queries and is compared as one: Rej-R, a share of the zero-ground-truth queries, by McNemar's exact test.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rig.compare.pairing import Pairs
from rig.errors import RigError
from rig.metrics.averages import Averaging, QueryScore, by_album, f1, normal, precision, ranking, recall
from rig.metrics.bounded import Bounded
from rig.metrics.ranking import RANKING_METRICS
from rig.statistics import (
    Bools,
    Floats,
    Interval,
    PValue,
    Ratio,
    effect_size,
    mcnemar_test,
    mean_interval,
    ratio_interval,
    rejection_f1,
    rejection_precision,
    rejection_recall,
    sign_flip_test,
    swap_test,
)

_OF_QUERIES = {"precision": precision, "recall": recall, "f1": f1, **{name: ranking(name) for name in RANKING_METRICS}}
_RATIOS: dict[str, Ratio] = {
    "rej-precision": rejection_precision,
    "rej-recall": rejection_recall,
    "rej-f1": rejection_f1,
}
METRICS = (*_OF_QUERIES, *_RATIOS)
FAMILY = ("f1", "rej-f1")
"""Declared when the user declares nothing: one number for finding, one for abstaining."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric on the paired queries; fractions. None where it is undefined or cannot be had."""

    metric: str
    queries: int
    """The paired queries that the metric is over."""
    old: float | None
    new: float | None
    difference: float | None
    """new - old."""
    bounds: tuple[float, float] | None
    """What the difference could be, given what was left open on the answered queries; None for rejection, which is sure."""
    interval: Interval | None
    p_value: PValue | None
    wins: int
    """Queries that the new side does better."""
    ties: int
    losses: int
    effect: float | None
    """d_z; None for a ratio."""
    old_with_zeros: float | None
    """The same with unanswered queries counted as 0, over all queries."""
    new_with_zeros: float | None


def check_metric(name: str) -> str:
    """The metric's name; RigError with those there are."""
    if name not in METRICS:
        raise RigError(f"compare: there is no metric {name!r}; there are {', '.join(METRICS)}")
    return name


def measure(pairs: Pairs, metric: str, averaging: Averaging, *, seed: int) -> Measured:
    """Compares one metric over the pairs."""
    if metric in _RATIOS:
        return _measure_ratio(pairs, metric, seed)
    old, new = normal(pairs.old), normal(pairs.new)
    zeros = tuple(_value(queries, metric, averaging) for queries in (pairs.old_with_zeros, pairs.new_with_zeros))
    return measure_queries(old, new, metric, averaging, seed=seed, with_zeros=(zeros[0], zeros[1]))


def measure_queries(
    old: Sequence[QueryScore],
    new: Sequence[QueryScore],
    metric: str,
    averaging: Averaging,
    *,
    seed: int,
    with_zeros: tuple[float | None, float | None] = (None, None),
) -> Measured:
    """Compares a metric of single queries over paired normal queries.

    Under `ALBUMS` each difference is weighted so that their mean is the mean of the albums' means; the test and the
    interval are then conditional on these albums.
    """
    pick = _OF_QUERIES[metric]
    weights = _weights(old, averaging)
    a, b = (_floats([pick(q).value for q in side]) for side in (old, new))
    differences = weights * (b - a)
    some = bool(differences.size)
    return Measured(
        metric=metric,
        queries=len(old),
        old=float(np.mean(weights * a)) if some else None,
        new=float(np.mean(weights * b)) if some else None,
        difference=float(np.mean(differences)) if some else None,
        bounds=_bounds([pick(q) for q in old], [pick(q) for q in new], weights) if some else None,
        interval=mean_interval(differences, seed=seed),
        p_value=sign_flip_test(differences, seed=seed) if some else None,
        wins=int(np.sum(differences > 0)),
        ties=int(np.sum(differences == 0)),
        losses=int(np.sum(differences < 0)),
        effect=effect_size(differences),
        old_with_zeros=with_zeros[0],
        new_with_zeros=with_zeros[1],
    )


def _floats(values: Sequence[float | None]) -> Floats:
    """An answered normal query has a value in every metric of single queries."""
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _weights(queries: Sequence[QueryScore], averaging: Averaging) -> Floats:
    """Per query; their mean is 1."""
    if averaging is Averaging.POOLED:
        return np.ones(len(queries))
    sizes = {album: len(of_album) for album, of_album in by_album(queries).items()}
    return np.array([len(queries) / (len(sizes) * sizes[q.query.album]) for q in queries], dtype=float)


def _bounds(old: Sequence[Bounded], new: Sequence[Bounded], weights: Floats) -> tuple[float, float]:
    lows = _floats([n.low for n in new]) - _floats([o.high for o in old])
    highs = _floats([n.high for n in new]) - _floats([o.low for o in old])
    return float(np.mean(weights * lows)), float(np.mean(weights * highs))


def _value(queries: Sequence[QueryScore], metric: str, averaging: Averaging) -> float | None:
    kept = normal(queries)
    if not kept:
        return None
    return float(np.mean(_weights(kept, averaging) * _floats([_OF_QUERIES[metric](q).value for q in kept])))


def _measure_ratio(pairs: Pairs, metric: str, seed: int) -> Measured:
    ratio = _RATIOS[metric]
    zero, (old, new) = _zero(pairs.old), (_empty(side) for side in (pairs.old, pairs.new))
    a, b = _defined(ratio(old, zero)), _defined(ratio(new, zero))
    better = np.where(zero, new & ~old, old & ~new)
    worse = np.where(zero, old & ~new, new & ~old)
    counted = zero if metric == "rej-recall" else np.ones_like(zero)
    zeros = [_defined(ratio(_empty(side), _zero(side))) for side in (pairs.old_with_zeros, pairs.new_with_zeros)]
    return Measured(
        metric=metric,
        queries=int(np.sum(counted)),
        old=a,
        new=b,
        difference=None if a is None or b is None else b - a,
        bounds=None,
        interval=ratio_interval(zero, old, new, ratio, seed=seed),
        p_value=_ratio_p_value(metric, zero, old, new, seed),
        wins=int(np.sum(better & counted)),
        ties=int(np.sum((old == new) & counted)),
        losses=int(np.sum(worse & counted)),
        effect=None,
        old_with_zeros=zeros[0],
        new_with_zeros=zeros[1],
    )


def _ratio_p_value(metric: str, zero: Bools, old: Bools, new: Bools, seed: int) -> PValue | None:
    if metric != "rej-recall":
        return swap_test(zero, old, new, _RATIOS[metric], seed=seed)
    return mcnemar_test(int(np.sum(zero & old & ~new)), int(np.sum(zero & new & ~old))) if zero.any() else None


def _zero(queries: Sequence[QueryScore]) -> Bools:
    return np.array([q.query.is_rejection for q in queries], dtype=bool)


def _empty(queries: Sequence[QueryScore]) -> Bools:
    return np.array([q.empty is True for q in queries], dtype=bool)


def _defined(value: Floats) -> float | None:
    return None if np.isnan(value) else float(value)
