"""A person is asked to act at a phone: shown once, recorded with how long it took, or forbidden and said so."""

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from engine_lab import PROTOCOL, FakeDriver, FakeLab, FakePhone, SteadyClock
from rich.console import Console

from drivers.interface import DriverError, NeedsPerson, Operator, ResetProof
from rig.cli.sweep import conduct
from rig.config import load_protocol
from rig.errors import ExitCode
from rig.events import Event
from rig.help_desk import HelpDesk
from rig.progress import Asks, Board, shown
from rig.records import Parked, PhoneRecord
from rig.run import Run
from rig.runner import Ended, sweep

CHECKLIST = ("Erase it in its settings.", "Allow USB debugging.")


@dataclass
class StubbornPhone(FakePhone):
    """Cannot reset itself: a person has to, who takes a while, or never comes."""

    helped: Callable[[], None] = lambda: None
    operator: Operator | None = None

    def open(self) -> "StubbornDriver":
        return StubbornDriver(self)


class StubbornDriver(FakeDriver):
    phone: StubbornPhone

    def reset(self) -> ResetProof:
        if self.phone.operator is None:
            raise NeedsPerson("not reset, nothing was erased: operator: nobody is there to help")
        self.phone.operator("usb:1-2", CHECKLIST)
        self.phone.helped()
        return super().reset()


class TellingClock(SteadyClock):
    """A clock that time can be made to pass on."""

    def pass_by(self, seconds: float) -> None:
        with self._lock:
            self.now_s += seconds


def swept(tmp_path: Path, phone: StubbornPhone, clock: TellingClock, *, attended: bool = True) -> tuple[FakeLab, Run, Ended]:
    lab = FakeLab(tmp_path, {"A": phone}, clock=clock)
    run = lab.plan()
    setup = lab.setup(run)
    desk = HelpDesk(setup.board, setup.emit, clock) if attended else None

    def opened(record: PhoneRecord) -> FakeDriver:
        phone.operator = None if desk is None else desk.operator(record)
        return phone.open()

    return lab, run, sweep(lab.setup(run, board=setup.board, emit=setup.emit, open_driver=opened, help_desk=desk))


def events(run: Run, kind: str) -> list[dict[str, object]]:
    lines = (run.folder / "events.jsonl").read_text("utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["kind"] == kind]


def test_that_a_person_acted_and_how_long_it_took_is_on_record(tmp_path: Path) -> None:
    clock = TellingClock()
    phone = StubbornPhone(tmp_path / "A", helped=lambda: clock.pass_by(720))
    lab, run, ended = swept(tmp_path, phone, clock)
    ((_, acted),) = run.ledger.evidence("A", "operator")
    run.ledger.close()
    lab.locks.release()
    assert ended.exit_code is ExitCode.COMPLETE
    assert acted["checklist"] == list(CHECKLIST)
    assert 720 <= acted["seconds"] < 721
    assert events(run, "operator_asked")[0]["checklist"] == list(CHECKLIST)
    assert len(events(run, "operator_done")) == 1


def test_a_person_who_does_not_come_is_on_record_too(tmp_path: Path) -> None:
    def never() -> None:
        raise DriverError("did not restart within 3600 s of the reset: look at its screen")

    lab, run, ended = swept(tmp_path, StubbornPhone(tmp_path / "A", helped=never), TellingClock())
    assert ended.phones[0].parked is Parked.DRIVER
    assert len(run.ledger.evidence("A", "operator")) == 1
    run.ledger.close()
    lab.locks.release()


def test_a_run_that_asks_nobody_parks_the_phone_and_says_so(tmp_path: Path) -> None:
    lab, run, ended = swept(tmp_path, StubbornPhone(tmp_path / "A"), TellingClock(), attended=False)
    run.ledger.close()
    lab.locks.release()
    assert ended.exit_code is ExitCode.INFRASTRUCTURE
    assert "operator: nobody is there to help; this run asks nobody (--unattended, or" in ended.phones[0].cause


@pytest.mark.parametrize(
    ("unattended", "rule", "asks"),
    [(False, "", True), (True, "", False), (False, "[reset]\noperator = false\n", False)],
    ids=["attended", "--unattended", "the protocol forbids it"],
)
def test_who_may_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unattended: bool, rule: str, asks: bool) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")}, protocol=PROTOCOL + rule)
    given: list[Operator | None] = []

    def opened(*_how: object, operator: Operator | None) -> FakeDriver:
        given.append(operator)
        return lab.phones["A"].open()

    monkeypatch.setattr("rig.cli.sweep.open_driver", opened)
    with lab.planned() as run:
        conduct(run, lab.locks, {}, Console(file=io.StringIO()), unattended=unattended)
    assert [operator is not None for operator in given] == [asks] * len(given)
    assert given


def test_a_protocol_that_forbids_it_is_another_one_and_older_runs_keep_their_digest(tmp_path: Path) -> None:
    def digest(rule: str) -> str:
        (tmp_path / "p.toml").write_text(PROTOCOL + rule)
        return load_protocol(tmp_path / "p.toml").digest

    assert digest("[reset]\noperator = true\n") == digest("")
    assert digest("[reset]\noperator = false\n") != digest("")


def told(terminal: bool, work: Callable[[Board, Callable[[], None], SteadyClock], None]) -> str:
    """What stands on the operator's screen after `work` with a board and the way to draw it."""
    board, file, clock = Board(), io.StringIO(), TellingClock()
    board.update("A", phase="reset")
    console = Console(file=file, force_terminal=terminal, width=100, color_system=None)
    with shown(board, console, clock.elapsed_s) as draw:
        work(board, draw, clock)
    return file.getvalue()


def asked_for_12_minutes(board: Board, draw: Callable[[], None], clock: TellingClock) -> None:
    board.update("A", asks=Asks("desk\x1b[2J-1", CHECKLIST))
    for _ in range(3):
        draw()
    clock.pass_by(720)
    board.update("A", asks=None)
    draw()


def test_without_a_terminal_the_checklist_is_plain_lines_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(False, asked_for_12_minutes).splitlines()
    assert lines[0] == 'Phone A ("desk·[2J-1") needs a person; the rig goes on by itself when it is back'
    assert lines[1:3] == ["  1. Erase it in its settings.", "  2. Allow USB debugging."]
    assert lines.count(lines[0]) == 1
    assert 'Phone A ("desk·[2J-1") is no longer waiting for you, after 12 min' in lines
    assert any("reset: waits for you" in line for line in lines)


def test_on_a_terminal_the_checklist_is_a_panel_above_the_table() -> None:
    drawn = told(True, asked_for_12_minutes)
    assert drawn.count("1. Erase it in its settings.") == 1
    assert 'Phone A ("desk·[2J-1") needs a person' in drawn
    assert drawn.index("Erase it in its settings") < drawn.rindex("last error")


def test_a_second_call_before_the_first_is_over_counts_from_the_first() -> None:
    told_events: list[Event] = []
    clock = TellingClock()
    board = Board()
    desk = HelpDesk(board, told_events.append, clock)
    ask = desk.operator(PhoneRecord("A", "desk-1", "ios", "usb", "ios_photos", {}, None, ""))
    ask("0000", CHECKLIST[:1])
    clock.pass_by(60)
    ask("0000", CHECKLIST[1:])
    assert board.lines()[0].asks == Asks("desk-1", CHECKLIST[1:])
    clock.pass_by(60)
    acted = desk.over("A")
    assert acted is not None
    assert (acted.checklist, 120 <= acted.seconds < 121) == (CHECKLIST, True)
    assert [event.kind for event in told_events] == ["operator_asked"] * 2
    assert desk.over("A") is None
    assert board.lines()[0].asks is None


def test_every_phone_is_asked_for_by_its_own_name() -> None:
    def two(board: Board, draw: Callable[[], None], _clock: TellingClock) -> None:
        for letter, name in (("A", "desk-1"), ("B", "desk-2")):
            board.update(letter, asks=Asks(name, CHECKLIST))
        draw()

    names: Sequence[str] = ('Phone A ("desk-1") needs', 'Phone B ("desk-2") needs')
    text = told(False, two)
    assert all(text.count(name) == 1 for name in names)
