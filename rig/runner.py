"""The sweep: a daemon thread a phone, each doing what its ledger says is next, until nothing is left or the operator stops it.

sweep ─ PhoneRun A ─ link, trial, trial …
      ─ PhoneRun B …                        a phone that fails is parked with its first cause; the others go on
      ─ watch: hanging threads are fenced, Ctrl-C drains, a full disk stops all
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Thread

from rig.analysis import index_albums
from rig.disk import DiskFull, Lock, free_bytes
from rig.errors import ExitCode, InfrastructureDown
from rig.events import Event
from rig.phone_run import PhoneRun, Setup, phone_runs
from rig.records import Coverage, Parked, Phase, PhoneRecord, Status
from rig.run import Run, coverage, latest_attempt

TICK_S = 0.2
"""How often the sweep looks at its threads and redraws."""

DRAIN_S = 600.0
"""How long a phone may take to finish its search and put its settings back after the operator asked to stop."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a sweep ended."""

    coverage: tuple[Coverage, ...]
    phones: tuple[PhoneRecord, ...]
    stopped: bool
    """True when the operator stopped it."""

    @property
    def exit_code(self) -> ExitCode:
        """What the command line returns, a stop by signal aside."""
        parked = {phone.parked for phone in self.phones}
        if Parked.BUG in parked:
            return ExitCode.BUG
        if Parked.LOCKED in parked:
            return ExitCode.LOCKED
        if Parked.WRONG_PHONE in parked or None not in parked:
            return ExitCode.INFRASTRUCTURE
        return ExitCode.COMPLETE if all(trial.complete for trial in self.coverage) else ExitCode.PARTIAL


def sweep(setup: Setup, tick: Callable[[], None] = lambda: None) -> Ended:
    """Runs to the end; a run that was cut short goes on. `tick` is called now and then from this thread.

    Raises LockedByAnother, InfrastructureDown (all that is recorded is kept).
    """
    lock = Lock(setup.run.folder / "run.lock", f"run {setup.run.folder.name}")
    lock.acquire()
    try:
        refuse_small_disk(setup.run)
        if setup.run.protocol.match.escalate:  # thumbnails are matched while the phone still shows them
            index_albums(setup.run)
        _reopen(setup)
        setup.emit(Event(setup.clock.utc(), "sweep_begins"))
        workers = phone_runs(setup)
        _conduct(setup, workers, tick)
        for worker in workers:
            if worker.disk_full is not None:
                raise DiskFull(str(worker.disk_full)) from worker.disk_full
        ended = Ended(coverage(setup.run), setup.run.ledger.phones(), setup.stop.is_set())
        setup.emit(Event(setup.clock.utc(), "sweep_ends", data={"exit_code": int(ended.exit_code)}))
        return ended
    finally:
        lock.release()


def _reopen(setup: Setup) -> None:
    """Parked phones may try again, and searches without an answer are asked again."""
    ledger = setup.run.ledger
    for phone in ledger.phones():
        ledger.unpark(phone.letter)
        setup.board.update(phone.letter)
    for trial in ledger.trials():
        attempt = latest_attempt(setup.run, trial)
        if attempt and Phase.QUERY in attempt.phases and attempt.phases[Phase.QUERY].status is Status.GAPS:
            ledger.reopen_phase(attempt.id, Phase.QUERY)


def _conduct(setup: Setup, workers: Sequence[PhoneRun], tick: Callable[[], None]) -> None:
    """Until every thread has ended or was given up."""
    threads = {Thread(target=worker.work, name=f"phone-{worker.letter}", daemon=True): worker for worker in workers}
    for thread in threads:
        thread.start()
    drained_by_s: float | None = None
    while threads:
        for thread, worker in list(threads.items()):
            thread.join(TICK_S / len(threads))
            if thread.is_alive() and worker.overdue(drained_by_s):
                _give_up(setup, thread, worker)
            elif thread.is_alive():
                continue
            del threads[thread]
        if setup.stop.is_set() and drained_by_s is None:
            drained_by_s = setup.clock.elapsed_s() + DRAIN_S
        tick()


def _give_up(setup: Setup, thread: Thread, worker: PhoneRun) -> None:
    """A thread cannot be killed; it is fenced off, and its phone is parked."""
    setup.run.ledger.fence(thread)
    worker.park(
        Parked.HANGING,
        f"Phone {worker.letter}: {worker.watch.what or 'stopping'}: no answer within the rig's own deadline; "
        f"restart the phone or its adb, then: rig resume RUN",
    )


def refuse_small_disk(run: Run) -> None:
    """Raises InfrastructureDown when the disk cannot hold the screens still to come."""
    rules = run.protocol.disk
    searches = sum(trial.planned - trial.answered for trial in coverage(run))
    need = round(searches * rules.screens_per_search * rules.screen_bytes) + (rules.keep_free_bytes if searches else 0)
    free = free_bytes(run.folder)
    if free < need:
        raise InfrastructureDown(
            f"{run.folder}: {searches} searches may need {need / 1e6:.0f} MB of disk, {free / 1e6:.0f} MB are free; "
            f"free some space, then go on with: rig resume RUN"
        )
