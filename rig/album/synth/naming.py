"""What the drawn photos' files are called, and in which format and frame: as untidy as a real album.

Three cameras take turns with the years; some files were renamed by hand, in Chinese, with spaces and parentheses, and copies
carry the suffixes that phones, computers and messengers give them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rig.album.names import key_of
from rig.album.synth.files import Device
from rig.album.synth.story import Shot
from rig.album.synth.words import KEYWORDS

PHONE = Device("Hanlin", "Hanlin HL-5")
NEXT_PHONE = Device("Orient Mobile", "OM12 Pro")
CAMERA = Device("Solis", "Solis C200")

# Upright sizes in pixels by camera: 4:3 phones, a 3:2 camera; a few squares and 16:9 as people set them.
_FRAMES = {PHONE: ((1600, 1200), (1600, 900)), NEXT_PHONE: ((1600, 1200), (1280, 1280)), CAMERA: ((1620, 1080), (1620, 1080))}


@dataclass(frozen=True, slots=True)
class Frame:
    """How a shot becomes a file: name, camera, upright (width, height) in pixels, EXIF orientation, and quality of 100."""

    name: str
    device: Device
    size: tuple[int, int]
    orientation: int
    quality: int


def frames_of(shots: Sequence[Shot], seed: int) -> tuple[Frame, ...]:
    """One frame for each shot, in order; names are unique on a phone."""
    rng = np.random.default_rng([seed, 1])
    scenes: dict[int, tuple[Device, tuple[int, int], int, str, bool]] = {}
    bursts = {shot.scene for shot in shots if shot.frame}
    taken: set[str] = set()
    result = []
    for number, shot in enumerate(shots):
        if shot.scene not in scenes:
            scenes[shot.scene] = _scene_frame(rng, shot, in_burst=shot.scene in bursts)
        device, size, orientation, ending, by_hand = scenes[shot.scene]
        name = _unique(_name(shot, number, device, ending, by_hand), taken)
        # A copy is the same picture saved by another program.
        quality = 82 if shot.saved_again else 91
        result.append(Frame(name, device, size, orientation, quality))
    return tuple(result)


def _scene_frame(rng: np.random.Generator, shot: Shot, *, in_burst: bool) -> tuple[Device, tuple[int, int], int, str, bool]:
    device = PHONE if shot.taken_at.year < 2024 or (shot.taken_at.month < 6 and shot.taken_at.year == 2024) else NEXT_PHONE
    if shot.kind in ("mountains", "woods", "blossom") and rng.random() < 0.4:
        device = CAMERA
    wide, special = _FRAMES[device]
    size = special if rng.random() < 0.15 else wide
    upright = (
        shot.kind == "document"
        or (shot.kind == "portrait" and len(shot.people) == 1 and rng.random() < 0.7)
        or rng.random() < 0.12
    )
    orientation = 1
    if upright:
        size = (size[1], size[0])
        # Phones keep the sensor's rows and note the turn; other programs turn the pixels.
        orientation = int(rng.choice([6, 6, 8, 1]))
    elif rng.random() < 0.05:
        orientation = 3
    ending, orientation = _ending(rng, shot, device, orientation, in_burst=in_burst)
    if ending == ".HEIC":
        size = (size[0] * 4 // 5, size[1] * 4 // 5)
    return device, size, orientation, ending, bool(rng.random() < 0.16)


def _ending(rng: np.random.Generator, shot: Shot, device: Device, orientation: int, *, in_burst: bool) -> tuple[str, int]:
    # Bursts stay JPEG, as on most phones. A HEIC takes half a second to write, so there are few, and they are smaller.
    if device is NEXT_PHONE and not in_burst and shot.scene % 9 == 4:
        # HEIC turns by its own property; an EXIF orientation beside it would turn twice in some readers.
        return ".HEIC", 1
    if shot.kind == "document" and rng.random() < 0.35:
        return ".png", 1
    return (".jpg" if device is PHONE else ".JPG"), orientation


def _name(shot: Shot, number: int, device: Device, ending: str, by_hand: bool) -> str:
    if shot.saved_again:
        return (f"微信图片_{shot.taken_at:%Y%m%d%H%M%S}.jpg", f"IMG_{1000 + number} 2.JPG", f"IMG_{1000 + number}(1).jpg")[
            shot.scene % 3
        ]
    if by_hand:
        place = shot.place.zh if shot.place else "家里"
        seen = KEYWORDS[sorted(shot.keywords)[0]]
        return (f"{place} {seen} ({shot.frame + 1}){ending}", f"{place}{seen}_{shot.taken_at:%m%d}{ending}")[shot.scene % 2]
    if device is PHONE:
        return f"IMG_{shot.taken_at:%Y%m%d_%H%M%S}{ending}"
    return f"DSC{4200 + number:05d}.JPG" if device is CAMERA else f"IMG_{1000 + number}{ending}"


def _unique(name: str, taken: set[str]) -> str:
    stem, dot, ending = name.rpartition(".")
    number, candidate = 1, name
    while key_of(candidate) in taken:
        number += 1
        candidate = f"{stem}_{number}{dot}{ending}"
    taken.add(key_of(candidate))
    return candidate
