"""Where a grid's photos lie in their boxes: one geometry for all of them, and one slide for those cropped along each side.

    box       shift and growth of the boxes themselves: all photos alike
    slide     a square cut out of a photo wider than high can lie beside the photo's middle in x, out of a higher one in y:
              decoders round there, and some galleries cut off-centre on purpose. A square photo cannot slide.

One decision: slides are pooled over all photos of one room, not granted to each. What a single photo wishes for itself may be
the hand's shake between two frames of a burst.
"""

from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from matching.registration import Geometry, Step, weighted_median
from matching.views import FINE

_DX, _DY, _SX, _SY = range(4)
_FARTHEST_SLIDE = 0.015
"""Share of a side: a thumbnail px of 170 cut on either side of the middle, and half of one for rounding."""
_ENOUGH = 1.5
"""Thumbnails' worth of wishes that tell where photos of a room lie: two whose photos have no like, or six that have…"""
_FEWEST = 3
_SAME = 0.1 / FINE
"""…or so many of any kind, half of them within a tenth of a px: hands shake by a px and more."""


class Room(StrEnum):
    """Where the square that a gallery cuts out of a photo has room to slide."""

    ACROSS = "across"
    DOWN = "down"
    NOWHERE = "nowhere"


SLIDES = {Room.ACROSS: (1.0, 0.0, 0.0, 0.0), Room.DOWN: (0.0, 1.0, 0.0, 0.0), Room.NOWHERE: (0.0, 0.0, 0.0, 0.0)}
"""Which part of a move is a slide."""


def room_of(width: int, height: int) -> Room:
    """The room in a photo of this size, in px."""
    return Room.NOWHERE if width == height else Room.ACROSS if width > height else Room.DOWN


@dataclass(frozen=True, slots=True)
class Wish:
    """How one sure thumbnail wants its photo moved."""

    step: Step
    weight: float
    room: Room
    size: Hashable = None
    """What it shares its rounding with: the size of its photo."""


@dataclass(frozen=True, slots=True)
class Placing:
    """Where photos of each room lie."""

    box: Geometry = field(default_factory=Geometry)
    slide_x: float = 0.0
    slide_y: float = 0.0
    """Of photos with room across, and down; shares of a side."""
    known: frozenset[Room] = frozenset()
    """Rooms of which enough wishes agree on where their photos lie."""

    def of(self, room: Room) -> Geometry:
        """Where photos of a room lie."""
        across = self.slide_x if room is Room.ACROSS else 0.0
        down = self.slide_y if room is Room.DOWN else 0.0
        return replace(self.box, dx=self.box.dx + across, dy=self.box.dy + down)

    def together(self, wishes: Sequence[Wish]) -> "Placing":
        """This placing moved by what sure thumbnails, sampled at it, wish in common: by medians, which no one mistake bends."""
        if not wishes:
            return self
        moves, weights = _table(wishes)
        return replace(self, box=self.box.after(np.array([weighted_median(moves[:, part], weights) for part in range(4)])))

    def apart(self, wishes: Sequence[Wish]) -> "Placing":
        """The same, with a slide of its own for each room. Only where all lie together already: before that, the frames of a
        burst that fit best are those whose shake makes up for the misplacement, and a slide would believe them."""
        if not wishes:
            return self
        moves, weights = _table(wishes)
        rooms = np.array([wish.room for wish in wishes])
        fixed_x, free_x = _apart(moves[:, _DX], weights, rooms == Room.ACROSS)
        fixed_y, free_y = _apart(moves[:, _DY], weights, rooms == Room.DOWN)
        growth = [weighted_median(moves[:, part], weights) for part in (_SX, _SY)]
        return Placing(
            self.box.after(np.array([fixed_x, fixed_y, *growth])),
            float(np.clip(self.slide_x + free_x - fixed_x, -_FARTHEST_SLIDE, _FARTHEST_SLIDE)),
            float(np.clip(self.slide_y + free_y - fixed_y, -_FARTHEST_SLIDE, _FARTHEST_SLIDE)),
            _known({room for room in Room if _agree(moves[rooms == room], weights[rooms == room])}),
        )

    def moved_from(self, other: "Placing") -> float:
        """The farthest that anything lies from where `other` puts it, as a share of a side."""
        return max(float(np.abs(self.of(room).as_array() - other.of(room).as_array()).max()) for room in Room)


def _table(wishes: Sequence[Wish]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(n, 4) moves and (n,) weights."""
    return np.array([wish.step.move for wish in wishes]), np.array([wish.weight for wish in wishes])


def _known(told: Set[Room]) -> frozenset[Room]:
    """Rooms told of; photos without room lie, in each axis, where those lie that have none there."""
    return frozenset(told | ({Room.NOWHERE} if told >= {Room.ACROSS, Room.DOWN} else set()))


def _agree(moves: NDArray[np.float64], weights: NDArray[np.float64]) -> bool:
    """Whether so many photos of one room wish the same that it is no shake of a hand."""
    if weights.sum() >= _ENOUGH:
        return True
    off = np.abs(moves[:, :2] - np.median(moves[:, :2], axis=0)) if len(moves) >= _FEWEST else np.full((1, 2), np.inf)
    return bool(np.median(off, axis=0).max() <= _SAME)


def _apart(values: NDArray[np.float64], weights: NDArray[np.float64], free: NDArray[np.bool_]) -> tuple[float, float]:
    """What photos without room in an axis wish, and those with; one for both where only one of them has wishes."""
    found = [weighted_median(values[part], weights[part]) for part in (~free, free) if part.any()]
    return found[0], found[-1]
