"""What a check says, and what all checks together mean for the exit code."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from rig.errors import ExitCode

UNREACHABLE = "lab."
"""Ids of checks of the lab's own phones begin so."""


class Level(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARN = "warn"
    """A sweep may begin; somebody should know."""
    FAIL = "fail"
    """A sweep would fail, or what it measures could not be trusted."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at."""

    id: str
    status: Level
    evidence: str
    """What was found."""
    fix: str = ""
    """What to do next; "" when nothing is."""


def exit_code(checks: Sequence[Check]) -> ExitCode:
    """4 when a phone of the lab cannot be reached, 2 when something else fails, else 0."""
    failed = [check for check in checks if check.status is Level.FAIL]
    if any(check.id.startswith(UNREACHABLE) for check in failed):
        return ExitCode.INFRASTRUCTURE
    return ExitCode.USAGE if failed else ExitCode.COMPLETE


def checks_told(checks: Sequence[Check]) -> dict[str, object]:
    """As one document."""
    return {"schema_version": 1, "exit_code": int(exit_code(checks)), "checks": [asdict(check) for check in checks]}
