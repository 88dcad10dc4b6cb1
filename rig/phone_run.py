"""One phone's thread: connect, prove who answers, then trial by trial whatever the ledger says is next."""

import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event as Flag

from drivers.interface import DriverError, GalleryDriver, Identity, PhoneLost, WrongPhone
from rig.absences import WITHIN_S, Absences
from rig.clock import Clock, SystemClock
from rig.disk import DiskFull
from rig.errors import LockedByAnother
from rig.events import Event, Sink
from rig.help_desk import HelpDesk
from rig.host_locks import HostLocks
from rig.phases.bench import CALL_S, Bench, PhaseFailed, Refused, Stopped, Unfit, Watch
from rig.phases.importing import album_still_there, import_album
from rig.phases.index import fixed_wait, index
from rig.phases.link import Changed, Link, StayedAway
from rig.phases.query import query
from rig.phases.reset import reset
from rig.phases.trust import WhyUncalibrated, refuse_uncalibrated
from rig.progress import Board
from rig.records import Attempt, Parked, Phase, PhoneRecord, Status, Trial
from rig.run import LEDGER, Run
from rig.seeing import Eyes
from rig.steps import Finished, GiveUp, NewAttempt, Work, failures, next_step
from rig.store import Fenced, Ledger

PARKED_BY: Mapping[type[DriverError], Parked] = {
    WrongPhone: Parked.WRONG_PHONE,
    Changed: Parked.CHANGED,
    Unfit: Parked.HEALTH,
    Refused: Parked.REFUSED,
}
"""Every other DriverError parks as Parked.DRIVER."""


ABSENCES = 5
"""Times that one phase is gone on with after the phone was away, besides those that the phase itself forgives: a cable that is
pulled at the wrong moment, not one that never holds."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a sweep is given. Drivers, clock and eyes come from outside, so that a test may bring its own."""

    run: Run
    open_driver: Callable[[PhoneRecord], GalleryDriver]
    locks: HostLocks
    emit: Sink
    board: Board = field(default_factory=Board)
    stop: Flag = field(default_factory=Flag)
    clock: Clock = field(default_factory=SystemClock)
    eyes: Eyes = field(default_factory=Eyes)
    meet_serial: Callable[[str, str], str | None] = lambda _letter, _serial: None
    """Remembers a phone's serial under its letter; returns the remembered one when it is another."""
    earlier_runs: Mapping[str, Path] = field(default_factory=dict)
    """By letter, the run folder that last held the phone: it may owe it settings."""
    why_uncalibrated: WhyUncalibrated = lambda _phone, _identity: ""
    allow_uncalibrated: bool = False
    """The operator's leave to measure phones whose profile was never tried on them."""
    help_desk: HelpDesk | None = None
    """Where drivers ask for a person; None when nobody is to be asked."""


class PhoneRun:
    """One phone's part in a sweep. `work` is its thread."""

    def __init__(self, setup: Setup, phone: PhoneRecord, absences: Absences) -> None:
        self.setup = setup
        self.phone = phone
        self.letter = phone.letter
        self.watch = Watch()
        self.disk_full: DiskFull | None = None
        self._absences = absences
        self._attempt: Attempt | None = None
        self._earlier = setup.earlier_runs.get(self.letter)
        self._proven: set[int] = set()
        """Attempts whose album this process has seen complete on the phone."""
        self._link = Link(
            letter=self.letter,
            open_driver=lambda: setup.open_driver(phone),
            ledger=setup.run.ledger,
            clock=setup.clock,
            stop=setup.stop,
            reconnect_s=setup.run.protocol.query.reconnect_s,
            lost=self._lost,
            back=lambda: absences.back(phone.letter),
        )

    def work(self) -> None:
        """Does everything; whatever happens is recorded, nothing leaves the thread but through the ledger."""
        try:
            self._work_or_park()
        except Fenced:
            # Given up as hanging and parked by the sweep; too late to say anything.
            return
        finally:
            self._absences.out(self.letter)
            self._link.close()

    def _work_or_park(self) -> None:
        try:
            self._work()
        except Fenced:
            raise
        except Stopped:
            self._show(phase="stopped")
        except DiskFull as error:
            self.disk_full = error
            self.setup.stop.set()
        except DriverError as error:
            self._void_if_untrue(error)
            self.park(*self._blamed(error))
        except LockedByAnother as error:
            self.park(Parked.LOCKED, str(error))
        except Exception as error:  # noqa: BLE001 - a bug in one phone's thread must not end the others' night
            self._tell("bug", trace="".join(traceback.format_exception(error)))
            self.park(Parked.BUG, f"Phone {self.letter}: a fault of the rig: {type(error).__name__}: {error}")

    def _blamed(self, error: DriverError) -> tuple[Parked, str]:
        """Why the phone is parked: for itself, or, when all of its platform went away together, for their host."""
        down = self._absences.down_with(self.letter) if isinstance(error, StayedAway) else ()
        if not down:
            return next((why for kind, why in PARKED_BY.items() if isinstance(error, kind)), Parked.DRIVER), str(error)
        return Parked.HOST, (
            f"Phones {', '.join(down)}: all {len(down)} {self.phone.platform} phones of this host went away within "
            f"{WITHIN_S:.0f} s and stayed away; look at what they share (usbmuxd, adb or hdc server, hub), then: rig resume RUN"
        )

    def _lost(self) -> None:
        """The phone is waited for; when it is the last of its platform, that is told of as one incident of the host."""
        down = self._absences.lost(self.letter, self.setup.clock.elapsed_s())
        if down:
            self.setup.emit(
                Event(self.setup.clock.utc(), "host_incident", data={"platform": self.phone.platform, "phones": list(down)})
            )

    def overdue(self, drained_by_s: float | None) -> bool:
        """True when one call has taken longer than the rig allows, or the phone does not come to a stop."""
        now = self.setup.clock.elapsed_s()
        until_s = self.watch.until_s
        return (until_s is not None and now > until_s) or (drained_by_s is not None and now > drained_by_s)

    def park(self, parked: Parked, cause: str) -> None:
        """The phone is out of the sweep; its first cause is kept."""
        self.setup.run.ledger.park(self.letter, parked, cause, self.setup.clock.utc())
        self._tell("parked", why=parked, cause=cause)
        self._show(phase=f"parked: {parked}", error=cause, eta_s=None)

    def _work(self) -> None:
        self._meet()
        for trial in self.setup.run.ledger.trials():
            if trial.letter == self.letter:
                self._do_trial(trial)
        self._show(phase="done", eta_s=None)

    def _meet(self) -> None:
        """Connects, proves who answers, and puts back whatever a crash left behind."""
        self._show(phase="connect")
        with self._within("connect"):
            self._link.open()
            identity = self._link.check(None)
        self._show(virtual=identity.virtual)
        if not identity.virtual:
            self._claim(identity)
            self._refuse_uncalibrated(identity)
        with self._within("restore"):
            self._repay_earlier_run()

    def _claim(self, identity: Identity) -> None:
        """A real phone is held by its serial as well, and its letter stays with it from run to run."""
        left = self.setup.locks.take(f"Phone {self.letter}", f"{identity.serial}/{identity.model}", self.setup.run.folder)
        self._earlier = left or self._earlier
        known = self.setup.meet_serial(self.letter, identity.serial)
        if known is not None:
            raise WrongPhone(
                f'Phone {self.letter} ("{self.phone.name}"): was {known} in earlier runs, {identity.serial} answers now; '
                f"put the cables back, or give the new phone a new name in the lab file"
            )

    def _refuse_uncalibrated(self, identity: Identity) -> None:
        setup, now = self.setup, self.setup.clock.utc()
        allowed = setup.allow_uncalibrated
        refuse_uncalibrated(setup.run.ledger, self.phone, identity, setup.why_uncalibrated, now, allowed=allowed)

    def _repay_earlier_run(self) -> None:
        """Settings that an earlier run, cut short, still owes this phone; then those of this run."""
        now = self.setup.clock.utc()
        earlier = self._earlier
        if earlier is not None and earlier != self.setup.run.folder and (earlier / LEDGER).is_file():
            ledger = Ledger(earlier / LEDGER)
            try:
                for phone in ledger.phones():
                    owed = ledger.owed_settings(phone.letter) if phone.name == self.phone.name else {}
                    if owed:
                        self._link.driver.restore(owed)
                        ledger.settle_settings(phone.letter, now, f"restored by {self.setup.run.folder.name}")
                        self._tell("settings_repaid", run=earlier.name)
            finally:
                ledger.close()
        owed = self.setup.run.ledger.owed_settings(self.letter)
        if owed:
            self._link.driver.restore(owed)
            self.setup.run.ledger.settle_settings(self.letter, now, "restored at the next start")
            self._tell("settings_repaid", run=self.setup.run.folder.name)

    def _do_trial(self, trial: Trial) -> None:
        ledger, protocol = self.setup.run.ledger, self.setup.run.protocol
        allowed = failures(ledger.attempts(trial.id)) + protocol.attempts
        while True:
            if self.setup.stop.is_set():
                raise Stopped
            attempts = ledger.attempts(trial.id)
            step = next_step(attempts, allowed)
            match step:
                case Finished():
                    return
                case GiveUp(cause):
                    raise DriverError(f"{cause}; {protocol.attempts} attempts failed; look at the phone, then: rig resume RUN")
                case NewAttempt():
                    ledger.add_attempt(trial.id, self.setup.clock.utc())
                case Work():
                    self._attempt = attempts[-1]
                    self._do_phase(self._bench(trial, attempts[-1]), step)

    def _bench(self, trial: Trial, attempt: Attempt) -> Bench:
        setup = self.setup
        return Bench(
            run=setup.run,
            letter=self.letter,
            trial=trial,
            attempt=attempt,
            link=self._link,
            clock=setup.clock,
            stop=setup.stop,
            board=setup.board,
            emit=setup.emit,
            eyes=setup.eyes,
            watch=self.watch,
            help_desk=setup.help_desk,
        )

    def _do_phase(self, bench: Bench, work: Work) -> None:
        ledger, attempt, phase = bench.run.ledger, bench.attempt.id, work.phase
        self._show(album=bench.trial.album, phase=phase, done=0, total=0, eta_s=None)
        if not work.resumed:
            now = bench.clock.utc()
            wait = fixed_wait(bench) if phase is Phase.INDEX else None
            ledger.start_phase(attempt, phase, now, now + wait if wait is not None else None)
        bench.tell("phase_begins", phase=phase, resumed=work.resumed)
        try:
            status, detail = self._carry_through(bench, work)
        except PhaseFailed as error:
            status, detail = Status.FAILED, str(error)
            self._show(error=detail)
        ledger.end_phase(attempt, phase, status, bench.clock.utc(), detail)
        bench.tell("phase_ends", phase=phase, status=status, detail=detail)

    def _carry_through(self, bench: Bench, work: Work) -> tuple[Status, str]:
        """Does the phase, over as many absences as are forgiven. Raises PhaseFailed, StayedAway and what `_carry_out` does."""
        for _ in range(ABSENCES):
            try:
                return self._carry_out(bench, work)
            except StayedAway:
                raise
            except PhoneLost as error:
                bench.tell("phone_lost", detail=str(error))
                self._link.reconnect(bench.attempt.id)
                bench.tell("phone_back")
        return self._carry_out(bench, work)

    def _carry_out(self, bench: Bench, work: Work) -> tuple[Status, str]:
        self._line_up(bench)
        match work.phase:
            case Phase.RESET:
                detail = reset(bench)
                # A reset may bring back the factory's gallery and language.
                baseline = self.setup.run.ledger.baseline(self.letter, bench.attempt.id)
                if baseline is not None:
                    self._refuse_uncalibrated(baseline)
                return Status.DONE, detail
            case Phase.IMPORT:
                detail = import_album(bench)
                self._proven.add(bench.attempt.id)
                return Status.DONE, detail
            case Phase.INDEX:
                self._prove_album(bench)
                return Status.DONE, index(bench, resumed=work.resumed)
            case Phase.QUERY:
                self._prove_album(bench)
                return query(bench)

    def _line_up(self, bench: Bench) -> None:
        """The phone is there and is the right one; a short absence between two phases is forgiven."""
        try:
            with self._within("identify"):
                self._link.check(bench.attempt.id)
        except PhoneLost:
            self._link.reconnect(bench.attempt.id)

    def _prove_album(self, bench: Bench) -> None:
        """This attempt's album is on the phone: proven by its import in this process, or by looking again."""
        if bench.attempt.id in self._proven:
            return
        if not album_still_there(bench):
            raise PhaseFailed(f"Phone {self.letter}: this attempt's album is no longer complete on the phone")
        self._proven.add(bench.attempt.id)

    def _void_if_untrue(self, error: DriverError) -> None:
        """Another phone answered, or this one was updated: what was seen since the last good check may be of that one."""
        if self._attempt is not None and isinstance(error, WrongPhone | Changed):
            self.setup.run.ledger.void_unconfirmed(self._attempt.id, PARKED_BY[type(error)], str(error))

    def _within(self, what: str) -> AbstractContextManager[None]:
        return self.watch.within(self.setup.clock, CALL_S, what)

    def _show(self, **changes: object) -> None:
        self.setup.board.update(self.letter, **changes)

    def _tell(self, kind: str, **data: object) -> None:
        self.setup.emit(Event(self.setup.clock.utc(), kind, self.letter, data))


def phone_runs(setup: Setup) -> list[PhoneRun]:
    """One for each phone of the run, with one account of who is away."""
    phones = setup.run.ledger.phones()
    absences = Absences({phone.letter: phone.platform for phone in phones})
    return [PhoneRun(setup, phone, absences) for phone in phones]
