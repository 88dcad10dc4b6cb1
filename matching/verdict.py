"""From evidence to a verdict: matched, ambiguous or stranger. Never a guess.

    trust    log-odds that the best candidate is the photo, against a burst sibling standing in for it

         = trust_base − per_undecided·(1 − t) − per_excess·(residual over the grid's noise)
           − per_unexplained·ln(1 + blocks nobody explains, off the edges) − per_shift·ln(1 + shift) − per_growth·ln(1 + growth)

One decision: the terms are added, not gated one by one. A decimating phone leaves unexplained blocks on right photos, a near
sibling leaves t undecided; only together do they tell the two apart (at 5 % of absent siblings accepted, gates kept 95 % of
right matches on a budget phone, the sum keeps 97 %). `python -m tests.bench.calibrate` refits the weights and prints the curve.
"""

import math
from dataclasses import dataclass

import numpy as np

from matching.fine import SecondLook
from matching.noise import Noise
from matching.residual import BLOCKS, Mask


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Every number a verdict hangs on, and where it comes from."""

    likeness: float = 0.85
    """Variance explained, below which it is a stranger. Study: 0 of 1,440 unrelated thumbnails reach 0.85, 2 reach 0.80."""
    detail: float = 15.0
    """Variance of a thumbnail, grey levels², below which it is flat and never decided. Study: 15."""
    kept: float = 0.55
    """Share of blocks that some candidate explains. Study: 0.65 costs ≤ 0.1 % of right matches; a tick and a video shade on one
    cell cover 0.3."""
    decided: float = 0.70
    """t of the nearest rival, below which no trust helps. The study's gate; here it costs 0.03 % of right matches."""
    trust: float = 1.6
    """Log-odds, 5 : 1. Off the curve of tests.bench.calibrate: on the five ordinary tuned profiles 96.3 % accepted and right,
    1 of 3,910 accepted wrong, 4.4 % of absent siblings accepted; on the harshest 89.5 %, 5 of 721, 7.1 %."""
    alone: float = -2.0
    """Trust without its t term below which it is not matched, however far the rivals are."""
    foreign: float = -2.0
    """Trust without its t term, below which the residual alone says that the photo is not in the album: a stranger."""
    trust_base: float = 6.26
    per_undecided: float = 14.7
    per_excess: float = 0.64
    per_unexplained: float = 0.92
    per_shift: float = 0.63
    per_growth: float = 0.79
    """Weights of the log-odds, by logistic regression over right matches and siblings on the tuned profiles and photos."""
    strangers: bool = True
    """Whether what no photo explains is no photo of the album; if not, it may be one with something over it: undecided."""
    twice: float = 1.5
    """A photo claimed twice stays with both only if their trust differs by less: the same photo in two sections does."""


CALIBRATED = Thresholds()
"""For thumbnails of unknown origin: half of those that look like a photo of the album may show a sibling that is not in it."""

CLOSED = Thresholds(decided=0.80, trust=-math.inf, alone=0.5, per_excess=0.3, per_unexplained=0.3, strangers=False)
"""For a phone that is proven to hold the album and nothing else: no sibling is absent, so that rivals speak against the best,
and how badly a photo is shown hardly does. `python -m tests.bench.trials` prints what it accepts."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The numbers of one thumbnail's best candidate."""

    likeness: float
    """Share of the thumbnail's variance that it explains."""
    decided: float
    """t against its nearest rival outside its twin class (1: right, ½: undecidable)."""
    excess: float
    """Residual over the grid's noise, standard deviations of ln."""
    unexplained: float
    """Blocks nobody explains, off the edges where decorations lie."""
    shift: float
    growth: float
    """How far it lies from the grid's geometry, in the grid's own scatter."""
    detail: float
    """Variance, grey levels²."""
    kept: float
    """Share of blocks some candidate explains."""
    residual: float
    """Mean squared residual, grey levels²."""

    def trust_but_for_rivals(self, thresholds: Thresholds) -> float:
        """Log-odds without the t term."""
        return (
            thresholds.trust_base
            - thresholds.per_excess * max(self.excess, 0.0)
            - thresholds.per_unexplained * float(np.log1p(self.unexplained))
            - thresholds.per_shift * float(np.log1p(self.shift))
            - thresholds.per_growth * float(np.log1p(self.growth))
        )

    def trust(self, thresholds: Thresholds) -> float:
        """Log-odds that the best candidate is the photo."""
        undecided = min(max(1 - self.decided, 0.0), 1.0)
        return self.trust_but_for_rivals(thresholds) - thresholds.per_undecided * undecided


def evidence_of(look: SecondLook, noise: Noise, twins: tuple[int, ...]) -> Evidence:
    """The evidence of a second look; `twins` are rows that are no rivals of the best."""
    explained = look.explained
    residual = float(explained.residual[0])
    move = np.zeros(4) if look.step is None else look.step.move
    return Evidence(
        likeness=explained.likeness(0),
        decided=min((rival.t for rival in look.rivals if rival.row not in twins), default=_untested(look, twins)),
        excess=noise.excess(residual, look.slope),
        unexplained=float((_INNER & explained.usable & ~explained.keep).sum()),
        shift=float(np.hypot(move[0], move[1])) / noise.scatter,
        growth=float(np.hypot(move[2], move[3])) / noise.growth,
        detail=explained.detail,
        kept=explained.kept_share,
        residual=residual,
    )


def _untested(look: SecondLook, twins: tuple[int, ...]) -> float:
    """t where all rivals looked at are twins of the best: ½ when another photo, not looked at, explains as much; else 1."""
    left = look.explained.residual
    others = [place for place, row in enumerate(look.rows) if int(row) not in twins]
    return 0.5 if others and float(left[others].min()) < _AS_WELL * float(left[0]) + _AS_WELL_FLOOR else 1.0


_AS_WELL, _AS_WELL_FLOOR = 1.5, 1.0
"""Residuals, times and grey levels², up to which another photo explains a thumbnail as well as the best."""


def _inner_blocks() -> Mask:
    """Off the top and bottom quarter, where badges, ticks, hearts and video shades lie, and off the sides' edges."""
    inner = np.zeros((BLOCKS, BLOCKS), dtype=np.bool_)
    inner[4:12, 1:15] = True
    return inner.ravel()


_INNER = _inner_blocks()
