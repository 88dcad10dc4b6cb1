"""Where a grid's thumbnails really lie: one shift and scale for all of them.

    geometry    reference place u (−½ … ½) is seen at u + d + s·u of the crop, in x and in y

One decision: geometry is pooled over the grid. Aligning each candidate freely would take away the hand's shake, which is what
tells the frames of a burst apart (study: 87 % → 99.7 % right on its budget phone).
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Geometry:
    """Shift and relative growth, as shares of the crop's side."""

    dx: float = 0.0
    dy: float = 0.0
    sx: float = 0.0
    sy: float = 0.0

    def as_array(self) -> NDArray[np.float64]:
        """(dx, dy, sx, sy)."""
        return np.array([self.dx, self.dy, self.sx, self.sy])

    def after(self, step: NDArray[np.float64]) -> "Geometry":
        """This geometry moved by a step found at it."""
        return Geometry(*(float(value) for value in self.as_array() + step))


@dataclass(frozen=True, slots=True)
class Step:
    """How one thumbnail wants the geometry moved, and how sure it can be: standard errors, both (4,) as in Geometry."""

    move: NDArray[np.float64]
    error: NDArray[np.float64]


def step_towards(seen: Floats, reference: Floats, weights: Floats) -> Step | None:
    """One Gauss–Newton step from where `seen` was sampled; all (side, side). None when the reference has too little detail.

    Minimises Σ w (seen(u + step) − gain·reference − bias)²; slopes are taken from the reference, which has less noise.
    """
    side = seen.shape[0]
    slope_x = cv2.Sobel(reference, cv2.CV_32F, 1, 0, ksize=3, scale=side / 8)
    slope_y = cv2.Sobel(reference, cv2.CV_32F, 0, 1, ksize=3, scale=side / 8)
    across, down = places(side)
    count = float(weights.sum())
    if count < _ENOUGH_PX:
        return None
    level = float((seen * weights).sum()) / count  # centred, so that float32 sums keep their digits
    design = np.empty((6, side * side), dtype=np.float32)
    for row, column in enumerate((slope_x, slope_y, slope_x * across, slope_y * down, reference - level, np.float32(1))):
        design[row] = (np.asarray(column, dtype=np.float32) * weights).ravel()
    target = ((seen - level) * weights).ravel()
    normal = (design @ design.T).astype(np.float64)
    right = (design @ target).astype(np.float64)
    try:
        inverse = np.linalg.inv(normal + np.diag(1e-6 * np.diag(normal) + 1e-9))
    except np.linalg.LinAlgError:
        return None
    solved = inverse @ right
    gain = float(solved[4])
    if not 0.1 < gain < 10:
        return None
    left_over = max(float(target @ target) - float(solved @ right), 0.0) / max(count - 6, 1)
    # seen(u) ≈ gain·reference(u − move): the slopes carry −gain·move
    return Step(-solved[:4] / gain, np.sqrt(np.maximum(np.diag(inverse)[:4], 0) * left_over) / gain)


def weighted_median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """The value with half of the weight on either side; the mean of two that share it. Both (n,)."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    place = int(np.searchsorted(reached, reached[-1] / 2))
    if reached[place] == reached[-1] / 2 and place + 1 < len(values):
        return float(values[order[place : place + 2]].mean())
    return float(values[order[place]])


_ENOUGH_PX = 64
"""Ten times the six unknowns."""

_PLACES: dict[int, tuple[Floats, Floats]] = {}


def places(side: int) -> tuple[Floats, Floats]:
    """x and y of each pixel's middle, −½ … ½: both (side, side)."""
    if side not in _PLACES:
        line = ((np.arange(side) + 0.5) / side - 0.5).astype(np.float32)
        _PLACES[side] = (np.broadcast_to(line[None, :], (side, side)), np.broadcast_to(line[:, None], (side, side)))
    return _PLACES[side]
