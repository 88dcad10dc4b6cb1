"""Looking at one file: what kind of picture it is, its size, its EXIF — or why it cannot be used."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pillow_heif
from PIL import Image, UnidentifiedImageError

from matching.decode import MAX_PIXELS
from rig.album import exif

pillow_heif.register_heif_opener()

# What the galleries of today's phones show. TIFF, JPEG 2000, PSD, ICO and raw files are not in it.
FORMATS = frozenset({"JPEG", "PNG", "HEIF", "AVIF", "WEBP", "GIF", "BMP"})
# Media scanners go by the name; a picture without one of these endings never reaches the gallery.
EXTENSIONS = frozenset([".jpg", ".jpeg", ".jpe", ".png", ".heic", ".heif", ".hif", ".avif", ".webp", ".gif", ".bmp", ".mpo"])
_OTHER_EXTENSIONS = frozenset(
    [".tif", ".tiff", ".jp2", ".j2k", ".jpx", ".ico", ".psd", ".svg", ".dng", ".cr2", ".nef", ".arw", ".raf", ".rw2", ".orf"]
)
# Decoding proves that the data is whole; a JPEG decoded at a reduced size is read to its end all the same.
_DRAFT_PX = 512


class Unfit(Exception):
    """This file cannot be used; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of one file. Sizes are of the upright picture, after EXIF orientation."""

    size_bytes: int
    sha256: str
    width_px: int
    height_px: int
    format: str
    taken_at: datetime | None
    position: tuple[float, float] | None


def look_at(path: Path, *, decode: bool = True, max_pixels: int = MAX_PIXELS) -> Look:
    """What the file is; Unfit with the reason when it cannot be used. With `decode` its pixels are read to their end."""
    ending = path.suffix.lower()
    if ending in _OTHER_EXTENSIONS:
        raise Unfit(f"{ending[1:].upper()}: phone galleries do not show this format")
    if ending not in EXTENSIONS:
        raise Unfit("not an image by its name: phones go by the ending")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Unfit(f"cannot be read: {error.strerror}") from error
    if not data:
        raise Unfit("empty file")
    return _look_into(path, data, decode=decode, max_pixels=max_pixels)


def _look_into(path: Path, data: bytes, *, decode: bool, max_pixels: int) -> Look:
    try:
        with Image.open(path) as image:
            return _seen(image, data, decode=decode, max_pixels=max_pixels)
    except Unfit:
        raise
    except Image.DecompressionBombError as error:
        raise Unfit(f"decompression bomb: over {max_pixels} pixels, which are not decoded") from error
    except UnidentifiedImageError as error:
        raise Unfit("not an image: no known picture format starts like this") from error
    except Exception as error:  # decoders raise whatever broken bytes lead them to
        raise Unfit(f"corrupt: {error or type(error).__name__}") from error


def _seen(image: Image.Image, data: bytes, *, decode: bool, max_pixels: int) -> Look:
    kind = "JPEG" if image.format == "MPO" else image.format or "unknown"
    if kind not in FORMATS:
        raise Unfit(f"{kind}: phone galleries do not show this format")
    if image.width * image.height > max_pixels:
        raise Unfit(f"decompression bomb: {image.width} × {image.height} pixels, at most {max_pixels} are decoded")
    tags = image.getexif()
    turned = tags.get(0x0112) in (5, 6, 7, 8)
    width, height = (image.height, image.width) if turned else image.size
    look = Look(len(data), hashlib.sha256(data).hexdigest(), width, height, kind, exif.taken_at(tags), exif.position(tags))
    if decode:
        image.draft("RGB", (_DRAFT_PX, _DRAFT_PX))
        image.load()
    return look
