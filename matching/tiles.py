"""Which places of a row hold a tile, and where its picture lies in it.

Tiles fill a row from the left, so a row that another one follows directly is full, and everything left of a tile seen is a
tile. A tile may stand back from its place on all four sides, as ticked tiles do.
"""

from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from matching.edges import Edges
from matching.lattice import Columns
from matching.model import Box, Image
from matching.rows import Row, Sides, follows_directly

TILE_SUPPORT = 0.5
"""Evidence from which a place holds a tile."""
WHOLE_SHARE = 0.97
"""Of the highest row, from where a row is not cut."""
PAGE_SHARE_MIN = 0.7
"""Share of what lies between tiles that must be of one colour to be the page."""
FILLED_SHARE = 0.5
"""Of a place, the share of pixels unlike the page from which it holds a tile without borders."""
UNLIKE_LEVELS = 10
"""Grey levels (largest channel) from which a pixel is unlike the page: JPEG screens colour the gaps by up to 7."""
INSET_SHARES = (0.06, 0.17)
"""Of a side, how far ticked tiles stand back."""
INSET_SEEN = 0.4
"""Share of each inner side that must be edge."""
RING_LEVELS = 6.0
"""Standard deviation of what surrounds a tile that stands back: page or tick, no picture."""


def page_colour(image: Image, columns: Columns, rows: Sequence[Row]) -> NDArray[np.int16] | None:
    """The colour of the page as the gaps between columns show it; None where they show none."""
    strips = [
        image[row.top : row.bottom, left:right].reshape(-1, 3)
        for row in rows
        for left, right in zip(columns.rights[:-1], columns.lefts[1:], strict=True)
        if right - left >= 2
    ]
    if not strips:
        return None
    between = np.concatenate(strips).astype(np.int16)
    page = np.median(between, axis=0).astype(np.int16)
    even = float((np.abs(between - page).max(axis=1) <= UNLIKE_LEVELS).mean())
    return page if even >= PAGE_SHARE_MIN else None


def tiles_in_rows(image: Image, columns: Columns, sides: Sides, rows: Sequence[Row]) -> list[int]:
    """How many tiles each row holds, counted from the left."""
    page = page_colour(image, columns, rows)
    side = max(row.height for row in rows)
    seen = [_last_tile(image, columns, sides, row, page, cut=row.height < WHOLE_SHARE * side) for row in rows]
    widest = max(seen, default=0)
    followed = [follows_directly(above, below, columns.gap) for above, below in pairwise(rows)]
    return [widest if count and full else count for count, full in zip(seen, [*followed, False], strict=False)]


def _last_tile(image: Image, columns: Columns, sides: Sides, row: Row, page: NDArray[np.int16] | None, *, cut: bool) -> int:
    for j in range(columns.count - 1, -1, -1):
        place = image[row.top : row.bottom, columns.lefts[j] : columns.rights[j]]
        if row.support[j] >= TILE_SUPPORT and (_own_border(sides, row, j, cut=cut) or not _is_one_colour(place)):
            return j + 1
        if page is not None and _is_filled(place, page):
            return j + 1
    return 0


def _own_border(sides: Sides, row: Row, j: int, *, cut: bool) -> bool:
    """Whether the place has an edge that no neighbour lends it: left and top may be others', a cut bottom a bar's."""
    inset = (row.bottom - row.top) // 8
    span = max(1, row.bottom - row.top - 2 * inset)
    right = (sides.right_sum[j, row.bottom - inset] - sides.right_sum[j, row.top + inset]) / span
    bottom = 0.0 if cut else sides.level[j, row.bottom - 1 : row.bottom + 2].max(initial=0.0)
    return bool(max(0.0 if sides.right_open[j] else right, bottom) >= TILE_SUPPORT)


def _is_one_colour(place: Image) -> bool:
    """Whether most of a place is one even colour, as the page is, with or without a button floating over it."""
    inside = place[4:-4:2, 4:-4:2].reshape(-1, 3).astype(np.int16)
    if not len(inside):
        return True
    return bool((np.abs(inside - np.median(inside, axis=0)).max(axis=1) <= 2).mean() >= 0.6)


def _is_filled(place: Image, page: NDArray[np.int16]) -> bool:
    unlike = np.abs(place[::2, ::2].astype(np.int16) - page).max(axis=2) > UNLIKE_LEVELS
    return bool(unlike.mean() >= FILLED_SHARE)


def stands_back(image: Image, edges: Edges, box: Box) -> int:
    """How many px a tile's picture stands back from its place on every side, its outline included; 0 where it fills it."""
    left, top, right, bottom = box
    side = min(right - left, bottom - top)
    insets = range(round(INSET_SHARES[0] * side), round(INSET_SHARES[1] * side) + 1)
    upright, level = _frame_profiles(edges, box)
    shares = [min(upright[k], upright[right - left - k], level[k], level[bottom - top - k]) for k in insets]
    outermost = next((k for k, share in zip(insets, shares, strict=True) if share >= max(INSET_SEEN, 0.8 * max(shares))), 0)
    return outermost if outermost and _is_even(image, box, outermost) else 0


def _frame_profiles(edges: Edges, box: Box) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Across a tile and down it, the share of its middle that is upright or level edge within two pixels."""
    left, top, right, bottom = box
    wide, high = round(0.2 * (right - left)), round(0.2 * (bottom - top))
    upright = cv2.dilate(edges.upright[top + high : bottom - high, left : right + 1], np.ones((1, 5), np.uint8))
    level = cv2.dilate(edges.level[top : bottom + 1, left + wide : right - wide], np.ones((5, 1), np.uint8))
    across = cv2.reduce(upright, 0, cv2.REDUCE_AVG, dtype=cv2.CV_32F)[0] / 255
    down = cv2.reduce(level, 1, cv2.REDUCE_AVG, dtype=cv2.CV_32F)[:, 0] / 255
    return np.asarray(across, np.float32), np.asarray(down, np.float32)


def _is_even(image: Image, box: Box, inset: int) -> bool:
    """Whether the ring around a tile that stands back is of one colour, but for the tick in its corner."""
    left, top, right, bottom = box
    depth = max(1, inset - 4)
    quarter = (right - left) // 4
    strips = (
        image[top + 1 : top + depth, left + quarter : right - 1],
        image[bottom - depth : bottom - 1, left + 1 : right - 1],
        image[top + quarter : bottom - 1, right - depth : right - 1],
    )
    return all(strip.size and float(strip.reshape(-1, 3).std(axis=0).max()) <= RING_LEVELS for strip in strips)
