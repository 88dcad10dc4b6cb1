"""A small virtual lab in which faults begin while a real sweep runs: at the search, the phase or the event that a test names.

    sweep ── events ──▶ Director ── control socket ──▶ faults of one phone

The rig tells what it does through its event sink, in the phone's own thread and before it goes on, so that a fault begins
exactly between two searches, with the next one, or while it is being read. The rig itself knows nothing of it.
"""

import re
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from devices.virtual.control import Control
from devices.virtual.lab import running_lab
from drivers import open_driver
from drivers.android.server import AdbServer, end_server, find_adb
from drivers.interface import Ending
from rig.cli.sweep import begin, hold, letter_file
from rig.config import HOME
from rig.events import Event, EventLog
from rig.host_locks import HostLocks
from rig.letters import meet_serial
from rig.phases.reset import ALL_VIRTUAL
from rig.phone_run import Setup
from rig.records import Phase, PhoneRecord, Search, SearchKey
from rig.run import Run, final_tries, latest_attempt, open_run, profile_of
from rig.runner import Ended, sweep
from rig.seeing import CAPPED

RESULTS_S = 3.0
"""A virtual phone answers within half a second; what never comes is waited for so long."""
DEADLINE_SCALE = "0.2"
"""Of a call to a phone: 3 s instead of 15."""


class When(StrEnum):
    """At what moment of a search a trouble begins."""

    BEFORE = "before"
    """Between two searches."""
    WITH = "with"
    """As it is submitted."""
    WHILE_READ = "while_read"
    """When its results have come."""


Fault = tuple[str, Mapping[str, Any]]
"""A fault of the control socket and its options."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What one search meets."""

    fault: str
    options: Mapping[str, Any] = field(default_factory=dict)
    when: When = When.WITH
    lasting: bool = False
    """It outlives the tries of its search."""
    then: Mapping[str, Fault] = field(default_factory=dict)
    """What happens to the phone when the rig tells of an event of this kind."""


@dataclass(slots=True)
class Met:
    """What the rig told while a trouble was there, in order."""

    trouble: Trouble
    events: list[Event] = field(default_factory=list)

    @property
    def reasons(self) -> list[str]:
        """Why tries were invalid."""
        return [str(event.data["reason"]) for event in self.events if event.kind == "invalid"]

    @property
    def nothing_found(self) -> bool:
        """True when the search was answered by the gallery's own "nothing found"."""
        return any(event.data.get("ending") == Ending.NO_RESULTS for event in self.events)

    @property
    def came_too_late(self) -> bool:
        """True when it began while a list was read that the reader closed without asking the phone again."""
        closed = any(event.kind == "answered" and event.data.get("ending") == CAPPED for event in self.events)
        return self.trouble.when is When.WHILE_READ and closed and not self.reasons

    @property
    def kinds(self) -> list[str]:
        """What was told."""
        return [event.kind for event in self.events]


class Director:
    """Begins each trouble of a phone at a search of its own; it ends when that search has met it, or was given up."""

    def __init__(self, control: Control, name: str, troubles: Sequence[Trouble], attempts: int) -> None:
        self.met: list[Met] = []
        self._control, self._name, self._attempts = control, name, attempts
        self._left = list(troubles)
        self._now: Trouble | None = None
        self._passing = False
        """True until the search that comes before the troubled one has ended."""
        self._tries: Counter[tuple[object, object]] = Counter()

    def __call__(self, event: Event) -> None:
        """What the rig tells of this phone."""
        if self._now is not None and not self._passing:
            self.met[-1].events.append(event)
            if event.kind in self._now.then:
                name, options = self._now.then[event.kind]
                self._control.fault(self._name, name, **options)
        if event.kind in ("answered", "invalid"):
            self._ended(event)
        elif event.kind == "phase_begins" and event.data["phase"] == "query":
            self._begin(between=True)

    def _ended(self, event: Event) -> None:
        key = (event.data["query"], event.data["language"])
        self._tries[key] += 1
        between = event.kind == "answered" or self._tries[key] == self._attempts
        if self._passing:
            self._passing = False
            return
        if self._now is not None:
            if self._now.lasting and not between:
                return
            self._control.clear(self._name)
            self._now = None
        self._begin(between=between)

    def _begin(self, *, between: bool) -> None:
        if not self._left or (self._left[0].when is not When.WITH and not between):
            return
        self._now = self._left.pop(0)
        self.met.append(Met(self._now))
        # A fault of the gallery passes over so many searches; one of the phone begins while so many have been shown.
        after = {} if self._now.when is When.BEFORE else {"after_query": 1}
        self._control.fault(self._name, self._now.fault, **self._now.options, **after)
        self._passing = self._now.when is When.WITH


Sink = Callable[[Event], None]


def once(kind: str, do: Callable[[], object], phase: Phase | None = None) -> Sink:
    """Does something at the first event of a kind (and of a phase)."""
    left = [do]

    def sink(event: Event) -> None:
        if left and event.kind == kind and phase in (None, event.data.get("phase")):
            left.pop()()

    return sink


def all_of(*sinks: Sink) -> Sink:
    """Tells each of them."""

    def sink(event: Event) -> None:
        for each in sinks:
            each(event)

    return sink


@dataclass(frozen=True, slots=True)
class Session:
    """One sweep or resume, as it ended."""

    ended: Ended
    searches: Mapping[str, Mapping[SearchKey, Search]]
    """By phone's name: the try that counts of each search, as recorded then."""
    events: Mapping[str, Sequence[Event]]
    """By phone's name."""
    of_the_run: Sequence[Event]
    """Those that concern no single phone."""

    def parked(self, name: str) -> tuple[str | None, str]:
        """Why a phone was parked, if it was, and the sentence."""
        phone = next(phone for phone in self.ended.phones if phone.name == name)
        return phone.parked, phone.cause


@dataclass(slots=True)
class Shelf:
    """A virtual lab that is up, and the one run that is measured with it."""

    control: Control
    folder: Path
    adb: AdbServer
    names: tuple[str, ...]
    ports: Mapping[str, int]
    """Where each phone is attached, by its name."""
    run: Path = Path()

    def sweep(self, protocol: Path, album: Path, sinks: Mapping[str, Sink]) -> Session:
        """A new run, as `rig sweep` begins it."""
        locks = HostLocks(self.folder / "state")
        try:
            run, earlier = begin(
                protocol=protocol,
                lab=self.folder / "rig.toml",
                albums=[album],
                runs=self.folder / "runs",
                confirm_erase=(ALL_VIRTUAL,),
                only=self.names,
                locks=locks,
            )
            self.run = run.folder
            with closing(run.ledger):
                return _conducted(run, locks, earlier, sinks)
        finally:
            locks.release()

    def resume(self, sinks: Mapping[str, Sink]) -> Session:
        """The run goes on, as `rig resume` does."""
        locks = HostLocks(self.folder / "state")
        run = open_run(self.run)
        try:
            earlier = hold(locks, {phone.letter: (phone.platform, phone.address) for phone in run.ledger.phones()})
            return _conducted(run, locks, earlier, sinks)
        finally:
            run.ledger.close()
            locks.release()


def _conducted(run: Run, locks: HostLocks, earlier: Mapping[str, Path], sinks: Mapping[str, Sink]) -> Session:
    locks.note(run.folder.resolve())
    names = {phone.letter: phone.name for phone in run.ledger.phones()}
    events: dict[str, list[Event]] = {name: [] for name in ("", *names.values())}
    log = EventLog(run.folder / "events.jsonl")

    def emit(event: Event) -> None:
        log(event)
        name = names.get(event.letter, "")
        events[name].append(event)
        if name in sinks:
            sinks[name](event)

    setup = Setup(
        run,
        open_driver=lambda phone: open_driver(phone.platform, phone.address, profile_of(run, phone), phone.options),
        locks=locks,
        emit=emit,
        meet_serial=partial(meet_serial, file=letter_file(run.folder.parent)),
        earlier_runs=earlier,
    )
    ended = sweep(setup)
    return Session(ended, {phone.name: counted(run, phone) for phone in run.ledger.phones()}, events, events[""])


def counted(run: Run, phone: PhoneRecord) -> dict[SearchKey, Search]:
    """The try that counts of each of a phone's searches."""
    (trial,) = [trial for trial in run.ledger.trials() if trial.letter == phone.letter]
    attempt = latest_attempt(run, trial)
    return final_tries(run.ledger.searches(attempt.id)) if attempt else {}


_PHONE = """
[[phone]]
name = "{name}"
platform = "{platform}"
skin = "{skin}"
profile = "{profile}"
seed = {seed}
speed = 5.0
boot_s = 0.5
engine = {{ misses = {misses}, forgets = 0.0, confuses = 0.0, english = 1.0 }}
"""
KINDS = {
    "android": ("xiaomi", "xiaomi"),
    "ios": ("ios_photos_18", "ios_photos"),
    "harmony": ("harmony_photos", "harmony_photos"),
}
"""Skin and profile by platform."""


@contextmanager
def shelf(
    folder: Path, count: int, platforms: Sequence[str] = tuple(KINDS), options: Mapping[str, str] | None = None
) -> Iterator[Shelf]:
    """`count` phones of each platform, alike but for what they find, with profiles that do not wait for long.

    They are called android-1, android-2, ios-1 … `options` are what the rig's lab file says of each of them, else that it is
    quick to answer.
    """
    names = [f"{platform}-{number}" for platform in platforms for number in range(1, count + 1)]
    described = "".join(_described(name, seed) for seed, name in enumerate(names))
    (folder / "virtual.toml").write_text(f'name = "faulty"\n{described}')
    with private_adb() as adb, running_lab(str(folder / "virtual.toml"), folder / "lab") as control:
        _hasten(folder, platforms, options or {"deadline_scale": DEADLINE_SCALE})
        addresses = {name: str(control.ask("status", name)["address"]) for name in names}
        ports = {name: int(address.rpartition(":")[2]) for name, address in addresses.items()}
        yield Shelf(control, folder, adb, tuple(names), ports)


def _described(name: str, seed: int) -> str:
    platform, _, number = name.partition("-")
    skin, profile = KINDS[platform]
    misses = 0.0 if number == "1" else 0.3
    return _PHONE.format(name=name, platform=platform, skin=skin, profile=profile, seed=seed, misses=misses)


def _hasten(folder: Path, platforms: Sequence[str], options: Mapping[str, str]) -> None:
    """Writes the rig's lab file anew, with impatient profiles and with these options."""
    told = (folder / "lab" / "lab.toml").read_text().replace("[phone.options]\n", "")
    for platform in platforms:
        profile = KINDS[platform][1]
        usual = (HOME / "devices" / f"{profile}.toml").read_text()
        quick, changed = re.subn(r"results_s = \S+", f"results_s = {RESULTS_S}", usual)
        (folder / f"{profile}.toml").write_text(quick if changed else f"{usual}\n[patience]\nresults_s = {RESULTS_S}\n")
        told = told.replace(f'profile = "{profile}"', f'profile = "{profile}.toml"')
    lines = "".join(f'{key} = "{value}"\n' for key, value in options.items())
    (folder / "rig.toml").write_text(re.sub(r"(profile = .*\n)", rf"\1[phone.options]\n{lines}", told))


@contextmanager
def private_adb() -> Iterator[AdbServer]:
    """The rig uses an adb server of its own, which is ended by its pid."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANDROID_ADB_SERVER_PORT", str(port))
        server = AdbServer(find_adb(), port)
        try:
            yield server
        finally:
            end_server(server)
