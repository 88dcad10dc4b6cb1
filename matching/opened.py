"""A photo opened in full: which of a few candidates it is, told at the screen's own resolution.

    screen ─ where such a photo lies ─ each candidate's file at that size ─ explained? ─ truly better than its rivals?
                                                                            └ no: as undecided as before

One decision: what a thumbnail cannot tell is only decided by what it cannot show. Candidates are read from their files, never
from the index, and moved by less than a px, so that a hand's shake still counts. Nothing but the candidates is sought: a
picture that none of them explains leaves all of them open.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from matching.decode import load_image
from matching.framed import Grey, Size, bare_beside, boxes_of, fitted, grey_of
from matching.model import Box, Image, Match, Verdict
from matching.registration import places, step_towards
from matching.residual import BLOCKS, Explained, Mask, References, block_sums, border_weights, compare, explain, spread

Floats = NDArray[np.float32]

SIDE = 768
"""px to which the picture is stretched: four times the index's references, and about what a phone shows of a photo."""

MOST = 16
"""Candidates compared: as many as a photo has neighbours in the index. 24 MB each."""

_BLUR_SIGMA = 1.0
"""px at SIDE: phones scale by kernels of their own, which differ by less than this."""
_FREE_PX = 0.75
"""Screen px that a candidate may be moved or grown by: viewers round the picture's edges. A hand shakes by 1 px and more."""
_SAME_SIZE_PX = 2
"""Candidates shown within this of each other's size are of one shape."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Every number that a verdict on an opened photo hangs on, and where it comes from."""

    likeness: float = 0.95
    """Variance explained. Frames of one burst reach it, so that this alone decides nothing; other photos stay below 0.8."""
    off_px: float = 0.35
    """What the residual would cost as a displacement of the picture, px at SIDE. Photos of the shared album, shown at 1080 px,
    leave 0.05–0.3; frames whose camera moved by 0.2 % leave 0.7 and more there, 0.3–0.5 at 540 px."""
    detail: float = 15.0
    """Variance, grey levels², below which a picture is flat and never decided: as of thumbnails."""
    odd_blocks: int = 2
    """Of the 256, off the edges, that no candidate explains: somebody moved, or a button lies there."""
    decided: float = 0.86
    """t against each rival (1: right, ½: undecidable). Right ones had 0.88–1; the best of a burst whose right frame was no
    candidate had up to 0.84 at 540 px, the only size at which it came so far."""
    surely: float = 4.0
    """Standard errors between t and ½."""
    apart: float = 0.5
    """RMS between a candidate and its rival as shown, grey levels, below which no picture tells them apart."""


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class _Look:
    """Candidates of one shape against one place of the screen, best first."""

    names: tuple[str, ...]
    pictures: Floats
    seen: Floats
    explained: Explained
    off_px: float
    """What the best leaves unexplained, as a displacement in px at SIDE."""
    odd_blocks: int
    bare: bool
    """True when there is nothing but bars beside the picture."""

    def holds(self, limits: Limits) -> bool:
        """True when the best candidate explains what is shown."""
        return (
            self.bare
            and self.explained.detail >= limits.detail
            and self.explained.likeness(0) >= limits.likeness
            and self.off_px <= limits.off_px
            and self.odd_blocks <= limits.odd_blocks
        )


def match_opened(
    screen: Image,
    viewport: Box,
    candidates: Mapping[str, Path],
    *,
    twins: Collection[Collection[str]] = (),
    limits: Limits = LIMITS,
) -> Match:
    """Which of `candidates` (name → file) the screen shows in full, within `viewport` or across the whole screen.

    Matched, or ambiguous with those that are still possible; never a stranger. Members of one of `twins` are not told apart:
    as with thumbnails, the first of the class is the photo. Raises UnreadableImage when a candidate's file is.
    """
    if not candidates or len(candidates) > MOST:
        return Match(Verdict.AMBIGUOUS, None, tuple(candidates), {"opened": 1.0})
    grey = grey_of(screen)
    looks = [_best_place(grey, viewport, shape) for shape in _by_shape(grey, viewport, candidates)]
    looks.sort(key=lambda look: (look.holds(limits), look.explained.likeness(0)), reverse=True)
    numbers = _evidence(looks[0])
    if [look.holds(limits) for look in looks].count(True) != 1:
        return Match(Verdict.AMBIGUOUS, None, tuple(candidates), numbers)
    return _decided(looks[0], [frozenset(members) for members in twins], limits, numbers)


def _evidence(look: _Look) -> dict[str, float]:
    return {
        "opened": 1.0,
        "opened_likeness": look.explained.likeness(0),
        "opened_off_px": look.off_px,
        "opened_odd_blocks": float(look.odd_blocks),
        "opened_bars": float(look.bare),
    }


def _decided(look: _Look, twins: Sequence[frozenset[str]], limits: Limits, numbers: Mapping[str, float]) -> Match:
    """The best candidate against each other one of its shape; those of other shapes explained nothing."""
    best = look.names[0]
    kin = next((members for members in twins if best in members), frozenset({best}))
    weights = border_weights(SIDE) * spread(look.explained.keep, SIDE)
    fitted = look.explained.fit
    shown = [fitted.gain[place] * look.pictures[place] + fitted.bias[place] for place in range(len(look.names))]
    open_ones, least = [], 1.0
    for name, picture in zip(look.names[1:], shown[1:], strict=True):
        if name in kin:
            continue
        t, error, apart = _against(look.seen, shown[0], picture, weights)
        least = min(least, t)
        if apart < limits.apart or t < limits.decided or t - 0.5 < limits.surely * error:
            open_ones.append(name)
    numbers = {**numbers, "opened_decided": least}
    if open_ones:
        return Match(Verdict.AMBIGUOUS, None, (*sorted(kin), *open_ones), numbers)
    return Match(Verdict.MATCHED, min(kin), tuple(sorted(kin)) if len(kin) > 1 else (), numbers)


def _against(seen: Floats, best: Floats, rival: Floats, weights: Floats) -> tuple[float, float, float]:
    """(t, its standard error, RMS between the two): where the picture lies between the rival (0) and the best (1)."""
    apart = (best - rival) * weights
    along, square = block_sums(np.stack([(seen - (best + rival) / 2) * apart, apart * apart]))
    total = max(float(square.sum()), 1e-3)
    excess = float(along.sum()) / total
    error = float(np.sqrt(((along - excess * square) ** 2).sum())) / total
    return 0.5 + excess, error, float(np.sqrt(total / max(float(weights.sum()), 1.0)))


@dataclass(frozen=True, slots=True)
class _Shape:
    """Candidates that a viewer shows at one size, and where on the screen that may be."""

    names: tuple[str, ...]
    pictures: tuple[Floats, ...]
    boxes: tuple[Box, ...]


def _by_shape(screen: Grey, viewport: Box, candidates: Mapping[str, Path]) -> list[_Shape]:
    """The candidates, read from their files, by the size they are shown at. Raises UnreadableImage."""
    grouped: dict[Size, list[tuple[str, Floats]]] = {}
    photo_of: dict[Size, Size] = {}
    for name, file in candidates.items():
        photo = grey_of(load_image(file))
        photo_size = (photo.shape[1], photo.shape[0])
        size = fitted(photo_size, viewport)
        known = next((k for k in grouped if max(abs(k[0] - size[0]), abs(k[1] - size[1])) <= _SAME_SIZE_PX), size)
        photo_of.setdefault(known, photo_size)
        grouped.setdefault(known, []).append((name, _prepared(photo, size)))
    frames = (viewport, (0, 0, screen.shape[1], screen.shape[0]))
    return [
        _Shape(
            names=tuple(name for name, _ in members),
            pictures=tuple(picture for _, picture in members),
            boxes=tuple(dict.fromkeys(box for frame in frames for box in boxes_of(screen, frame, photo_of[size]))),
        )
        for size, members in grouped.items()
    ]


def _prepared(photo: Grey, size: Size) -> Floats:
    """A photo as a screen shows it at this `size`: with no detail that the screen has no pixels for."""
    if size[0] < photo.shape[1]:
        photo = np.asarray(cv2.resize(photo, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return _stretched(photo)


def _stretched(grey: Grey) -> Floats:
    """(SIDE, SIDE), lightly blurred."""
    larger = min(grey.shape[:2]) > SIDE
    small = cv2.resize(grey, (SIDE, SIDE), interpolation=cv2.INTER_AREA if larger else cv2.INTER_LINEAR)
    return np.asarray(cv2.GaussianBlur(small.astype(np.float32), (0, 0), _BLUR_SIGMA), dtype=np.float32)


def _best_place(screen: Grey, viewport: Box, shape: _Shape) -> _Look:
    looks = [_look(screen, viewport, box, shape) for box in shape.boxes]
    return max(looks, key=lambda look: look.explained.likeness(0))


def _look(screen: Grey, viewport: Box, box: Box, shape: _Shape) -> _Look:
    left, top, right, bottom = box
    seen = _stretched(np.ascontiguousarray(screen[top:bottom, left:right]))
    weights = border_weights(SIDE)
    free = np.array([_FREE_PX / (right - left), _FREE_PX / (bottom - top)] * 2)
    pictures = np.stack([_moved_towards(seen, picture, weights, free) for picture in shape.pictures])
    first = _explained(seen, pictures, weights)
    kept = weights * spread(first.keep, SIDE)
    # The tone is the screen's, so that it is one for all candidates.
    pictures = _toned(pictures, seen, pictures[int(first.residual.argmin())], kept)
    explained = _explained(seen, pictures, weights)
    order = np.argsort(explained.residual, kind="stable")
    explained, pictures = explained.in_order(order), pictures[order]
    kept = weights * spread(explained.keep, SIDE)
    slope = _slope(explained.fit.gain[0] * pictures[0], kept)
    return _Look(
        names=tuple(shape.names[place] for place in order),
        pictures=pictures,
        seen=seen,
        explained=explained,
        off_px=float(np.sqrt(float(explained.residual[0]) / max(slope, 1e-3))),
        odd_blocks=int((_INNER & explained.usable & ~explained.keep).sum()),
        bare=bare_beside(screen, viewport, box),
    )


def _explained(seen: Floats, pictures: Floats, weights: Floats) -> Explained:
    return explain(compare(seen, References.of(np.round(pictures).clip(0, 255).astype(np.uint8), weights), weights))


def _toned(pictures: Floats, seen: Floats, like: Floats, weights: Floats) -> Floats:
    """`pictures` through the curve that brings `like` to what is seen: a cubic, near to any screen's gamma or contrast."""
    counted = weights > 0
    if counted.sum() < _ENOUGH_PX:
        return pictures
    x, y = like[counted][::_EVERY] / 255, seen[counted][::_EVERY] / 255
    curve = np.linalg.lstsq(np.stack([np.ones_like(x), x, x**2, x**3], axis=1), y, rcond=None)[0]
    levels = np.arange(256) / 255
    table = 255 * (curve[0] + curve[1] * levels + curve[2] * levels**2 + curve[3] * levels**3)
    if np.any(np.diff(table) < 0):  # no screen shows lighter as darker: the fit has too little to go by
        return pictures
    toned = np.interp(pictures, np.arange(256), table)
    return np.asarray(toned, dtype=np.float32)


_ENOUGH_PX = 4096
_EVERY = 7
"""Pixels that a curve is fitted to: every seventh of half a million is plenty."""


def _moved_towards(seen: Floats, picture: Floats, weights: Floats, free: NDArray[np.float64]) -> Floats:
    """A candidate where it fits best, within what a viewer's rounding may have moved it; `free` in shares of a side."""
    step = step_towards(seen, picture, weights)
    if step is None:
        return picture
    dx, dy, sx, sy = np.clip(step.move, -free, free)
    across, down = places(SIDE)
    # Reference place u is seen at u + d + s·u, so what is seen at v shows the reference's (v − d) / (1 + s).
    map_x = ((across - dx) / (1 + sx) + 0.5) * SIDE - 0.5
    map_y = ((down - dy) / (1 + sy) + 0.5) * SIDE - 0.5
    moved = cv2.remap(
        picture, map_x.astype(np.float32), map_y.astype(np.float32), cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(moved, dtype=np.float32)


def _slope(picture: Floats, weights: Floats) -> float:
    """Mean squared gradient where the weights are, (grey levels per px)²."""
    across = cv2.Sobel(picture, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    down = cv2.Sobel(picture, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
    return float(((across * across + down * down) * weights).sum()) / max(float(weights.sum()), 1.0)


def _inner_blocks() -> Mask:
    """Off the top and bottom eighth, where viewers lay their bars over tall photos, and off the sides' edges."""
    inner = np.zeros((BLOCKS, BLOCKS), dtype=np.bool_)
    inner[2:14, 1:15] = True
    return inner.ravel()


_INNER = _inner_blocks()
