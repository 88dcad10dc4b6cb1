"""Marks that say which photo a thumbnail is of: four by four squares in a magenta frame, top left.

    6 bits of the number · the same 6 inverted · 1 0 0 1

A mark is found on a whole screen by its frame alone, whatever the rig takes for cells: a cell that the rig misses is noticed.
Top left, because badges, hearts and durations stand in the other corners of most galleries.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from matching.model import Box, Image

MOST = 64
"""Numbers that six bits tell apart."""

INSET, SIDE = 0.06, 0.32
"""Of a photo's side: clear of rounded corners; large enough to be read in a fifth of a screen 1080 px wide."""

RING = 0.07
"""Of the mark's side: white around the frame, so that a photo's own magenta does not grow onto it."""

MARGIN = 0.15
"""Of the mark's side: hidden around it, too, the ring and what scaling and JPEG bleed into the picture."""

_MAGENTA = (230, 0, 230)
_FRAME = 1 / 8
_SQUARES = 4
_LEAST_PX = 20
"""A mark narrower than this has squares of less than four pixels."""

_HIDDEN = 128


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark seen."""

    number: int
    box: Box

    @property
    def centre(self) -> tuple[float, float]:
        """(x, y) px."""
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2

    def lies_in(self, box: Box) -> bool:
        """True when its middle does."""
        x, y = self.centre
        return box[0] <= x < box[2] and box[1] <= y < box[3]


def stamp(picture: Image, number: int) -> Image:
    """A copy of a square picture with the mark of `number` in its corner."""
    marked = picture.copy()
    left, top, right, bottom = mark_box(picture.shape[0])
    side = right - left
    ring = round(side * RING)
    marked[top - ring : bottom + ring, left - ring : right + ring] = 255
    marked[top:bottom, left:right] = _MAGENTA
    edge = round(side * _FRAME)
    inner = side - 2 * edge
    squares = np.array(_bits(number), np.uint8).reshape(_SQUARES, _SQUARES) * 255
    drawn = cv2.resize(squares, (inner, inner), interpolation=cv2.INTER_NEAREST)
    marked[top + edge : top + edge + inner, left + edge : left + edge + inner] = drawn[..., None]
    return marked


def mark_box(side_px: int) -> Box:
    """Where the mark stands in a square photo."""
    near, far = round(side_px * INSET), round(side_px * (INSET + SIDE))
    return near, near, far, far


def find_marks(image: Image) -> tuple[Mark, ...]:
    """The marks that are whole on a picture, in reading order."""
    red, green, blue = (image[..., channel].astype(np.int16) for channel in range(3))
    framed = ((red - green > 70) & (blue - green > 70)).astype(np.uint8)
    count, _labels, stats, _ = cv2.connectedComponentsWithStats(framed)
    marks = []
    for place in range(1, count):
        left, top, width, height = (int(value) for value in stats[place, :4])
        if width >= _LEAST_PX and abs(width - height) <= max(3, 0.1 * width):
            number = _read(image[top : top + height, left : left + width])
            if number is not None:
                marks.append(Mark(number, (left, top, left + width, top + height)))
    return tuple(sorted(marks, key=lambda mark: (mark.box[1], mark.box[0])))


def hide(image: Image, box: Box) -> Image:
    """A copy on which nothing of the mark in `box` is left: one even grey, its surroundings included."""
    margin = round((box[2] - box[0]) * MARGIN)
    hidden = image.copy()
    left, top = max(0, box[0] - margin), max(0, box[1] - margin)
    hidden[top : box[3] + margin, left : box[2] + margin] = _HIDDEN
    return hidden


def _bits(number: int) -> list[int]:
    told = [(number >> place) & 1 for place in range(6)]
    return [*told, *(1 - bit for bit in told), 1, 0, 0, 1]


def _read(framed: Image) -> int | None:
    """The number within a frame; None when it is no mark."""
    height, width = framed.shape[:2]
    grey = framed.mean(axis=2)
    squares = []
    for row in range(_SQUARES):
        for column in range(_SQUARES):
            y, x = (_FRAME + (1 - 2 * _FRAME) * (place + 0.5) / _SQUARES for place in (row, column))
            reach = 1 / 24  # of the side: less than half a square, clear of its neighbours
            part = grey[round((y - reach) * height) : round((y + reach) * height) + 1]
            squares.append(float(np.median(part[:, round((x - reach) * width) : round((x + reach) * width) + 1])) > 127)
    number = sum(bit << place for place, bit in enumerate(squares[:6]))
    return number if squares == [bool(bit) for bit in _bits(number)] else None
