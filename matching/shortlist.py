"""The few dozen photos that a thumbnail may show, by exact products of descriptors with every photo of the index.

One decision: exact, not approximate. Approximate indexes have been reported to miss even a distance of zero (pgvector #972,
faiss #5387); a million photos are 256 MB of int8, read once for all thumbnails of a grid.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matching.descriptor import SCALE
from matching.twins import Neighbours

Floats = NDArray[np.float32]

FEWEST = 24
MOST = 64
_WITHIN = 0.10
"""All within this cosine of the best are taken, at least FEWEST and at most MOST (study's v4: 99.4–100 % contain the photo)."""
_CHUNK = 32768
"""Photos unpacked at once: 32 MB of float32, which stays near the processor."""
_FOLLOWED = 3
"""Bursts of so many best photos are taken in whole."""
_SAME_BURST_RMS = 12.0
"""Grey levels at 64 px: frames of one burst; unrelated photos of the study lie beyond 20."""


def nearest(
    queries: Floats, descriptors: NDArray[np.int8], allowed: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.intp], Floats]:
    """The MOST best rows for each query, best first, and their cosines: both (q, up to MOST).

    `allowed` (q, n) narrows the rows of each query; those beyond get cosine -1.
    """
    count = min(MOST, len(descriptors))
    rows = np.zeros((len(queries), 0), dtype=np.intp)
    best = np.zeros((len(queries), 0), dtype=np.float32)
    turned = np.ascontiguousarray((queries / SCALE).T, dtype=np.float32)
    for start in range(0, len(descriptors), _CHUNK):
        block = np.asarray(descriptors[start : start + _CHUNK], dtype=np.float32)
        alike = np.ascontiguousarray((block @ turned).T)
        if allowed is not None:
            alike[~allowed[:, start : start + _CHUNK]] = -1
        rows, best = _merged(rows, best, alike, start, count)
    order = np.argsort(-best, axis=1, kind="stable")
    return np.take_along_axis(rows, order, 1), np.take_along_axis(best, order, 1)


def _merged(rows: NDArray[np.intp], best: Floats, alike: Floats, start: int, count: int) -> tuple[NDArray[np.intp], Floats]:
    """The `count` best of those held and a further chunk."""
    if best.shape[1] < count:
        places = np.broadcast_to(np.arange(start, start + alike.shape[1]), alike.shape)
        joined, where = np.concatenate([best, alike], 1), np.concatenate([rows, places], 1)
        if joined.shape[1] <= count:
            return where, joined
        chosen = np.argpartition(-joined, count - 1, axis=1)[:, :count]
        return np.take_along_axis(where, chosen, 1), np.take_along_axis(joined, chosen, 1)
    floor = best.min(1)
    for query in range(len(best)):
        better = np.nonzero(alike[query] > floor[query])[0]
        if len(better):
            joined = np.concatenate([best[query], alike[query, better]])
            where = np.concatenate([rows[query], better + start])
            chosen = np.argpartition(-joined, count - 1)[:count]
            best[query], rows[query] = joined[chosen], where[chosen]
    return rows, best


def shortlist(rows: NDArray[np.intp], cosines: Floats, neighbours: Neighbours) -> NDArray[np.intp]:
    """Of one thumbnail's nearest rows those worth looking at, with the bursts of the best in whole; best first."""
    near = int(np.clip((cosines > cosines[0] - _WITHIN).sum(), FEWEST, MOST))
    taken = rows[:near]
    others = neighbours.rows[taken[:_FOLLOWED]]
    burst = others[(neighbours.rms[taken[:_FOLLOWED]] < _SAME_BURST_RMS) & (others >= 0)]
    extra: Sequence[int] = sorted(set(burst.tolist()) - set(taken.tolist()))
    return np.concatenate([taken, np.array(extra, dtype=np.intp)])
