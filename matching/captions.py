"""The text below tiles, where each tile has its own.

Albums carry a name and a count, people and places a name: lines of all lengths. Photo cards carry one line of one form, a
date or a file name. Where rows of tiles are told apart by headers, the text starts at the left and not below every tile.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.lattice import Columns
from matching.model import Cell, Image
from matching.rows import Row

DEPTH_SHARE = 0.45
"""Of a tile's height, how far below it a caption may reach."""
INK_LEVELS = 40
"""Grey levels from the page from which a pixel is ink."""
INK_SHARES = (0.004, 0.4)
"""Share of a caption's strip that is ink: less is a speck, more a picture."""
ALIKE_SPREAD = 0.15
"""Relative spread of ink widths up to which captions are of one form."""


@dataclass(frozen=True, slots=True)
class Captions:
    """What stands below the tiles: lines of text (0: nothing of each tile's own), and whether all are of one form."""

    lines: int
    alike: bool


def captions_under(image: Image, columns: Columns, rows: Sequence[Row], cells: Sequence[Cell]) -> Captions:
    """The captions that every tile of at least one row of two or more has."""
    lines: list[int] = []
    widths: list[float] = []
    for i, row in enumerate(rows):
        held = [c for c in cells if c.box[1] < row.bottom and c.box[3] > row.top]
        end = min(image.shape[0], row.bottom + round(DEPTH_SHARE * row.height))
        end = min(end, rows[i + 1].top) if i + 1 < len(rows) else end
        if len(held) < 2 or end - row.bottom < 0.1 * row.height:
            continue
        strips = [_ink(image[row.bottom + 3 : end - 1, c.box[0] : c.box[2]]) for c in held]
        inked = [strip for strip in strips if strip is not None]
        if len(inked) == len(held) and (i + 1 < len(rows) or _hang_alike(inked)):
            lines += [_line_count(strip) for strip in inked]
            widths += [_width(strip) for strip in inked]
    if not lines:
        return Captions(0, alike=True)
    spread = float(np.std(widths) / max(float(np.mean(widths)), 1e-6))
    return Captions(int(np.median(lines)), alike=spread <= ALIKE_SPREAD)


def carries_name(image: Image, cell: Cell) -> bool:
    """Whether text that fits the tile's width stands below it: a name, where the tile is the only one."""
    left, _, right, bottom = cell.box
    strip = image[bottom + 3 : bottom + round(DEPTH_SHARE * (right - left)), left:right]
    return bool(strip.size) and _ink(strip) is not None


def ink_share(strip: Image) -> float:
    """The share of a strip that stands out from its commonest brightness."""
    return float((np.abs(strip - np.median(strip.reshape(-1, 3), axis=0)).max(axis=2) > INK_LEVELS).mean())


def _hang_alike(inked: Sequence[NDArray[np.bool_]]) -> bool:
    """Whether text of two lines starts equally far from each tile's left: a bar may lie below."""
    starts = [int(np.flatnonzero(ink.any(axis=0))[0]) for ink in inked]
    return max(starts) - min(starts) <= 0.03 * inked[0].shape[1] and all(_line_count(ink) >= 2 for ink in inked)


def _ink(strip: Image) -> NDArray[np.bool_] | None:
    """Where a strip below a tile is text; None where it is empty, a picture, or text that runs on beyond the tile."""
    page = np.median(strip.reshape(-1, 3), axis=0)
    ink = np.asarray(np.abs(strip - page).max(axis=2) > INK_LEVELS)
    if not INK_SHARES[0] <= ink.mean() <= INK_SHARES[1]:
        return None
    rims = ink[:, :2].any() or ink[:, -2:].any()
    return None if rims else ink


def _line_count(ink: NDArray[np.bool_]) -> int:
    """Runs of pixel rows that hold ink, those a quarter as high as the highest or more."""
    filled = np.concatenate([[False], ink.any(axis=1), [False]])
    starts = np.flatnonzero(filled[1:] & ~filled[:-1])
    ends = np.flatnonzero(~filled[1:] & filled[:-1])
    runs = ends - starts
    return int((runs >= 0.4 * runs.max()).sum())


def _width(ink: NDArray[np.bool_]) -> float:
    at = np.flatnonzero(ink.any(axis=0))
    return float(at[-1] - at[0] + 1)
