"""Precision, recall and F1 of one query with relevant photos (paper, section 5.2, normal queries).

An empty answer scores 0 in all three: that is what reproduces the paper's Table 3 from its Table 6.
With t hits among n different results and g relevant photos: P = t/n, R = t/g, F1 = 2t/(n+g). All three grow with t
when n stands, so an undecided thumbnail moves all three to their ends together.
"""

import math
from dataclasses import dataclass

from rig.metrics.assignment import Extremes, extremes
from rig.metrics.bounded import UNKNOWN, Bounded
from rig.metrics.returned import Place, Returned


@dataclass(frozen=True, slots=True)
class SetScore:
    """Precision, recall and F1 of one query, or means of them."""

    precision: Bounded
    recall: Bounded
    f1: Bounded


UNKNOWN_SETS = SetScore(UNKNOWN, UNKNOWN, UNKNOWN)


def score_sets(returned: Returned, relevant: frozenset[str], *, album_size: int | None = None) -> SetScore:
    """The set scores of one answered normal query; `relevant` holds at least one photo.

    The value counts an undecided place as relevant only where it must be. A list that may go on could end anywhere
    between here and the last photo of the album (`album_size`; without it precision and F1 may fall to 0).
    """
    hits = len(returned.shown & relevant)
    open_ = undecided_extremes(returned, relevant)
    size = len(returned.places) - returned.undecided + open_.placed
    least, most = hits + round(open_.low), hits + round(open_.high)
    value = _scores(least, size, len(relevant))
    low, high = value, _scores(most, size, len(relevant))
    if returned.open_ended:
        longest = math.inf if album_size is None else max(size, least + album_size - len(relevant) + returned.outsiders)
        low = _scores(least, longest, len(relevant))
        high = _scores(len(relevant), size + len(relevant) - most, len(relevant))
    return SetScore(*(Bounded(*ends) for ends in zip(value, low, high, strict=True)))


def _scores(hits: int, size: float, relevant: int) -> tuple[float, float, float]:
    """(precision, recall, F1) of `size` different results with `hits` hits."""
    precision = hits / size if size else 0.0
    return precision, hits / relevant, 2 * hits / (size + relevant)


def undecided_extremes(returned: Returned, relevant: frozenset[str], weights: list[float] | None = None) -> Extremes:
    """What the undecided places add at least and at most; `weights` are those of all places, 1 each by default."""
    undecided = returned.undecided_at
    if not undecided:
        return Extremes(0, 0.0, 0.0)
    still_out = relevant - returned.shown
    possible = [_possible(returned.places[i], i, still_out) for i in undecided]
    return extremes(possible, relevant, [1.0 if weights is None else weights[i] for i in undecided])


def _possible(place: Place, position: int, still_out: frozenset[str]) -> frozenset[str]:
    """A place without candidates is any relevant photo not shown, or a photo that answers nothing.

    The stand-in for the latter holds a NUL, which no file name can.
    """
    return still_out | {f"\0{position}"} if place.anything else place.candidates
