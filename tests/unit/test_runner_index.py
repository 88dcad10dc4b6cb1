"""The gallery gets its time: elapsed, undisturbed, or until probes stop changing."""

from dataclasses import replace
from pathlib import Path

import pytest
from engine_lab import PROTOCOL, FakeLab, FakePhone, invalid

from drivers.interface import DriverError, Invalid, PhoneLost
from rig.config import AdaptiveIndex
from rig.errors import ExitCode
from rig.phases.index import settled
from rig.phases.probing import agreement
from rig.records import Parked, Phase, PhoneRecord, Status
from rig.run import Run, unsettled
from rig.runner import sweep

DAY = PROTOCOL.replace("hours = 0", "hours = 24")
ADAPTIVE = PROTOCOL.replace(
    'mode = "fixed"\nhours = 0', 'mode = "adaptive"\nfloor_s = 100\nspacing_s = 50\ncap_s = 1000\nprobes = ["probe"]'
)
RULES = AdaptiveIndex(mode="adaptive", floor_s=1, spacing_s=1, cap_s=9, probes=("probe",))


def index_phase(run: Run, attempt: int = -1) -> tuple[Status, str]:
    (trial,) = run.ledger.trials()
    record = run.ledger.attempts(trial.id)[attempt].phases[Phase.INDEX]
    return record.status, record.detail


def test_a_day_is_a_day_of_elapsed_time(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")}, protocol=DAY)
    with lab.planned() as run:
        sweep(lab.setup(run))
        (trial,) = run.ledger.trials()
        record = run.ledger.attempts(trial.id)[0].phases[Phase.INDEX]
        assert record.due_at is not None
        assert (record.due_at - record.started_at).total_seconds() == 86_400
        assert record.ended_at is not None
        assert 86_400 <= (record.ended_at - record.started_at).total_seconds() < 86_460
        # Read every 600 s while it waits: 144 times.
        assert len(run.ledger.evidence("A", "index_signals")) == 144


class Restarting(FakePhone):
    """A phone that restarts once while it is read for the third time in its wait."""

    def open(self) -> object:
        driver = super().open()
        reads = iter(range(10**6))

        def signals() -> dict[str, str]:
            if next(reads) == 2 and self.read()["boot"] == 1:
                self.change(boot=2)
            return {}

        driver.index_signals = signals
        return driver


def test_a_restart_voids_the_wait(tmp_path: Path) -> None:
    phone = Restarting(tmp_path / "A")
    lab = FakeLab(tmp_path, {"A": phone}, protocol=DAY)
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
        assert index_phase(run, 0) == (
            Status.FAILED,
            "Phone A: index: it restarted while it indexed (boot 1 expected, 2 found): the wait is void",
        )
        assert index_phase(run, 1)[0] is Status.DONE
    assert ended.exit_code is ExitCode.COMPLETE
    assert phone.read()["erased"] == 2


def test_a_restart_between_the_import_and_the_wait_voids_the_wait(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A")
    lab = FakeLab(tmp_path, {"A": phone}, protocol=DAY)
    with lab.planned() as run:
        setup = lab.setup(run)
        checks = iter(range(10**6))
        open_driver = setup.open_driver

        def opened(record: PhoneRecord) -> object:
            driver = open_driver(record)
            identify = driver.identify

            def restarting() -> object:
                # With the album on it, it is first lined up for the wait; then the wait looks at it.
                if driver.phone.read()["album"] and driver.phone.read()["boot"] == 1 and next(checks) == 1:
                    phone.change(boot=2)
                return identify()

            driver.identify = restarting
            return driver

        assert sweep(replace(setup, open_driver=opened)).exit_code is ExitCode.COMPLETE
        assert index_phase(run, 0)[1].endswith("(boot 1 expected, 2 found): the wait is void")


def test_a_phone_lost_in_a_probe_round_is_asked_again_when_it_is_back(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A", results={"probe": ["a1"]}, script={"probe": [PhoneLost("cable")]})
    lab = FakeLab(tmp_path, {"A": phone}, protocol=ADAPTIVE)
    with lab.planned() as run:
        assert sweep(lab.setup(run)).exit_code is ExitCode.COMPLETE
        assert index_phase(run)[1].startswith("converged after 3 rounds")
        assert [*unsettled(run, "A")] == []
    assert phone.read()["erased"] == 1


def test_a_phone_that_restarted_while_it_was_lost_in_a_probe_round_has_not_had_its_time(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A", results={"probe": ["a1"]})

    def restart() -> None:
        phone.change(boot=2)
        raise PhoneLost("cable")

    phone.script = {"probe": [restart]}
    lab = FakeLab(tmp_path, {"A": phone}, protocol=ADAPTIVE)
    with lab.planned() as run:
        assert sweep(lab.setup(run)).exit_code is ExitCode.COMPLETE
        assert index_phase(run, 0)[0] is Status.FAILED
    assert phone.read()["erased"] == 2


def stopped_in_wait(lab: FakeLab, run: Run) -> None:
    """The rig ends one hour into the wait."""
    real = lab.clock.wait

    def wait(seconds: float, stop: object) -> bool:
        real(seconds, lab.stop)
        if seconds == 600 and lab.clock.now_s > 3600:
            lab.stop.set()
        return lab.stop.is_set()

    lab.clock.wait = wait
    assert sweep(lab.setup(run)).stopped
    lab.clock.wait = real
    lab.stop.clear()


def test_the_rig_s_own_death_does_not_begin_the_wait_anew(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A")
    lab = FakeLab(tmp_path, {"A": phone}, protocol=DAY)
    with lab.planned() as run:
        stopped_in_wait(lab, run)
        assert sweep(lab.setup(run)).exit_code is ExitCode.COMPLETE
        assert 86_400 <= lab.clock.now_s < 87_000
    assert phone.read()["erased"] == 1


@pytest.mark.parametrize(
    "meanwhile", [{"boot": 2}, {"album": {}}], ids=["it restarted", "its album is gone"]
)  # fmt: skip
def test_a_wait_disturbed_while_the_rig_was_away_is_void(tmp_path: Path, meanwhile: dict[str, object]) -> None:
    phone = FakePhone(tmp_path / "A")
    lab = FakeLab(tmp_path, {"A": phone}, protocol=DAY)
    with lab.planned() as run:
        stopped_in_wait(lab, run)
        phone.change(**meanwhile)
        assert sweep(lab.setup(run)).exit_code is ExitCode.COMPLETE
        assert index_phase(run, 0)[0] is Status.FAILED
    assert phone.read()["erased"] == 2


def test_an_update_while_the_rig_was_away_stops_the_phone(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A")
    lab = FakeLab(tmp_path, {"A": phone}, protocol=DAY)
    with lab.planned() as run:
        stopped_in_wait(lab, run)
        phone.change(build="b2")
        assert sweep(lab.setup(run)).phones[0].parked is Parked.CHANGED
    assert phone.read()["erased"] == 1


def test_the_wait_ends_when_probes_stop_changing(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A")
    growing = {1: ["a1"], 2: ["a1", "b2"]}
    phone.results = Growing(phone, growing, ["a1", "b2", "c3"])
    lab = FakeLab(tmp_path, {"A": phone}, protocol=ADAPTIVE)
    with lab.planned() as run:
        sweep(lab.setup(run))
        status, detail = index_phase(run)
    # Rounds show 1, 2, 3, 3, 3 results: the last three agree.
    assert status is Status.DONE
    assert detail.startswith("converged after 5 rounds, 30")
    assert phone.read()["settings"] == {"ime": "vendor"}


class Growing(dict[str, list[str]]):
    """What the probe finds the first times it is asked, then always."""

    def __init__(self, phone: FakePhone, early: dict[int, list[str]], late: list[str]) -> None:
        super().__init__()
        self.phone, self.early, self.late = phone, early, late

    def get(self, text: str, default: object = None) -> object:
        if text != "probe":
            return default
        return self.early.get(self.phone.read()["tried"]["probe"], self.late)


def test_a_wait_that_does_not_settle_ends_at_its_cap_and_says_so(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A", script={"probe": [invalid(Invalid.INDEXING)] * 99})
    lab = FakeLab(tmp_path, {"A": phone}, protocol=ADAPTIVE)
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
        # 100 s, then every 50 s until 1000 s: 19 rounds.
        assert index_phase(run)[1].startswith("not_converged after 19 rounds, 1000 s")
        assert [*unsettled(run, "A")] == ["index not converged: no probe found anything"]
        assert ended.coverage[0].planned == 4


def test_probes_are_never_among_the_searches(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A", results={"probe": ["a1"]})
    lab = FakeLab(tmp_path, {"A": phone}, protocol=ADAPTIVE)
    with lab.planned() as run:
        sweep(lab.setup(run))
        (trial,) = run.ledger.trials()
        (attempt,) = run.ledger.attempts(trial.id)
        assert {search.key.query for search in run.ledger.searches(attempt.id)} == {"q0", "q1", "q2", "q3"}


def test_a_phone_parked_in_its_wait_goes_on_when_it_was_not_disturbed(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A", results={"probe": ["a1"]}, script={"probe": [DriverError("Phone A: cable")]})
    lab = FakeLab(tmp_path, {"A": phone}, protocol=ADAPTIVE)
    with lab.planned() as run:
        assert sweep(lab.setup(run)).phones[0].cause == "Phone A: cable"
        assert sweep(lab.setup(run)).exit_code is ExitCode.COMPLETE
    assert phone.read()["erased"] == 1


ONE, OTHER, NEAR = "ffffffff00000000", "00000000ffffffff", "ffffffff00000007"


@pytest.mark.parametrize(
    ("before", "after", "overlap"),
    [
        pytest.param([], [], 1.0, id="nothing both times"),
        pytest.param([ONE], [], 0.0, id="all gone"),
        pytest.param([ONE, OTHER], [OTHER, ONE], 1.0, id="order does not matter"),
        pytest.param([ONE], [NEAR], 1.0, id="three bits are the same picture"),
        pytest.param([ONE, ONE], [ONE], 0.5, id="copies are counted"),
        pytest.param([ONE, OTHER], [ONE, "0f0f0f0f0f0f0f0f"], 1 / 3, id="one of three"),
    ],
)
def test_agreement_of_two_probe_rounds(before: list[str], after: list[str], overlap: float) -> None:
    assert agreement(before, after) == pytest.approx(overlap)


@pytest.mark.parametrize(
    ("rounds", "is_settled"),
    [
        pytest.param([(ONE,)] * 3, True, id="three alike"),
        pytest.param([(ONE,)] * 2, False, id="two are too few"),
        pytest.param([(OTHER,), (ONE,), (ONE,), (ONE,)], True, id="the early ones do not matter"),
        pytest.param([(ONE,), (OTHER,), (ONE,)], False, id="still changing"),
        pytest.param([(ONE,), None, (ONE,)], False, id="one was no answer"),
        pytest.param([()] * 3, False, id="an index that shows nothing is not ready"),
    ],
)
def test_when_an_index_has_settled(rounds: list[tuple[str, ...] | None], is_settled: bool) -> None:
    assert settled(tuple({"probe": seen} for seen in rounds), RULES) is is_settled
