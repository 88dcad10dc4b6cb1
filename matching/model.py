"""What seeing speaks in: boxes, grids, positions, matches. Images are RGB, uint8, shape (height, width, 3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Box = tuple[int, int, int, int]
"""(left, top, right, bottom) in pixels, half-open."""

Image = NDArray[np.uint8]
"""RGB, shape (height, width, 3)."""


class UnreadableImage(Exception):
    """This file cannot be decoded (or must not be: its pixel count is over the cap). The message says why."""


class Verdict(StrEnum):
    """What matching says of one thumbnail."""

    MATCHED = "matched"
    AMBIGUOUS = "ambiguous"
    STRANGER = "stranger"


@dataclass(frozen=True, slots=True)
class Cell:
    """The visible part of one thumbnail on a screen."""

    box: Box
    partial: bool
    """True when a screen edge, a bar or the viewport cuts it."""
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """What a screen shows: a result grid with cells in reading order, or none and why."""

    found: bool
    reason: str
    """How the grid was found ("pixels", "tree", "tree+pixels"), or why there is none."""
    cells: tuple[Cell, ...] = ()
    flags: tuple[str, ...] = ()
    """Disagreements worth a look, e.g. "tree and pixels differ by 3 px"."""


@dataclass(frozen=True, slots=True)
class Position:
    """One place in the stitched result list: every sighting of it as (screen index, box), the best one first."""

    sightings: tuple[tuple[int, Box], ...]
    label: str | None = None
    loaded: bool = True
    """False when no sighting shows a picture: still a placeholder, or a photo of one even colour."""


@dataclass(frozen=True, slots=True)
class Match:
    """The verdict on one thumbnail, with the numbers it rests on."""

    verdict: Verdict
    photo: str | None
    """The source's name when matched; of a twin class, its first member."""
    candidates: tuple[str, ...] = ()
    """What it may be when ambiguous; the members of the twin class when matched to one with several."""
    evidence: Mapping[str, float] = field(default_factory=dict)
