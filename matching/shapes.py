"""Which thumbnails of a search show what: centre squares, photos as they are, or what a screen's edge left of a square."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

_SQUARE = 0.07
"""|width ÷ height − 1| of a square one: 1 % of misplacement and a few px of a 100 px cell."""
_LEAST_SEEN = 0.4
"""Share of a square below which nothing is decided: at 40 % the study's shortlist still held 97 % of the photos."""


class Shape(StrEnum):
    """What a thumbnail shows of its photo."""

    SQUARE = "square"
    WHOLE = "whole"
    CUT = "cut"
    TOO_LITTLE = "too_little"


@dataclass(frozen=True, slots=True)
class Sized:
    """One thumbnail's shape; `seen` is the share of the square's height that a cut one shows, 1 otherwise."""

    shape: Shape
    seen: float = 1.0


def shapes_of(sizes: Sequence[tuple[int, int]]) -> list[Sized]:
    """The shapes of one search's thumbnails, by their (width, height) in px.

    Where some are square, wider ones of the same width are squares that an edge cut; where none is, all show whole photos.
    """
    squares = [width for width, height in sizes if abs(width / height - 1) <= _SQUARE]
    if not squares:
        return [Sized(Shape.WHOLE) for _ in sizes]
    side = float(np.median(squares))
    return [_sized(width, height, side) for width, height in sizes]


def _sized(width: int, height: int, side: float) -> Sized:
    if abs(width / height - 1) <= _SQUARE:
        return Sized(Shape.SQUARE)
    if height < width and abs(width / side - 1) <= _SQUARE:
        seen = height / side
        return Sized(Shape.CUT, seen) if seen >= _LEAST_SEEN else Sized(Shape.TOO_LITTLE, seen)
    return Sized(Shape.WHOLE)
