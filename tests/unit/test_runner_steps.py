"""What a trial does next is a pure function of what is recorded."""

from datetime import UTC, datetime

import pytest

from rig.records import Attempt, Phase, PhaseRecord, Status
from rig.steps import Finished, GiveUp, NewAttempt, Step, Work, failures, next_step

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DONE, STARTED, FAILED, GAPS = Status.DONE, Status.STARTED, Status.FAILED, Status.GAPS


def attempt(*statuses: Status) -> Attempt:
    """An attempt whose first phases have these statuses."""
    phases = {
        phase: PhaseRecord(phase, status, NOW, None, None, f"{phase} {status}")
        for phase, status in zip(Phase, statuses, strict=False)
    }
    return Attempt(1, 1, 1, phases)


@pytest.mark.parametrize(
    ("attempts", "step"),
    [
        pytest.param([], NewAttempt(), id="nothing yet"),
        pytest.param([attempt()], Work(Phase.RESET, resumed=False), id="killed before reset"),
        pytest.param([attempt(STARTED)], NewAttempt(), id="reset cut short"),
        pytest.param([attempt(DONE)], Work(Phase.IMPORT, resumed=False), id="killed between reset and import"),
        pytest.param([attempt(DONE, STARTED)], NewAttempt(), id="import cut short"),
        pytest.param([attempt(DONE, DONE)], Work(Phase.INDEX, resumed=False), id="killed between import and index"),
        pytest.param(
            [attempt(DONE, DONE, STARTED)], Work(Phase.INDEX, resumed=True), id="the rig died while the phone indexed"
        ),
        pytest.param([attempt(DONE, DONE, DONE)], Work(Phase.QUERY, resumed=False), id="killed before the first query"),
        pytest.param([attempt(DONE, DONE, DONE, STARTED)], Work(Phase.QUERY, resumed=True), id="killed among queries"),
        pytest.param([attempt(DONE, DONE, DONE, GAPS)], Finished(), id="some have no answer"),
        pytest.param([attempt(DONE, DONE, DONE, DONE)], Finished(), id="all done"),
        pytest.param([attempt(FAILED)], NewAttempt(), id="reset failed once"),
        pytest.param([attempt(DONE, FAILED), attempt(FAILED)], GiveUp("reset failed"), id="failed as often as allowed"),
        pytest.param([attempt(DONE, STARTED), attempt(FAILED)], NewAttempt(), id="being cut short is no failure"),
        pytest.param([attempt(DONE, DONE, FAILED), attempt()], Work(Phase.RESET, resumed=False), id="index void, next attempt"),
        pytest.param([attempt(DONE, DONE, DONE, FAILED)], NewAttempt(), id="the album was lost among queries"),
    ],
)
def test_the_next_step(attempts: list[Attempt], step: Step) -> None:
    assert next_step(attempts, failures_allowed=2) == step


def test_only_failed_attempts_count() -> None:
    assert failures([attempt(DONE, FAILED), attempt(STARTED), attempt(DONE, DONE, DONE, GAPS)]) == 1
