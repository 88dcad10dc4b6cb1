"""Thumbnails as they come onto the screen: a placeholder first, then the photo, which is remembered for a while."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray

from devices.virtual.gallery.chance import between, chance
from devices.virtual.gallery.elements import Picture
from devices.virtual.gallery.library import LibraryPhoto
from devices.virtual.gallery.skin import Skin
from devices.virtual.gallery.thumbnails import Thumbnails
from devices.virtual.interface import Box

REMEMBERED_PHOTOS = 96
"""Photos whose thumbnails come back without a placeholder: more than the densest screen shows at once (12 rows of 5)."""


class Pictures:
    """The pictures of one phone's cells. `photos` gives the library by row id; `speed` divides the waits."""

    def __init__(
        self,
        skin: Skin,
        photos: Callable[[], Mapping[int, LibraryPhoto]],
        *,
        seed: int,
        clock: Callable[[], float],
        speed: float,
        executor: Executor | None,
    ) -> None:
        self._grid = skin.grid
        self._photos = photos
        self._seed, self._clock, self._speed = seed, clock, speed
        self._thumbnails = Thumbnails(
            skin.thumbnail, radius_px=skin.grid.radius_px, background=skin.colours.background, executor=executor
        )
        self._remembered: OrderedDict[int, None] = OrderedDict()
        self._appearing: dict[int, float] = {}

    def clear(self) -> None:
        """Every thumbnail is made anew."""
        self._thumbnails.clear()
        self._remembered.clear()
        self._appearing.clear()

    def picture(self, photo: LibraryPhoto, position: int, box: Box) -> Picture:
        """The picture of a cell at a position of its list: a placeholder until its time has come and its thumbnail is made."""
        name = photo.row.name
        picture = Picture(
            photo.row.id,
            video=chance(self._seed, "video", name) < self._grid.video_share,
            heart=chance(self._seed, "heart", name) < self._grid.heart_share,
        )
        made = self._thumbnails.ready(photo.path, photo.mtime_ns, picture, (box[2] - box[0], box[3] - box[1]))
        return picture if made and self._has_appeared(photo, position) else Picture(None)

    def pixels(self, picture: Picture, size: tuple[int, int]) -> NDArray[np.uint8] | None:
        """RGB of shape (height, width, 3); None when the photo is gone or cannot be decoded."""
        photo = None if picture.photo is None else self._photos().get(picture.photo)
        return None if photo is None else self._thumbnails.get(photo.path, photo.mtime_ns, picture, size)

    def _has_appeared(self, photo: LibraryPhoto, position: int) -> bool:
        now_s, key = self._clock(), photo.row.id
        if key in self._remembered:
            self._remembered.move_to_end(key)
            return True
        if key not in self._appearing:
            low, high = self._grid.placeholder_s
            wait_s = between(low, high, self._seed, "appears", position, photo.row.name) / self._speed
            self._appearing[key] = now_s + wait_s
        if now_s < self._appearing[key]:
            return False
        del self._appearing[key]
        self._remembered[key] = None
        while len(self._remembered) > REMEMBERED_PHOTOS:
            self._remembered.popitem(last=False)
        return True
