"""Screenshots: proven whole before they are believed, and compared to tell a still screen from a moving one. Pure."""

import struct

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.interface import Box

PNG_HEAD = b"\x89PNG\r\n\x1a\n"
_JPEG_HEAD = b"\xff\xd8"
_PNG_END = b"IEND\xae\x42\x60\x82"
_CRLF_HEAD = b"\x89PNG\r\r\n\x1a\r\n"  # what a terminal makes of it
_SHRINK = 8
"""Frames are compared at an eighth of their size: small enough to be quick, large enough to see one cell change."""
_STILL_LEVELS = 3.0
"""Largest grey-level difference of two equal frames at that size: the noise of JPEG at quality 100 stays below 2."""
_FLAT_LEVELS = 2
_FLAT_SHARE = 0.9
"""A cell that has so large a share of its pixels within so few grey levels is a placeholder or a photo of nothing."""

Gray = NDArray[np.uint8]
"""Grey levels, shape (height / 8, width / 8), rounded up."""


class BrokenPicture(ValueError):
    """These bytes are not one whole picture of a lit screen. The message says what they are."""


class BlackFrame(BrokenPicture):
    """A whole picture on which everything has one colour: a screen that is off or refuses to be captured."""


def whole_png(data: bytes) -> bytes:
    """`data` from its PNG signature to its end marker; text that a foldable phone prints before it is removed.

    Raises BrokenPicture for a terminal's line endings, a missing end or no PNG at all.
    """
    start = data.find(PNG_HEAD)
    if start < 0:
        if _CRLF_HEAD in data:
            raise BrokenPicture("its line endings were changed on the way")
        raise BrokenPicture(f"no PNG among {len(data)} bytes" + (f": {data[:60]!r}" if data else ""))
    end = data.rfind(_PNG_END)
    if end < start:
        raise BrokenPicture(f"the PNG has no end after {len(data)} bytes")
    return data[start : end + len(_PNG_END)]


def png_size(png: bytes) -> tuple[int, int]:
    """(width, height) px from the header of a whole PNG."""
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def gray(data: bytes) -> Gray:
    """Decodes a PNG or JPEG wholly and shrinks it to the means of its 8 × 8 blocks. Raises BrokenPicture.

    By way of its colours: the luma that a JPEG stores is up to 4 levels off the grey of the same picture kept as a PNG. A JPEG
    stores the means of just such blocks, so that it is decoded at that size: in a fifth of the time, and closer to the PNG
    (1 level instead of 4) than from its pixels.
    """
    mode = cv2.IMREAD_REDUCED_COLOR_8 if data.startswith(_JPEG_HEAD) else cv2.IMREAD_COLOR
    colours = cv2.imdecode(np.frombuffer(data, np.uint8), mode) if data else None
    if colours is None:
        raise BrokenPicture("it does not decode")
    small = colours if mode != cv2.IMREAD_COLOR else _block_means(colours)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)


def _block_means(colours: cv2.typing.MatLike) -> cv2.typing.MatLike:
    """Of whole blocks, and of what is left of blocks at the right and lower edge."""
    height, width = colours.shape[:2]
    down, right = -height % _SHRINK, -width % _SHRINK
    whole = cv2.copyMakeBorder(colours, 0, down, 0, right, cv2.BORDER_REPLICATE) if down or right else colours
    return cv2.resize(whole, (whole.shape[1] // _SHRINK, whole.shape[0] // _SHRINK), interpolation=cv2.INTER_AREA)


def lit(frame: Gray) -> Gray:
    """`frame` itself. Raises BlackFrame when it is uniform below the status bar."""
    body = frame[frame.shape[0] // 16 :]
    if int(body.max()) - int(body.min()) <= 2:
        raise BlackFrame(f"every pixel has grey level {int(body[0, 0])}")
    return frame


def part(frame: Gray, box: Box) -> Gray:
    """The pixels of `box` (full-size px), at least one."""
    left, top, right, bottom = (max(0, value // _SHRINK) for value in box)
    return frame[top : max(bottom, top + 1), left : max(right, left + 1)]


def still(first: Gray, second: Gray, box: Box) -> bool:
    """True when both frames show the same within `box`."""
    if first.shape != second.shape:
        return False
    a, b = part(first, box), part(second, box)
    return bool(a.size) and float(np.abs(a.astype(np.int16) - b.astype(np.int16)).max()) <= _STILL_LEVELS


def flat_levels(frame: Gray, boxes: tuple[Box, ...]) -> tuple[int, ...]:
    """The grey levels of the cells that show one colour only, but for a badge in a corner; one entry a cell."""
    inner = [_inner(part(frame, box)) for box in boxes]
    middles = [int(np.median(cell)) for cell in inner]
    flat = [_share_near(cell, middle) >= _FLAT_SHARE for cell, middle in zip(inner, middles, strict=True)]
    return tuple(middle for middle, is_flat in zip(middles, flat, strict=True) if is_flat)


def _inner(cell: Gray) -> Gray:
    """Without the edge, which may hold some of the gap between cells."""
    height, width = cell.shape
    edge = max(1, min(height, width) // 8)
    return cell[edge:-edge, edge:-edge] if min(height, width) > 3 * edge else cell


def _share_near(cell: Gray, level: int) -> float:
    return float((np.abs(cell.astype(np.int16) - level) <= _FLAT_LEVELS).mean())


def jpeg_to_png(data: bytes) -> bytes:
    """The same picture without further loss. Raises BrokenPicture."""
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if pixels is None:
        raise BrokenPicture("the frame does not decode")
    return cv2.imencode(".png", pixels, [cv2.IMWRITE_PNG_COMPRESSION, 1])[1].tobytes()


def jpeg_size(data: bytes) -> tuple[int, int]:
    """(width, height) px of a whole JPEG. Raises BrokenPicture."""
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE) if data else None
    if pixels is None:
        raise BrokenPicture("the frame does not decode")
    return pixels.shape[1], pixels.shape[0]
