"""From evidence to a verdict: matched, ambiguous or stranger. Never a guess."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Every number a verdict hangs on, and where it comes from."""

    likeness: float = 0.85
    """Variance explained. Study: 0 of 1,440 unrelated thumbnails accepted at 0.85, 2 at 0.80."""
    decided: float = 0.70
    """t of the nearest rival (1: the best is right, ½: undecidable). Study: 0.70."""
    detail: float = 15.0
    """Variance of the thumbnail in grey levels²: below it is flat. Study: 15."""
    kept: float = 0.65
    """Share of blocks that some candidate explains. Study: costs ≤ 0.1 % of right accepts."""
    residual: float = 5.0
    """Residual ÷ what this grid leaves on thumbnails of the same detail. Study: 5."""


CALIBRATED = Thresholds()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The numbers of one thumbnail."""

    likeness: float
    decided: float
    detail: float
    kept: float
    residual: float
