"""Screenshots are proven whole and lit, compared, and read in order."""

import io

import numpy as np
import pytest
from PIL import Image

from drivers.screens.page import reading_order, scroll_distance
from drivers.screens.picture import BlackFrame, BrokenPicture, flat_levels, gray, lit, png_size, still, whole_png


def picture(kind: str = "PNG", seed: int = 3, size: tuple[int, int] = (320, 640)) -> bytes:
    noise = np.random.default_rng(seed).integers(0, 255, (size[1] // 16, size[0] // 16, 3), np.uint8)
    held = io.BytesIO()
    Image.fromarray(noise).resize(size, Image.Resampling.BICUBIC).save(held, kind, quality=100)
    return held.getvalue()


def test_a_whole_png_is_itself() -> None:
    png = picture()
    assert whole_png(png) == png
    assert png_size(png) == (320, 640)


def test_a_warning_before_the_png_is_removed() -> None:
    png = picture()
    assert whole_png(b"[Warning] Multiple displays were found\n" + png) == png


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda png: png.replace(b"\n", b"\r\n"), "line endings"),
        (lambda png: png[:-20], "no end"),
        (lambda _png: b"", "no PNG"),
        (lambda _png: b"error: device offline", "no PNG"),
    ],
    ids=["CRLF", "cut short", "nothing", "an error instead"],
)
def test_what_is_no_whole_png_is_refused(spoil, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BrokenPicture, match=said):
        whole_png(spoil(picture()))


def test_bytes_that_do_not_decode_are_refused() -> None:
    png = picture()
    with pytest.raises(BrokenPicture, match="decode"):
        gray(png[:60] + bytes(len(png) - 72) + png[-12:])


def test_a_black_frame_is_refused_even_under_a_lit_status_bar() -> None:
    frame = np.zeros((80, 40), np.uint8)
    frame[:4] = 255
    with pytest.raises(BlackFrame):
        lit(frame)


def test_a_jpeg_and_a_png_of_one_screen_are_still() -> None:
    assert still(gray(picture("JPEG")), gray(picture("PNG")), (0, 0, 320, 640))


@pytest.mark.parametrize("size", [(320, 640), (317, 635)])
def test_a_phones_quick_jpeg_is_within_two_levels_of_its_png(size: tuple[int, int]) -> None:
    png = picture(size=size)
    held = io.BytesIO()
    Image.open(io.BytesIO(png)).save(held, "JPEG", quality=80)
    quick, whole = gray(held.getvalue()), gray(png)
    assert quick.shape == whole.shape == (80, 40)
    assert np.abs(quick.astype(int) - whole).max() <= 2


def test_frames_that_differ_outside_the_box_are_still() -> None:
    first, second = gray(picture()), gray(picture())
    second[:5] = 0
    assert not still(first, second, (0, 0, 320, 640))
    assert still(first, second, (0, 48, 320, 640))


def test_placeholders_are_told_by_their_one_colour_whatever_lies_at_their_edge_or_corner() -> None:
    frame = gray(picture())
    frame[0:20, 0:20] = 228
    frame[0:20, 0] = 255  # some of the gap
    frame[15:18, 3:6] = 90  # a badge
    assert flat_levels(frame, ((0, 0, 160, 160), (160, 0, 320, 160))) == (228,)


def test_cells_are_read_row_by_row_though_one_stands_a_little_higher() -> None:
    #            right, upper row   left, upper row, 10 px lower   lower row
    boxes = [(100, 0, 200, 100), (0, 10, 100, 110), (0, 110, 100, 210)]
    assert reading_order(boxes) == [1, 0, 2]


@pytest.mark.parametrize(
    ("height", "pitch", "far"),
    [
        (2000, 400.0, 1160),  # 5 rows: 2000 - 2.1 × 400
        (900, 300.0, 450),  # 3 rows: half of them stay
        (1000, None, 450),  # no cells in the tree: 0.45 of the height
    ],
    ids=["many rows", "few rows", "unknown rows"],
)
def test_a_drag_keeps_rows_in_sight(height: int, pitch: float | None, far: int) -> None:
    assert scroll_distance(height, pitch) == far
