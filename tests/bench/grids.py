"""Grids of thumbnails rendered from a made album, with the truth of every cell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from matching.decode import load_image
from tests.bench.bursts import Frame, Picture, seed_of
from tests.bench.phone_profiles import Lattice, PhoneProfile, lattice_of, render

CELLS = 48
"""Of a grid: three or four screens of results."""


@dataclass(frozen=True, slots=True)
class RenderedGrid:
    """One search's thumbnails and what each shows."""

    frames: tuple[Frame, ...]
    crops: tuple[Picture, ...]


def rendered_grids(
    frames: Sequence[Frame],
    folder: Path,
    profile: PhoneProfile,
    *,
    count: int,
    decorations: Sequence[str] | None = None,
    cells: int = CELLS,
    lattice: Lattice | None = None,
) -> Iterator[RenderedGrid]:
    """`count` grids of random frames; the same arguments give the same grids. Files are those of `make_album` in `folder`.

    Each grid is off by a lattice of its own, unless one is given for all.
    """
    rng = np.random.default_rng(seed_of(profile.name))
    order = rng.permutation(len(frames))
    for start in range(0, min(len(order), count * cells), cells):
        chosen = tuple(frames[place] for place in order[start : start + cells])
        off = lattice or lattice_of(profile, rng)
        crops = tuple(
            render(load_image(file_of(frame, folder)), profile, rng, off, decorations=decorations) for frame in chosen
        )
        yield RenderedGrid(chosen, crops)


def file_of(frame: Frame, folder: Path) -> Path:
    """Where a frame's file lies."""
    return folder / ("album" if frame.kind in {"single", "burst"} else "absent") / frame.name
