"""The pictures of the review page, under names that say nothing.

Thumbnails are all brought to one size: the pixels of a crop would tell one phone's screen from another's. Everything is
encoded anew, so no metadata of a photo reaches the browser.
"""

import hmac
import io
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from PIL import Image as Pil

from matching.decode import load_image
from rig.model import Box, Photo
from rig.review.questions import MatchQuestion

CROP_PX = 720
"""Long side of a shown thumbnail: the width it has on a page of 1,280 px, with two pixels a point."""
PHOTO_PX = 1600
"""Long side of a shown photo: fills a common screen, and loads at once."""
QUALITY = 90
"""JPEG; below it, blocks begin to look like differences between near-identical photos."""
KEPT = 48
"""Encoded pictures kept in memory, some 0.3 MB each: the next question is fetched while one looks at this one."""


@dataclass(frozen=True, slots=True)
class _Picture:
    file: Path
    box: Box | None
    """The thumbnail's place on a screen; None for a whole photo."""


class Pictures:
    """Gives out names and, for those it gave out, pictures. Names differ at every start."""

    def __init__(self, run: Path, photos: Mapping[tuple[str, str], Photo]) -> None:
        self._run = run
        self._photos = photos
        self._secret = secrets.token_bytes(32)
        self._named: dict[str, _Picture] = {}
        self._encoded = lru_cache(maxsize=KEPT)(_encode)

    def crop(self, question: MatchQuestion) -> str:
        """The name of a thumbnail."""
        return self._name(_Picture(self._run / question.screen, question.box))

    def photo(self, album: str, photo: str) -> str:
        """The name of a whole photo."""
        return self._name(_Picture(self._photos[album, photo].path, None))

    def jpeg(self, name: str) -> bytes | None:
        """The picture; None when no such name was given out. Raises UnreadableImage."""
        picture = self._named.get(name)
        return None if picture is None else self._encoded(picture)

    def _name(self, picture: _Picture) -> str:
        name = hmac.new(self._secret, repr(picture).encode(), sha256).hexdigest()[:32]
        self._named[name] = picture
        return name


def _encode(picture: _Picture) -> bytes:
    image = load_image(picture.file)
    if picture.box is None:
        shown = Pil.fromarray(image)
        shown.thumbnail((PHOTO_PX, PHOTO_PX), Pil.Resampling.LANCZOS)
    else:
        left, top, right, bottom = picture.box
        cut = Pil.fromarray(image).crop(picture.box)
        scale = CROP_PX / max(right - left, bottom - top)
        size = (max(1, round(cut.width * scale)), max(1, round(cut.height * scale)))
        shown = cut.resize(size, Pil.Resampling.LANCZOS)
    buffer = io.BytesIO()
    shown.save(buffer, "JPEG", quality=QUALITY)
    return buffer.getvalue()
