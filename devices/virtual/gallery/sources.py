"""Photos decoded once for all phones of a process, at the size that thumbnails need.

Phones of a lab hold copies of the same album; decoding is what costs most. A source is known by the digest of its bytes.
"""

from collections import OrderedDict
from hashlib import blake2b
from pathlib import Path
from threading import Lock

from PIL import Image, ImageOps, UnidentifiedImageError

SOURCE_SIDE_PX = 400
"""Shorter side of a reduced source at least: the largest cell drawn is 358 px (three columns on 1080)."""

CACHE_BYTES = 48 * 2**20
"""About 30 to 60 reduced sources of 4:3 photos. Thumbnails are kept apart: this serves phones that share a process."""


class Sources:
    """Reduced sources, least recently used thrown away first. Safe to use from several threads."""

    def __init__(self, cache_bytes: int = CACHE_BYTES) -> None:
        self._room = cache_bytes
        self._kept: OrderedDict[str, Image.Image | None] = OrderedDict()
        self._lock = Lock()

    def reduced(self, path: Path) -> tuple[str, Image.Image | None]:
        """(digest, upright RGB image, its shorter side >= SOURCE_SIDE_PX where the photo has that); None if undecodable."""
        try:
            digest = blake2b(path.read_bytes(), digest_size=16).hexdigest()
        except OSError:
            return "", None
        with self._lock:
            if digest in self._kept:
                self._kept.move_to_end(digest)
                return digest, self._kept[digest]
        image = _decode(path)
        with self._lock:
            self._keep(digest, image)
        return digest, image

    def _keep(self, digest: str, image: Image.Image | None) -> None:
        if digest in self._kept:
            return
        self._kept[digest] = image
        self._room -= _bytes(image)
        while self._room < 0 and len(self._kept) > 1:
            _oldest, dropped = self._kept.popitem(last=False)
            self._room += _bytes(dropped)


SHARED = Sources()
"""One for the whole process."""


def whole(path: Path, size: tuple[int, int]) -> Image.Image | None:
    """The upright RGB image with no less detail than `size` (width, height) shows; None if undecodable. Not kept."""
    try:
        with Image.open(path) as image:
            image.draft("RGB", (max(size), max(size)))  # JPEG only; a photo may yet be turned
            return ImageOps.exif_transpose(image).convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return None


def _decode(path: Path) -> Image.Image | None:
    try:
        with Image.open(path) as image:
            # JPEG only: decodes at 1/2, 1/4 or 1/8, as Android's inSampleSize does.
            image.draft("RGB", (SOURCE_SIDE_PX, SOURCE_SIDE_PX))
            factor = min(image.size) // SOURCE_SIDE_PX
            small = image.reduce(factor) if factor > 1 else image
            return ImageOps.exif_transpose(small).convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return None


def _bytes(image: Image.Image | None) -> int:
    return 0 if image is None else image.width * image.height * 4  # Pillow keeps RGB in four bytes
