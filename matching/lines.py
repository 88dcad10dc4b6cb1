"""Where the rows and columns of a tree's cells are drawn: the tree knows them to a few px, the pixels to one.

Trees round. Those of iOS give whole points, two or three px each, so that cells of one screen lie 1 or 2 px beside their boxes,
each row and column by its own rounding. A crop that is 1 px off shows a photo elsewhere than its kin, as a hand's shake would.

One decision: rows and columns move, never cells. Straight edges inside one photo stand in one cell; a column's side is
shared by all cells of it, and its two sides stand as far apart as those of every other column.
"""

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.edges import Edges
from matching.model import Box

Floats = NDArray[np.float64]

REACH_PX = 4
"""How far a side is looked for: a tree's rounding is up to 2 px, a cell's own frame within its node another 2."""
SAME_LINE_PX = 2
"""Boxes whose sides differ by no more stand in one row, or column."""
_PER_PX = 0.04
"""Share of a side that a move by one px must gain: of two places with as much edge, the tree's."""
_UNEVEN = 0.25
"""Share that a column 1 px wider or narrower than the others must gain: fractional widths round so."""


@dataclass(frozen=True, slots=True)
class _Line:
    """The cells of one row or column: how much of their first and second side is edge at each offset, shares of 2·REACH + 1."""

    places: tuple[int, ...]
    start: int
    end: int
    """Where the tree has its sides, px."""
    first: Floats
    second: Floats


_BEYOND = -4.0
_BORDER = 0.6
"""What the picture's own border counts for, which no step of grey tells from a side that lies on it."""

Move = tuple[int, int, int, int]
"""How far the left, top, right and bottom side move, px."""


def moves(boxes: Sequence[Box], cut: Sequence[tuple[bool, bool]], edges: Edges) -> list[Move]:
    """How far each box's sides must move to lie on its row's and column's edges, px.

    `cut`: whether the viewport cuts a box above, and below; a cut side stays and says nothing.
    """
    columns = [_upright(boxes, places, edges) for places in _together([box[0] for box in boxes], [box[2] for box in boxes])]
    tops = [_NOWHERE if above else box[1] for box, (above, _) in zip(boxes, cut, strict=True)]
    bottoms = [_NOWHERE if below else box[3] for box, (_, below) in zip(boxes, cut, strict=True)]
    rows = [_level(boxes, places, cut, edges) for places in _together(tops, bottoms)]
    across, down = _settled(columns, rows, boxes)
    down[np.array(cut, dtype=np.bool_).reshape(-1, 2)] = 0
    return [(int(x[0]), int(y[0]), int(x[1]), int(y[1])) for x, y in zip(across, down, strict=True)]


_NOWHERE = -(10**6)


def _together(firsts: Sequence[int], seconds: Sequence[int]) -> list[tuple[int, ...]]:
    """Places of boxes that share a line: whose first sides, or where these are cut off whose second ones, lie together."""
    groups: dict[Hashable, list[int]] = {}
    anchors: list[tuple[int, int]] = []
    for place, (first, second) in enumerate(zip(firsts, seconds, strict=True)):
        anchor = next((a for a in anchors if _meet(a[0], first) and _meet(a[1], second)), None)
        if anchor is None:
            anchor = (first, second)
            anchors.append(anchor)
        groups.setdefault(anchor, []).append(place)
    return [tuple(places) for places in groups.values()]


def _meet(one: int, other: int) -> bool:
    return abs(one - other) <= SAME_LINE_PX


def _upright(boxes: Sequence[Box], places: tuple[int, ...], edges: Edges) -> _Line:
    sides = [boxes[place] for place in places]
    return _Line(
        places,
        min(box[0] for box in sides),
        max(box[2] for box in sides),
        np.mean([_along(edges.upright[top:bottom], left) for left, top, _, bottom in sides], axis=0),
        np.mean([_along(edges.upright[top:bottom], right) for _, top, right, bottom in sides], axis=0),
    )


def _level(boxes: Sequence[Box], places: tuple[int, ...], cut: Sequence[tuple[bool, bool]], edges: Edges) -> _Line:
    nothing = np.zeros(2 * REACH_PX + 1)
    firsts = [nothing if cut[p][0] else _along(edges.level[:, boxes[p][0] : boxes[p][2]].T, boxes[p][1]) for p in places]
    seconds = [nothing if cut[p][1] else _along(edges.level[:, boxes[p][0] : boxes[p][2]].T, boxes[p][3]) for p in places]
    start, end = min(boxes[place][1] for place in places), max(boxes[place][3] for place in places)
    return _Line(places, start, end, np.mean(firsts, axis=0), np.mean(seconds, axis=0))


def _along(lines: NDArray[np.uint8], at: int) -> Floats:
    """How much of a side is edge at each offset from `at`; no side lies beyond the picture."""
    shares = np.full(2 * REACH_PX + 1, _BEYOND)
    low, high = max(0, at - REACH_PX), min(lines.shape[1], at + REACH_PX + 1)
    if high > low and len(lines):
        shares[low - at + REACH_PX : high - at + REACH_PX] = lines[:, low:high].mean(axis=0) / 255
    for border in (0, lines.shape[1] - 1):
        if low <= border < high:
            shares[border - at + REACH_PX] = _BORDER
    return shares


def _settled(columns: Sequence[_Line], rows: Sequence[_Line], boxes: Sequence[Box]) -> tuple[Floats, Floats]:
    """(n, 2) twice: how each box's left and right, top and bottom side move, with one growth for all boxes.

    Tiles are square, or as far from it as the tree says: without that, a row of tiles one gutter higher meets as many edges as
    the true one.
    """
    count = len(boxes)
    width, height = (float(np.median([box[2 + axis] - box[axis] for box in boxes])) for axis in (0, 1))
    wide, high = _by_growth(columns, count), _by_growth(rows, count)

    def met(pair: tuple[int, int]) -> float:
        across, down = pair
        uneven = min(abs(across - down), abs(width + across - height - down))
        return wide[across][1] + high[down][1] - _UNEVEN * count * uneven

    across, down = max(((x, y) for x in wide for y in high), key=met)
    return wide[across][0], high[down][0]


def _by_growth(lines: Sequence[_Line], count: int) -> dict[int, tuple[Floats, float]]:
    """What `_moved` finds for every growth that leaves a gutter between lines where the tree has one.

    Nor is a line moved onto its neighbour: a row that the viewport cuts would take the edge of the row above for its own.
    """
    starts = sorted((line.start, line.end) for line in lines)
    gutters = [after[0] - before[1] for before, after in itertools.pairwise(starts) if after[0] >= before[1]]
    most = min([REACH_PX, *(gutter - 1 for gutter in gutters if gutter > 0)])
    reach = max(most, 1) if gutters else REACH_PX
    return {growth: _moved(lines, growth, count, reach) for growth in sorted(range(-REACH_PX, most + 1), key=abs)}


def _moved(lines: Sequence[_Line], growth: int, count: int, reach: int) -> tuple[Floats, float]:
    """(count, 2) the move of each box's first and second side when all grow by `growth`, and the edge met, in sides."""
    met, found = 0.0, np.zeros((count, 2))
    for line in lines:
        sides, worth = _shift(line, growth, reach)
        met += worth * len(line.places)
        found[list(line.places)] = sides
    return found, met


def _shift(line: _Line, growth: int, reach: int) -> tuple[tuple[int, int], float]:
    """The move of a line's two sides that meets most edge when it grows by `growth`, and how much, in sides.

    `reach`: how far outwards, px.
    """
    best, most = (0, growth), -np.inf
    for first in range(-reach, REACH_PX + 1):
        for uneven in (0, -1, 1):
            second = first + growth + uneven
            if not -REACH_PX <= second <= reach:
                continue
            worth = line.first[first + REACH_PX] + line.second[second + REACH_PX]
            worth -= _PER_PX * (abs(first) + abs(second)) + _UNEVEN * abs(uneven)
            if worth > most:
                best, most = (first, second), worth
    return best, float(most)
