"""`rig lab …` as a person and a script use it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rig.cli import app
from rig.errors import RigError

RIG = [sys.executable, "-c", "from rig.cli import main; main()"]


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a lab that `rig lab up` serves."""
    folder = tmp_path_factory.mktemp("cli") / "state"
    command = [*RIG, "lab", "up", "--lab", "single", "--state", str(folder), "--attached", "--json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        told = json.loads(process.stdout.readline())
        assert told["lab"] == str(folder / "lab.toml")
        assert [phone["platform"] for phone in told["phones"]] == ["android"]
        yield folder
        process.stdin.close()
        assert process.wait(20) == 0


def rig(*words: str | Path) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_fault_is_begun_seen_and_ended(state: Path) -> None:
    rig("lab", "fault", "phone-1", "battery", "percent=18", "--state", state)
    phone = json.loads(rig("lab", "status", "--json", "--state", state))["phone-1"]
    assert (phone["battery_percent"], phone["faults"]) == (18, ["battery"])
    assert "battery" in rig("lab", "status", "--state", state)
    rig("lab", "fault", "phone-1", "clear", "--state", state)
    assert json.loads(rig("lab", "status", "--json", "--state", state))["phone-1"]["faults"] == []


def test_what_was_shown_is_json(state: Path) -> None:
    assert json.loads(rig("lab", "shown", "phone-1", "--state", state)) == {"searches": []}


def test_a_wrong_fault_and_a_missing_lab_are_sentences(state: Path, tmp_path: Path) -> None:
    with pytest.raises(RigError, match="there are: account"):
        rig("lab", "fault", "phone-1", "nonsense", "--state", state)
    with pytest.raises(RigError, match="start one with: rig lab up"):
        rig("lab", "status", "--state", tmp_path)
    with pytest.raises(RigError, match="no such file, and no lab of this name"):
        rig("lab", "up", "--lab", "nowhere", "--state", tmp_path)
