"""The two ways a gallery shows a photo, as small grey references: its centre square, and the whole of it.

    square   the largest centred square            what most grids show
    whole    all of it, stretched to a square      what justified and masonry rows show, stretched the same way

One decision: the crop is taken at fractional pixels of the *full* photo. Rounding it on a reduced picture moved burst
frames by as much as a hand does (99 → 77 % right in the study behind this). JPEGs are decoded at 1/2, 1/4 or 1/8, grey only.
"""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from matching.decode import MAX_PIXELS, eight_bit, opened, orientation_of, taken_on, upright

Grey = NDArray[np.uint8]
"""Luma (ITU-R BT.601), shape (side, side)."""

FINE = 192
"""Side of the fine reference, px: a phone's cell is 160–360 px; at 192 the study lost nothing against 256."""
COARSE = 64
"""Side of the coarse reference, px: a third of FINE, so that it is an exact 3 × 3 mean."""
BLUR_SIGMA = 0.7
"""px at FINE: JPEG and a phone's own scaling leave nothing finer of single pixels."""
_REDUCED_SHORT_SIDE = 2 * FINE
"""A JPEG is decoded no smaller than this, so that the last reduction is a proper LANCZOS by two or more."""


@dataclass(frozen=True, slots=True)
class View:
    """One way of showing a photo."""

    fine: Grey
    """FINE px, lightly blurred."""
    coarse: Grey
    """COARSE px."""


@dataclass(frozen=True, slots=True)
class Views:
    """A photo's references, the size of the upright photo in px, and when it was taken."""

    square: View
    whole: View
    width: int
    height: int
    taken: str = ""
    """Day by EXIF, YYYY:MM:DD; "" where it gives none."""


def views_of(path: Path, *, max_pixels: int = MAX_PIXELS) -> Views:
    """The references of a photo's file. Raises UnreadableImage."""
    with opened(path, max_pixels=max_pixels) as picture:
        width, height = picture.size
        extent = _decode_reduced(picture)
        grey = picture if picture.mode == "L" else eight_bit(picture).convert("L")
        grey.load()
        if extent is None:  # only now, since a TIFF may turn itself while loading
            width, height = grey.size
            extent = (float(width), float(height))
        orientation, taken = orientation_of(picture), taken_on(picture)
        square = _reference(grey, _centre_square(extent), orientation)
        whole = square if width == height else _quickly(grey, orientation)
    if orientation >= 5:
        width, height = height, width
    return Views(square, whole, width, height, taken)


def view_of(fine: Grey) -> View:
    """The view whose sharp picture at FINE px this is."""
    coarse = cv2.resize(fine, (COARSE, COARSE), interpolation=cv2.INTER_AREA)
    return View(cv2.GaussianBlur(fine, (0, 0), BLUR_SIGMA).astype(np.uint8), coarse.astype(np.uint8))


def _decode_reduced(picture: Pillow.Image) -> tuple[float, float] | None:
    """A JPEG is set to decode small and grey; returns the photo's exact extent in reduced px, None when it decodes in full."""
    if picture.format not in {"JPEG", "MPO"} or picture.mode not in {"RGB", "L"}:
        return None
    width, height = picture.size
    scale = min(width, height) / _REDUCED_SHORT_SIDE
    drafted = picture.draft("L", (max(1, int(width / scale)), max(1, int(height / scale))))
    return None if drafted is None else (drafted[1][2], drafted[1][3])


def _centre_square(extent: tuple[float, float]) -> tuple[float, float, float, float]:
    width, height = extent
    side = min(extent)
    left, top = (width - side) / 2, (height - side) / 2
    return (left, top, left + side, top + side)


def _quickly(grey: Pillow.Image, orientation: int) -> View:
    """The whole by plain means of areas, at a fifteenth of the cost; a last part-pixel of the reduced picture is no matter."""
    small = cv2.resize(np.asarray(grey), (FINE, FINE), interpolation=cv2.INTER_AREA)
    return view_of(np.asarray(upright(Pillow.fromarray(small), orientation)))


def _reference(grey: Pillow.Image, box: tuple[float, float, float, float], orientation: int) -> View:
    small = grey.resize((FINE, FINE), Pillow.Resampling.LANCZOS, box=box)
    return view_of(np.asarray(upright(small, orientation)))
