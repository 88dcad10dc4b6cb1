"""How a grid's thumbnails were toned and sharpened, pooled over the sure ones, and its undoing.

    tone        one monotone curve from what is seen to the references' luma (gamma, contrast, HDR), where it clearly helps
    sharpness   the share of fine detail (what a blur of SIGMA px takes away) that the phone added, or took if negative

One decision: both are the grid's, like its geometry. A curve of each thumbnail's own would explain away what tells siblings
apart; gain and bias stay each thumbnail's own, because selection and scrims dim single cells.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_SIGMA = 1.2
"""px at FINE: what phones sharpen by, about one px of a 200–350 px cell."""
ENOUGH = 4
"""Thumbnails from which a grid has a tone of its own."""
_WORTH_IT = 0.85
"""A curve is used when it lowers the median residual to this share (study's v4)."""
_BINS = 24
"""Pieces of the curve, of as many pixels each."""
_FINENESS = 8
"""Steps a grey level in the lookup table: 1/16 level at worst."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A sure thumbnail and the reference of its photo, both (side, side), and the pixels that count."""

    seen: Floats
    reference: Floats
    weights: Floats


@dataclass(frozen=True, slots=True)
class Tone:
    """What undoes a grid's rendering."""

    sharpness: float = 0.0
    curve: Floats | None = None
    """(256 × _FINENESS,) reference level of each seen level; None leaves levels alone."""

    def undone(self, seen: Floats, *, with_curve: bool = True) -> Floats:
        """`seen` as the references would show it, up to gain and bias."""
        plain = seen
        if self.sharpness:
            plain = seen - np.float32(self.sharpness) * (seen - _blurred(seen))
        if self.curve is None or not with_curve:
            return plain
        places = np.clip(plain * _FINENESS + 0.5, 0, 256 * _FINENESS - 1).astype(np.int32)
        return np.asarray(self.curve[places], dtype=np.float32)


def tone_of(pairs: Sequence[Pair]) -> Tone:
    """The tone that the pairs share; no change when there are too few."""
    if len(pairs) < ENOUGH:
        return Tone()
    added = float(np.median([_added_detail(pair) for pair in pairs]))
    sharpness = float(np.clip(added / (1 + added), -1.0, 0.7)) if added > -0.5 else -1.0
    flat = Tone(sharpness)
    seen = [_thinned(flat.undone(pair.seen), pair.weights) for pair in pairs]
    wanted = [_thinned(pair.reference, pair.weights) for pair in pairs]
    curve = _curve(np.concatenate(seen), np.concatenate(wanted))
    if curve is None:
        return flat
    curved = Tone(0.0, curve)
    before = [_unexplained(a, b) for a, b in zip(seen, wanted, strict=True)]
    after = [_unexplained(curved.undone(a), b) for a, b in zip(seen, wanted, strict=True)]
    return Tone(sharpness, curve) if np.median(after) < _WORTH_IT * np.median(before) else flat


def _added_detail(pair: Pair) -> float:
    """How much of the reference's fine detail the thumbnail has beyond its own share, in units of that share."""
    detail = pair.reference - _blurred(pair.reference)
    thin = (slice(None, None, 2), slice(None, None, 2))  # a quarter of the pixels is as good
    weights = pair.weights[thin]
    design = np.stack([pair.reference[thin] * weights, detail[thin] * weights, weights]).reshape(3, -1)
    normal = (design @ design.T).astype(np.float64) + np.eye(3) * 1e-3
    gain, extra, _ = np.linalg.solve(normal, (design @ (pair.seen[thin] * weights).ravel()).astype(np.float64))
    return float(extra / gain) if gain > 1e-3 else 0.0


def _curve(seen: Floats, wanted: Floats) -> Floats | None:
    """Medians of what is wanted over bins of what is seen, made monotone and drawn out to both ends."""
    edges = np.unique(np.quantile(seen, np.linspace(0, 1, _BINS + 1)))
    places = np.digitize(seen, edges[1:-1])
    counts = np.bincount(places, minlength=max(len(edges) - 1, 1))
    full = [piece for piece in range(len(counts)) if counts[piece] > 50]
    if len(full) < 6:
        return None
    x = np.array([seen[places == piece].mean() for piece in full])
    y = np.maximum.accumulate([np.median(wanted[places == piece]) for piece in full])
    low = (y[1] - y[0]) / max(x[1] - x[0], 1e-3)
    high = (y[-1] - y[-2]) / max(x[-1] - x[-2], 1e-3)
    xs = np.concatenate([[min(0.0, x[0] - 1)], x, [max(255.0, x[-1] + 1)]])
    ys = np.concatenate([[y[0] - low * (x[0] - xs[0])], y, [y[-1] + high * (xs[-1] - x[-1])]])
    return np.asarray(np.interp(np.arange(256 * _FINENESS) / _FINENESS, xs, ys), dtype=np.float32)


def _thinned(picture: Floats, weights: Floats) -> Floats:
    """Every third pixel each way of those that count: 3,000 of a thumbnail."""
    return np.asarray(picture[::3, ::3][weights[::3, ::3] > 0], dtype=np.float32)


def _unexplained(seen: Floats, wanted: Floats) -> float:
    """Share of the variance that gain and bias leave."""
    a, b = seen - seen.mean(), wanted - wanted.mean()
    return 1 - float(a @ b) ** 2 / max(float(a @ a) * float(b @ b), 1e-6)


def _blurred(picture: Floats) -> Floats:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), _SIGMA), dtype=np.float32)
