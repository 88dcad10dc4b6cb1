"""What a phone of any platform has: a battery, a clock, and numbers of its own."""

import time
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from zoneinfo import ZoneInfo


@dataclass(slots=True)
class Battery:
    """The battery; None where the phone does not tell."""

    percent: int | None = 100
    temperature_c: float | None = 27.5
    plugged: bool = True


@dataclass(slots=True)
class Clock:
    """The phone's clock: the host's, plus what it is wrong by."""

    timezone: str
    wrong_by_s: float = 0.0
    booted_at: float = field(default_factory=time.monotonic)

    def now(self) -> datetime:
        """The phone's time in its own zone."""
        return datetime.fromtimestamp(self.epoch_s(), ZoneInfo(self.timezone))

    def epoch_s(self) -> float:
        """Seconds since 1970 as the phone believes."""
        return time.time() + self.wrong_by_s

    def uptime_s(self) -> float:
        """Seconds since the last boot."""
        return time.monotonic() - self.booted_at


def made_up(seed: str, digits: int = 16) -> str:
    """Hexadecimal digits that depend on `seed` only: serial numbers and ids."""
    return sha256(seed.encode()).hexdigest()[:digits]
