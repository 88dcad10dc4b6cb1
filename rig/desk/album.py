"""The calibration album: few drawn photos, square so that no gallery crops their corners, each with its mark.

All were taken on one day that no other photo of a lab's phone is from, so that a search for that day finds exactly them. They
are the drawn life of `rig album synth`, bursts and all: what is hard to tell apart in a sweep is hard here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import numpy as np

from drivers.interface import PushItem
from matching.model import Image
from rig.album.synth.camera import MARGIN as LENS_MARGIN
from rig.album.synth.camera import develop, expose, shake_of
from rig.album.synth.files import Device, write_photo
from rig.album.synth.scenes import paint
from rig.album.synth.story import Shot, tell
from rig.desk.marks import MOST, stamp
from rig.errors import RigError

PHOTOS = 30
"""Seven rows of four: two screens and a scroll on every gallery."""

SEED = 314
SIDE_PX = 720
DAY = datetime(2019, 3, 14, 4, 0, tzinfo=UTC)
"""Noon in China; one date in every zone from -4 to +14."""

QUERIES: Mapping[str, tuple[str, ...]] = {
    "zh": ("2019年3月14日", "2019年3月"),
    "en": ("March 14, 2019", "March 2019"),
}
"""By language: what finds the whole album in a gallery that knows dates."""

_DEVICE = Device("Calibration", "Drawn by gallery-rig")


@dataclass(frozen=True, slots=True)
class MarkedAlbum:
    """The drawn album: files to push, and by number which file carries which mark."""

    items: tuple[PushItem, ...]
    name_of: Mapping[int, str]


def draw_album(folder: Path, photos: int = PHOTOS) -> MarkedAlbum:
    """Writes the photos into `folder`; the same files at every call. RigError for more than marks can count."""
    if not 1 <= photos <= MOST:
        raise RigError(f"a calibration album has 1 to {MOST} photos, {photos} were asked for")
    folder.mkdir(parents=True, exist_ok=True)
    items = [_drawn(folder, number, shot) for number, shot in enumerate(tell(photos, SEED))]
    return MarkedAlbum(tuple(items), {number: item.device_name for number, item in enumerate(items)})


def day_queries(language: str, given: Sequence[str]) -> tuple[str, ...]:
    """What is asked: the operator's queries, else the album's day in the phone's language."""
    return tuple(given) or QUERIES.get(language, QUERIES["en"])


def _drawn(folder: Path, number: int, shot: Shot) -> PushItem:
    taken = DAY + timedelta(minutes=number)
    path = folder / f"CALIBRATION_{number:02d}.jpg"
    marked = stamp(_picture(shot), number)
    write_photo(path, marked, replace(shot, taken_at=taken), _DEVICE, orientation=1, quality=90)
    data = path.read_bytes()
    return PushItem(path, path.name, len(data), sha256(data).hexdigest(), taken)


def _picture(shot: Shot) -> Image:
    side = round(SIDE_PX * (1 + 2 * LENS_MARGIN))
    painting = develop(paint(np.random.default_rng([SEED, 2, shot.scene]), side, side, shot))
    lens = np.random.default_rng([SEED, 3, shot.scene, shot.frame])
    return expose(painting, lens, (SIDE_PX, SIDE_PX), shake_of(lens, shot.frame), grain=2.4)
