"""Second look, at 192 px: the best candidate, what it leaves unexplained, and whether its nearest rivals are truly worse."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from matching.registration import Step, step_towards
from matching.residual import Explained, Mask, References, block_sums, border_weights, compare, explain, spread
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
    """Where the thumbnail lies between the rival (0) and the best (1): ½ + (S_rival − S_best) ÷ 2‖best − rival‖²."""
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
    block_residuals: Floats
    """(256,) mean squared residual of the best in each block, kept or not."""


def worth_a_second_look(rows: NDArray[np.intp], residuals: Floats) -> NDArray[np.intp]:
    """The candidates of a first look that may still be right."""
    hopeful = int((residuals < _HOPELESS * residuals[0] + _HOPELESS_FLOOR).sum())
    return rows[: min(max(hopeful, _FEWEST), MOST)]


def second_look(seen: Floats, rows: NDArray[np.intp], pictures: NDArray[np.uint8], never: Mask | None = None) -> SecondLook:
    """The evidence for one thumbnail; `pictures` are the index's fine references."""
    references = References.of(pictures[np.sort(rows)], WEIGHTS)
    rows = np.sort(rows)
    comparison = compare(seen, references, WEIGHTS)
    explained = explain(comparison, never=never)
    order = np.argsort(explained.residual, kind="stable")
    ranked, references, explained = rows[order], references.only(order[:_RIVALS]), explained.in_order(order)
    weights = WEIGHTS * spread(explained.keep, FINE)
    best = references.pictures[0]
    gain = float(explained.fit.gain[0])
    return SecondLook(
        rows=ranked,
        explained=explained,
        rivals=_rivals(seen, ranked, references, explained, weights),
        step=half_step(seen, pictures[ranked[0]].astype(np.float32), weights),
        slope=gain**2 * _slope(best, weights),
        block_residuals=explained.fit.energy[0] / np.maximum(comparison.count, 1),
    )


def half_step(seen: Floats, reference: Floats, weights: Floats) -> Step | None:
    """`step_towards` at half the pixels, where a step is as sure (0.01 px) and costs a quarter."""
    return step_towards(_halved(seen), _halved(reference), (_halved(weights) > 0.99).astype(np.float32))


def _halved(picture: Floats) -> Floats:
    side = FINE // 2
    return np.asarray(cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA), dtype=np.float32)


def _rivals(
    seen: Floats, rows: NDArray[np.intp], references: References, explained: Explained, weights: Floats
) -> tuple[Rival, ...]:
    gain, bias = explained.fit.gain, explained.fit.bias
    shown = [gain[place] * references.pictures[place] + bias[place] for place in range(len(references.pictures))]
    return tuple(_pair(int(rows[place]), seen, shown[0], shown[place], weights) for place in range(1, len(shown)))


def _pair(row: int, seen: Floats, best: Floats, rival: Floats, weights: Floats) -> Rival:
    apart = (best - rival) * weights
    middle = seen - (best + rival) / 2
    along, square = block_sums(np.stack([middle * apart, apart * apart]))
    total = max(float(square.sum()), 1e-3)
    excess = float(along.sum()) / total
    error = float(np.sqrt(((along - excess * square) ** 2).sum())) / total
    return Rival(row, 0.5 + excess, error, float(np.sqrt(total / max(float(weights.sum()), 1.0))))


def _slope(picture: Floats, weights: Floats) -> float:
    inner = (
        weights[1:-1, 1:-1]
        * (picture[1:-1, 2:] > 0)
        * (picture[1:-1, :-2] > 0)
        * (picture[2:, 1:-1] > 0)
        * (picture[:-2, 1:-1] > 0)
    )
    across = (picture[1:-1, 2:] - picture[1:-1, :-2]) / 2
    down = (picture[2:, 1:-1] - picture[:-2, 1:-1]) / 2
    return float(((across**2 + down**2) * inner).sum()) / max(float(inner.sum()), 1.0)
