"""The index of an album's photos: what a thumbnail is compared with."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from matching import index_build, twins
from matching.index_build import Progress
from matching.index_files import Catalogue, Rows, open_neighbours, open_rows, read_catalogue
from matching.labels import date_in
from matching.twins import Neighbours

FLAT = 15.0
"""Variance of luma (grey levels²) below which a photo has nothing to be told by: dark or even frames (the study's gate)."""


@dataclass(frozen=True)
class SourceIndex:
    """Photos by row, in name order, with their references and relations. Open or build it; never make it by hand."""

    folder: Path
    catalogue: Catalogue
    rows: Rows
    neighbours: Neighbours

    @classmethod
    def build(
        cls,
        photos: Mapping[str, Path],
        folder: Path,
        *,
        workers: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """The index of exactly `photos` (name → file), kept in `folder`.

        Only photos that are new or changed are read; all are when the decoder differs or the index is damaged. A file that
        gives no picture is listed in `unusable` with its reason. `workers`: processes that read (all cores).
        """
        index_build.build(photos, folder, workers=workers, progress=progress)
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """The index kept in `folder`. Raises IndexDamaged."""
        catalogue = read_catalogue(folder)
        count = len(catalogue.entries)
        rows = open_rows(folder, catalogue.generation, count)
        return cls(folder, catalogue, rows, open_neighbours(folder, catalogue.generation, count))

    def __len__(self) -> int:
        """Usable photos."""
        return len(self.catalogue.entries)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The photos' names by row, ascending."""
        return tuple(entry.name for entry in self.catalogue.entries)

    @cached_property
    def unusable(self) -> Mapping[str, str]:
        """Name → reason of every file that gives no picture."""
        return {item.name: item.reason for item in self.catalogue.refused}

    @cached_property
    def detail(self) -> NDArray[np.float32]:
        """Variance of each photo's centre square, grey levels squared: shape (n,)."""
        return np.array([entry.detail for entry in self.catalogue.entries], dtype=np.float32)

    @cached_property
    def aspect(self) -> NDArray[np.float32]:
        """Width ÷ height of each upright photo: shape (n,)."""
        return np.array([entry.width / entry.height for entry in self.catalogue.entries], dtype=np.float32)

    @cached_property
    def taken(self) -> tuple[date | None, ...]:
        """The day each photo was taken on, by EXIF; None where it does not say."""
        return tuple(date_in(entry.taken) for entry in self.catalogue.entries)

    @cached_property
    def flat(self) -> tuple[str, ...]:
        """Photos with too little detail to be matched."""
        return tuple(entry.name for entry in self.catalogue.entries if entry.detail < FLAT)

    @cached_property
    def twin_rows(self) -> Mapping[int, tuple[int, ...]]:
        """Row → rows of its twin class (itself among them), for photos that have twins."""
        return {row: members for members in twins.classes(self.neighbours) for row in members}

    @cached_property
    def twins(self) -> tuple[tuple[str, ...], ...]:
        """The twin classes by name."""
        return tuple(tuple(self.names[row] for row in members) for members in twins.classes(self.neighbours))

    @cached_property
    def watched(self) -> tuple[tuple[str, str, float], ...]:
        """Pairs that are nearly twins, with their RMS distance in grey levels at 192 px."""
        return tuple((self.names[row], self.names[other], rms) for row, other, rms in twins.watched(self.neighbours))

    @cached_property
    def nearest_rms(self) -> NDArray[np.float32]:
        """RMS distance of each photo to its nearest neighbour, grey levels at 192 px (64 px when far): shape (n,)."""
        if not len(self):
            return np.zeros(0, dtype=np.float32)
        return self.neighbours.rms[:, 0]
