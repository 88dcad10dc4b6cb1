"""Where a grid's photos lie in their boxes: one geometry for all of them, and one slide for those cropped along each side.

    box       shift and growth of the boxes themselves: all photos alike
    slide     a square cut out of a photo wider than high can lie beside the photo's middle in x, out of a higher one in y:
              decoders round there, and some galleries cut off-centre on purpose. A square photo cannot slide.

One decision: slides are pooled over all photos of one room, not granted to each. What a single photo wishes for itself may be
the hand's shake between two frames of a burst.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from matching.registration import Geometry, Step, weighted_median

_DX, _DY, _SX, _SY = range(4)


class Room(StrEnum):
    """Where the square that a gallery cuts out of a photo has room to slide."""

    ACROSS = "across"
    DOWN = "down"
    NOWHERE = "nowhere"


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
    support: Mapping[Room, float] = field(default_factory=dict)
    """Weight of the wishes from photos of each room."""

    def of(self, room: Room) -> Geometry:
        """Where photos of a room lie."""
        across = self.slide_x if room is Room.ACROSS else 0.0
        down = self.slide_y if room is Room.DOWN else 0.0
        return replace(self.box, dx=self.box.dx + across, dy=self.box.dy + down)

    def supported(self, room: Room) -> float:
        """The weight of the wishes that tell where photos of a room lie, in both axes."""
        return sum(self.support.values()) if room is Room.NOWHERE else self.support.get(room, 0.0)

    def after(self, wishes: Sequence[Wish]) -> "Placing":
        """This placing moved by what sure thumbnails, sampled at it, wish: by weighted medians, which no one mistake bends."""
        if not wishes:
            return self
        moves = np.array([wish.step.move for wish in wishes])
        weights = np.array([wish.weight for wish in wishes])
        rooms = np.array([wish.room for wish in wishes])
        fixed_x, free_x = _apart(moves[:, _DX], weights, rooms == Room.ACROSS)
        fixed_y, free_y = _apart(moves[:, _DY], weights, rooms == Room.DOWN)
        growth = [weighted_median(moves[:, part], weights) for part in (_SX, _SY)]
        return Placing(
            self.box.after(np.array([fixed_x, fixed_y, *growth])),
            self.slide_x + free_x - fixed_x,
            self.slide_y + free_y - fixed_y,
            {room: float(weights[rooms == room].sum()) for room in Room},
        )

    def moved_from(self, other: "Placing") -> float:
        """The farthest that anything lies from where `other` puts it, as a share of a side."""
        return max(float(np.abs(self.of(room).as_array() - other.of(room).as_array()).max()) for room in Room)


def _apart(values: NDArray[np.float64], weights: NDArray[np.float64], free: NDArray[np.bool_]) -> tuple[float, float]:
    """What photos without room in an axis wish, and those with; one for both where only one of them has wishes."""
    found = [weighted_median(values[part], weights[part]) for part in (~free, free) if part.any()]
    return found[0], found[-1]
