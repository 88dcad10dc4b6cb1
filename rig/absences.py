"""Which phones are away, and whether that is their own fault or their host's.

When every phone of a platform goes away within a minute, it was not N phones that failed but what they share: usbmuxd, the adb
or hdc server, a hub (seen as "all iPhones offline until usbmuxd is restarted"). It is told of once, and no phone is blamed.
"""

from collections.abc import Mapping
from threading import Lock

WITHIN_S = 60.0
"""Phones are busy with calls of up to tens of seconds when the host fails, so they notice it one after the other."""


class Absences:
    """The phones of one sweep that are away. Used by all their threads."""

    def __init__(self, platforms: Mapping[str, str]) -> None:
        """`platforms` by letter, of the phones that take part."""
        self._lock = Lock()
        self._taking_part = dict(platforms)
        self._lost_at: dict[str, float] = {}
        self._told: set[str] = set()

    def lost(self, letter: str, now_s: float) -> tuple[str, ...]:
        """The phone is away. Returns the letters that a host incident, noticed by this, is about; none else."""
        with self._lock:
            self._lost_at.setdefault(letter, now_s)
            down = self._down_with(letter)
            news = down if not self._told.issuperset(down) else ()
            self._told.update(down)
            return news

    def back(self, letter: str) -> None:
        """The phone answers again."""
        with self._lock:
            self._lost_at.pop(letter, None)
            self._told.discard(letter)

    def out(self, letter: str) -> None:
        """The phone is done or was parked for a reason of its own: it says nothing of the host any more."""
        with self._lock:
            if not self._down_with(letter):
                self._taking_part.pop(letter, None)

    def down_with(self, letter: str) -> tuple[str, ...]:
        """The letters of all phones that went away together with this one, which are all of its platform; none else."""
        with self._lock:
            return self._down_with(letter)

    def _down_with(self, letter: str) -> tuple[str, ...]:
        platform = self._taking_part.get(letter)
        shared = sorted(other for other, its in self._taking_part.items() if its == platform)
        times = [self._lost_at[other] for other in shared if other in self._lost_at]
        if len(times) < 2 or len(times) < len(shared) or max(times) - min(times) > WITHIN_S:
            return ()
        return tuple(shared)
