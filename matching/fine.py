"""Second look, at 192 px: the best candidate, what it leaves unexplained, and whether its nearest rivals are truly worse."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from matching.registration import Step, step_towards
from matching.residual import Explained, Mask, References, block_sums, border_weights, compare, explain, spread
from matching.shown import Pictures
from matching.views import FINE

Floats = NDArray[np.float32]

WEIGHTS = border_weights(FINE)
MOST = 12
"""Candidates looked at: a burst of twelve in whole."""
_FEWEST = 3
_HOPELESS = 3.0
_HOPELESS_FLOOR = 4.0
"""Candidates whose coarse residual is over 3 × the best's + 4 grey levels² are not looked at again (study's v4)."""
_RIVALS = 5


@dataclass(frozen=True, slots=True)
class Rival:
    """How one rival stands against the best candidate."""

    row: int
    t: float
    """Where the thumbnail lies between the rival (0) and the best (1); ½ is undecidable."""
    error: float
    """Standard error of t, from how much the blocks disagree."""
    rms: float
    """Between the two as they would be shown here, grey levels."""


@dataclass(frozen=True, slots=True)
class SecondLook:
    """One thumbnail's candidates, best first, with the evidence for and against the best."""

    rows: NDArray[np.intp]
    explained: Explained
    rivals: tuple[Rival, ...]
    step: Step | None
    """How this thumbnail alone would move the grid's geometry if the best candidate were right."""
    slope: float
    """Mean squared gradient of the best over the kept blocks as shown here, (grey levels per px)²: what a wrong place costs."""


def worth_a_second_look(rows: NDArray[np.intp], residuals: Floats) -> NDArray[np.intp]:
    """The candidates of a first look that may still be right."""
    hopeful = int((residuals < _HOPELESS * residuals[0] + _HOPELESS_FLOOR).sum())
    return rows[: min(max(hopeful, _FEWEST), MOST)]


def second_look(seen: Floats, rows: NDArray[np.intp], pictures: Pictures, never: Mask | None = None) -> SecondLook:
    """The evidence for one thumbnail; `pictures` are the index's fine references."""
    rows = np.sort(rows)
    references = References.of(pictures[rows], WEIGHTS)
    comparison = compare(seen, references, WEIGHTS)
    explained = explain(comparison, never=never)
    order = np.argsort(explained.residual, kind="stable")
    ranked, explained = rows[order], explained.in_order(order)
    shown = [_shown(pictures[row], explained, place) for place, row in enumerate(ranked[:_RIVALS])]
    weights = WEIGHTS * spread(explained.keep, FINE)
    best = shown[0]
    rivals = [_against(int(row), seen, best, rival, weights) for row, rival in zip(ranked[1:], shown[1:], strict=False)]
    return SecondLook(
        rows=ranked,
        explained=explained,
        rivals=tuple(rivals),
        step=half_step(seen, pictures[ranked[0]].astype(np.float32), weights),
        slope=_slope(best, weights),
    )


def _shown(picture: NDArray[np.uint8], explained: Explained, place: int) -> Floats:
    return np.asarray(explained.fit.gain[place] * picture.astype(np.float32) + explained.fit.bias[place], dtype=np.float32)


def _against(row: int, seen: Floats, best: Floats, rival: Floats, weights: Floats) -> Rival:
    """How a rival stands against the best, both as they would be shown."""
    apart = (best - rival) * weights
    middle = seen - (best + rival) / 2
    along, square = block_sums(np.stack([middle * apart, apart * apart]))
    total = max(float(square.sum()), 1e-3)
    excess = float(along.sum()) / total
    error = float(np.sqrt(((along - excess * square) ** 2).sum())) / total
    return Rival(row, 0.5 + excess, error, float(np.sqrt(total / max(float(weights.sum()), 1.0))))


@dataclass(frozen=True, slots=True)
class Remainder:
    """What one reference leaves of a thumbnail."""

    residual: float
    slope: float
    step: Step | None


def remainder(seen: Floats, reference: Floats, weights: Floats) -> Remainder:
    """The residual of a thumbnail at the reference's best gain and bias, the gradient there, and the step still wished."""
    count = max(float(weights.sum()), 1.0)
    mean_q, mean_c = float((seen * weights).sum()) / count, float((reference * weights).sum()) / count
    q, c = (seen - mean_q) * weights, (reference - mean_c) * weights
    gain = float((q * c).sum()) / max(float((c * c).sum()), 1e-3)
    residual = float(((q - gain * c) ** 2).sum()) / count
    return Remainder(residual, gain**2 * _slope(reference, weights), half_step(seen, reference, weights))


def _slope(picture: Floats, weights: Floats) -> float:
    """Mean squared gradient where the weights are, (grey levels per px)²."""
    across = cv2.Sobel(picture, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    down = cv2.Sobel(picture, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
    return float(((across * across + down * down) * weights).sum()) / max(float(weights.sum()), 1.0)


def half_step(seen: Floats, reference: Floats, weights: Floats) -> Step | None:
    """`step_towards` at half the pixels, where a step is as sure (0.01 px) and costs a quarter."""
    return step_towards(_halved(seen), _halved(reference), (_halved(weights) > 0.99).astype(np.float32))


def _halved(picture: Floats) -> Floats:
    side = FINE // 2
    return np.asarray(cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA), dtype=np.float32)
