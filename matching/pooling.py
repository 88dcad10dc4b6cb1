"""What the thumbnails of one search have in common: where their photos lie in the boxes, and where decorations cover them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matching.coarse import WEIGHTS as COARSE_WEIGHTS
from matching.coarse import FirstLook
from matching.registration import Geometry, Step, pooled, step_towards
from matching.residual import COUNT, Mask, spread
from matching.views import COARSE

Floats = NDArray[np.float32]

_SURE = 0.80
"""Likeness from which a thumbnail may help to place the grid (study's v4)."""
_DETAILED = 100.0
"""Variance, grey levels²: less detail gives no place."""
_OTHERS_WEIGHT = 0.25
"""Of a thumbnail whose photo has siblings: it may be matched to the wrong one, whose shake is not the grid's."""
_ISOLATED_RMS = 8.0
"""Grey levels to the nearest other photo from which it cannot be mistaken for it."""
_COVERED_SHARE = 0.35
"""A block dropped in so many sure thumbnails is a decoration of the grid; a gallery's video badge is on fewer."""
_ENOUGH = 4
"""Sure thumbnails from which a share means anything."""
_FARTHEST = 0.06
"""Moves beyond this share of a side are no misplaced lattice but a mistake."""


def geometry_from(
    looks: Sequence[FirstLook], seen: Sequence[Floats], pictures: NDArray[np.uint8], nearest_rms: Floats, geometry: Geometry
) -> Geometry:
    """`geometry` moved to where the sure thumbnails, sampled at it, agree; unchanged when none is sure."""
    steps: list[Step] = []
    weights: list[float] = []
    for look, thumbnail in zip(looks, seen, strict=True):
        if look.likeness < _SURE or look.explained.variance < _DETAILED:
            continue
        row = int(look.rows[0])
        weight = COARSE_WEIGHTS * spread(look.explained.keep, COARSE)
        step = step_towards(thumbnail, pictures[row].astype(np.float32), weight)
        if step is not None and np.abs(step.move).max() < _FARTHEST:
            steps.append(step)
            weights.append(1.0 if nearest_rms[row] > _ISOLATED_RMS else _OTHERS_WEIGHT)
    return geometry.after(pooled(steps, weights)) if steps else geometry


def covered_blocks(looks: Sequence[FirstLook]) -> Mask:
    """Blocks that so many sure thumbnails cannot explain that something lies over them everywhere: (256,)."""
    sure = [look for look in looks if look.likeness > _SURE - 0.1 and look.explained.variance > _DETAILED]
    if len(sure) < _ENOUGH:
        return np.zeros(COUNT, dtype=np.bool_)
    dropped = np.mean([~look.explained.keep & look.explained.usable for look in sure], axis=0)
    return np.asarray(dropped > _COVERED_SHARE, dtype=np.bool_)
