"""Which painter paints what."""

from collections.abc import Callable

from rig.album.synth.canvas import Canvas, Rng
from rig.album.synth.outdoors import beach, blossom, mountains, woods
from rig.album.synth.story import Shot

_Painter = Callable[[Rng, int, int, str], Canvas]

_PAINTERS: dict[str, _Painter] = {
    "beach": beach,
    "mountains": mountains,
    "woods": woods,
    "blossom": blossom,
}


def paint(rng: Rng, height: int, width: int, shot: Shot) -> Canvas:
    """The scene of this shot."""
    return _PAINTERS.get(shot.kind, mountains)(rng, height, width, shot.mood)
