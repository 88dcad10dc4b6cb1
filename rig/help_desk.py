"""Asking a person to act at a phone, and knowing when it was over and how long it took.

The driver asks from its own thread and goes on by itself when the phone comes back; until then, what is to be done stands on
the board.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Lock

from drivers.interface import Operator
from rig.clock import Clock
from rig.events import Event, Sink
from rig.progress import Asks, Board
from rig.records import PhoneRecord


@dataclass(frozen=True, slots=True)
class Acted:
    """That a person was asked, what for, and how long the phone then took to be well again."""

    asked_at: datetime
    seconds: float
    checklist: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Call:
    asked_at: datetime
    began_s: float
    checklist: tuple[str, ...]


class HelpDesk:
    """The calls for a person of all phones of a sweep. Any thread may use it."""

    def __init__(self, board: Board, emit: Sink, clock: Clock) -> None:
        self._board, self._emit, self._clock = board, emit, clock
        self._lock = Lock()
        self._open: dict[str, _Call] = {}

    def operator(self, phone: PhoneRecord) -> Operator:
        """What this phone's driver calls when a person has to act. The person knows the phone by its lab name."""

        def ask(_address: str, checklist: Sequence[str]) -> None:
            self._ask(phone, tuple(checklist))

        return ask

    def over(self, letter: str) -> Acted | None:
        """The call of a phone is over, however it ended; None when there was none."""
        with self._lock:
            call = self._open.pop(letter, None)
        if call is None:
            return None
        self._board.update(letter, asks=None)
        return Acted(call.asked_at, self._clock.elapsed_s() - call.began_s, call.checklist)

    def _ask(self, phone: PhoneRecord, checklist: tuple[str, ...]) -> None:
        """A second call before the first is over adds to it: the time counts from the first."""
        now = _Call(self._clock.utc(), self._clock.elapsed_s(), checklist)
        with self._lock:
            earlier = self._open.get(phone.letter)
            self._open[phone.letter] = now if earlier is None else replace(earlier, checklist=earlier.checklist + checklist)
        self._emit(Event(now.asked_at, "operator_asked", phone.letter, {"checklist": checklist}))
        self._board.update(phone.letter, asks=Asks(phone.name, checklist))
