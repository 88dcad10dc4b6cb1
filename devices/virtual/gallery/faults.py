"""Faults of the screen that a test switches on by name: what real phones do to people who drive them.

A fault holds from now on, or passes over `after_query` searches first; with a `count` it ends by itself at the next search
after so many have met it, with `lasts_s` when its time is over. A dialog or lock that the user dismisses is gone until the
next search that the fault meets.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class FaultName(StrEnum):
    """What can be switched on."""

    SPINNER_FOREVER = "spinner_forever"
    """A submitted search never ends."""
    ANR_DIALOG = "anr_dialog"
    """"Gallery isn't responding" over everything."""
    INDEXING_BANNER = "indexing_banner"
    """"Indexing 43 %" in place of results."""
    PERMISSION_PROMPT = "permission_prompt"
    LOCK = "lock"
    SCREEN_OFF = "screen_off"
    BLACK_FRAME = "black_frame"
    """Screenshots are black while the tree is as usual."""
    STALE_GRID = "stale_grid"
    """A new search leaves the old grid where it is."""
    KEYBOARD_STUCK = "keyboard_stuck"
    """The keyboard does not close."""
    NOTIFICATION = "notification"
    """A heads-up message over the top of the screen."""
    TEXT_GARBLED = "text_garbled"
    """The field holds another text than was entered."""
    SCROLL_JITTER = "scroll_jitter"
    """Drags go up to 1.5 rows too far or too short."""
    WRONG_APP = "wrong_app"
    """Another app has come to the front."""
    SUGGESTIONS_ONLY = "suggestions_only"
    """A search leads back to the suggestions."""
    SYSTEM_UPDATE_DIALOG = "system_update_dialog"
    CELLS_MISSING = "cells_missing"
    """The tree tells of no cells, as on a stale accessibility cache."""


JITTER_ROWS = 1.5
"""How far `scroll_jitter` throws a drag (reported of real phones: the same swipe lands 114 px apart and more)."""


HEADS_UP_S = 5.0
"""How long a notification stays over the screen unless told otherwise: Android's own time."""


@dataclass(slots=True)
class Fault:
    """One fault that is switched on."""

    name: FaultName
    count: int | None
    waits: int
    """Searches still to be submitted until it holds; the last of them meets it."""
    lasts_s: float | None
    """Seconds that it holds after it began; None for no such limit."""
    began_s: float
    met: int = 0
    dismissed: bool = False


class Faults:
    """The faults of one phone, whose `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._armed: dict[FaultName, Fault] = {}

    def set(self, name: str, *, count: int | None = None, after_query: int = 0, lasts_s: float | None = None) -> None:
        """Switches on the fault of that name. Raises ValueError for an unknown name."""
        known = FaultName(name)
        if known is FaultName.NOTIFICATION and lasts_s is None:
            lasts_s = HEADS_UP_S
        self._armed[known] = Fault(known, count, after_query + 1 if after_query else 0, lasts_s, self._clock())

    def clear(self, name: str | None = None) -> None:
        """Switches off one fault, or all."""
        if name is None:
            self._armed.clear()
        else:
            self._armed.pop(FaultName(name), None)

    def holds(self, name: FaultName) -> bool:
        """True while the fault is in force."""
        fault = self._armed.get(name)
        return fault is not None and not fault.waits and not fault.dismissed and not self._over(fault)

    def meets_next_search(self, name: FaultName) -> bool:
        """True when the next search to be submitted will meet the fault: for faults that strike while it is being typed."""
        fault = self._armed.get(name)
        if fault is None or self._over(fault):
            return False
        return fault.waits <= 1 and (fault.count is None or fault.met < fault.count)

    def dismiss(self, name: FaultName) -> None:
        """The user has put it right for now."""
        fault = self._armed.get(name)
        if fault is not None:
            fault.dismissed = True

    def search_submitted(self) -> None:
        """Counts a search: faults begin with the one they wait for, and end when enough have met them."""
        for fault in list(self._armed.values()):
            fault.waits = max(0, fault.waits - 1)
            if fault.waits:
                continue
            if fault.count is not None and fault.met >= fault.count:
                del self._armed[fault.name]
                continue
            fault.met += 1
            fault.dismissed = False
            fault.began_s = self._clock()

    def _over(self, fault: Fault) -> bool:
        return not fault.waits and fault.lasts_s is not None and self._clock() >= fault.began_s + fault.lasts_s

    def active(self) -> tuple[str, ...]:
        """Names of the faults in force."""
        return tuple(name for name in self._armed if self.holds(name))
