"""Where a photo lies on a screen that shows it in full: as large as the frame lets it be, between bars of one colour.

Viewers put it in the middle of the screen, or of what their own bars leave; where it is elsewhere, its two edges across the
whole screen tell, as far apart as the photo is high (or wide).
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from matching.model import Box, Image

Grey = NDArray[np.uint8]
"""Luma, shape (height, width)."""

Size = tuple[int, int]
"""(width, height), px."""

_EDGE_LEVELS = 8.0
"""Median step between two whole lines of the screen that only a picture's edge makes."""
_BAR_LEVELS = 12
"""Grey levels around their median within which bars lie: dithering and JPEG, no picture."""
_BARE = 0.7
"""Share of what lies beside the picture that is bare bar; the rest may be titles and buttons."""
_NOTHING_BESIDE = 0.02
"""Share of the frame below which nothing is left to be looked at."""


def grey_of(image: Image) -> Grey:
    """The luma of a picture."""
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), dtype=np.uint8)


def fitted(photo: Size, frame: Box) -> Size:
    """A photo's size where it is as large as `frame` lets it be."""
    scale = min((frame[2] - frame[0]) / photo[0], (frame[3] - frame[1]) / photo[1])
    return max(1, round(photo[0] * scale)), max(1, round(photo[1] * scale))


def boxes_of(screen: Grey, frame: Box, photo: Size) -> tuple[Box, ...]:
    """Where on `screen` a photo may lie within `frame`: in its middle, and where its edges are seen."""
    width, height = fitted(photo, frame)
    left, top, right, bottom = frame
    spare_x, spare_y = right - left - width, bottom - top - height
    x, y = left + spare_x // 2, top + spare_y // 2
    inside = screen[top:bottom, left:right].astype(np.int16)
    middle = (x, y, x + width, y + height)
    if spare_y > spare_x:
        edges = _edges_apart(np.abs(np.diff(inside, axis=0)), height)
        return (middle, *((x, top + first, x + width, top + last) for first, last in edges))
    edges = _edges_apart(np.abs(np.diff(inside, axis=1)).T, width)
    return (middle, *((left + first, y, left + last, y + height) for first, last in edges))


def bare_beside(screen: Grey, frame: Box, box: Box) -> bool:
    """True when what a picture at `box` leaves of `frame` is of one colour, but for titles and buttons."""
    left, top, right, bottom = frame
    beside = np.ones((bottom - top, right - left), dtype=np.bool_)
    beside[max(box[1] - top, 0) : max(box[3] - top, 0), max(box[0] - left, 0) : max(box[2] - left, 0)] = False
    levels = screen[top:bottom, left:right][beside]
    if levels.size < _NOTHING_BESIDE * beside.size:
        return True
    off = np.abs(levels.astype(np.int16) - int(np.median(levels)))
    return float((off <= _BAR_LEVELS).mean()) >= _BARE


def _edges_apart(steps: NDArray[np.int16], length: int) -> list[tuple[int, int]]:
    """(first, last) line, half-open, of the clearest pair of edges `length` apart, give or take a px; none where there is none.

    `steps` are the differences between each line and the next.
    """
    strength = np.median(steps, axis=1)
    clearest, found = _EDGE_LEVELS, []
    for far in (length, length - 1, length + 1):
        if not 0 < far < len(strength):
            continue
        both = np.minimum(strength[:-far], strength[far:])
        place = int(both.argmax())
        if both[place] > clearest:
            clearest, found = float(both[place]), [(place + 1, place + 1 + far)]
    return found
