"""Cells from the UI tree: believed when they tile the screen, put on the pixels' own edges, contradicted aloud.

The tree knows what a result is; the pixels know where it is drawn. A tree that is late (the list moved on) or wrong (nodes of
another page) does not fit the edges, and that is said, not averaged away.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.edges import Edges
from matching.lattice import COLUMNS_MAX, GAP_SHARE_MAX, Columns
from matching.lines import REACH_PX, moves
from matching.model import Box, Cell

SIZE_SLACK = 0.06
"""Relative spread of the widths of boxes that tile."""
AGREE_PX = 2
"""Up to here tree and pixels agree."""
ODD_SHARE = 0.25
"""Share of sides that may lie elsewhere, for edges inside photos are stronger there, before it is said."""
EDGE_SEEN = 0.4
"""Share of a box's side that must be edge for the pixels to have a say about it."""


@dataclass(frozen=True, slots=True)
class Tiling:
    """The tree's boxes as cells, and what is odd about them."""

    cells: tuple[Cell, ...]
    flags: tuple[str, ...]


def tiling(hints: Sequence[Box], labels: Sequence[str | None] | None, viewport: Box, edges: Edges) -> Tiling | None:
    """The cells that the tree's boxes give, moved onto the pixels' edges by rows and columns; None where they do not tile."""
    named = list(labels) if labels is not None and len(labels) == len(hints) else [None] * len(hints)
    clipped = [(box, clip(box, viewport), label) for box, label in zip(hints, named, strict=True)]
    seen = [(box, visible, label) for box, visible, label in clipped if visible is not None]
    if not seen or not _tile([box for box, _, _ in seen]):
        return None
    height = _whole_height([visible for _, visible, _ in seen])
    visible = [box for _, box, _ in seen]
    cut = [(box[1] != whole[1], box[3] != whole[3]) for whole, box, _ in seen]
    moved = moves(visible, cut, edges)
    cells = []
    for place in sorted(range(len(seen)), key=lambda place: (round(visible[place][1] / (0.5 * height)), visible[place][0])):
        box = visible[place]
        left, top, right, bottom = (side + move for side, move in zip(box, moved[place], strict=True))
        cells.append(Cell((left, top, right, bottom), box[3] - box[1] < 0.97 * height, seen[place][2]))
    strongest = np.array([_strongest(box, edges) for box in visible])
    return Tiling(tuple(cells), tuple(_disagreements(strongest, np.array(moved))))


def _disagreements(edges: NDArray[np.float64], moved: NDArray[np.int64]) -> Iterator[str]:
    """What tree and pixels do not agree on: a grid drawn elsewhere, or cells that do not lie as the others do."""
    if np.abs(moved).max() > AGREE_PX:
        yield f"tree and pixels differ by {np.abs(moved).max()} px"
    apart = np.abs(edges - moved) > AGREE_PX
    if apart.mean() > ODD_SHARE:
        yield f"the pixels put {int(apart.any(axis=1).sum())} of {len(edges)} cells elsewhere than the tree"


def hinted_columns(boxes: Sequence[Box], screen: int) -> Columns | None:
    """The columns that boxes which tile stand in, with those that the screen (its width in px) has room for beside them.

    Boxes of one column leave the pitch open; it is then the one that fills the screen with the same margin on both sides.
    None where no such columns are: fewer than two fit, or the boxes stand too far apart to be all there is.
    """
    width = round(float(np.median([right - left for left, _, right, _ in boxes])))
    starts = _distinct_lefts(boxes)
    first = starts[0]
    pitch = min(np.diff(starts)) if len(starts) > 1 else _filling_pitch(first, width, screen)
    if pitch is None or not width - AGREE_PX <= pitch <= (1 + GAP_SHARE_MAX) * width:
        return None
    if len(starts) > 1:
        pitch = (starts[-1] - first) / round((starts[-1] - first) / pitch)  # fractional pitches are rounded column by column
    before = int((first + AGREE_PX) // pitch)
    after = int((screen + AGREE_PX - first - width) // pitch)
    if not 2 <= before + after + 1 <= COLUMNS_MAX:
        return None
    ideal = [first + k * pitch for k in range(-before, after + 1)]
    lefts = [min(starts, key=lambda x: abs(x - at)) if min(abs(x - at) for x in starts) <= AGREE_PX else at for at in ideal]
    return Columns(tuple(max(0, round(x)) for x in lefts), tuple(min(screen, round(x + min(width, pitch))) for x in lefts), 0.0)


def _distinct_lefts(boxes: Sequence[Box]) -> list[int]:
    """Where columns begin, left to right; lefts a few pixels apart are one column's."""
    starts: list[int] = []
    for left in sorted(box[0] for box in boxes):
        if not starts or left - starts[-1] > REACH_PX:
            starts.append(left)
    return starts


def _filling_pitch(first: int, width: int, screen: int) -> float | None:
    """The pitch at which as many columns as fit span the screen from `first` to the same margin; None where just one fits."""
    margin = min(first, screen - first - width)
    count = (screen - 2 * margin) // width if margin < width else screen // width
    return (screen - 2 * margin - width) / (count - 1) if margin < width and count >= 2 else None


def clip(box: Box, viewport: Box) -> Box | None:
    """The part of a box inside the viewport; None where there is none worth the name."""
    left, top = max(box[0], viewport[0]), max(box[1], viewport[1])
    right, bottom = min(box[2], viewport[2]), min(box[3], viewport[3])
    if right - left < 8 or bottom - top < 0.1 * (right - left):
        return None
    return left, top, right, bottom


def _tile(boxes: Sequence[Box]) -> bool:
    """Whether boxes are of one width, do not overlap, and share columns."""
    widths = np.array([right - left for left, _, right, _ in boxes])
    typical = float(np.median(widths))
    if typical <= 0 or np.abs(widths - typical).max() > max(2.0, SIZE_SLACK * typical):
        return False
    if max(bottom - top for _, top, _, bottom in boxes) > 1.6 * typical:
        return False
    lefts = sorted(left for left, _, _, _ in boxes)
    steps = np.diff(lefts)
    if np.any((steps > 3) & (steps < 0.9 * typical)):
        return False
    return not any(_overlap(a, b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])


def _overlap(one: Box, other: Box) -> bool:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide > AGREE_PX and high > AGREE_PX


def _whole_height(boxes: Sequence[Box]) -> int:
    """The height of a whole tile: the commonest, or that of the tallest box where all are cut."""
    heights = np.array([bottom - top for _, top, _, bottom in boxes])
    counts = np.bincount(heights)
    return int(heights.max()) if counts.max() == 1 else int(max(np.flatnonzero(counts == counts.max())))


def _strongest(box: Box, edges: Edges) -> tuple[float, float, float, float]:
    """How far each side lies from the strongest edge within reach, px; nan where there is none."""
    left, top, right, bottom = box
    upright, level = edges.upright[top:bottom], edges.level[:, left:right].T
    return _off(upright, left), _off(level, top), _off(upright, right), _off(level, bottom)


def _off(lines: NDArray[np.uint8], at: int) -> float:
    """From `at` to the strongest edge (columns of `lines`) within reach; of several about as strong, the nearest one."""
    low = max(0, at - REACH_PX)
    around = lines[:, low : at + REACH_PX + 1].mean(axis=0) / 255
    if not around.size or around.max() < EDGE_SEEN:
        return float("nan")
    good = low + np.flatnonzero(around >= 0.8 * around.max())
    return float(good[np.argmin(np.abs(good - at))] - at)
