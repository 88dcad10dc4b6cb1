"""Where the rows of tiles lie on a screen whose columns are known.

A tile is as high as it is wide. A row is a place where, in several columns at once, a level edge begins a tile, another ends
it one tile's height below, and upright edges join them. Rows follow each other at one pitch, or after a header anywhere.

    evidence per tile: top, bottom, left, right edge, each 0 … 1; sides at the border of the screen do not vote.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from matching.edges import Edges
from matching.lattice import Columns

SLACK_PX = 1
"""An edge counts one pixel off: rounding of fractional pitches."""
CORNER_SHARE = 0.12
"""Of a side, at each end, that may be rounded away and is not looked at."""
SIDE_SEEN = 0.5
"""A tile's side is seen when half of it is edge: badges, or a neighbour of the same colour, hide the rest."""
ROW_WEIGHT_MIN = 0.55
"""The least a row must weigh: one tile with all its sides, or two with most."""
SQUARE_SLACK = 0.03
"""Tiles may differ from square by this: rounding on small screens; the tiles of video apps are 0.75."""
PITCH_BONUS = 0.25
"""What following the common pitch adds to a row: breaks ties among look-alike contours, invents no rows."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sides:
    """How much of an edge there is where a tile's sides could be.

    `level[j, y]`: share of column j's width that is level edge between rows y-1 and y. `left_sum[j, y]`, `right_sum[j, y]`:
    upright edge along the column's borders above row y, cumulated, in px. `left_open[j]`: the border is the screen's own.
    """

    level: Floats
    left_sum: Floats
    right_sum: Floats
    left_open: NDArray[np.bool_]
    right_open: NDArray[np.bool_]

    @property
    def height(self) -> int:
        """The screen's height in px."""
        return self.level.shape[1] - 1


@dataclass(frozen=True, slots=True)
class Row:
    """A whole row of tiles: its top and bottom, half-open, and each column's evidence (columns × top, bottom, left, right; nan: no vote)."""

    top: int
    bottom: int
    weight: float
    support: tuple[float, ...]


def measure_sides(edges: Edges, columns: Columns) -> Sides:
    """The evidence for tile borders in each column."""
    width = edges.upright.shape[1] - 1
    level = [_level_share(edges, left, right) for left, right in zip(columns.lefts, columns.rights, strict=True)]
    return Sides(
        np.stack(level),
        np.stack([_upright_sum(edges, x) for x in columns.lefts]),
        np.stack([_upright_sum(edges, x) for x in columns.rights]),
        np.array([x <= 2 for x in columns.lefts]),
        np.array([x >= width - 2 for x in columns.rights]),
    )


def _level_share(edges: Edges, left: int, right: int) -> Floats:
    inset = round((right - left) * CORNER_SHARE)
    share = cv2.reduce(edges.level[:, left + inset : right - inset], 1, cv2.REDUCE_AVG, dtype=cv2.CV_32F)[:, 0] / 255
    return np.asarray(share, np.float32)


def _upright_sum(edges: Edges, x: int) -> Floats:
    low, high = max(0, x - SLACK_PX), min(edges.upright.shape[1], x + SLACK_PX + 1)
    seen = edges.upright[:, low:high].max(axis=1) > 0
    return np.concatenate([[0.0], np.cumsum(seen)]).astype(np.float32)


def support(sides: Sides, height: int) -> Floats:
    """Each column's evidence for a tile with its top at y: the mean of the sides that vote; shape (columns, y)."""
    near = cv2.dilate(sides.level, np.ones((1, 2 * SLACK_PX + 1), np.uint8))
    last = sides.height - height
    inset = round(height * CORNER_SHARE)
    tops, bottoms = near[:, : last + 1], near[:, height : height + last + 1]
    span = height - 2 * inset
    a, b = inset, height - inset
    lefts = (sides.left_sum[:, b : b + last + 1] - sides.left_sum[:, a : a + last + 1]) / span
    rights = (sides.right_sum[:, b : b + last + 1] - sides.right_sum[:, a : a + last + 1]) / span
    votes = np.stack([tops, bottoms, lefts, rights])
    counts = np.ones((4, len(near), 1), np.float32)
    counts[2, sides.left_open] = 0
    counts[3, sides.right_open] = 0
    return np.asarray(np.minimum(votes * 1.25, 1.0) * counts, np.float32).sum(axis=0) / counts.sum(axis=0)


def whole_rows(sides: Sides, columns: Columns) -> tuple[Row, ...]:
    """The rows of whole tiles, top to bottom: the set that weighs most, none overlapping; the height that suits it best."""
    width = columns.width
    slack = max(2, round(width * SQUARE_SLACK))
    best: tuple[float, tuple[Row, ...]] = (0.0, ())
    for height in range(width - slack, width + slack + 1):
        if height < sides.height:
            rows = _heaviest(_row_candidates(sides, height))
            weight = sum(row.weight for row in rows)
            if weight > best[0]:
                best = (weight, rows)
    return best[1]


def _row_candidates(sides: Sides, height: int) -> list[Row]:
    each = support(sides, height)
    weight = np.clip((each - SIDE_SEEN) / (1 - SIDE_SEEN), 0, None).sum(axis=0)
    highest = cv2.dilate(weight[None, :], np.ones((1, 2 * (height // 16) + 1), np.uint8))[0]
    tops = np.flatnonzero((weight == highest) & (weight >= ROW_WEIGHT_MIN))
    return [Row(int(y), int(y) + height, float(weight[y]), tuple(float(s) for s in each[:, y])) for y in tops]


def _heaviest(candidates: list[Row]) -> tuple[Row, ...]:
    """The heaviest chain of rows that do not overlap; a row one common pitch below the last weighs more."""
    if not candidates:
        return ()
    pitch = _common_pitch(candidates)
    total: list[float] = []
    before: list[int] = []
    for i, row in enumerate(candidates):
        best, at = 0.0, -1
        for j in range(i):
            if candidates[j].bottom > row.top + SLACK_PX:
                continue
            follows = abs(row.top - candidates[j].top - pitch) <= SLACK_PX
            value = total[j] + (PITCH_BONUS if follows else 0.0)
            if value > best:
                best, at = value, j
        total.append(best + row.weight)
        before.append(at)
    chain, at = [], int(np.argmax(total))
    while at >= 0:
        chain.append(candidates[at])
        at = before[at]
    return tuple(reversed(chain))


def _common_pitch(candidates: list[Row]) -> int:
    """The commonest distance between tops at which one row can follow another, weighed; 0 where no two can."""
    votes: dict[int, float] = {}
    for i, upper in enumerate(candidates):
        for lower in candidates[i + 1 :]:
            step = lower.top - upper.top
            if upper.bottom - SLACK_PX <= lower.top and step <= 1.7 * (upper.bottom - upper.top):
                votes[step] = votes.get(step, 0.0) + min(upper.weight, lower.weight)
    if not votes:
        return 0
    return max(votes, key=lambda step: votes[step] + 0.5 * (votes.get(step - 1, 0) + votes.get(step + 1, 0)))
