"""What the thumbnails of one phone's grid have in common, learned from several of its searches together.

A search that finds four frames of one burst cannot tell where its photos lie from how the hand shook; the phone's other
searches can. One decision: what was learned elsewhere is tried first and kept only where this search's own thumbnails lie as
it says. A section drawn in another way then stands alone, as if nothing had been learned.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from matching.index import SourceIndex
from matching.model import Image
from matching.pooling import DETAILED, SURER
from matching.search import Looked, Search, Shared
from matching.shapes import Shape, shapes_of
from matching.thumbnails import Thumbnail
from matching.views import FINE

LEARNED_FROM = 96
"""Thumbnails that suffice: half of them sure, a dozen of each room, place a grid to 0.02 px."""
_SAMPLED = 48
"""Sure thumbnails of them that are looked at closely: what a grid leaves unexplained differs more from photo to photo than
where it lies, and night scenes are few."""
_SAME_SIDE = 0.03
"""Relative difference of sides up to which two thumbnails are drawn alike; sections of other columns differ by 20 %."""
_ELSEWHERE = 0.3 / FINE
"""Median shift of sure thumbnails from which they do not lie as was learned."""


@dataclass(frozen=True, slots=True)
class Kin:
    """What was learned of the thumbnails of one size."""

    side_px: float
    shared: Shared


def learned_from(index: SourceIndex, crops: Sequence[Image]) -> tuple[Kin, ...]:
    """What square thumbnails of one phone share, one `Kin` for each size with enough of them to learn from.

    `crops` come from several searches, LEARNED_FROM of them or fewer, spread over the searches.
    """
    if not crops or not len(index):
        return ()
    sized = shapes_of([(crop.shape[1], crop.shape[0]) for crop in crops])
    squares = [crop for crop, item in zip(crops, sized, strict=True) if item.shape is Shape.SQUARE]
    found = []
    while squares:
        side = sorted(crop.shape[1] for crop in squares)[len(squares) // 2]
        alike = [crop for crop in squares if _alike(crop.shape[1], side)]
        squares = [crop for crop in squares if not _alike(crop.shape[1], side)]
        shared = Search(index, [Thumbnail(crop) for crop in alike], sampled=_SAMPLED).look().shared
        if shared.noise.learned:
            found.append(Kin(side, shared))
    return tuple(found)


def looked_at(index: SourceIndex, thumbnails: Sequence[Thumbnail], kin: Sequence[Kin]) -> Looked:
    """A look at one search's thumbnails, by what was learned of their like where that holds for them."""
    side = float(np.median([thumbnail.width for thumbnail in thumbnails]))
    for known in kin:
        if _alike(side, known.side_px):
            looked = Search(index, thumbnails, like=known.shared).look()
            if not _lie_elsewhere(looked):
                return looked
    return Search(index, thumbnails).look()


def _alike(side: float, other: float) -> bool:
    return abs(side / other - 1) <= _SAME_SIDE


def _lie_elsewhere(looked: Looked) -> bool:
    sure = [look for look in looked.second if look.explained.likeness(0) > SURER and look.explained.variance > DETAILED]
    shifts = [float(np.hypot(*look.step.move[:2])) for look in sure if look.step is not None]
    return not shifts or float(np.median(shifts)) > _ELSEWHERE
