"""A screenshot becomes a result grid's cells, or is said to hold none and why.

straight edges → column readings → rows of square tiles for each → the reading with most border
               → bars and cut rows → places that hold a tile → cells, or a refusal in words
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from matching.cuts import WHOLE_SHARE, Window, cut_rows, open_window, rows_within, trimmed_ends
from matching.edges import Edges, straight_edges
from matching.hints import Tiling, clip, tiling
from matching.lattice import Columns, column_candidates
from matching.model import Box, Cell, Grid, Image
from matching.refusal import nothing_behind, reason_against
from matching.rows import Row, Sides, measure_sides, square_rows, weight_of, whole_rows
from matching.tiles import stands_back, tiles_in_rows

RIM_WEIGHT = 2.0
"""What a column's rim counts against a tile: a reading that takes two rims for one edge meets fewer."""
FOREMOST = 4
"""Readings tried in full: the right one was first or second of the ranking on every screen looked at."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A screen read as columns and rows."""

    columns: Columns
    sides: Sides
    rows: tuple[Row, ...]

    @property
    def worth(self) -> float:
        """Tile border met, in tiles times px: of two readings with as many tiles, the larger tiles."""
        return (weight_of(self.rows) + RIM_WEIGHT * self.columns.score) * self.columns.width


def find_grid(
    image: Image, *, hints: Sequence[Box] | None = None, viewport: Box | None = None, labels: Sequence[str | None] | None = None
) -> Grid:
    """The result grid of a screen, or why it shows none.

    `hints` are result cells by the UI tree (`labels` theirs, same order), `viewport` where results scroll. Hints that tile are
    the cells, moved onto the pixels' edges; a move of more than 2 px, hints that do not tile, and pixels that read another
    number of cells are flagged. Without usable hints the pixels decide alone.
    """
    edges = straight_edges(image)
    height, width = image.shape[:2]
    whole: Box = (0, 0, width, height)
    port = (clip(viewport, whole) if viewport is not None else None) or whole
    by_pixels = _from_pixels(image, edges, Window(port[1], port[3]))
    if not hints:
        return by_pixels
    by_tree = tiling(hints, labels, port, edges)
    if by_tree is None:
        return replace(by_pixels, flags=(*by_pixels.flags, f"the tree's {len(hints)} boxes do not tile the screen"))
    return _fused(image, by_tree, by_pixels)


def _fused(image: Image, by_tree: Tiling, by_pixels: Grid) -> Grid:
    """What tree and pixels say together. Pixels without any picture overrule the tree: what it lists is not on the screen."""
    flags = list(by_tree.flags)
    if not by_pixels.found and (hidden := nothing_behind(image, by_tree.cells)):
        return Grid(False, f"the tree lists {len(by_tree.cells)} cells, but {hidden}", (), tuple(flags))
    if not by_pixels.found:
        return Grid(True, "tree", by_tree.cells, (*flags, f"pixels see no grid: {by_pixels.reason}"))
    if len(by_pixels.cells) != len(by_tree.cells):
        flags.append(f"tree lists {len(by_tree.cells)} cells, pixels show {len(by_pixels.cells)}")
    return Grid(True, "tree+pixels", by_tree.cells, tuple(flags))


def _from_pixels(image: Image, edges: Edges, limit: Window) -> Grid:
    reading = best_reading(edges)
    if reading is None:
        return Grid(False, "no rows of equal square tiles")
    cells = cells_of(image, edges, reading, limit)
    reason = reason_against(image, reading.columns, reading.sides, reading.rows, cells)
    return Grid(False, reason) if reason else Grid(True, "pixels", cells)


def best_reading(edges: Edges) -> Reading | None:
    """The reading of a screen that meets most tile border; None where no tile is whole.

    Columns are ranked by rows of just their own width; only the foremost are tried with all heights.
    """
    measured = [(columns, measure_sides(edges, columns)) for columns in column_candidates(edges)]
    quick = [Reading(columns, sides, square_rows(sides, columns)) for columns, sides in measured]
    foremost = sorted(quick, key=lambda reading: -reading.worth)[:FOREMOST]
    readings = [Reading(r.columns, r.sides, whole_rows(r.sides, r.columns)) for r in foremost]
    return max((reading for reading in readings if reading.rows), key=lambda reading: reading.worth, default=None)


def cells_of(image: Image, edges: Edges, reading: Reading, limit: Window) -> tuple[Cell, ...]:
    """The visible tiles, in reading order."""
    columns, sides = reading.columns, reading.sides
    window = open_window(image, sides, columns, reading.rows, limit)
    rows = trimmed_ends(sides, rows_within(reading.rows, window))
    if not rows:
        return ()
    side = reading.rows[0].height
    above, below = cut_rows(sides, columns, rows, window)
    rows = [row for row in (above, *rows, below) if row is not None]
    cells = []
    for row, count in zip(rows, tiles_in_rows(image, columns, sides, rows), strict=True):
        partial = row.height < WHOLE_SHARE * side
        cells += [_cell(image, edges, columns, j, row, partial=partial) for j in range(count)]
    return tuple(cells)


def _cell(image: Image, edges: Edges, columns: Columns, j: int, row: Row, *, partial: bool) -> Cell:
    box = (columns.lefts[j], row.top, columns.rights[j], row.bottom)
    inset = 0 if partial else stands_back(image, edges, box)
    return Cell((box[0] + inset, box[1] + inset, box[2] - inset, box[3] - inset), partial)
