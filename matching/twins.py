"""Photos closer to each other than a thumbnail can show, found when the index is built.

    neighbours   for each photo the most alike others, nearest first, with their RMS distance at 192 px
    twins        classes of photos within TWIN_RMS of *every* other member
    watched      pairs beyond it by so little that a harsh phone may still confuse them

One decision: every member of a class is a twin of every other. Chains (a like b, b like c) are not joined, or a slow burst
would become one photo.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.descriptor import LENGTH, SCALE
from matching.views import COARSE

TWIN_RMS = 1.0
"""Grey levels at 192 px. Below it the study's method was right for 29–92 % of thumbnails by profile, above it for 94–100 %."""
_COPY_RMS = 0.05
"""Pictures nearer than this are copies: recoding at the best quality leaves more."""
WATCH_RMS = 1.5
"""The study saw one wrong accept at 1.2."""
KEPT = 16
"""Neighbours kept a photo: more than a burst of twelve has."""
_LOOKED_AT = 64
"""Neighbours by descriptor whose pixels are compared; of the study's twins none was further down."""
_ALIKE = 0.80
"""Cosine of descriptors below which two photos are not compared by pixels; twins with any detail lie above 0.95."""
_CHUNK = 2048
"""Photos compared at once: 2048 × n float32 products, 29 MB for 3,600 photos."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Of each photo the most alike others: rows int32 (n, KEPT), -1 where there are fewer; RMS float32, inf there."""

    rows: NDArray[np.int32]
    rms: NDArray[np.float32]


def find_neighbours(descriptors: NDArray[np.int8], coarse: NDArray[np.uint8], fine: NDArray[np.uint8]) -> Neighbours:
    """The neighbours of every photo among all. Takes n² × 256 products: a second for 10,000 photos, two hours for a million."""
    count = len(descriptors)
    rows = np.full((count, KEPT), -1, dtype=np.int32)
    rms = np.full((count, KEPT), np.inf, dtype=np.float32)
    if count < 2:
        return Neighbours(rows, rms)
    for start in range(0, count, _CHUNK):
        stop = min(start + _CHUNK, count)
        alike = cosines(descriptors[start:stop].astype(np.float32) / SCALE, descriptors)
        alike[np.arange(stop - start), np.arange(start, stop)] = -1
        for place in range(stop - start):
            near = _most_alike(alike[place])
            row = start + place
            near_rms = _distances(row, near, coarse, fine)
            order = np.argsort(near_rms, kind="stable")[:KEPT]
            rows[row, : len(order)] = near[order]
            rms[row, : len(order)] = near_rms[order]
    return Neighbours(rows, rms)


def cosines(queries: NDArray[np.float32], descriptors: NDArray[np.int8], chunk: int = 16384) -> NDArray[np.float32]:
    """Products of queries (q, 256) with stored descriptors (n, 256): shape (q, n)."""
    found = np.empty((len(queries), len(descriptors)), dtype=np.float32)
    turned = np.ascontiguousarray(queries.T) / SCALE
    for start in range(0, len(descriptors), chunk):
        block = np.asarray(descriptors[start : start + chunk]).astype(np.float32).reshape(-1, LENGTH)
        found[:, start : start + len(block)] = (block @ turned).T
    return found


def classes(neighbours: Neighbours, limit_rms: float = TWIN_RMS) -> tuple[tuple[int, ...], ...]:
    """The twin classes as ascending rows, ordered by their first; photos without a twin are in none.

    Every two of a class are twins. Copies of one picture stand for one another: of thirty, none has all others among the
    neighbours that are kept.
    """
    copies = _copies(neighbours)
    near: dict[int, set[int]] = {first: set() for first in copies.values()}
    for row, other in _pairs(neighbours, 0.0, limit_rms):
        one, two = copies.get(row, row), copies.get(other, other)
        near.setdefault(one, set()).update({two} - {one})
        near.setdefault(two, set()).update({one} - {two})
    found: list[tuple[int, ...]] = []
    taken: set[int] = set()
    for first in sorted(near):
        if first in taken:
            continue
        alike = [first]
        for other in sorted(near[first] - taken):
            if all(other in near[member] for member in alike):
                alike.append(other)
        members = sorted({*alike, *(row for row, copied in copies.items() if copied in alike)})
        if len(members) > 1:
            taken.update(alike)
            found.append(tuple(members))
    return tuple(sorted(found))


def _copies(neighbours: Neighbours) -> dict[int, int]:
    """Of each row that is a copy of others, or has copies, the first of them all."""
    first: dict[int, int] = {}

    def leader(row: int) -> int:
        while first.get(row, row) != row:
            row = first[row]
        return row

    for row, other in _pairs(neighbours, 0.0, _COPY_RMS):
        low, high = sorted((leader(row), leader(other)))
        first[low], first[high] = low, low
    return {row: leader(row) for row in first}


def watched(neighbours: Neighbours) -> tuple[tuple[int, int, float], ...]:
    """Pairs (row, row, RMS) between TWIN_RMS and WATCH_RMS, nearest first."""
    pairs = sorted(_pairs(neighbours, TWIN_RMS, WATCH_RMS))
    found = [(row, other, _rms_of(neighbours, row, other)) for row, other in pairs]
    return tuple(sorted(found, key=lambda pair: pair[2]))


def _pairs(neighbours: Neighbours, above: float, below: float) -> Sequence[tuple[int, int]]:
    owners, places = np.nonzero((neighbours.rms >= above) & (neighbours.rms < below))
    others = neighbours.rows[owners, places]
    return sorted({(int(min(a, b)), int(max(a, b))) for a, b in zip(owners, others, strict=True)})


def _rms_of(neighbours: Neighbours, row: int, other: int) -> float:
    for a, b in ((row, other), (other, row)):
        place = np.nonzero(neighbours.rows[a] == b)[0]
        if len(place):
            return float(neighbours.rms[a, place[0]])
    return float("inf")


def _most_alike(alike: NDArray[np.float32]) -> NDArray[np.int64]:
    """At least KEPT of them, and up to _LOOKED_AT while they are truly alike."""
    limit = min(_LOOKED_AT, len(alike) - 1)
    near = np.argpartition(-alike, limit - 1)[:limit]
    near = near[np.argsort(-alike[near], kind="stable")]
    return near[: max(min(KEPT, limit), int((alike[near] > _ALIKE).sum()))]


def _distances(row: int, others: NDArray[np.int64], coarse: NDArray[np.uint8], fine: NDArray[np.uint8]) -> NDArray[np.float32]:
    """RMS at 64 px for all; at 192 px for those that may be twins, since averaging only ever brings pictures nearer."""
    mine = coarse[row].astype(np.float32).reshape(1, COARSE * COARSE)
    theirs = coarse[others].astype(np.float32).reshape(-1, COARSE * COARSE)
    rms = np.sqrt(((theirs - mine) ** 2).mean(1))
    whole = fine[row].astype(np.float32)
    for place in np.nonzero(rms < WATCH_RMS)[0]:
        rms[place] = np.sqrt(((fine[others[place]] - whole) ** 2).mean())
    return np.asarray(rms, dtype=np.float32)
