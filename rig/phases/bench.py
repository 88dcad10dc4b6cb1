"""What a phase works with, and how it ends when it does not end well.

PhaseFailed    this attempt is over; another one may follow from reset
Stopped        the operator asked to stop; what is recorded stays
DriverError    the phone is parked (Refused, Changed, Unfit say why; PhoneLost and WrongPhone come from the driver)
"""

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event as Flag

from drivers.interface import DriverError, PushItem
from rig.clock import Clock
from rig.config import Protocol
from rig.events import Event, Sink
from rig.help_desk import HelpDesk
from rig.phases.link import Link
from rig.progress import Board
from rig.records import Attempt, Trial
from rig.run import Material, Run
from rig.seeing import Eyes


class PhaseFailed(Exception):
    """This attempt is over. The message says expected and found."""


class Stopped(Exception):
    """The operator asked to stop."""


class Refused(DriverError):
    """This phone may not or cannot take part: not confirmed for erasing, too little storage, a wrong clock."""


class Unfit(DriverError):
    """This phone rested as long as the protocol allows and is still too hot or too empty."""


@dataclass(slots=True)
class Watch:
    """The rig's own deadline around a driver's: a thread busy with one call for longer is given up as hanging."""

    until_s: float | None = None
    """In the clock's elapsed seconds; None while the thread is not in a call."""
    what: str = ""

    @contextlib.contextmanager
    def within(self, clock: Clock, seconds: float, what: str) -> Iterator[None]:
        """What the block does must be over in `seconds`."""
        self.what = what
        self.until_s = clock.elapsed_s() + seconds
        try:
            yield
        finally:
            self.until_s = None


@dataclass(frozen=True, slots=True)
class Bench:
    """One phone at work on one attempt of one trial."""

    run: Run
    letter: str
    trial: Trial
    attempt: Attempt
    link: Link
    clock: Clock
    stop: Flag
    board: Board
    emit: Sink
    eyes: Eyes
    watch: Watch = field(default_factory=Watch)
    help_desk: HelpDesk | None = None
    """Where a person may be asked for help; None in a run that asks nobody."""

    @property
    def protocol(self) -> Protocol:
        """The protocol of the run."""
        return self.run.protocol

    @property
    def material(self) -> Material:
        """The trial's album and queries."""
        return self.run.materials[self.trial.album]

    @property
    def folder(self) -> Path:
        """The run folder."""
        return self.run.folder

    @property
    def items(self) -> tuple[PushItem, ...]:
        """The album as it is pushed."""
        return tuple(
            PushItem(photo.path, photo.device_name, photo.size_bytes, photo.sha256, photo.taken_at)
            for photo in self.material.album.photos
        )

    def tell(self, kind: str, **data: object) -> None:
        """Writes an event about this phone."""
        self.emit(
            Event(self.clock.utc(), kind, self.letter, {"album": self.trial.album, "attempt": self.attempt.number, **data})
        )

    def keep(self, kind: str, body: object) -> None:
        """Stores evidence about this attempt."""
        self.run.ledger.add_evidence(self.letter, self.attempt.id, kind, self.clock.utc(), body)

    def check_stop(self) -> None:
        """Raises Stopped when the operator asked to."""
        if self.stop.is_set():
            raise Stopped

    def wait(self, seconds: float) -> None:
        """Waits; raises Stopped when the operator asks to stop meanwhile."""
        if self.clock.wait(seconds, self.stop):
            raise Stopped

    def within(self, seconds: float, what: str) -> AbstractContextManager[None]:
        """What the block does must be over in `seconds`; see `Watch`."""
        return self.watch.within(self.clock, seconds, what)


CALL_S = 120.0
"""For short verbs; a driver's own deadlines lie far below."""


@contextlib.contextmanager
def prepared(bench: Bench) -> Iterator[None]:
    """The phone is set for searching while the block runs; what that replaced is in the ledger until it is back."""
    ledger = bench.run.ledger
    with bench.within(CALL_S, "prepare"):
        restore_owed(bench)
        ledger.save_settings(bench.letter, bench.clock.utc(), bench.link.driver.prepare())
    try:
        yield
    finally:
        try:
            with bench.within(CALL_S, "restore"):
                restore_owed(bench)
        except DriverError as error:
            # The ledger still owes it: the next start restores it.
            bench.tell("not_restored", detail=str(error))


def restore_owed(bench: Bench) -> None:
    """Whatever the rig replaced on this phone, now or before a crash, is back."""
    owed = bench.run.ledger.owed_settings(bench.letter)
    if owed:
        bench.link.driver.restore(owed)
        bench.run.ledger.settle_settings(bench.letter, bench.clock.utc(), "restored")
