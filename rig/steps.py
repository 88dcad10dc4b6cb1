"""What a trial does next: a pure function of what is recorded.

no attempt ───────────────► new attempt ──► reset ──► import ──► index ──► query ──► finished
a phase failed ───────────► new attempt, as long as failures are allowed
reset or import cut short ► new attempt
index, query cut short ───► go on (the phase first proves that the phone is as it was left)
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rig.records import Attempt, Phase, Status


@dataclass(frozen=True, slots=True)
class NewAttempt:
    """Begin again from reset."""


@dataclass(frozen=True, slots=True)
class Work:
    """Do this phase of the latest attempt; `resumed` when an earlier process began it."""

    phase: Phase
    resumed: bool


@dataclass(frozen=True, slots=True)
class Finished:
    """Nothing is left to do in this session."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Too many attempts failed; `cause` is the last one's."""

    cause: str


Step = NewAttempt | Work | Finished | GiveUp

ENDURING = frozenset({Phase.INDEX, Phase.QUERY})
"""Phases that can go on where an earlier process left them."""


def next_step(attempts: Sequence[Attempt], failures_allowed: int) -> Step:
    """What to do, given all attempts of a trial; `failures_allowed` is how many may fail before the trial is given up."""
    if not attempts:
        return NewAttempt()
    latest = attempts[-1].phases
    failed = [record for record in latest.values() if record.status is Status.FAILED]
    if failed:
        return GiveUp(failed[0].detail) if failures(attempts) >= failures_allowed else NewAttempt()
    for phase in Phase:
        record = latest.get(phase)
        if record is None:
            return Work(phase, resumed=False)
        if record.status is Status.STARTED:
            return Work(phase, resumed=True) if phase in ENDURING else NewAttempt()
    return Finished()


def failures(attempts: Sequence[Attempt]) -> int:
    """Attempts that failed; one that was merely cut short did not."""
    return sum(any(record.status is Status.FAILED for record in attempt.phases.values()) for attempt in attempts)
