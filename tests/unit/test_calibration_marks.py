"""Marks say which photo a thumbnail is of, and can be hidden without a trace."""

from io import BytesIO

import cv2
import numpy as np
import pytest
from PIL import Image as Picture

from matching.model import Image
from rig.desk.marks import MOST, find_marks, hide, mark_box, stamp


def photo(side_px: int = 360, seed: int = 1) -> Image:
    noise = np.random.default_rng(seed).integers(0, 255, (9, 9, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(noise, (side_px, side_px), interpolation=cv2.INTER_CUBIC), np.uint8)


def as_thumbnail(image: Image, side_px: int) -> Image:
    held = BytesIO()
    Picture.fromarray(image).resize((side_px, side_px), Picture.Resampling.BOX).save(held, "JPEG", quality=70)
    return np.asarray(Picture.open(held).convert("RGB"))


@pytest.mark.parametrize("side_px", [108, 150, 216, 357])
def test_every_number_survives_a_thumbnail(side_px: int) -> None:
    read = [find_marks(as_thumbnail(stamp(photo(), number), side_px)) for number in range(MOST)]
    assert [[mark.number for mark in marks] for marks in read] == [[number] for number in range(MOST)]


def test_a_mark_that_is_cut_off_is_none() -> None:
    marked = stamp(photo(), 5)
    _, top, _, bottom = mark_box(360)
    assert find_marks(marked[(top + bottom) // 2 :]) == ()


def test_nothing_of_a_hidden_mark_is_left() -> None:
    seven, eight = (hide(stamp(photo(), number), mark_box(360)) for number in (7, 8))
    assert np.array_equal(seven, eight)
    thumbnails = []
    for number in (7, 8):
        thumbnail = as_thumbnail(stamp(photo(), number), 216)
        (mark,) = find_marks(thumbnail)
        thumbnails.append(hide(thumbnail, mark.box))
    # JPEG spreads a mark over the blocks it touches, eight pixels far, in traces a matcher cannot read.
    assert np.abs(thumbnails[0].astype(int) - thumbnails[1]).max() <= 24


def test_marks_of_a_screen_come_in_reading_order() -> None:
    screen = np.full((500, 700, 3), 250, np.uint8)
    for number, (left, top) in enumerate(((10, 10), (230, 10), (10, 240))):
        screen[top : top + 216, left : left + 216] = as_thumbnail(stamp(photo(seed=number), number), 216)
    assert [mark.number for mark in find_marks(screen)] == [0, 1, 2]
