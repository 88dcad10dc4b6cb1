"""What the thumbnails of one search have in common: where their photos lie in the boxes, and where decorations cover them."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from matching.coarse import WEIGHTS as COARSE_WEIGHTS
from matching.coarse import FirstLook
from matching.placing import Room, Wish
from matching.registration import Step, step_towards, weighted_median
from matching.residual import COUNT, Mask, spread
from matching.shown import Pictures
from matching.views import COARSE, FINE

Floats = NDArray[np.float32]

SURE = 0.80
"""Likeness from which a thumbnail may help to place the grid (study's v4)."""
SURER = 0.90
"""The same at 192 px, where less is left unexplained."""
DETAILED = 100.0
"""Variance, grey levels²: less detail gives no place."""
_OTHERS_WEIGHT = 0.25
"""Of a thumbnail whose photo has siblings: it may be matched to the wrong one, whose shake is not the grid's."""
ISOLATED_RMS = 8.0
"""Grey levels to the nearest other photo from which it cannot be mistaken for it."""
_COVERED_SHARE = 0.35
"""A block dropped in so many sure thumbnails is a decoration of the grid; a gallery's video badge is on fewer."""
_ENOUGH = 4
"""Sure thumbnails from which a share, or the geometry of photos of one size, means anything."""
SAMPLED = 24
"""Sure thumbnails that geometry and tone are taken from: the median of so many is good to 0.01 px."""
_CANDIDATES = 8
"""Of a thumbnail that have a vote: a burst's frames."""
ROUNDS = (1.5 / FINE, 0.5 / FINE)
"""Votes, and how far apart wishes may be one in each: a step over 4 px is good to 1.5, the next one to half."""
_ELECTED = 0.4
"""Share of thumbnails that must agree before a grid is moved by a vote."""
_FARTHEST = 0.06
"""Moves beyond this share of a side are no misplaced lattice but a mistake."""
_ROUNDING = 0.003
"""Photos of one size are rounded alike by a gallery's decoder, by up to half a px of some 170–500: no farther than this."""
_DOUBT = 2.0
"""Thumbnails' worth of weight that a size's own offset is held back by."""


def weight_of(nearest_rms: float) -> float:
    """How far a thumbnail's wish is trusted, by how near its photo's nearest other is."""
    return 1.0 if nearest_rms > ISOLATED_RMS else _OTHERS_WEIGHT


def sure_ones(looks: Sequence[FirstLook], nearest_rms: Floats, most: int = SAMPLED) -> list[int]:
    """Places of up to `most` sure thumbnails, those whose photos have no like first."""
    sure = [p for p, look in enumerate(looks) if look.likeness > SURE and look.explained.variance > DETAILED]
    sure.sort(key=lambda place: -float(nearest_rms[looks[place].rows[0]]))
    return sure[:most]


def coarse_wish(look: FirstLook, seen: Floats, pictures: Pictures, weight: float, room: Room) -> Wish | None:
    """What a thumbnail, sampled where the grid is thought to lie, wishes at 64 px if its best candidate is right."""
    step = _coarse_step(look, seen, pictures, 0)
    return None if step is None else Wish(step, weight, room)


def voted(looks: Sequence[FirstLook], seen: Sequence[Floats], pictures: Pictures, alike: float) -> NDArray[np.float64]:
    """The move that most thumbnails wish by one of their candidates, whichever: (4,); none where too few agree.

    In a misplaced grid the frame of a burst that fits best is the one whose shake makes up for that: best candidates are wrong,
    and wish nothing. The right ones are further down, and they all wish the same; the others scatter as hands do.
    `alike`: how far apart two wishes may be one, as a share of a side.
    """
    ballots = []
    for look, picture in zip(looks, seen, strict=True):
        steps = [_coarse_step(look, picture, pictures, place) for place in range(min(len(look.rows), _CANDIDATES))]
        ballots.append(np.array([step.move for step in steps if step is not None]).reshape(-1, 4))
    told = np.concatenate(ballots) if ballots else np.zeros((0, 4))
    if not len(told):
        return np.zeros(4)
    # (wishes, voters) how near each voter's nearest wish comes
    near = np.stack(
        [_nearness(told, ballot, alike).max(axis=1) if len(ballot) else np.zeros(len(told)) for ballot in ballots], axis=1
    )
    elected = int(near.sum(axis=1).argmax())
    if near[elected].sum() < max(_ELECTED * len(ballots), _ENOUGH):
        return np.zeros(4)
    weights = _nearness(told, told[elected : elected + 1], alike)[:, 0]
    return np.asarray((told * weights[:, None]).sum(axis=0) / weights.sum())


def _coarse_step(look: FirstLook, seen: Floats, pictures: Pictures, candidate: int) -> Step | None:
    weights = COARSE_WEIGHTS * spread(look.explained.keep, COARSE)
    step = step_towards(seen, pictures[look.rows[candidate]].astype(np.float32), weights)
    return None if step is None or np.abs(step.move).max() > _FARTHEST else step


def _nearness(wishes: NDArray[np.float64], others: NDArray[np.float64], alike: float) -> NDArray[np.float64]:
    """(wishes, others) 1 where two wish the same, falling off as a bell."""
    apart = ((wishes[:, None] - others[None]) * np.array([1.0, 1.0, 0.5, 0.5])) ** 2
    return np.asarray(np.exp(-apart.sum(-1) / (2 * alike**2)))


def agreed_by_size(wishes: Sequence[Wish]) -> Mapping[Hashable, NDArray[np.float64]]:
    """The move of each size with enough wishes, held back where they are few and bounded by what rounding can do."""
    found: dict[Hashable, NDArray[np.float64]] = {}
    for size in {wish.size for wish in wishes}:
        same = [wish for wish in wishes if wish.size == size]
        if len(same) >= _ENOUGH:
            weight = sum(wish.weight for wish in same)
            found[size] = np.clip(_agreed(same) * (weight / (weight + _DOUBT)), -_ROUNDING, _ROUNDING)
    return found


def _agreed(wishes: Sequence[Wish]) -> NDArray[np.float64]:
    """The weighted median of the moves: (4,)."""
    weights = np.array([wish.weight for wish in wishes])
    return np.array([weighted_median(np.array([wish.step.move[part] for wish in wishes]), weights) for part in range(4)])


def covered_blocks(looks: Sequence[FirstLook]) -> Mask:
    """Blocks that so many sure thumbnails cannot explain that something lies over them everywhere: (256,)."""
    sure = [look for look in looks if look.likeness > SURE - 0.1 and look.explained.variance > DETAILED]
    if len(sure) < _ENOUGH:
        return np.zeros(COUNT, dtype=np.bool_)
    dropped = np.mean([~look.explained.keep & look.explained.usable for look in sure], axis=0)
    return np.asarray(dropped > _COVERED_SHARE, dtype=np.bool_)
