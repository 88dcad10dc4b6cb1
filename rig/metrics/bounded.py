"""A number with what it could be: the value, and the lowest and highest that what was left open allows."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Self


@dataclass(frozen=True, slots=True)
class Bounded:
    """A score in [0, 1] (or a change in per cent) between its bounds; low <= value <= high where all are defined.

    `value` is None where the score is undefined or nothing was answered; `low` and `high` run over the cases in which
    the score is defined, and are None when there is none.
    """

    value: float | None
    low: float | None
    high: float | None

    @classmethod
    def exact(cls, value: float | None) -> Self:
        """A score that nothing widens."""
        return cls(value, value, value)


UNDEFINED = Bounded(None, None, None)
UNKNOWN = Bounded(None, 0.0, 1.0)
"""The score of a query that nobody saw answered: it may be anything."""


def mean(scores: Iterable[Bounded]) -> Bounded:
    """The mean of the known values; its bounds are the means of all bounds, so what is unknown widens them.

    >>> mean([Bounded.exact(0.5), UNKNOWN])
    Bounded(value=0.5, low=0.25, high=0.75)
    """
    scores = list(scores)
    return Bounded(
        _mean(s.value for s in scores),
        _mean(s.low for s in scores),
        _mean(s.high for s in scores),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return fmean(known) if known else None


def relative_change_percent(before: Bounded, after: Bounded) -> Bounded:
    """100 (after - before) / before, from unrounded values; None where `before` is 0 or either is undefined.

    The paper's Table 6 deltas are of this form. The bounds take the two as independent, which they are when they come
    from different queries.
    """
    return Bounded(
        _change(before.value, after.value),
        _change(before.high, after.low),
        _change(before.low, after.high),
    )


def _change(before: float | None, after: float | None) -> float | None:
    if before is None or after is None or before == 0:
        return None
    return 100 * (after - before) / before
