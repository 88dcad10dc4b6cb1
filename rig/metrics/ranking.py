"""Recall@K and NDCG@K of one query (paper, Table 2), with binary relevance.

NDCG is trec_eval's: a hit at rank r (from 1) gains 1/log2(r+1), divided by the gain of min(K, g) hits at the top.
Repeats are dropped before ranks are counted; a thumbnail that cannot be named keeps its rank.
"""

import math
from collections.abc import Mapping
from functools import cache

from rig.metrics.bounded import UNKNOWN, Bounded
from rig.metrics.returned import Returned
from rig.metrics.sets import undecided_extremes

CUTOFFS = (1, 5, 10, 20)
"""The paper's K (section 5.2)."""
RANKING_METRICS = (*(f"recall@{k}" for k in CUTOFFS), *(f"ndcg@{k}" for k in CUTOFFS))
UNKNOWN_RANKING: Mapping[str, Bounded] = dict.fromkeys(RANKING_METRICS, UNKNOWN)


def score_ranking(returned: Returned, relevant: frozenset[str]) -> dict[str, Bounded]:
    """Every ranking metric of one answered normal query; `relevant` holds at least one photo."""
    scores = {}
    for k in CUTOFFS:
        scores[f"recall@{k}"] = _score(returned, relevant, [1.0] * k, float(len(relevant)))
        scores[f"ndcg@{k}"] = _score(returned, relevant, _gains(k), math.fsum(_gains(k)[: len(relevant)]))
    return {name: scores[name] for name in RANKING_METRICS}


@cache
def _gains(k: int) -> list[float]:
    """What a hit gains at each of the first k ranks."""
    return [1 / math.log2(rank + 1) for rank in range(1, k + 1)]


def _score(returned: Returned, relevant: frozenset[str], gains: list[float], ideal: float) -> Bounded:
    """Gain over ideal gain; `gains[i]` is what a hit at place i counts, nothing beyond the end of it."""
    sure = math.fsum(gain for gain, place in zip(gains, returned.places, strict=False) if place.photo in relevant)
    low = high = sure
    if returned.undecided_at and returned.undecided_at[0] < len(gains):
        weights = gains + [0.0] * max(0, len(returned.places) - len(gains))
        open_ = undecided_extremes(returned, relevant, weights)
        low, high = sure + open_.low, sure + open_.high
    if returned.open_ended and len(returned.places) < len(gains):
        found = len(returned.shown & relevant) + round(undecided_extremes(returned, relevant).high)
        high += math.fsum(gains[len(returned.places) :][: len(relevant) - found])
    return Bounded(low / ideal, low / ideal, high / ideal)
