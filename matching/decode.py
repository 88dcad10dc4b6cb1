"""A file becomes pixels, or says in words why not.

One decision: files are told apart by what they hold, never by their name, and only by decoders named here. Everything a
decoder may do wrong (raise, warn, expand to gigabytes) ends here as an `UnreadableImage`.
"""

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISREG

import cv2
import numpy as np
import PIL
import pillow_heif
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageCms, UnidentifiedImageError, features

from matching.model import Image, UnreadableImage

pillow_heif.register_heif_opener()
Pillow.init()  # else only the commonest formats can be named

MAX_PIXELS = 220_000_000
"""The largest phone sensors give 16320 × 12240 = 200 megapixels; ten per cent above that. Decoded: 660 MB."""

FORMATS = ("JPEG", "PNG", "HEIF", "AVIF", "WEBP", "GIF", "TIFF", "BMP", "JPEG2000")
"""What galleries show as a photo, by Pillow's names (JPEG opens MPO as well). Others (PSD, ICO …) are named and refused."""

DECODER = "; ".join(
    (
        "views 2",
        f"pillow {PIL.__version__}",
        f"jpeg {features.version('libjpeg_turbo') or features.version('jpg')}",
        f"heif {pillow_heif.__version__} {pillow_heif.libheif_version()}",
        f"webp {features.version('webp')}",
        f"avif {features.version('avif')}",
        f"opencv {cv2.__version__}",
    )
)
"""Who decodes here. Upgrades of Pillow have changed decoded pixels (imagehash #32), so an index carries this."""

_ORIENTATION = 0x0112
_EXIF = 0x8769
_TAKEN = 0x9003
"""EXIF 2.32: the sub-directory of the camera's own tags, and DateTimeOriginal in it."""
_TURNS = {
    2: Pillow.Transpose.FLIP_LEFT_RIGHT,
    3: Pillow.Transpose.ROTATE_180,
    4: Pillow.Transpose.FLIP_TOP_BOTTOM,
    5: Pillow.Transpose.TRANSPOSE,
    6: Pillow.Transpose.ROTATE_270,
    7: Pillow.Transpose.TRANSVERSE,
    8: Pillow.Transpose.ROTATE_90,
}
"""EXIF 2.32, table "Orientation": how the stored picture is turned upright."""

_QUIET = threading.RLock()
"""Pillow speaks through process-wide warnings; one decode at a time keeps the silence ours."""


def load_image(path: Path, *, max_pixels: int = MAX_PIXELS) -> Image:
    """The upright picture (first frame) in RGB; transparency lies on white, 16 bits become 8.

    Raises UnreadableImage, also when the header promises more than `max_pixels`; nothing is decoded then.
    """
    with opened(path, max_pixels=max_pixels) as picture:
        rgb = eight_bit(picture)
        return np.ascontiguousarray(np.asarray(upright(rgb, orientation_of(picture))))


@contextmanager
def opened(path: Path, *, max_pixels: int = MAX_PIXELS) -> Iterator[Pillow.Image]:
    """The file as Pillow opens it: header read, pixels not yet. Whatever fails inside leaves as UnreadableImage."""
    with _QUIET, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _refuse_what_is_no_file(path)
            with _without_pillows_own_cap(), Pillow.open(path, formats=FORMATS) as picture:
                _refuse_bombs(picture, max_pixels)
                yield picture
        except UnreadableImage:
            raise
        except UnidentifiedImageError as error:
            raise UnreadableImage(_what_it_is_instead(path)) from error
        except MemoryError as error:
            raise UnreadableImage("decoding it takes more memory than there is") from error
        except Exception as error:  # decoders raise whatever they like on damaged files: struct, zlib, EOF, Value, Type …
            raise UnreadableImage(f"damaged or not supported: {_in_one_line(error)}") from error


def eight_bit(picture: Pillow.Image) -> Pillow.Image:
    """The picture in RGB, 8 bits a channel."""
    picture.load()
    if picture.mode == "RGB":
        return picture
    if picture.mode.startswith(("I", "F")):
        return Pillow.fromarray(_scaled_to_bytes(np.asarray(picture), picture.mode)).convert("RGB")
    if picture.mode == "LAB":
        return _from_lab(picture)
    if picture.has_transparency_data:
        seen_through = picture.convert("RGBA")
        sheet = Pillow.new("RGBA", seen_through.size, "white")
        return Pillow.alpha_composite(sheet, seen_through).convert("RGB")
    return picture.convert("RGB")


def orientation_of(picture: Pillow.Image) -> int:
    """EXIF orientation 1–8 of a *loaded* picture; 1 where it gives none, or nonsense, as galleries do.

    To be asked after loading: some decoders turn the picture themselves then, and take the tag away.
    """
    try:
        value = picture.getexif().get(_ORIENTATION, 1)
    except Exception:  # noqa: BLE001 - damaged EXIF raises anything; the picture itself is whole
        return 1
    return int(value) if value in _TURNS else 1


def taken_on(picture: Pillow.Image) -> str:
    """The day a *loaded* picture says it was taken on, as EXIF writes it (YYYY:MM:DD …); "" where it does not say."""
    try:
        said = picture.getexif().get_ifd(_EXIF).get(_TAKEN, "")
    except Exception:  # noqa: BLE001 - as above
        return ""
    return said[:10] if isinstance(said, str) else ""


def upright(picture: Pillow.Image, orientation: int) -> Pillow.Image:
    """The picture turned as its EXIF orientation says."""
    turn = _TURNS.get(orientation)
    return picture if turn is None else picture.transpose(turn)


def _refuse_what_is_no_file(path: Path) -> None:
    try:
        state = path.stat()
    except OSError as error:
        raise UnreadableImage(f"cannot be opened: {error.strerror or error}") from error
    if not S_ISREG(state.st_mode):
        raise UnreadableImage("is not a regular file")
    if state.st_size == 0:
        raise UnreadableImage("is empty (0 bytes)")


def _refuse_bombs(picture: Pillow.Image, max_pixels: int) -> None:
    width, height = picture.size
    if width * height > max_pixels:
        raise UnreadableImage(f"is {width} × {height} = {width * height:,} pixels, over the cap of {max_pixels:,}")
    if width < 1 or height < 1:
        raise UnreadableImage(f"has no pixels ({width} × {height})")


@contextmanager
def _without_pillows_own_cap() -> Iterator[None]:
    """Pillow's cap of 179 megapixels is lifted while a header is read: ours is told by the caller, and is checked next."""
    before = Pillow.MAX_IMAGE_PIXELS
    Pillow.MAX_IMAGE_PIXELS = None
    try:
        yield
    finally:
        Pillow.MAX_IMAGE_PIXELS = before


def _what_it_is_instead(path: Path) -> str:
    """Why no decoder took it, by its first bytes."""
    with path.open("rb") as file:
        head = file.read(16)
    for magic, name in _OTHERS:
        if head.startswith(magic):
            return f"holds {name}, which is not a photo format galleries show"
    if not head.strip(b"\0"):
        return "holds zeros, not a picture"
    if head.startswith(_PICTURE_STARTS) or head[4:8] == b"ftyp":
        return "starts like a picture, but its header is damaged or of an unknown kind"
    return "holds no picture of a known format"


_OTHERS = (
    (b"%PDF", "a PDF"),
    (b"%!PS", "PostScript"),
    (b"8BPS", "a Photoshop document"),
    (b"\0\0\1\0", "an icon"),
    (b"<?xml", "XML"),
    (b"<svg", "SVG"),
    (b"<!DOCTYPE", "a web page"),
    (b"<html", "a web page"),
    (b"PK\3\4", "a ZIP archive"),
    (b"\n\5\1", "PCX"),
    (b"DDS ", "a DirectX surface"),
    (b"version https://git-lfs", "a Git LFS pointer"),
)
_PICTURE_STARTS = (b"\xff\xd8", b"\x89PNG", b"GIF8", b"RIFF", b"II*\0", b"MM\0*", b"BM")


def _in_one_line(error: Exception) -> str:
    said = " ".join(str(error).split()) or type(error).__name__
    return said if len(said) <= 160 else said[:157] + "…"


def _scaled_to_bytes(values: NDArray[np.generic], mode: str) -> NDArray[np.uint8]:
    """16 bits keep their high byte; 32-bit integers and floats carry no agreed range and are stretched to what they hold."""
    if mode.startswith("I;16"):
        return (values.astype(np.uint16) >> 8).astype(np.uint8)
    numbers = np.nan_to_num(values.astype(np.float64), posinf=0.0, neginf=0.0)
    low, high = float(numbers.min()), float(numbers.max())
    if mode == "I" and low >= 0 and high <= 65535:  # Pillow opens some 16-bit files as 32-bit integers
        low, high = 0.0, 65535.0
    return np.clip((numbers - low) * (255.0 / max(high - low, 1e-12)), 0, 255).astype(np.uint8)


def _from_lab(picture: Pillow.Image) -> Pillow.Image:
    converted = ImageCms.profileToProfile(
        picture, ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB"), outputMode="RGB"
    )
    if converted is None:
        raise UnreadableImage("its LAB colours cannot be converted")
    return converted
