"""A screenshot becomes a result grid's cells, or is said to hold none and why.

straight edges → column readings → rows of square tiles for each → the reading with most border → cells or refusal
"""

from collections.abc import Sequence

import numpy as np

from matching.edges import Edges, straight_edges
from matching.lattice import Columns, column_candidates
from matching.model import Box, Cell, Grid, Image
from matching.rows import Row, Sides, measure_sides, whole_rows


def find_grid(
    image: Image, *, hints: Sequence[Box] | None = None, viewport: Box | None = None, labels: Sequence[str | None] | None = None
) -> Grid:
    """The result grid of a screen."""
    edges = straight_edges(image)
    best: tuple[float, Columns, Sides, tuple[Row, ...]] | None = None
    for columns in column_candidates(edges):
        sides = measure_sides(edges, columns)
        rows = whole_rows(sides, columns)
        worth = (sum(row.weight for row in rows) + columns.score) * columns.width if rows else 0.0
        if rows and (best is None or worth > best[0]):
            best = (worth, columns, sides, rows)
    if best is None:
        return Grid(False, "no rows of equal square tiles")
    _, columns, _, rows = best
    cells = []
    for row in rows:
        last = max((j for j, s in enumerate(row.support) if s >= 0.5), default=-1)
        cells += [Cell((columns.lefts[j], row.top, columns.rights[j], row.bottom), False) for j in range(last + 1)]
    if not any(_photo_like(image, cell.box) for cell in cells):
        return Grid(False, "tiles hold no photos")
    return Grid(True, "pixels", tuple(cells))


def _photo_like(image: Image, box: Box) -> bool:
    left, top, right, bottom = box
    inset = (right - left) // 20 + 1
    inside = image[top + inset : bottom - inset, left + inset : right - inset]
    coarse = inside[::2, ::2] >> 4
    key = (coarse[..., 0].astype(np.int32) << 8) | (coarse[..., 1].astype(np.int32) << 4) | coarse[..., 2]
    common = np.sort(np.bincount(key.ravel()))[-2:].sum() / key.size
    return bool(common <= 0.75)
