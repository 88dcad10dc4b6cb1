"""What this grid leaves unexplained even of the right photo, learned from thumbnails that are surely right.

    level     mean squared residual = floor + per_slope × (mean squared gradient of the photo as shown)
    scatter   how far single thumbnails lie from the grid's geometry: rounding of a gallery's crops and decoders

One decision: a thumbnail is held against its own grid's noise. A clean phone leaves 1 grey level², a decimating one 60; no
fixed limit tells a sibling that is not in the album from the right photo on both.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.registration import Step
from matching.views import FINE

_FEWEST = 6
"""Sure thumbnails from which a grid has a noise of its own."""
_FLOORS = np.array([0.2, 0.4, 0.8, 1.5, 3.0, 6.0, 12.0])
_PER_SLOPE = np.geomspace(0.002, 0.4, 24)
"""What is tried, grey levels² and share; plain area scaling fits 0.2 and 0.002, nearest decimation 6 and 0.04."""
_LEAST_SPREAD = 0.2
_LEAST_SCATTER = 0.02 / FINE
_LEAST_GROWTH = 0.03 / FINE
"""0.02 px, 0.03 px across: the errors of a step itself."""


@dataclass(frozen=True, slots=True)
class Noise:
    """A grid's noise. The defaults are lenient: what a grid of too few thumbnails to learn from is held against."""

    floor: float = 3.0
    per_slope: float = 0.03
    spread: float = 0.5
    """Standard deviation of ln(residual ÷ level) over right thumbnails."""
    scatter: float = 0.15 / FINE
    growth: float = 0.15 / FINE
    """Standard deviations of single thumbnails' shift (each axis) and growth, shares of a side."""
    learned: bool = False

    def level(self, slope: float) -> float:
        """The residual to be expected where the mean squared gradient is `slope`."""
        return self.floor + self.per_slope * slope

    def excess(self, residual: float, slope: float) -> float:
        """How far a residual lies over what is expected, in standard deviations of right thumbnails."""
        return float(np.log(max(residual, 0.05) / self.level(slope))) / self.spread


def noise_of(residuals: Sequence[float], slopes: Sequence[float], steps: Sequence[Step]) -> Noise:
    """The noise of a grid whose sure thumbnails left `residuals` at `slopes` and wished `steps`."""
    if len(residuals) < _FEWEST or len(steps) < _FEWEST:
        return Noise()
    logs = np.log(np.maximum(np.array(residuals), 0.05))
    levels = np.log(_FLOORS[:, None, None] + _PER_SLOPE[:, None] * np.array(slopes))
    misfit = np.minimum(np.abs(logs - levels), 1.0).mean(-1)
    floor, share = np.unravel_index(int(misfit.argmin()), misfit.shape)
    off = logs - levels[floor, share]
    middle = float(np.median(off))
    moves = np.array([step.move for step in steps])
    return Noise(
        floor=float(_FLOORS[floor] * np.exp(middle)),
        per_slope=float(_PER_SLOPE[share] * np.exp(middle)),
        spread=_spread(off - middle),
        scatter=max(_deviation(np.hypot(moves[:, 0], moves[:, 1])), _LEAST_SCATTER),
        growth=max(_deviation(np.hypot(moves[:, 2], moves[:, 3])), _LEAST_GROWTH),
        learned=True,
    )


def _spread(off: NDArray[np.float64]) -> float:
    """Standard deviation by the middle half, or by the upper tail where that is longer: strong colours and glare have one."""
    middle_half = 1.48 * float(np.median(np.abs(off)))
    return max(middle_half, float(np.quantile(off, 0.85)) / 1.04, _LEAST_SPREAD)


def _deviation(lengths: NDArray[np.float64]) -> float:
    """Standard deviation each axis, by the 85th percentile of lengths in the plane (1.95 of them), which few mistakes move."""
    return float(np.quantile(lengths, 0.85)) / 1.95
