"""Photos that say who they are: sixteen squares of black and white spell a number that survives any thumbnail.

Their keywords stand in the files as a virtual phone's search reads them. Small: hundreds go over a loopback in a second.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from html import escape
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image

from drivers.interface import PushItem

SIDE_PX = 256
_SQUARES = 4
_DARK, _LIGHT = 40, 215
_START = datetime(2024, 3, 1, 8, 0, tzinfo=UTC)
_XMP = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:subject><rdf:Bag>{}</rdf:Bag></dc:subject>'
    "</rdf:Description></rdf:RDF></x:xmpmeta>"
)


@dataclass(frozen=True, slots=True)
class Marked:
    """One photo to be made: its name on the phone, the number it shows and what it is of."""

    device_name: str
    number: int
    keywords: tuple[str, ...]


def make_album(folder: Path, photos: Sequence[Marked]) -> tuple[PushItem, ...]:
    """Writes the photos, one hour apart, and says what has to arrive of each."""
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(_make(folder, photo, _START + timedelta(hours=index)) for index, photo in enumerate(photos))


def _make(folder: Path, photo: Marked, taken: datetime) -> PushItem:
    exif = Image.Exif()
    shot = exif.get_ifd(ExifTags.IFD.Exif)
    shot[ExifTags.Base.DateTimeOriginal] = taken.strftime("%Y:%m:%d %H:%M:%S")
    shot[ExifTags.Base.OffsetTimeOriginal] = "+00:00"
    xmp = _XMP.format("".join(f"<rdf:li>{escape(word)}</rdf:li>" for word in photo.keywords))
    held = BytesIO()
    _picture(photo.number).save(held, "JPEG", quality=90, exif=exif, xmp=xmp.encode())
    data = held.getvalue()
    path = folder / photo.device_name
    path.write_bytes(data)
    return PushItem(path, photo.device_name, len(data), sha256(data).hexdigest(), taken)


def _picture(number: int) -> Image.Image:
    """Rows of bits, the lowest first; the last four are inverted, so that no picture has one colour."""
    bits = [(number >> place) & 1 for place in range(12)]
    bits += [1 - bit for bit in bits[:4]]
    squares = np.array([_LIGHT if bit else _DARK for bit in bits], np.uint8).reshape(_SQUARES, _SQUARES)
    return Image.fromarray(squares).resize((SIDE_PX, SIDE_PX), Image.Resampling.NEAREST).convert("RGB")


def read_number(cell: NDArray[np.uint8]) -> int | None:
    """The number a square thumbnail shows; None when it shows none. Grey levels, shape (height, width)."""
    height, width = cell.shape
    inset_y, inset_x = height // 16, width // 16
    squares = [
        np.median(
            cell[
                y * height // 4 + inset_y : (y + 1) * height // 4 - inset_y,
                x * width // 4 + inset_x : (x + 1) * width // 4 - inset_x,
            ]
        )
        for y in range(_SQUARES)
        for x in range(_SQUARES)
    ]
    bits = [1 if level > (_DARK + _LIGHT) / 2 else 0 for level in squares]
    if any(bits[12 + place] == bits[place] for place in range(4)):
        return None
    return sum(bit << place for place, bit in enumerate(bits[:12]))
