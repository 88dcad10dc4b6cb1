"""The pictures of a run's page: each result's crop, and a small copy of each photo that is shown beside one."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from PIL import Image as Pil

from matching.decode import load_image
from matching.model import Image
from rig.model import Album
from rig.records import Placed, ScreenRecord

SIDE_PX = 164
"""Twice the page's 82 px, for screens with two pixels a point."""
QUALITY = 82
"""JPEG; above this the page grows and nobody sees why."""


@dataclass(slots=True)
class Pictures:
    """Writes pictures below `folder` and returns their paths relative to it. Each photo is written once."""

    folder: Path
    run: Path
    crops_in: str = "crops"
    """Where crops go below `folder`: two runs on one page need two places."""

    def crops(self, search: int, screens: tuple[ScreenRecord, ...], placed: tuple[Placed, ...]) -> list[str]:
        """The crop of every result of one search, in order."""
        images = {number: load_image(self.run / screens[number].path) for number in {place.screen for place in placed}}
        return [self._crop(search, place, images[place.screen]) for place in placed]

    def _crop(self, search: int, place: Placed, image: Image) -> str:
        left, top, right, bottom = place.box
        return self._write(image[top:bottom, left:right], f"{self.crops_in}/{search}-{place.rank:03d}.jpg")

    def photos(self, album: Album, names: set[str]) -> dict[str, str]:
        """Photo id → small copy, for these photos of the album."""
        by_id = {photo.id: photo for photo in album.photos}
        return {name: self._photo(album, by_id[name].id, by_id[name].path) for name in names if name in by_id}

    def _photo(self, album: Album, photo: str, path: Path) -> str:
        name = f"photos/{sha256(f'{album.name}/{photo}'.encode()).hexdigest()[:16]}.jpg"
        if not (self.folder / name).exists():
            image = load_image(path)
            side = min(image.shape[:2])
            top, left = (image.shape[0] - side) // 2, (image.shape[1] - side) // 2
            self._write(image[top : top + side, left : left + side], name)
        return name

    def _write(self, image: Image, name: str) -> str:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        picture = Pil.fromarray(np.ascontiguousarray(image))
        picture.thumbnail((SIDE_PX, SIDE_PX), Pil.Resampling.LANCZOS)
        picture.save(file, quality=QUALITY)
        return name
