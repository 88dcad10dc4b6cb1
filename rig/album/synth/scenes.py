"""Which painter paints what."""

from collections.abc import Callable

from rig.album.synth.canvas import (
    Canvas,
    Rng,
    vector,
)
from rig.album.synth.indoors import cat, room
from rig.album.synth.outdoors import beach, blossom, mountains, woods
from rig.album.synth.paper import paper
from rig.album.synth.people import behind, pose
from rig.album.synth.story import Shot
from rig.album.synth.table import meal
from rig.album.synth.town import skyline, street
from rig.album.synth.words import PEOPLE

_Painter = Callable[[Rng, int, int, str], Canvas]

_PAINTERS: dict[str, _Painter] = {
    "beach": beach,
    "blossom": blossom,
    "cat": cat,
    "document": paper,
    "food": meal,
    "interior": room,
    "mountains": mountains,
    "skyline": skyline,
    "street": street,
    "woods": woods,
}

# Where a portrait's mood puts its people: painter and that painter's mood.
_BACKDROPS: dict[str, tuple[_Painter, str]] = {
    "autumn": (woods, "autumn"),
    "beach": (beach, "day"),
    "birthday": (room, "birthday"),
    "blossom": (woods, "blossom"),
    "cafe": (room, "cafe"),
    "lake": (mountains, "lake"),
    "living": (room, "living"),
    "mountain": (mountains, "green"),
    "night": (street, "night"),
    "office": (room, "office"),
    "snow": (mountains, "snow"),
    "street": (street, "day"),
    "sunset": (beach, "sunset"),
}


def paint(rng: Rng, height: int, width: int, shot: Shot) -> Canvas:
    """The scene of this shot."""
    if shot.kind != "portrait":
        return _PAINTERS[shot.kind](rng, height, width, shot.mood)
    painter, mood = _BACKDROPS[shot.mood]
    canvas = behind(painter(rng, height, width, mood))
    pose(canvas, rng, [PEOPLE[key] for key in shot.people])
    if shot.mood == "night":
        canvas *= vector((0.86, 0.80, 0.78))
    return canvas
