"""Which columns of equal width and pitch the upright edges of a screen can be read as.

Candidates come from the strongest edges themselves: a column's left and right edge and the left edge of the next one fix
width, gap and phase, whatever the margins. Each candidate is then laid over the whole screen and judged by how many of the
edges it foretells are there: foretold and missing costs as much as foretold and present earns, so neither every second
column nor half columns win over the true ones.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from matching.edges import Edges

COLUMNS_MAX = 8
COLUMN_SHARE_MAX = 0.52
"""Of the screen's width, one column: two columns without margins are the widest that count."""
GAP_PX_MAX = 40
"""At screens up to 540 px wide; wider ones in proportion."""
GAP_SHARE_MAX = 0.30
"""Of the column's width, the widest gap: tiles in select-all mode stand 0.24 apart; icons of launchers 1.0."""
PEAKS_MAX = 30
"""Strongest upright edges looked at: eight columns have 16; the rest is room for bars, cards and badges."""
TOLERANCE_PX = 2
"""Edges lie within this of the lattice: rounding of fractional pitches, and a thin outline."""
EARNED = 0.25
"""The squared presence at which a foretold edge neither earns nor costs: half of a whole one."""
OVERRUN_SHARE = 0.006
"""Of the screen's width, what outer columns may lose beyond its border: some grids lay their outer gap outside."""
LONGEST = 10
"""Entries of the edge profile whose mean says how long a whole edge is: each edge fills five, and two columns have one gap."""
WIDER = 1e-4
"""What a pixel of width earns: of two readings that meet as many edges, the tile with its outline."""
SHORTLIST = 40
"""Candidates refined to the pixel; the rest are far behind."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns as pixel edges, left to right: column j is `lefts[j]` ≤ x < `rights[j]`."""

    lefts: tuple[int, ...]
    rights: tuple[int, ...]
    score: float

    @property
    def count(self) -> int:
        """How many columns fit the screen."""
        return len(self.lefts)

    @property
    def width(self) -> int:
        """The typical column's width in px."""
        return int(np.median(np.subtract(self.rights, self.lefts)))

    @property
    def gap(self) -> int:
        """The typical gap between columns in px; 0 when there is one column."""
        if self.count < 2:
            return 0
        return int(np.median(np.subtract(self.lefts[1:], self.rights[:-1])))


def column_candidates(edges: Edges, *, most: int = 10) -> tuple[Columns, ...]:
    """The readings of the screen's upright edges as columns, best first; empty where no two edges can bound a column."""
    length = (edges.upright > 0).sum(axis=0).astype(np.float32)
    nearby = cv2.dilate(length[None, :], np.ones((1, 2 * TOLERANCE_PX + 1), np.uint8))[0]
    seeds = _seeds(_peaks(length), len(length) - 1)
    if not len(seeds):
        return ()
    scores = _scores(seeds, nearby)
    seeds, scores = seeds[np.isfinite(scores)], scores[np.isfinite(scores)]
    order = np.argsort(-scores, kind="stable")[:SHORTLIST]
    rough = _distinct([_refined(seed, nearby, length) for seed in seeds[order]])[:most]
    laid = [_extended(columns, len(length) - 1) for columns in (*rough, *(sharpened(columns, edges) for columns in rough))]
    return _distinct([_scored(columns, length) for columns in laid])


def _scored(columns: Columns, length: Floats) -> Columns:
    """The same columns with what their edges earn, an edge that serves as two rims counting once."""
    crest, worth = _crests(length, 2 * columns.count)
    rims = np.unique(crest[np.clip([*columns.lefts, *columns.rights], 0, len(length) - 1)])
    return replace(columns, score=float(worth[rims].sum()))


def _extended(columns: Columns, width: int) -> Columns:
    """The same columns and those beside them that the screen has room for: a seed's rough pitch may have left one out."""
    lefts, rights = list(columns.lefts), list(columns.rights)
    pitch = (lefts[-1] - lefts[0]) / (len(lefts) - 1)
    column = columns.width
    while len(lefts) < COLUMNS_MAX and lefts[0] - pitch >= -TOLERANCE_PX:
        lefts.insert(0, max(0, round(lefts[0] - pitch)))
        rights.insert(0, lefts[0] + column)
    while len(lefts) < COLUMNS_MAX and rights[-1] + pitch <= width + TOLERANCE_PX:
        rights.append(min(width, round(rights[-1] + pitch)))
        lefts.append(rights[-1] - column)
    return Columns(tuple(lefts), tuple(rights), columns.score)


def _distinct(readings: list[Columns]) -> tuple[Columns, ...]:
    """Most edge met first, in px; those within a few pixels of a better one left out."""
    found: dict[tuple[int, int, int], Columns] = {}
    for columns in sorted(readings, key=lambda columns: -columns.score * columns.width):
        found.setdefault((columns.count, columns.lefts[0] // 4, columns.width // 4), columns)
    return tuple(found.values())


def sharpened(columns: Columns, edges: Edges) -> Columns:
    """The same columns with width and phase settled: both rims of every gap on edges of their own where the gap has two.

    Seeds may have run from a tile's left edge to the next tile's left edge; every phase and width that keeps the pitch is
    judged by the edges it meets, an edge that serves as two rims counting once.
    """
    length = (edges.upright > 0).sum(axis=0).astype(np.float32)
    width = len(length) - 1
    crest, worth = _crests(length, 2 * columns.count)
    index = np.arange(columns.count)
    pitch, start = np.polyfit(index, columns.lefts, 1)
    shift = round(min(GAP_SHARE_MAX * pitch, GAP_PX_MAX * max(1.0, width / 540)))
    lead = start + np.arange(-shift, shift + 1)[:, None, None]
    column = round(pitch) + np.arange(-shift, 1)[None, :, None]
    lefts = np.rint(lead + pitch * index + 0 * column).astype(np.int64)
    rights = np.rint(lead + pitch * index + column).astype(np.int64)
    fits = (lefts[..., 0] >= -OVERRUN_SHARE * width) & (rights[..., -1] <= (1 + OVERRUN_SHARE) * width)
    lefts, rights = crest[lefts.clip(0, width)], crest[rights.clip(0, width)]
    earned = worth[lefts].sum(axis=-1) + worth[rights].sum(axis=-1)
    earned -= np.where(rights[..., :-1] == lefts[..., 1:], worth[rights[..., :-1]], 0.0).sum(axis=-1)
    earned = earned + WIDER * column[..., 0]
    best = np.unravel_index(np.argmax(np.where(fits, earned, -np.inf)), fits.shape)
    return Columns(tuple(lefts[best].tolist()), tuple(rights[best].tolist()), float(earned[best]))


def _crests(length: Floats, rims: int) -> tuple[NDArray[np.int64], Floats]:
    """For each x, the strongest edge within a pixel (x itself where there is none); and what meeting an edge at x earns.

    An edge within a pixel of a stronger one is its shadow: a gap of one pixel is read as none.
    """
    width = len(length) - 1
    at = np.arange(width + 1)
    padded = np.pad(length, 1)
    trio = np.stack([padded[:-2] - 0.01, length, padded[2:] - 0.01])
    crest = at + np.argmax(trio, axis=0) - 1
    crest = crest[crest.clip(0, width)]  # a shadow two steps from the crest follows its neighbour there
    crest = np.where((length[crest] > 0) & (np.abs(crest - at) <= 1), crest, at)
    full = float(np.sort(length[TOLERANCE_PX:-TOLERANCE_PX])[-rims:].mean()) + 1e-6
    worth = (np.minimum(2 * length / full, 1.0) ** 2 - EARNED).astype(np.float32)
    crest[:TOLERANCE_PX], crest[-TOLERANCE_PX:] = 0, width
    worth[0] = worth[-1] = 0.0
    return crest, worth


def _peaks(length: Floats) -> list[int]:
    """Positions of the longest upright edges, and both sides of the screen."""
    width = len(length) - 1
    highest = cv2.dilate(length[None, :], np.ones((1, 3), np.uint8))[0]
    at = np.flatnonzero((length == highest) & (length >= 0.07 * width))
    strongest = at[np.argsort(-length[at], kind="stable")][:PEAKS_MAX]
    return sorted({0, width, *(int(x) for x in strongest)})


def _seeds(peaks: list[int], width: int) -> NDArray[np.float64]:
    """Rows (left, column width, pitch): each pair of edges that can bound a column, with every gap that edges allow."""
    seeds: set[tuple[int, int, float]] = set()
    for i, left in enumerate(peaks):
        for right in peaks[i + 1 :]:
            column = right - left
            if not width / (COLUMNS_MAX + 1.5) <= column <= COLUMN_SHARE_MAX * width:
                continue
            widest = min(GAP_SHARE_MAX * column, GAP_PX_MAX * max(1.0, width / 540))
            seeds |= {(left, column, float(x - left)) for x in peaks if 0 <= x - right <= widest and x < width}
            if left <= 0.05 * width:
                seeds |= _tiling_seeds(left, column, width)
    return np.array(sorted(seeds), np.float64).reshape(-1, 3)


def _tiling_seeds(left: int, column: int, width: int) -> set[tuple[int, int, float]]:
    """What pitches make columns like this one tile the screen between equal margins: for pages that show one column only."""
    seeds = set()
    for count in range(2, COLUMNS_MAX + 1):
        gap = (width - 2 * left - count * column) / (count - 1)
        if -0.5 <= gap <= GAP_PX_MAX:
            seeds.add((left, column, column + max(0.0, gap)))
    return seeds


def _span(seeds: NDArray[np.float64], width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last column index, counted from the seed's own as 0, that fit the screen."""
    left, column, pitch = seeds.T
    first = np.ceil((-TOLERANCE_PX - left) / pitch)
    last = np.floor((width + TOLERANCE_PX - left - column) / pitch)
    return first.astype(np.int64), last.astype(np.int64)


def _scores(seeds: NDArray[np.float64], nearby: Floats) -> Floats:
    """What each seed's foretold edges earn; -inf where fewer than two or too many columns fit."""
    width = len(nearby) - 1
    left, column, pitch = seeds.T
    first, last = _span(seeds, width)
    index = first[:, None] + np.arange(COLUMNS_MAX)
    lefts = left[:, None] + pitch[:, None] * index
    at = np.concatenate([lefts, lefts + column[:, None]], axis=1)
    there = np.concatenate([index <= last[:, None]] * 2, axis=1) & (at > TOLERANCE_PX) & (at < width - TOLERANCE_PX)
    tall = nearby[np.clip(np.rint(at), 0, width).astype(np.int64)]
    full = _full_length(nearby, column)[:, None]
    earned = np.where(there, np.minimum(tall / full, 1.0) ** 2 - EARNED, 0.0).sum(axis=1) * 0.5
    count = last - first + 1
    return np.where((count >= 2) & (count <= COLUMNS_MAX), earned, -np.inf).astype(np.float32)


def _full_length(nearby: Floats, column: NDArray[np.float64]) -> NDArray[np.float64]:
    """The length of edge that counts as wholly present: most of one tile, or more where the screen's best edges are long."""
    return np.maximum(0.7 * column, 0.4 * float(np.sort(nearby[TOLERANCE_PX:-TOLERANCE_PX])[-LONGEST:].mean()))


def _refined(seed: NDArray[np.float64], nearby: Floats, length: Floats) -> Columns:
    """The seed's columns with pitch and phase fitted to the edges they meet, each edge put on its pixel."""
    width = len(length) - 1
    first, last = (int(x[0]) for x in _span(seed[None], width))
    left, column, pitch = (float(x) for x in seed)
    index = np.arange(first, last + 1)
    met = [(k, _nearest_edge(left + pitch * k, length)) for k in index]
    met = [(k, x) for k, x in met if TOLERANCE_PX < x < width - TOLERANCE_PX and length[x] > 0.2 * column]
    if len(met) >= 2:
        slope, start = np.polyfit([k for k, _ in met], [x for _, x in met], 1)
        if abs(slope - pitch) <= TOLERANCE_PX:
            pitch, left = float(slope), float(start)
    lefts = tuple(_nearest_edge(left + pitch * k, length) for k in index)
    rights = tuple(_nearest_edge(left + pitch * k + column, length) for k in index)
    score = float(_scores(np.array([[left, column, pitch]]), nearby)[0])
    return Columns(lefts, rights, score)


def _nearest_edge(x: float, length: Floats) -> int:
    """The strongest edge within tolerance of `x`; `x` rounded where there is none."""
    width = len(length) - 1
    middle = min(max(round(x), 0), width)
    if middle <= TOLERANCE_PX or middle >= width - TOLERANCE_PX:
        return 0 if middle <= TOLERANCE_PX else width
    around = np.arange(middle - TOLERANCE_PX, middle + TOLERANCE_PX + 1)
    strongest = around[np.argmax(length[around] - 0.01 * np.abs(around - x))]
    return int(strongest) if length[strongest] > 0 else middle
