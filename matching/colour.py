"""What the references' luma has become on this phone's screen, as a function of the colour seen; pooled over a grid.

Wide-gamut, vivid and clipped rendering change the luma of strong colours, which no curve of luma undoes. A quadratic of red,
green and blue took the residual of a fifth of a wide-gamut phone's thumbnails from 12 to 5 grey levels².
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_THIN = 4
"""Every fourth pixel each way: 2,000 of a thumbnail."""
_WORTH_IT = 0.85
"""A mix is used when it lowers the upper quartile of residuals to this share of what luma leaves."""
_STRAY = 4.0
"""Thumbnails left with so many times the median residual (dimmed by a selection, say) are not fitted to."""


@dataclass(frozen=True, slots=True)
class Mix:
    """Luma from colour: 9 coefficients of r, g, b, r², g², b², rg, rb, gb in levels ÷ 255, and the constant."""

    coefficients: NDArray[np.float64]

    def of(self, colours: Floats) -> Floats:
        """The references' luma of colours (3, side, side), grey levels, unbounded."""
        scaled = colours / np.float32(255)
        parts = _features(scaled.reshape(3, -1))
        weights = (self.coefficients * 255).astype(np.float32)
        return np.asarray(weights[:9] @ parts + weights[9], dtype=np.float32).reshape(colours.shape[1:])


def mix_of(colours: Sequence[Floats], references: Sequence[Floats], weights: Sequence[Floats]) -> Mix | None:
    """The mix of a grid, from sure thumbnails' colours (3, side, side), references and weights; None when luma does."""
    seen, wanted = [], []
    for picture, reference, weight in zip(colours, references, weights, strict=True):
        kept = weight[::_THIN, ::_THIN].ravel() > 0
        seen.append(picture[:, ::_THIN, ::_THIN].reshape(3, -1)[:, kept] / np.float32(255))
        wanted.append(reference[::_THIN, ::_THIN].ravel()[kept] / np.float32(255))
    by_luma = np.array([_left(_LUMA @ colour, level) for colour, level in zip(seen, wanted, strict=True)])
    fair = by_luma <= _STRAY * np.median(by_luma)
    features = [_features(colour) for colour in seen]
    chosen = [place for place in range(len(seen)) if fair[place]]
    design = np.concatenate([features[place] for place in chosen], axis=1)
    full = np.vstack([design, np.ones((1, design.shape[1]), dtype=np.float32)]).astype(np.float64)
    normal = full @ full.T + 1e-4 * np.eye(10)
    solved = np.linalg.solve(normal, full @ np.concatenate([wanted[place] for place in chosen]))
    by_mix = np.array(
        [_left(solved[:9].astype(np.float32) @ part, level) for part, level in zip(features, wanted, strict=True)]
    )
    if np.quantile(by_mix[fair], 0.75) > _WORTH_IT * np.quantile(by_luma[fair], 0.75):
        return None
    return Mix(solved)


_LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)
"""ITU-R BT.601, what references are made of."""


def _features(rgb: Floats) -> Floats:
    """(9, pixels) of (3, pixels)."""
    red, green, blue = rgb
    return np.stack([red, green, blue, red * red, green * green, blue * blue, red * green, red * blue, green * blue])


def _left(seen: Floats, wanted: Floats) -> float:
    """Mean squared residual at the best gain and bias."""
    a, b = seen - seen.mean(), wanted - wanted.mean()
    return float(b @ b - (a @ b) ** 2 / max(float(a @ a), 1e-9)) / len(b)
