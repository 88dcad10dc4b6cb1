"""First look, at 64 px: which of the shortlisted photos explain each thumbnail at all, and which parts nobody explains."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.residual import Explained, Mask, References, border_weights, compare, explain, plain_residuals
from matching.shown import Pictures
from matching.views import COARSE

Floats = NDArray[np.float32]

WEIGHTS = border_weights(COARSE)
_LOOKED_AT = 12
"""Candidates whose blocks are examined, after a plain ranking: the mask needs one good explanation, not all of them."""
_TOGETHER = 48
"""Thumbnails whose candidates are unpacked together: up to 48 × 80 × 16 kB = 63 MB, less where they share."""


@dataclass(frozen=True, slots=True)
class FirstLook:
    """One thumbnail's candidates, best first, and how they explain it."""

    rows: NDArray[np.intp]
    explained: Explained
    """Of `rows`, same order."""

    @property
    def likeness(self) -> float:
        """Of the best candidate."""
        return self.explained.likeness(0)


def first_looks(
    seen: Sequence[Floats], shortlists: Sequence[NDArray[np.intp]], pictures: Pictures, never: Mask | None = None
) -> list[FirstLook]:
    """A look at each thumbnail; `pictures` are the index's coarse references, `never` the blocks known to be covered."""
    looks: list[FirstLook] = []
    for start in range(0, len(seen), _TOGETHER):
        part = shortlists[start : start + _TOGETHER]
        union = np.unique(np.concatenate(part))
        references = References.of(pictures[union], WEIGHTS)
        for thumbnail, rows in zip(seen[start : start + _TOGETHER], part, strict=True):
            looks.append(_look(thumbnail, rows, references.only(np.searchsorted(union, rows)), never))
    return looks


def _look(seen: Floats, rows: NDArray[np.intp], references: References, never: Mask | None) -> FirstLook:
    promising = np.argsort(plain_residuals(seen, references, WEIGHTS, never), kind="stable")[:_LOOKED_AT]
    explained = explain(compare(seen, references.only(promising), WEIGHTS), never=never)
    order = np.argsort(explained.residual, kind="stable")
    return FirstLook(rows[promising[order]], explained.in_order(order))
