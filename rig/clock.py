"""Time as an argument: what the wall says, how long it has been, and waiting that can be cut short."""

import time
from datetime import UTC, datetime
from threading import Event
from typing import Protocol


class Clock(Protocol):
    """What the engine knows of time."""

    def utc(self) -> datetime:
        """The wall clock, aware, UTC. For records only: it can be set back or forth."""

    def elapsed_s(self) -> float:
        """Seconds since some fixed moment; never set, never stops."""

    def wait(self, seconds: float, stop: Event) -> bool:
        """Returns after `seconds`, or at once when `stop` is set; True when it is set."""


class SystemClock:
    """The host's clocks. On Linux elapsed time counts suspension: a phone goes on while a laptop sleeps."""

    def utc(self) -> datetime:
        """The wall clock, aware, UTC."""
        return datetime.now(UTC)

    def elapsed_s(self) -> float:
        """Seconds since the host started."""
        if hasattr(time, "CLOCK_BOOTTIME"):
            return time.clock_gettime(time.CLOCK_BOOTTIME)
        return time.monotonic()

    def wait(self, seconds: float, stop: Event) -> bool:
        """Returns after `seconds` of elapsed time, or when `stop` is set; True when it is set."""
        return stop.wait(max(0.0, seconds))
