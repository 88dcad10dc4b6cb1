"""Screens of one result list become one ordered list of positions, each counted once.

    first screen ── offset 0
    next screen ─── registered on those before it ── offset ── each cell: a known position seen again, or a new one
                    └ no overlap, or more than one fits: lost, nothing is taken over; the caller scrolls back

A position is a place in the list (row and column), never a picture: two equal thumbnails are two positions.
"""

from dataclasses import dataclass, field

import numpy as np

from matching.model import Box, Cell, Grid, Image, Position
from matching.register import DETAIL_LEVELS, View, register

REMEMBERED = 3
"""Screens kept for registration: scrolling back by half a screen overlaps the last two, one more for jitter."""
BOUNCE_ROWS = 1.5
"""Rows by which a list that ended springs back; the driver's own way back is longer and follows a lost screen."""
STILL_ROWS = 0.1
"""Rows of movement that count as none."""
WHOLE = 0.97
"""Visible share from which a tile counts as whole: a pixel lost to rounding on small screens is no cut."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one more screen brought."""

    new: int
    """Positions not seen before."""
    overlap_rows: float
    """Rows of tiles shared with what was known."""
    lost: bool
    """True when the screen could not be placed; nothing of it was taken over."""
    at_end: bool
    """True when the screen brought nothing new after a scroll on."""
    reason: str = ""
    """Why the screen was lost."""


@dataclass(slots=True)
class _Place:
    """A position while it is being collected, in list coordinates: px from the first screen's top."""

    top: float
    centre: float
    sightings: list[tuple[tuple[bool, bool, float], int, Box]] = field(default_factory=list)
    label: str | None = None

    @property
    def whole(self) -> bool:
        """True when it was seen uncut at least once."""
        return any(rank[1] for rank, _, _ in self.sightings)


class Stitcher:
    """Collects the screens of one search; `lossless` as drivers give them, False for JPEG or lossy WebP."""

    def __init__(self, *, lossless: bool = True) -> None:
        self._lossless = lossless
        self._places: list[_Place] = []
        self._views: list[tuple[View, int]] = []
        self._screens = 0
        self._still = 0
        self._proven = False
        self._recovering = False

    def add(self, image: Image, grid: Grid) -> Step:
        """Takes the next screen over, or says that it is lost. Screens are numbered by their calls, from 0."""
        index = self._screens
        self._screens += 1
        if not grid.found or not grid.cells:
            return self._lost(grid.reason or "no cells")
        view = View.of(image, grid)
        if not self._views:
            return self._take(view, index, offset=0, overlap=0.0)
        reasons = []
        for known, offset in reversed(self._views):
            found = register(known, view, lossless=self._lossless)
            if found.shift is not None:
                overlap = self._overlap_rows(known, view, found.shift.px)
                return self._take(view, index, offset=offset + found.shift.px, overlap=overlap)
            reasons.append(found.reason)
        return self._lost(reasons[0])

    @property
    def positions(self) -> tuple[Position, ...]:
        """Every position, in list order, its best sighting first."""
        return tuple(_position(place) for place in self._places)

    @property
    def end_proven(self) -> bool:
        """True when scrolling on twice brought nothing new, or the list sprang back from its end."""
        return self._proven

    def _lost(self, reason: str) -> Step:
        self._recovering = True
        self._still = 0
        return Step(0, 0.0, True, False, reason)

    @staticmethod
    def _overlap_rows(known: View, view: View, shift: int) -> float:
        shared = min(known.bottom - shift, view.bottom) - max(known.top - shift, view.top)
        return max(0.0, shared / view.side_px)

    def _take(self, view: View, index: int, *, offset: int, overlap: float) -> Step:
        before = self._views[-1][1] if self._views else None
        new = sum(self._see(cell, top, view, index, offset) for cell, top in _whole_tops(view))
        self._drop_phantoms(view, offset)
        self._order(view.side_px)
        self._views = [*self._views, (view, offset)][-REMEMBERED:]
        at_end = before is not None and self._ended(new, (offset - before) / view.side_px)
        self._recovering = False
        return Step(new, overlap, False, at_end)

    def _ended(self, new: int, moved_rows: float) -> bool:
        """Whether this screen, shown after scrolling on, brought nothing; two in a row or a spring back prove the end."""
        if new or self._recovering or moved_rows < -BOUNCE_ROWS:
            self._still = 0
            self._proven = self._proven and not new
            return False
        self._still += 1
        sprang_back = -BOUNCE_ROWS <= moved_rows < -STILL_ROWS
        self._proven = self._proven or self._still >= 2 or sprang_back
        return True

    def _see(self, cell: Cell, top: float, view: View, index: int, offset: int) -> bool:
        """Adds a sighting; True when its position is new."""
        side = view.side_px
        centre = (cell.box[0] + cell.box[2]) / 2
        near = [p for p in self._places if abs(p.top - top - offset) < 0.4 * side and abs(p.centre - centre) < 0.4 * side]
        place = min(near, key=lambda p: abs(p.top - top - offset), default=None)
        if place is None:
            place = _Place(top + offset, centre)
            self._places.append(place)
        shown = (cell.box[3] - cell.box[1]) / side
        rank = (is_loaded(view.image, cell.box), not cell.partial or shown >= WHOLE, min(shown, 1.0))
        place.sightings.append((rank, index, cell.box))
        place.label = place.label or cell.label
        return len(place.sightings) == 1

    def _drop_phantoms(self, view: View, offset: int) -> None:
        """Forgets what was only ever seen cut, where this screen shows the whole place and no tile in it."""
        top, bottom = view.top + offset, view.bottom + offset
        latest = self._screens - 1
        self._places = [
            p
            for p in self._places
            if p.whole or p.sightings[-1][1] == latest or not (top <= p.top and p.top + view.side_px <= bottom)
        ]

    def _order(self, side: int) -> None:
        """Rows top to bottom, left to right within a row; tops of one row may differ by their inset."""
        self._places.sort(key=lambda p: p.top)
        rows: list[list[_Place]] = []
        for place in self._places:
            if rows and place.top - rows[-1][0].top < 0.5 * side:
                rows[-1].append(place)
            else:
                rows.append([place])
        self._places = [place for row in rows for place in sorted(row, key=lambda p: p.centre)]


def is_loaded(image: Image, box: Box) -> bool:
    """Whether a tile shows a picture: one even colour is a tile still loading (or a photo that nothing can be told from)."""
    left, top, right, bottom = box
    margin = (right - left) // 10
    inside = image[top + margin : bottom - margin, left + margin : right - margin]
    return bool(inside.size and inside.reshape(-1, 3).std(axis=0).max() >= DETAIL_LEVELS / 2)


def _whole_tops(view: View) -> list[tuple[Cell, float]]:
    """Each cell with the top its whole tile has, or would have off the screen."""
    tops = []
    for cell in view.cells:
        middle = (cell.box[1] + cell.box[3]) / 2
        band = next((b for b in view.bands if b.top <= middle < b.bottom), None)
        cut_above = band is not None and not band.top_known
        tops.append((cell, float(cell.box[3] - view.side_px if cut_above else cell.box[1])))
    return tops


def _position(place: _Place) -> Position:
    best_first = sorted(place.sightings, key=lambda sighting: (tuple(-np.float64(r) for r in sighting[0]), sighting[1]))
    loaded = any(rank[0] for rank, _, _ in place.sightings)
    return Position(tuple((index, box) for _, index, box in best_first), place.label, loaded)
