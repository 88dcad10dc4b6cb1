"""What thumbnails of one shape are compared with: the index's references, whole or cut as the gallery cuts.

squares     centre squares, for square thumbnails
wholes      whole photos, for thumbnails as wide and high as their photo
parts       a band of the centre squares, for thumbnails cut off by a screen's edge or a bar
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from matching.descriptor import describe, packed
from matching.index import SourceIndex
from matching.views import COARSE, FINE

_SAME_ASPECT = 0.05
"""Difference of ln(width ÷ height) up to which a thumbnail may show a photo whole: 2 px off at 80 px."""


class Pictures(Protocol):
    """References by row."""

    def __getitem__(self, rows: NDArray[np.intp] | np.intp | int) -> NDArray[np.uint8]:
        """(side, side) of one row, (k, side, side) of several."""


@dataclass(frozen=True, slots=True)
class Shown:
    """References of all photos in one way of showing them."""

    fine: Pictures
    coarse: Pictures
    descriptors: NDArray[np.int8]
    """(n, 256)"""
    allowed: NDArray[np.bool_] | None = None
    """(thumbnails, n) photos that each may show; None: all."""
    cropped: bool = True
    """Whether the gallery cuts a square out of each photo."""


def squares(index: SourceIndex, allowed: NDArray[np.bool_] | None = None) -> Shown:
    """Centre squares, of photos that each thumbnail may show."""
    return Shown(index.rows.square_fine, index.rows.square_coarse, index.rows.square, allowed)


def wholes(index: SourceIndex, aspects: Sequence[float]) -> Shown:
    """Whole photos, for thumbnails of these aspects (width ÷ height)."""
    apart = np.abs(np.log(index.aspect)[None, :] - np.log(np.array(aspects))[:, None])
    return Shown(index.rows.whole_fine, index.rows.whole_coarse, index.rows.whole, apart < _SAME_ASPECT, cropped=False)


def parts(index: SourceIndex, top: float, bottom: float) -> Shown:
    """The band of every centre square from `top` to `bottom`, shares of its side, stretched to a square.

    Descriptors of all photos are made anew: 0.05 ms each.
    """
    coarse = _Band(index.rows.square_coarse, top, bottom, COARSE)
    bands = [describe(coarse[np.arange(start, min(start + 512, len(index)))]) for start in range(0, len(index), 512)]
    return Shown(_Band(index.rows.square_fine, top, bottom, FINE), coarse, packed(np.concatenate(bands)))


class _Band:
    """Pictures cut to a band when they are asked for."""

    def __init__(self, pictures: NDArray[np.uint8], top: float, bottom: float, side: int) -> None:
        self._pictures = pictures
        self._side = side
        height = (bottom - top) * side
        # Row y of the band lies at top + (y + ½)·height/side − ½ of the picture, as everywhere pixels are areas.
        self._move = np.array([[1.0, 0.0, 0.0], [0.0, height / side, top * side + height / side / 2 - 0.5]])

    def __getitem__(self, rows: NDArray[np.intp] | np.intp | int) -> NDArray[np.uint8]:
        found = np.asarray(self._pictures[rows])
        if found.ndim == 2:
            return self._cut(found)
        return np.stack([self._cut(picture) for picture in found])

    def _cut(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        size = (self._side, self._side)
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        cut = cv2.warpAffine(picture, self._move, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cut, dtype=np.uint8)
