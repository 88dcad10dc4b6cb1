"""A phone rests until it is well, not until it is barely better."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from engine_lab import PROTOCOL, WELL, FakeLab, FakePhone

from drivers.interface import Health
from rig.config import HealthRules
from rig.phases.health import BATTERY, HEAT, ailment
from rig.records import Parked
from rig.runner import sweep

RULES = HealthRules()


@pytest.mark.parametrize(
    ("battery", "temperature", "resting", "ill"),
    [
        pytest.param(20, 30.0, None, None, id="at the low mark it works"),
        pytest.param(19, 30.0, None, BATTERY, id="below it rests"),
        pytest.param(79, 30.0, BATTERY, BATTERY, id="better is not well"),
        pytest.param(80, 30.0, BATTERY, None, id="charged"),
        pytest.param(90, 44.9, None, None, id="warm"),
        pytest.param(90, 45.0, None, HEAT, id="hot"),
        pytest.param(90, 34.1, HEAT, HEAT, id="cooling"),
        pytest.param(90, 34.0, HEAT, None, id="cool"),
        pytest.param(19, 34.0, HEAT, BATTERY, id="cool and empty"),
        pytest.param(None, None, None, None, id="unknown is not ill"),
        pytest.param(None, None, HEAT, HEAT, id="unknown is not cool"),
        pytest.param(None, None, BATTERY, BATTERY, id="unknown is not charged"),
    ],
)
def test_hysteresis(battery: int | None, temperature: float | None, resting: str | None, ill: str | None) -> None:
    assert ailment(replace(WELL, battery_percent=battery, temperature_c=temperature), RULES, resting) == ill


def readings(*values: Health) -> Iterator[Health]:
    yield from values
    while True:
        yield values[-1]


def test_a_hot_phone_rests_and_then_answers_everything(tmp_path: Path) -> None:
    hot, warm = replace(WELL, temperature_c=46.0), replace(WELL, temperature_c=35.0)
    told = readings(WELL, hot, warm, WELL)
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", health=lambda: next(told))})
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
        kinds = (run.folder / "events.jsonl").read_text()
    assert ended.coverage[0].complete
    # Two polls of 30 s: hot, warm; the third reading is well.
    assert lab.clock.now_s > 60
    assert kinds.count("health_pause") == 1
    assert kinds.count("health_resumed") == 1


def test_a_phone_that_stays_hot_is_parked(tmp_path: Path) -> None:
    told = readings(WELL, replace(WELL, temperature_c=46.0))
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", health=lambda: next(told))})
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
    assert ended.phones[0].parked is Parked.HEALTH
    assert "still has 46.0 °C; cool or charge it" in ended.phones[0].cause


@pytest.mark.parametrize(
    ("health", "cause"),
    [
        (replace(WELL, free_bytes=10), "bytes of free storage expected, 10 found"),
        (replace(WELL, clock_skew_s=-86_400.0 * 20_000), "its clock is 20000.0 days behind"),
    ],
    ids=["no room", "1970"],
)
def test_an_unready_phone_is_refused_before_the_transfer(tmp_path: Path, health: Health, cause: str) -> None:
    phone = FakePhone(tmp_path / "A", health=lambda: health)
    lab = FakeLab(tmp_path, {"A": phone}, protocol=PROTOCOL)
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
    assert ended.phones[0].parked is Parked.REFUSED
    assert cause in ended.phones[0].cause
    assert phone.read()["album"] == {}


def test_a_clock_set_to_another_day_stops_the_phone_and_voids_what_was_seen_since_the_last_check(tmp_path: Path) -> None:
    # Read before the import, then before each of the four searches: at the third, the clock has jumped.
    told = readings(WELL, WELL, WELL, replace(WELL, clock_skew_s=90_000.0))
    protocol = PROTOCOL + "[health]\nevery_s = 0.001\n"
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", health=lambda: next(told))}, protocol=protocol)
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
    assert ended.phones[0].parked is Parked.CHANGED
    assert ended.phones[0].cause == "Phone A: query: its clock is 1.0 days ahead; set its date, then: rig resume RUN"
    assert (ended.coverage[0].answered, ended.coverage[0].invalid) == (0, {"changed": 2})


def test_a_clock_that_drifts_is_told_of_once(tmp_path: Path) -> None:
    told = readings(WELL, WELL, replace(WELL, clock_skew_s=60.0))
    protocol = PROTOCOL + "[health]\nevery_s = 0.001\n"
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", health=lambda: next(told))}, protocol=protocol)
    with lab.planned() as run:
        assert sweep(lab.setup(run)).coverage[0].complete
        assert run.ledger.evidence("A", "clock_skew")[0][1] == {"seconds": 60.0}
        assert (run.folder / "events.jsonl").read_text().count("clock_skew") == 1
