"""How far a result list moved between two screens of it: found from rows that line up, believed only if the pixels agree.

Rows of tiles can line up at few shifts only: those that put a row of one screen on a row of the other. Each such shift is
tried: every tile that both screens should then show is compared pixel by pixel, tiles of one screen against the *picture* of
the other, so that a tile the other reading missed still counts. Phones draw the same thumbnail to the same pixels, so the
true shift leaves next to no difference, while frames of one burst, which look alike, still differ by a grey level or more.
When two shifts explain the pixels equally well, neither is taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from matching.model import Box, Cell, Grid, Image

SAME_LOSSLESS, SAME_LOSSY = 2.0, 7.0
"""Grey levels up to which two pictures are one thumbnail. Lossless screens of one tile differ by 0, JPEG ones by 1 to 3;
frames of one burst by 0.5 to 5, unrelated photos by 20 and more."""
KEPT_BLOCKS = 0.65
"""The most alike share of a tile that is compared: a badge, a tick or a sticky header may hide the rest."""
DETAIL_LEVELS = 5.0
"""Standard deviation below which a tile is too flat to tell shifts apart: sky, black frames, tiles still loading."""
CONTRADICTED_MAX = 0.15
"""Share of compared tiles that may differ: a video preview plays, a thumbnail is replaced by a better one."""
RIVAL_RATIO, RIVAL_LEVELS = 1.3, 0.2
"""A second shift whose mean difference is below ratio × best + levels is as good as the best. Lossless screens of a true
shift give 0.0; neighbouring burst frames 0.5 and more."""
BLURRED_SHARE = 0.35
"""Sharpness of a blurred forerunner against the thumbnail that replaces it."""
PATCH_PX = 24
"""Side of the reduced tile that is compared, in 6 × 6 blocks of 4 px."""
SLACK_PX = 3
"""Row edges of one tile read on two screens agree within this."""


@dataclass(frozen=True, slots=True)
class Band:
    """A row of tiles on one screen; an edge is known when nothing cut the tiles there."""

    top: int
    bottom: int
    top_known: bool
    bottom_known: bool


@dataclass(frozen=True)
class View:
    """One screen with its cells, as registration needs it."""

    image: Image
    cells: tuple[Cell, ...]

    @classmethod
    def of(cls, image: Image, grid: Grid) -> "View":
        """The view of a screen whose grid was read."""
        return cls(image, grid.cells)

    @cached_property
    def side_px(self) -> int:
        """Height of a whole tile; of the tallest where none is whole."""
        whole = [c.box[3] - c.box[1] for c in self.cells if not c.partial]
        return int(np.median(whole)) if whole else max(c.box[3] - c.box[1] for c in self.cells)

    @cached_property
    def top(self) -> int:
        """Where the tiles begin."""
        return min(cell.box[1] for cell in self.cells)

    @cached_property
    def bottom(self) -> int:
        """Where the tiles end."""
        return max(cell.box[3] for cell in self.cells)

    def has_tile_at(self, x: float, y: float) -> bool:
        """Whether a tile was read there."""
        return any(c.box[0] <= x < c.box[2] and c.box[1] <= y < c.box[3] for c in self.cells)

    @cached_property
    def bands(self) -> tuple[Band, ...]:
        """The rows, top to bottom."""
        rows: list[list[Cell]] = []
        for cell in sorted(self.cells, key=lambda c: c.box[1] + c.box[3]):
            middle = (cell.box[1] + cell.box[3]) / 2
            if rows and middle < max(c.box[3] for c in rows[-1]):
                rows[-1].append(cell)
            else:
                rows.append([cell])
        return tuple(self._band(row, first=i == 0, last=i == len(rows) - 1) for i, row in enumerate(rows))

    def _band(self, row: list[Cell], *, first: bool, last: bool) -> Band:
        top, bottom = min(c.box[1] for c in row), max(c.box[3] for c in row)
        if not all(cell.partial for cell in row):
            return Band(top, bottom, True, True)
        if first and last:  # a lone cut row: the side nearer to the middle of the screen is its own
            upper = top + bottom < self.image.shape[0]
            return Band(top, bottom, not upper, upper)
        return Band(top, bottom, not first, first)


@dataclass(frozen=True, slots=True)
class Shift:
    """The list moved up by `rows_px` pixels from the first screen to the second (down when negative)."""

    px: int
    compared: int
    """Tiles with detail that both screens show and that agree."""
    difference: float
    """Their mean difference in grey levels."""


@dataclass(frozen=True, slots=True)
class Registration:
    """The shift between two screens, or why there is none."""

    shift: Shift | None
    reason: str


def register(before: View, after: View, *, lossless: bool = True) -> Registration:
    """How far the list moved from `before` to `after`; no shift when they do not overlap or more than one fits.

    `lossless` says that both screens came without loss, as drivers give them: then what is one tile is one to the pixel.
    """
    same = SAME_LOSSLESS if lossless else SAME_LOSSY
    if abs(before.side_px - after.side_px) > 0.1 * before.side_px:
        return Registration(None, f"tiles changed size from {before.side_px} to {after.side_px} px")
    fitting = [shift for px in _possible(before, after) if (shift := _fitted(before, after, px, same)) is not None]
    if not fitting:
        return Registration(None, "no overlap with the screen before")
    best = min(fitting, key=lambda shift: shift.difference)
    bound = RIVAL_RATIO * best.difference + RIVAL_LEVELS
    rivals = [s for s in fitting if abs(s.px - best.px) > SLACK_PX and s.difference <= bound]
    if rivals:
        return Registration(None, f"shifts of {best.px} and {rivals[0].px} px explain the screens equally well")
    return Registration(best, "")


def _possible(before: View, after: View) -> list[int]:
    """The shifts that put an edge of a row on the same edge of a row of the other screen."""
    shifts: list[int] = []
    for one in before.bands:
        for other in after.bands:
            if one.top_known and other.top_known:
                shifts.append(one.top - other.top)
            if one.bottom_known and other.bottom_known:
                shifts.append(one.bottom - other.bottom)
    merged: list[list[int]] = []
    for px in sorted(shifts):
        if merged and px - merged[-1][0] <= SLACK_PX:
            merged[-1].append(px)
        else:
            merged.append([px])
    return [int(np.median(group)) for group in merged]


def _judged(before: View, after: View, px: int, same: float) -> Shift | None:
    """The shift with how well it fits, or None when rows, labels or pixels contradict it or too little says anything."""
    if not _rows_line_up(before, after, px):
        return None
    differences, against = [], 0
    pairs = _both_ways(before, after, px)
    for cell, home, other, move in pairs:
        if against > CONTRADICTED_MAX * len(pairs):
            return None
        compared = _compared(home, other, cell.box, move)
        if compared is None or compared.undrawn:
            continue
        if compared.difference > same:
            against += 1
        elif compared.detail >= DETAIL_LEVELS:
            differences.append(compared.difference)
    agree = len(differences)
    if agree < 1 or against > CONTRADICTED_MAX * (agree + against):
        return None
    if not _labels_agree(before.cells, after.cells, px):
        return None
    return Shift(px, agree, float(np.mean(differences)))


def _both_ways(before: View, after: View, px: int) -> list[tuple[Cell, View, View, int]]:
    """Each tile with its own screen, the other one, and how far down it moves there."""
    pairs = [(cell, before, after, -px) for cell in before.cells]
    return pairs + [(cell, after, before, px) for cell in after.cells]


def _rows_line_up(before: View, after: View, px: int) -> bool:
    """No row of one screen lies across two rows, or across a header, of the other."""
    for one in before.bands:
        for other in after.bands:
            moved_top, moved_bottom = one.top - px, one.bottom - px
            shared = min(moved_bottom, other.bottom) - max(moved_top, other.top)
            if shared <= SLACK_PX:
                continue
            if one.top_known and other.top_known and abs(moved_top - other.top) > 2 * SLACK_PX:
                return False
            if one.bottom_known and other.bottom_known and abs(moved_bottom - other.bottom) > 2 * SLACK_PX:
                return False
    return True


def _labels_agree(before: Sequence[Cell], after: Sequence[Cell], px: int) -> bool:
    """Tiles that would be one do not carry different labels."""
    at = {(c.box[0] // 8, round((c.box[1] + c.box[3]) / 16)): c.label for c in after if c.label and not c.partial}
    pairs = 0
    differing = 0
    for cell in before:
        if not cell.label or cell.partial:
            continue
        key = (cell.box[0] // 8, round((cell.box[1] + cell.box[3] - 2 * px) / 16))
        label = next((at[near] for k in (-1, 0, 1) if (near := (key[0], key[1] + k)) in at), None)
        if label is not None:
            pairs += 1
            differing += label != cell.label
    return differing <= CONTRADICTED_MAX * pairs


@dataclass(frozen=True, slots=True)
class _Compared:
    """A tile against the other picture where it should be."""

    difference: float
    """Mean over the most alike blocks, grey levels."""
    detail: float
    """Standard deviation of the livelier of the two."""
    undrawn: bool
    """True when one of the two is a tile still loading: blank, or a blurred forerunner."""


def _compared(home: View, other: View, box: Box, move: int) -> _Compared | None:
    """Compares a tile of `home` with the other picture `move` px below; None where that is not in the other's sight."""
    left, top, right, bottom = box
    upper, lower = max(top, other.top - move), min(bottom, other.bottom - move)
    if lower - upper < 0.3 * (right - left) or upper + move < 0 or lower + move > other.image.shape[0]:
        return None
    mine = _patch(home.image[upper:lower, left:right])
    theirs = _patch(other.image[upper + move : lower + move, left:right])
    blocks = cv2.resize(np.abs(mine - theirs).max(axis=2), (6, 6), interpolation=cv2.INTER_AREA).ravel()
    kept = np.sort(blocks)[: max(1, round(KEPT_BLOCKS * blocks.size))]
    details = sorted(float(patch.std(axis=(0, 1)).max()) for patch in (mine, theirs))
    sharps = sorted(_sharpness(patch) for patch in (mine, theirs))
    undrawn = details[0] < DETAIL_LEVELS <= details[1] or sharps[0] < BLURRED_SHARE * sharps[1]
    centre = ((left + right) / 2, (upper + lower) / 2 + move)
    return _Compared(float(kept.mean()), details[1], undrawn and other.has_tile_at(*centre))


def _sharpness(patch: NDArray[np.float32]) -> float:
    return float(np.abs(patch - cv2.blur(patch, (3, 3))).mean())


def _patch(crop: Image) -> NDArray[np.float32]:
    return cv2.resize(crop, (PATCH_PX, PATCH_PX), interpolation=cv2.INTER_AREA).astype(np.float32)


def _fitted(before: View, after: View, px: int, same: float) -> Shift | None:
    """The shift to the pixel, of `px` and its neighbours the one that leaves the least difference; None where none fits.

    A tree rounds where a fractional scroll has put its rows: all of them may be a pixel off, and then the pixels agree only
    at a neighbour.
    """
    around = [judged for off in (0, -1, 1, -2, 2) if (judged := _judged(before, after, px + off, same)) is not None]
    return min(around, key=lambda candidate: candidate.difference, default=None)
