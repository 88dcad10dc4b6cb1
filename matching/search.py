"""All thumbnails of one search, looked at together.

shortlist ─ first look ─ geometry ─ first look again ─ covered blocks ─ second look
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.coarse import FirstLook, first_looks
from matching.descriptor import describe
from matching.fine import SecondLook, second_look, worth_a_second_look
from matching.index import SourceIndex
from matching.pooling import covered_blocks, geometry_from
from matching.registration import Geometry
from matching.residual import Mask
from matching.shortlist import nearest, shortlist
from matching.thumbnails import Thumbnail

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Looked:
    """What was seen of one search."""

    geometry: Geometry
    covered: Mask
    first: Sequence[FirstLook]
    second: Sequence[SecondLook]


def look_at(index: SourceIndex, thumbnails: Sequence[Thumbnail]) -> Looked:
    """Looks at thumbnails of one search that show centre squares."""
    rows = index.rows
    geometry = Geometry()
    coarse = [thumbnail.coarse(geometry) for thumbnail in thumbnails]
    lists = _shortlists(index, coarse)
    first = first_looks(coarse, lists, rows.square_coarse)
    for _ in range(2):
        geometry = geometry_from(first, coarse, rows.square_coarse, index.nearest_rms, geometry)
        coarse = [thumbnail.coarse(geometry) for thumbnail in thumbnails]
        covered = covered_blocks(first)
        first = first_looks(coarse, lists, rows.square_coarse, covered)
    second = []
    for thumbnail, look in zip(thumbnails, first, strict=True):
        candidates = worth_a_second_look(look.rows, look.explained.residual)
        second.append(second_look(thumbnail.seen(geometry).fine, candidates, rows.square_fine, covered))
    return Looked(geometry, covered, first, second)


def _shortlists(index: SourceIndex, coarse: Sequence[Floats]) -> list[NDArray[np.intp]]:
    rows, cosines = nearest(describe(np.stack(coarse)), index.rows.square)
    return [shortlist(rows[place], cosines[place], index.neighbours) for place in range(len(coarse))]
