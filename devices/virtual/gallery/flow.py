"""A scrolling list laid out from top to bottom: counts, titles, dates, rows of cells, "view all", spinner, end.

Built once for a list and a number of loaded photos; each frame takes only the rows that can be seen.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from devices.virtual.gallery.library import LibraryPhoto
from devices.virtual.gallery.skin import GridLook


class RowKind(StrEnum):
    """What one row of a list is."""

    COUNT = "count"
    TITLE = "title"
    TITLE_VIEW_ALL = "title_view_all"
    """A title with "view all" at its right end."""
    DATE = "date"
    CELLS = "cells"
    VIEW_ALL = "view_all"
    SPINNER = "spinner"
    END = "end"


@dataclass(frozen=True, slots=True)
class FlowRow:
    """One row: `top_px` from the list's top; `first` is the position in the whole list of a row's first cell."""

    kind: RowKind
    top_px: int
    height_px: int
    text: str = ""
    first: int = 0
    photos: tuple[LibraryPhoto, ...] = ()


@dataclass(frozen=True, slots=True)
class Flow:
    """All rows of a list, as far as they are loaded."""

    rows: tuple[FlowRow, ...]
    height_px: int

    def visible(self, offset_px: int, height_px: int) -> Iterator[FlowRow]:
        """The rows that stand at least partly in a window of that height, scrolled by `offset_px`."""
        for row in self.rows:
            if row.top_px < offset_px + height_px and row.top_px + row.height_px > offset_px:
                yield row


@dataclass(frozen=True, slots=True)
class CellGeometry:
    """Where cells stand in a row, in pixels."""

    side_px: int
    pitch_px: int
    left_px: int
    columns: int

    @classmethod
    def fit(cls, grid: GridLook, width_px: int) -> "CellGeometry":
        """Square cells of whole pixels; what is left over of the width goes to both sides."""
        room = width_px - 2 * grid.side_px - (grid.columns - 1) * grid.gap_px
        side = room // grid.columns
        used = side * grid.columns + grid.gap_px * (grid.columns - 1)
        return cls(side, side + grid.gap_px, (width_px - used) // 2, grid.columns)


class FlowBuilder:
    """Puts rows one below the other."""

    def __init__(
        self, cells: CellGeometry, *, gap_px: int, bar_px: int, limit: int | None, heading: Callable[[LibraryPhoto], str]
    ) -> None:
        """`bar_px` is the height of every row that is not of cells; `limit` how many cells are laid out at most (pages not
        loaded yet, previews; None for all); `heading` gives the date heading that a photo stands under, "" for none.
        """
        self._cells = cells
        self._gap_px = gap_px
        self._bar_px = bar_px
        self._limit = limit
        self._heading = heading
        self._rows: list[FlowRow] = []
        self._bottom = 0
        self._cells_laid = 0

    def bar(self, kind: RowKind, text: str) -> None:
        """A row of text across the list."""
        self._rows.append(FlowRow(kind, self._bottom, self._bar_px, text))
        self._bottom += self._bar_px

    def photos(self, photos: Sequence[LibraryPhoto], *, headings: bool) -> None:
        """Rows of cells up to the limit, with date headings between them where asked for and `heading` gives any."""
        written = self._heading if headings else _no_heading
        for heading, group in _grouped(self._within_limit(photos), written):
            if heading:
                self.bar(RowKind.DATE, heading)
            for start in range(0, len(group), self._cells.columns):
                self._row(group[start : start + self._cells.columns])

    def _within_limit(self, photos: Sequence[LibraryPhoto]) -> Sequence[LibraryPhoto]:
        return photos if self._limit is None else photos[: max(0, self._limit - self._cells_laid)]

    def _row(self, photos: Sequence[LibraryPhoto]) -> None:
        self._rows.append(FlowRow(RowKind.CELLS, self._bottom, self._cells.side_px, "", self._cells_laid, tuple(photos)))
        self._cells_laid += len(photos)
        self._bottom += self._cells.side_px + self._gap_px

    def done(self) -> Flow:
        """The list as laid out."""
        return Flow(tuple(self._rows), self._bottom)


def _no_heading(_photo: LibraryPhoto) -> str:
    return ""


def _grouped(
    photos: Iterable[LibraryPhoto], heading: Callable[[LibraryPhoto], str]
) -> Iterator[tuple[str, list[LibraryPhoto]]]:
    """Runs of photos under the same heading, in their order."""
    group: list[LibraryPhoto] = []
    current = ""
    for photo in photos:
        own = heading(photo)
        if group and own != current:
            yield current, group
            group = []
        current = own
        group.append(photo)
    if group:
        yield current, group
