"""What undecided thumbnails can be at best and at worst, taken together.

A gallery lists a photo once, so two undecided places never are the same photo while another candidate is left. The
extremes are therefore those of an assignment of places to different photos; SciPy's solver finds them exactly.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Extremes:
    """Over all ways to give the places different photos: how many places get one, and the least and greatest weight."""

    placed: int
    """Places that can hold a photo of their own; the others can only repeat one and are no results of their own."""
    low: float
    high: float


def extremes(places: Sequence[AbstractSet[str]], relevant: AbstractSet[str], weights: Sequence[float]) -> Extremes:
    """The least and the greatest sum of weights of the places that hold a relevant photo.

    `places[i]` are the photos that place i may hold, none of them shown elsewhere; `weights[i]` >= 0 is what it counts
    when that photo is relevant. As many places as possible hold a photo of their own.
    """
    if not places:
        return Extremes(0, 0.0, 0.0)
    photos = sorted(frozenset().union(*places))
    possible = np.array([[photo in place for photo in photos] for place in places], dtype=bool)
    gain = np.outer(np.asarray(weights, dtype=float), [photo in relevant for photo in photos])
    low, placed = _solve(possible, gain, sign=-1.0)
    high, _ = _solve(possible, gain, sign=1.0)
    return Extremes(placed, low, high)


def _solve(possible: NDArray[np.bool_], gain: NDArray[np.float64], *, sign: float) -> tuple[float, int]:
    """(sum of gain, places filled) of the assignment that fills the most places and, among those, has the extreme gain."""
    from scipy.optimize import linear_sum_assignment  # half a second that commands without undecided places need not wait

    a_place = 1.0 + 2.0 * float(gain.max(axis=1).sum())  # one more place filled outweighs every gain
    rows, columns = linear_sum_assignment(np.where(possible, a_place + sign * gain, 0.0), maximize=True)
    real = possible[rows, columns]
    return float(gain[rows, columns][real].sum()), int(real.sum())
