"""One thumbnail as cut from a screen, ready to be sampled wherever a grid's geometry says its photo lies."""

from dataclasses import dataclass

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray
from PIL import Image as Pillow

from matching.model import Image
from matching.registration import Geometry
from matching.views import COARSE, FINE, view_of

Floats = NDArray[np.float32]
_SPARE = 0.05
"""Edge pixels are repeated this far (share of a side), so that a lattice a few px off can still be followed."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A thumbnail in the references' own form, float32 (side, side)."""

    fine: Floats
    coarse: Floats


class Thumbnail:
    """The luma of one crop."""

    def __init__(self, crop: Image) -> None:
        self._crop = crop
        self.height, self.width = crop.shape[:2]
        self._spare = (round(self.height * _SPARE) + 1, round(self.width * _SPARE) + 1)
        self._grey = self._widened(cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY))
        self._sharp: Floats | None = None

    def colours(self, geometry: Geometry) -> Floats:
        """Red, green and blue in the fine form: (3, FINE, FINE)."""
        box = self._box(geometry)
        channels = [self._widened(np.ascontiguousarray(self._crop[..., channel])) for channel in range(3)]
        sampled = [np.asarray(c.resize((FINE, FINE), Pillow.Resampling.LANCZOS, box=box)) for c in channels]
        return np.stack([view_of(channel).fine for channel in sampled]).astype(np.float32)

    def _widened(self, grey: MatLike) -> Pillow.Image:
        down, across = self._spare
        return Pillow.fromarray(cv2.copyMakeBorder(grey, down, down, across, across, cv2.BORDER_REPLICATE))

    def seen(self, geometry: Geometry) -> Seen:
        """The thumbnail sampled once, straight from its own pixels, as the references were from theirs."""
        box = self._box(geometry)
        view = view_of(np.asarray(self._grey.resize((FINE, FINE), Pillow.Resampling.LANCZOS, box=box)))
        return Seen(view.fine.astype(np.float32), view.coarse.astype(np.float32))

    def roughly(self, geometry: Geometry) -> Floats:
        """The fine form without its blur, moved from one quick sampling rather than sampled anew: a tenth of the cost."""
        if self._sharp is None:
            self._sharp = _shrunk(cv2.cvtColor(self._crop, cv2.COLOR_RGB2GRAY))
        return _moved(self._sharp, geometry)

    def colours_roughly(self, geometry: Geometry) -> Floats:
        """Red, green and blue as `roughly`: (3, FINE, FINE)."""
        return np.ascontiguousarray(_moved(_shrunk(self._crop), geometry).transpose(2, 0, 1))

    def coarse(self, geometry: Geometry) -> Floats:
        """The coarse form, from `roughly`."""
        small = cv2.resize(self.roughly(geometry), (COARSE, COARSE), interpolation=cv2.INTER_AREA)
        return np.asarray(small, dtype=np.float32)

    def _box(self, geometry: Geometry) -> tuple[float, float, float, float]:
        down, across = self._spare
        middle_x = across + self.width * (0.5 + geometry.dx)
        middle_y = down + self.height * (0.5 + geometry.dy)
        half_w, half_h = self.width * (1 + geometry.sx) / 2, self.height * (1 + geometry.sy) / 2
        return (
            max(middle_x - half_w, 0.0),
            max(middle_y - half_h, 0.0),
            min(middle_x + half_w, float(self._grey.width)),
            min(middle_y + half_h, float(self._grey.height)),
        )


def _shrunk(picture: MatLike) -> Floats:
    """Brought to FINE px by the quickest proper means."""
    means = cv2.INTER_AREA if min(picture.shape[:2]) > FINE else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(picture, (FINE, FINE), interpolation=means), dtype=np.float32)


def _moved(picture: Floats, geometry: Geometry) -> Floats:
    if geometry == Geometry():
        return picture
    middle = FINE / 2 - 0.5
    move = np.array(
        [
            [1 + geometry.sx, 0.0, geometry.dx * FINE - geometry.sx * middle],
            [0.0, 1 + geometry.sy, geometry.dy * FINE - geometry.sy * middle],
        ]
    )
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(picture, move, (FINE, FINE), flags=flags, borderMode=cv2.BORDER_REPLICATE), dtype=np.float32
    )
