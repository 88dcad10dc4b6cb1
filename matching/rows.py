"""Where the rows of tiles lie on a screen whose columns are known.

A tile is as high as it is wide. A row is a place where, in several columns at once, a level edge begins a tile, another ends
it one tile's height below, and upright edges join them. Rows follow each other at one pitch, or after a header anywhere.

    evidence per tile: top, bottom, left, right edge, each 0 … 1; sides at the border of the screen do not vote.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

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
SNAP_PX = 3
"""How far a row's edge is looked for from where equal heights put it."""
HIDDEN_WEIGHT_MIN = 0.2
"""What a row that the pitch foretells must weigh."""
GAP_SLACK_SHARE = 0.1
"""Of a tile, by which the gap between rows may exceed that between columns: date headers are 0.3 high and more."""
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
        return int(self.level.shape[1]) - 1


@dataclass(frozen=True, slots=True)
class Row:
    """A row of tiles, half-open, with each column's evidence for a tile there (0 … 1)."""

    top: int
    bottom: int
    support: tuple[float, ...]

    @property
    def height(self) -> int:
        """In px."""
        return self.bottom - self.top

    @property
    def weight(self) -> float:
        """What the row counts for: in whole tiles, those barely seen not at all."""
        return float(sum(max(0.0, (s - SIDE_SEEN) / (1 - SIDE_SEEN)) for s in self.support))


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
    weighed = (np.minimum(votes * 1.25, 1.0) * counts).sum(axis=0) / counts.sum(axis=0)
    return np.asarray(weighed, np.float32)


def whole_rows(sides: Sides, columns: Columns) -> tuple[Row, ...]:
    """The rows of whole tiles, top to bottom: the set that weighs most, none overlapping; the height that suits it best."""
    width = columns.width
    slack = max(2, round(width * SQUARE_SLACK))
    chains = [heaviest_rows(sides, height, columns.gap) for height in _heights(width, slack) if height < sides.height]
    best = max(chains, key=lambda rows: (round(weight_of(rows), 1), -abs(rows[0].height - width) if rows else 0), default=())
    return tuple(_with_missing(_snapped(best, sides), sides, columns.gap))


def square_rows(sides: Sides, columns: Columns) -> tuple[Row, ...]:
    """The heaviest rows of tiles as high as the columns are wide, give or take two pixels; edges as they fall."""
    return heaviest_rows(sides, columns.width, columns.gap) if columns.width < sides.height else ()


def _heights(width: int, slack: int) -> list[int]:
    """Every fourth height around square: top and bottom each count one pixel off."""
    return sorted({width, *range(width - 2, width - slack - 4, -4), *range(width + 2, width + slack + 4, 4)})


def heaviest_rows(sides: Sides, height: int, gap: int = 0) -> tuple[Row, ...]:
    """The heaviest rows of this height, none nearer to the next than half the gap between columns."""
    return _heaviest(_row_candidates(sides, height), apart=gap // 2 if gap >= 4 else -SLACK_PX)


def weight_of(rows: Sequence[Row]) -> float:
    """What the rows weigh together."""
    return sum(row.weight for row in rows)


def follows_directly(above: Row, below: Row, gap: int) -> bool:
    """Whether no header can lie between two rows: their gap is about the gap between columns."""
    return below.top - above.bottom <= gap + GAP_SLACK_SHARE * above.height


def row_pitch(rows: Sequence[Row], gap: int) -> int:
    """The usual distance between tops of rows that follow each other directly; 0 where none do."""
    steps = [below.top - above.top for above, below in pairwise(rows) if follows_directly(above, below, gap)]
    return int(np.median(steps)) if steps else 0


def row_at(sides: Sides, top: int, bottom: int, *, cut_top: bool = False, cut_bottom: bool = False) -> Row:
    """The row between two lines, with its evidence; a cut side does not vote where it is the screen's border."""
    inset = round(min((bottom - top) * CORNER_SHARE, 40))
    span = max(1, bottom - top - 2 * inset)
    votes = [_near_level(sides, y) for y, cut in ((top, cut_top), (bottom, cut_bottom)) if not (cut and y in (0, sides.height))]
    counts = np.full(len(sides.level), float(len(votes)))
    total = np.sum(votes, axis=0) if votes else np.zeros(len(sides.level))
    for cumulated, is_open in ((sides.left_sum, sides.left_open), (sides.right_sum, sides.right_open)):
        share = np.minimum(1.25 * (cumulated[:, bottom - inset] - cumulated[:, top + inset]) / span, 1.0)
        total = total + np.where(is_open, 0.0, share)
        counts = counts + ~is_open
    return Row(top, bottom, tuple((total / np.maximum(counts, 1)).tolist()))


def _near_level(sides: Sides, y: int) -> Floats:
    near = sides.level[:, max(0, y - SLACK_PX) : y + SLACK_PX + 1].max(axis=1)
    return np.asarray(np.minimum(1.25 * near, 1.0), np.float32)


def _snapped(rows: Sequence[Row], sides: Sides) -> list[Row]:
    """Each row's edges on the pixel where most of its tiles' width is edge; where two rows nearly meet, on two lines."""
    tops, bottoms = [row.top for row in rows], [row.bottom for row in rows]
    for i, row in enumerate(rows):
        seen = [j for j, s in enumerate(row.support) if s >= SIDE_SEEN] or list(range(len(row.support)))
        profile = sides.level[seen].mean(axis=0)
        bottoms[i] = _strongest(profile, row.bottom)
        if i and row.top - rows[i - 1].bottom <= 2 * SNAP_PX:
            bottoms[i - 1], tops[i] = _gap(profile, rows[i - 1].bottom, row.top)
        else:
            tops[i] = _strongest(profile, row.top)
    return [row_at(sides, top, bottom) for top, bottom in zip(tops, bottoms, strict=True)]


def _strongest(profile: Floats, y: int) -> int:
    low = max(0, y - SNAP_PX)
    around = profile[low : y + SNAP_PX + 1]
    at = low + int(np.argmax(around - 0.001 * np.abs(np.arange(low, low + len(around)) - y)))
    return at if profile[at] > 0.2 else y


def _gap(profile: Floats, upper: int, lower: int) -> tuple[int, int]:
    """(bottom, top) of two rows that follow each other: the two best lines between, or the one that serves as both."""
    low = max(0, min(upper, lower) - 3)
    around = profile[low : max(upper, lower) + 4]
    crest = np.flatnonzero((around >= np.pad(around, 1)[:-2]) & (around > np.pad(around, 1)[2:]))
    crest = crest[np.argsort(-around[crest], kind="stable")][:2]
    if not len(crest) or around[crest[0]] < 0.2:
        return upper, lower
    if len(crest) == 2 and around[crest[1]] >= 0.4 * around[crest[0]]:
        return low + int(crest.min()), low + int(crest.max())
    only = low + int(crest[0])
    return only, only


def _with_missing(rows: Sequence[Row], sides: Sides, gap: int) -> list[Row]:
    """Rows and those between them that a run of black or white photos hid: the pitch says where, and some edge must agree."""
    pitch, found = row_pitch(rows, gap), list(rows)
    if not pitch:
        return found
    for above, below in pairwise(rows):
        count = round((below.top - above.top) / pitch)
        if count >= 2 and abs(below.top - above.top - count * pitch) <= SLACK_PX * count:
            between = [row_at(sides, above.top + k * pitch, above.top + k * pitch + above.height) for k in range(1, count)]
            found += [row for row in between if row.weight >= HIDDEN_WEIGHT_MIN]
    return sorted(found, key=lambda row: row.top)


def _row_candidates(sides: Sides, height: int) -> list[Row]:
    each = support(sides, height)
    weight = np.clip((each - SIDE_SEEN) / (1 - SIDE_SEEN), 0, None).sum(axis=0)
    highest = cv2.dilate(weight[None, :], np.ones((1, 2 * (height // 8) + 1), np.uint8))[0]
    tops = np.flatnonzero((weight == highest) & (weight >= ROW_WEIGHT_MIN))
    return [Row(int(y), int(y) + height, tuple(each[:, y].tolist())) for y in tops]


def _heaviest(candidates: list[Row], *, apart: int) -> tuple[Row, ...]:
    """The heaviest chain of rows `apart` px or more apart; a row one common pitch below the last weighs more."""
    if not candidates:
        return ()
    tops = np.array([row.top for row in candidates])
    bottoms = np.array([row.bottom for row in candidates])
    weights = np.array([row.weight for row in candidates])
    pitch = _common_pitch(tops, bottoms, weights)
    total, before = np.zeros(len(tops)), np.full(len(tops), -1)
    for i in range(len(tops)):
        earlier = np.flatnonzero(tops[i] - bottoms[:i] >= apart)
        if len(earlier):
            bonus = np.abs(tops[i] - tops[earlier] - pitch) <= SLACK_PX
            worth = total[earlier] + PITCH_BONUS * bonus
            best = int(np.argmax(worth))
            total[i], before[i] = worth[best], earlier[best]
        total[i] += weights[i]
    chain, at = [], int(np.argmax(total))
    while at >= 0:
        chain.append(candidates[at])
        at = int(before[at])
    return tuple(reversed(chain))


def _common_pitch(tops: NDArray[np.int_], bottoms: NDArray[np.int_], weights: NDArray[np.float64]) -> int:
    """The commonest distance between tops at which one row can follow another, weighed; 0 where no two can."""
    height = int(bottoms[0] - tops[0])
    steps = tops[None, :] - tops[:, None]
    follows = (steps >= height - SLACK_PX) & (steps <= round(1.7 * height))
    if not follows.any():
        return 0
    votes = np.bincount(steps[follows], weights=np.minimum(weights[None, :], weights[:, None])[follows], minlength=2)
    near = np.pad(votes, 1)
    return int(np.argmax(votes + 0.5 * (near[:-2] + near[2:])))
