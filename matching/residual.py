"""How badly each candidate explains a thumbnail, block by block, once its own gain and bias are allowed for.

    blocks     16 × 16 over the square, in reading order
    keep       blocks that count; what *no* candidate explains (a badge, a tick, a rounded corner) is dropped
    energy     Σ (seen − gain·reference − bias)² of a block

One decision: only sums over blocks are kept of each product (c, c², q·c), so that gain, bias, mask and residual are a few
operations on 256 numbers a candidate.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

BLOCKS = 16
COUNT = BLOCKS * BLOCKS
_EDGE = 0.03
"""Share of a side left out at each edge: a lattice 3 px off at 204 px shows 1.5 % of gutter."""
_CORNER = 0.10
"""Radius of rounded corners allowed for, as a share of the side (28 px of 290)."""
_GAIN = (0.25, 4.0)
"""Selection dims to 0.7, a dark theme to 0.8; four times either way is no thumbnail of the photo."""
_UNEXPLAINED = 6.0
_UNEXPLAINED_FLOOR = 3.0
"""A block is dropped when its best residual is over 6 × the median block's + 3 grey levels² (study's v4)."""
_UNEXPLAINED_DETAIL = 0.15
"""…and over this share of the block's own variance: rich texture seen a tenth of a px off is no badge."""
_MOST_DROPPED = 0.4
"""No more than this share is dropped as unexplained: beyond it, it is another photo."""


def border_weights(side: int) -> Floats:
    """1 inside, 0 on the edge and in the corners: (side, side)."""
    line = np.abs((np.arange(side) + 0.5) / side - 0.5)
    inside = (line[:, None] < 0.5 - _EDGE) & (line[None, :] < 0.5 - _EDGE)
    over = np.maximum(line - (0.5 - _CORNER), 0)
    inside &= (over[:, None] ** 2 + over[None, :] ** 2) < (_CORNER - _EDGE) ** 2 * 1.2
    return inside.astype(np.float32)


def block_sums(pictures: Floats) -> Floats:
    """Sums over blocks of pictures (k, side, side): (k, 256)."""
    count, side, _ = pictures.shape
    step = side // BLOCKS
    shrunk = cv2.resize(pictures.reshape(count * side, side), (BLOCKS, count * BLOCKS), interpolation=cv2.INTER_AREA)
    return np.asarray(shrunk.reshape(count, COUNT) * np.float32(step * step), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class References:
    """Candidates' pictures, weighted, with their block sums; many thumbnails are compared with the same ones."""

    pictures: Floats
    """(k, side, side), zero where the weights are."""
    sums: Floats
    squares: Floats
    """(k, 256) sums of c and c²."""

    @classmethod
    def of(cls, pictures: NDArray[np.uint8], weights: Floats) -> "References":
        """From stored pictures (k, side, side)."""
        weighted = pictures.astype(np.float32) * weights
        return cls(weighted, block_sums(weighted), block_sums(weighted * weighted))

    def only(self, places: NDArray[np.intp]) -> "References":
        """Those at `places`."""
        return References(self.pictures[places], self.sums[places], self.squares[places])


@dataclass(frozen=True, slots=True)
class Comparison:
    """The block sums of one thumbnail against k references."""

    count: Floats
    seen: Floats
    seen_squares: Floats
    """(256,) pixels that count, Σ q, Σ q²."""
    sums: Floats
    squares: Floats
    products: Floats
    """(k, 256) Σ c, Σ c², Σ q·c."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The best gain and bias of each reference over the kept blocks."""

    gain: Floats
    bias: Floats
    """(k,)"""
    energy: Floats
    """(k, 256), over all blocks, kept or not."""


@dataclass(frozen=True, slots=True)
class Explained:
    """How a thumbnail is explained by k references."""

    fit: Fit
    usable: Mask
    keep: Mask
    """(256,) blocks that could count, and those that do."""
    residual: Floats
    """(k,) mean squared residual over the kept blocks, grey levels²."""
    variance: float
    """Of the thumbnail over the kept blocks, grey levels²."""
    detail: float
    """Of the thumbnail over all usable blocks: what it could be told by."""

    @property
    def kept_share(self) -> float:
        """Of the blocks that could be kept."""
        return float(self.keep.sum()) / max(int(self.usable.sum()), 1)

    def in_order(self, places: NDArray[np.intp]) -> "Explained":
        """With the references at `places`, in that order."""
        fitted = Fit(self.fit.gain[places], self.fit.bias[places], self.fit.energy[places])
        return replace(self, fit=fitted, residual=self.residual[places])

    def likeness(self, place: int) -> float:
        """1 when the reference explains all of the thumbnail's variance, 0 when none."""
        return 1 - float(self.residual[place]) / max(self.variance, 1e-3)


def compare(seen: Floats, references: References, weights: Floats) -> Comparison:
    """The sums that everything else is made of."""
    weighted = seen * weights
    own = block_sums(np.stack([weights, weighted, weighted * weighted]))
    products = block_sums(references.pictures * weighted)
    return Comparison(own[0], own[1], own[2], references.sums, references.squares, products)


def fit(comparison: Comparison, keep: Mask) -> Fit:
    """Gain and bias in closed form over the kept blocks, and what they leave in every block."""
    c = comparison
    gain, bias, _ = _tone(c, keep.astype(np.float32))
    g, b = gain[:, None], bias[:, None]
    energy = c.seen_squares + g * (g * c.squares - 2 * c.products + 2 * b * c.sums) + b * (b * c.count - 2 * c.seen)
    return Fit(gain, bias, np.maximum(energy, 0))


def _tone(c: Comparison, kept: Floats) -> tuple[Floats, Floats, Floats]:
    """(k,) gain, bias and mean squared residual over blocks weighted 0 or 1 (products are faster than picking columns)."""
    pixels = max(float(c.count @ kept), 1.0)
    mean_q = float(c.seen @ kept) / pixels
    mean_c = (c.sums @ kept) / pixels
    covariance = (c.products @ kept) / pixels - mean_c * mean_q
    variance_c = (c.squares @ kept) / pixels - mean_c**2
    variance_q = float(c.seen_squares @ kept) / pixels - mean_q**2
    gain = np.asarray(np.clip(covariance / (variance_c + 1e-2), *_GAIN), dtype=np.float32)
    left = variance_q - 2 * gain * covariance + gain**2 * variance_c
    bias = np.asarray(mean_q - gain * mean_c, dtype=np.float32)
    return gain, bias, np.asarray(np.maximum(left, 0), dtype=np.float32)


def plain_residuals(seen: Floats, references: References, weights: Floats, never: Mask | None = None) -> Floats:
    """(k,) mean squared residual of each reference over everything that is not known to be covered: for a quick ranking."""
    counted = weights if never is None else weights * spread(~never, seen.shape[0])
    pixels = max(float(counted.sum()), 1.0)
    kept = np.ones(COUNT, dtype=np.float32) if never is None else (~never).astype(np.float32)
    weighted = seen * counted
    mean_q = float(weighted.sum()) / pixels
    variance_q = float((weighted * seen).sum()) / pixels - mean_q**2
    mean_c = (references.sums @ kept) / pixels
    variance_c = (references.squares @ kept) / pixels - mean_c**2
    products = references.pictures.reshape(len(references.pictures), -1) @ weighted.ravel()
    covariance = products / pixels - mean_c * mean_q
    gain = np.clip(covariance / (variance_c + 1e-2), *_GAIN)
    return np.asarray(variance_q - 2 * gain * covariance + gain**2 * variance_c, dtype=np.float32)


def explain(comparison: Comparison, *, never: Mask | None = None) -> Explained:
    """Each reference's residual over the blocks that at least one of them explains. `never`: blocks known to be covered."""
    full = comparison.count.max()
    usable = comparison.count > 0.4 * full
    if never is not None:
        usable &= ~never
    keep = usable.copy()
    for _ in range(2):
        fitted = fit(comparison, keep)
        likeliest = fitted.energy.argmin(0)
        best = fitted.energy[likeliest, np.arange(COUNT)] / np.maximum(comparison.count, 1)
        own = _detail(comparison, likeliest) * fitted.gain[likeliest] ** 2
        keep = usable & ~_unexplained(best, own, usable)
    fitted = fit(comparison, keep)
    pixels = max(float(comparison.count[keep].sum()), 1.0)
    return Explained(
        fit=fitted,
        usable=usable,
        keep=keep,
        residual=(fitted.energy @ keep.astype(np.float32)) / np.float32(pixels),
        variance=_variance(comparison, keep),
        detail=_variance(comparison, usable),
    )


def _variance(c: Comparison, blocks: Mask) -> float:
    pixels = max(float(c.count[blocks].sum()), 1.0)
    return float(c.seen_squares[blocks].sum()) / pixels - (float(c.seen[blocks].sum()) / pixels) ** 2


def _detail(c: Comparison, places: NDArray[np.intp]) -> Floats:
    """(256,) variance of each block in the reference at its place."""
    count, blocks = np.maximum(c.count, 1), np.arange(COUNT)
    return np.asarray(c.squares[places, blocks] / count - (c.sums[places, blocks] / count) ** 2, dtype=np.float32)


def _unexplained(best: Floats, own: Floats, usable: Mask) -> Mask:
    inside = best[usable]
    if not len(inside):
        return np.zeros(COUNT, dtype=np.bool_)
    much = best > _UNEXPLAINED * float(np.median(inside)) + _UNEXPLAINED_FLOOR
    bad = np.asarray(usable & much & (best > _UNEXPLAINED_DETAIL * own))
    if bad.sum() > _MOST_DROPPED * usable.sum():
        bad = np.asarray(usable & (best > float(np.quantile(inside, 1 - _MOST_DROPPED))))
    return bad


def spread(keep: Mask, side: int) -> Floats:
    """A block mask as pixel weights (side, side)."""
    step = side // BLOCKS
    return keep.reshape(BLOCKS, BLOCKS).astype(np.float32).repeat(step, axis=0).repeat(step, axis=1)
