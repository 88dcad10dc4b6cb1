"""Whether "nothing" was said where nothing is right (paper, Appendix B.2), pooled over queries.

            answer empty          answer not empty
g empty     A correct rejection   C missed rejection
g not empty B false rejection     D correct non-rejection

Rej-P = A/(A+B), Rej-R = A/(A+C), Rej-F1 = 2A/(2A+B+C). A denominator of 0 makes a score undefined.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from rig.metrics.bounded import Bounded


@dataclass(frozen=True, slots=True)
class Decision:
    """What one query's answer says of rejection."""

    is_zero: bool
    """True for a zero-ground-truth query."""
    empty: bool | None
    """True when the answer counts as empty; None when it counts as nothing at all."""
    seen: bool
    """False when nobody saw an answer, whatever it counts as."""


@dataclass(frozen=True, slots=True)
class RejectionCounts:
    """A, B, C, D of Appendix B.2."""

    correct_rejections: int
    """A"""
    false_rejections: int
    """B"""
    missed_rejections: int
    """C"""
    correct_non_rejections: int
    """D"""

    @property
    def precision(self) -> float | None:
        """A / (A + B), or None when nothing was rejected."""
        return _ratio(self.correct_rejections, self.correct_rejections + self.false_rejections)

    @property
    def recall(self) -> float | None:
        """A / (A + C), or None when there was nothing to reject."""
        return _ratio(self.correct_rejections, self.correct_rejections + self.missed_rejections)

    @property
    def f1(self) -> float | None:
        """2A / (2A + B + C), or None when there was nothing to reject and nothing rejected."""
        a = self.correct_rejections
        return _ratio(2 * a, 2 * a + self.false_rejections + self.missed_rejections)


@dataclass(frozen=True, slots=True)
class Rejection:
    """The counts, and the scores with their bounds over the unanswered queries."""

    counts: RejectionCounts
    unanswered_normal: int
    unanswered_zero: int
    precision: Bounded
    recall: Bounded
    f1: Bounded


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def score_rejection(decisions: Iterable[Decision]) -> Rejection:
    """The rejection scores of these decisions.

    All three scores grow with A and fall with B, so the ends over the unseen are reached at the ends of the two.
    """
    decisions = list(decisions)
    counts, seen = _count(decisions), _count(d for d in decisions if d.seen)
    a, b, c, d = seen.correct_rejections, seen.false_rejections, seen.missed_rejections, seen.correct_non_rejections
    open_zero = sum(not d.seen and d.is_zero for d in decisions)
    open_normal = sum(not d.seen and not d.is_zero for d in decisions)
    low = RejectionCounts(a, b + open_normal, c + open_zero, d)
    high = RejectionCounts(a + open_zero, b, c, d + open_normal)
    return Rejection(
        counts=counts,
        unanswered_normal=open_normal,
        unanswered_zero=open_zero,
        precision=_bounded(counts.precision, low.precision, high.precision),
        recall=_bounded(counts.recall, low.recall, high.recall),
        f1=_bounded(counts.f1, low.f1, high.f1),
    )


def _count(decisions: Iterable[Decision]) -> RejectionCounts:
    pairs = [(d.is_zero, d.empty) for d in decisions]
    return RejectionCounts(*(pairs.count(pair) for pair in ((True, True), (False, True), (True, False), (False, False))))


def _bounded(value: float | None, low: float | None, high: float | None) -> Bounded:
    """An end at which the score is undefined gives way to the other: the bounds run over the defined cases."""
    return Bounded(value, high if low is None else low, low if high is None else high)
