"""A screenshot becomes a result grid's cells, or is said to hold none and why.

straight edges → column readings → rows of square tiles for each → the reading with most border
               → bars and cut rows → places that hold a tile → cells, or a refusal in words
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from matching.cuts import WHOLE_SHARE, Window, cut_rows, open_window, rows_within, trimmed_ends
from matching.edges import Edges, straight_edges
from matching.hints import Tiling, clip, hinted_columns, tiling
from matching.lattice import Columns, column_candidates
from matching.model import Box, Cell, Grid, Image
from matching.refusal import nothing_behind, reason_against, stands_alone
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
    limit = Window(port[1], port[3])
    if not hints:
        return _from_pixels(image, edges, limit)
    by_tree = tiling(hints, labels, port, edges)
    if by_tree is None:
        by_pixels = _from_pixels(image, edges, limit)
        return replace(by_pixels, flags=(*by_pixels.flags, f"the tree's {len(hints)} boxes do not tile the screen"))
    return _fused(image, by_tree, _near_tree(image, edges, limit, by_tree))


def _near_tree(image: Image, edges: Edges, limit: Window, by_tree: Tiling) -> Grid:
    """What pixels say: read in the tree's columns, and only where these show no grid in any others."""
    columns = hinted_columns([cell.box for cell in by_tree.cells], image.shape[1])
    in_its_columns = _from_pixels(image, edges, limit, (columns,)) if columns else None
    return in_its_columns if in_its_columns and in_its_columns.found else _from_pixels(image, edges, limit)


def _fused(image: Image, by_tree: Tiling, by_pixels: Grid) -> Grid:
    """What tree and pixels say together. Pixels without any picture overrule the tree: what it lists is not on the screen."""
    flags = list(by_tree.flags)
    if not by_pixels.found and (hidden := nothing_behind(image, by_tree.cells)):
        return Grid(False, f"the tree lists {len(by_tree.cells)} cells, but {hidden}", (), tuple(flags))
    if not by_pixels.found:
        return Grid(True, "tree", by_tree.cells, (*flags, f"pixels see no grid: {by_pixels.reason}"))
    if len(by_pixels.cells) != len(by_tree.cells):
        flags.append(f"tree lists {len(by_tree.cells)} cells, pixels show {len(by_pixels.cells)}")
    elif apart := sum(not _holds_middle(by_pixels.cells, cell.box) for cell in by_tree.cells):
        flags.append(f"pixels show no cell at {apart} of the tree's {len(by_tree.cells)}")
    return Grid(True, "tree+pixels", by_tree.cells, tuple(flags))


def _holds_middle(cells: Sequence[Cell], box: Box) -> bool:
    """Whether the middle of a box lies in a cell."""
    x, y = (box[0] + box[2]) // 2, (box[1] + box[3]) // 2
    return any(left <= x < right and top <= y < bottom for left, top, right, bottom in (cell.box for cell in cells))


def _from_pixels(image: Image, edges: Edges, limit: Window, columns: Sequence[Columns] | None = None) -> Grid:
    readings = best_readings(edges, column_candidates(edges) if columns is None else columns)
    if not readings:
        return Grid(False, "no rows of equal square tiles")
    reading = next((reading for reading in readings if stands_alone(image, reading.columns, reading.rows)), None)
    if reading is None:
        return Grid(False, "one row of pictures with something beside them")
    cells = cells_of(image, edges, reading, limit)
    reason = reason_against(image, reading.columns, reading.sides, reading.rows, cells)
    return Grid(False, reason) if reason else Grid(True, "pixels", cells)


def best_readings(edges: Edges, candidates: Sequence[Columns]) -> list[Reading]:
    """The screen read in the candidates' columns, most tile border first; empty where no tile is whole.

    Columns are ranked by rows of just their own width; only the foremost are tried with all heights. On a screen of few
    tiles, columns through their contours foretell fewer edges than the true ones, but bound no square: those go last.
    """
    measured = [(columns, measure_sides(edges, columns)) for columns in candidates]
    quick = [Reading(columns, sides, square_rows(sides, columns)) for columns, sides in measured]
    foremost = sorted(quick, key=lambda reading: (not reading.rows, -reading.worth))[:FOREMOST]
    readings = [Reading(r.columns, r.sides, whole_rows(r.sides, r.columns)) for r in foremost]
    return sorted((reading for reading in readings if reading.rows), key=lambda reading: -reading.worth)


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
