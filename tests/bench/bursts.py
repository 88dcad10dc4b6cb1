"""An album full of bursts, made from single photos: what makes matching hard.

Frame by frame a hand shakes (sub-percent shifts, turns and zooms), light drifts, sensors hiss and somebody moves (a smooth
local displacement). Each burst has one strength, so that some are easy and some beyond what a thumbnail shows.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from matching.decode import load_image

Picture = NDArray[np.uint8]
STRENGTHS = (0.001, 0.002, 0.004, 0.007, 0.01)
"""Shake as a share of the long side."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One photo of the made album, or one kept out of it."""

    name: str
    base: str
    """The photo it was made from."""
    kind: str
    """"single", "burst", "absent" (a sibling kept out) or "unrelated" (its base is not in the album at all)."""


def seed_of(text: str) -> int:
    """The same number for the same name, on any machine."""
    return zlib.crc32(text.encode())


def is_tuned_on(base: str) -> bool:
    """True for the half of the photos that thresholds may be chosen on; the other half only measures."""
    return seed_of("split:" + base) % 2 == 0


def small(path: Path, long_side: int = 1024) -> Picture:
    """The photo, upright, no larger than `long_side`."""
    picture = load_image(path)
    scale = long_side / max(picture.shape[:2])
    if scale >= 1:
        return picture
    size = (round(picture.shape[1] * scale), round(picture.shape[0] * scale))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def shaken(picture: Picture, strength: float, rng: np.random.Generator) -> Picture:
    """One more frame of the same scene."""
    height, width = picture.shape[:2]
    reach = strength * max(width, height)
    shift = rng.uniform(-reach, reach, 2)
    turn = rng.normal(0, strength * 20)
    turned = cv2.getRotationMatrix2D((width / 2, height / 2), float(turn), float(1 + rng.normal(0, strength / 2)))
    turned[:, 2] += shift
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    map_x = (turned[0, 0] * xs + turned[0, 1] * ys + turned[0, 2]).astype(np.float32)
    map_y = (turned[1, 0] * xs + turned[1, 1] * ys + turned[1, 2]).astype(np.float32)
    for _ in range(int(rng.integers(0, 3))):
        at = rng.uniform(0.25, 0.75, 2) * (width, height)
        wide = rng.uniform(0.06, 0.16) * max(width, height)
        bump = np.exp(-((xs - at[0]) ** 2 + (ys - at[1]) ** 2) / (2 * wide**2)).astype(np.float32)
        move = rng.normal(0, 2 * reach, 2)
        map_x += bump * np.float32(move[0])
        map_y += bump * np.float32(move[1])
    moved = cv2.remap(picture, map_x, map_y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT_101).astype(np.float32)
    moved *= 1 + rng.normal(0, 0.02)
    hiss = _hiss(rng, height, width) * rng.uniform(1.0, 2.5)
    return np.asarray(np.clip(moved + hiss + 0.5, 0, 255), dtype=np.uint8)


_GRAIN: list[NDArray[np.float32]] = []


def _hiss(rng: np.random.Generator, height: int, width: int) -> NDArray[np.float32]:
    """Sensor noise of unit strength, cut from one sheet at a random place (drawing it anew takes most of the time)."""
    if not _GRAIN:
        _GRAIN.append(np.random.default_rng(1).normal(0, 1, (2600, 2600, 3)).astype(np.float32))
    top, left = int(rng.integers(0, 2600 - height)), int(rng.integers(0, 2600 - width))
    return _GRAIN[0][top : top + height, left : left + width]


def make_album(
    photos: Mapping[str, Path], folder: Path, *, frames: int = 12, absent: int = 2, strangers: int = 40, long_side: int = 1024
) -> Sequence[Frame]:
    """Writes the album to `folder`/album and what is kept out of it to `folder`/absent; returns all frames.

    Every seventh photo stays single, `strangers` photos are not in the album at all, all others become bursts.
    """
    made: list[Frame] = []
    (folder / "album").mkdir(parents=True, exist_ok=True)
    (folder / "absent").mkdir(exist_ok=True)
    names = sorted(photos, key=seed_of)
    for place, name in enumerate(names):
        rng = np.random.default_rng(seed_of(name))
        picture = small(photos[name], long_side)
        stem = f"{place:03d}-{Path(name).stem}"
        if place < strangers:
            made.append(_kept(folder, "absent", f"{stem}.jpg", name, "unrelated", picture))
        elif place % 7 == 0:
            made.append(_kept(folder, "album", f"{stem}.jpg", name, "single", picture))
        else:
            strength = STRENGTHS[place % len(STRENGTHS)]
            for number in range(frames):
                frame = shaken(picture, strength, rng)
                made.append(_kept(folder, "album", f"{stem}_{number:02d}.jpg", name, "burst", frame))
            for number in range(absent):
                frame = shaken(picture, strength, rng)
                made.append(_kept(folder, "absent", f"{stem}_x{number}.jpg", name, "absent", frame))
    return made


def _kept(folder: Path, place: str, name: str, base: str, kind: str, picture: Picture) -> Frame:
    Pillow.fromarray(picture).save(folder / place / name, quality=92)
    return Frame(name, base, kind)


def made_or_found(photos: Path, folder: Path) -> Sequence[Frame]:
    """The frames of the album made from a folder of photos, made now unless `folder` holds them already."""
    told = folder / "frames.json"
    if told.exists():
        return [Frame(*fields) for fields in json.loads(told.read_text("utf-8"))]
    files = {path.name: path for path in photos.iterdir() if path.is_file()}
    frames = make_album(files, folder)
    told.write_text(json.dumps([[frame.name, frame.base, frame.kind] for frame in frames]), "utf-8")
    return frames
