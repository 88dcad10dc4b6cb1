"""`rig sweep`, `rig resume`, `rig status` and `rig match RUN` as an operator types them, on phones that cannot be reached."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from engine_lab import PROFILE, PROTOCOL, FakeLab, FakePhone, draw_album
from typer.testing import CliRunner, Result

from rig.cli import app
from rig.cli.sweep import letter_file
from rig.errors import ExitCode, RigError
from rig.letters import read_letters
from rig.runner import sweep

LAB = """
schema_version = 1
[[phone]]
name = "desk-1"
platform = "fake"
address = "nowhere:1"
profile = "own.toml"
[[phone]]
name = "desk-2"
platform = "fake"
address = "nowhere:2"
profile = "own.toml"
"""

Rig = Callable[..., Result]


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    """Types a command in a folder with a lab, a protocol and an album; `{}` stands for the folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("rig.cli.sweep.default_folder", lambda: tmp_path / "state")
    (tmp_path / "own.toml").write_text(PROFILE)
    (tmp_path / "lab.toml").write_text(LAB)
    (tmp_path / "bench.toml").write_text(PROTOCOL)
    draw_album(tmp_path / "album")
    return lambda *words: CliRunner().invoke(app, [word.replace("{}", str(tmp_path)) for word in words])


SWEEP = ("sweep", "{}/bench.toml", "--lab", "{}/lab.toml", "--album", "{}/album", "--runs", "{}/runs")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (SWEEP, "desk-1, desk-2; leave them out with --phones, or, if they may be erased, add: --confirm-erase desk-1"),
        (
            (*SWEEP, "--confirm-erase", "desk-1", "--phones", "desk-3"),
            '--phones: no phone is called "desk-3"; did you mean "desk-',
        ),
        ((*SWEEP, "--confirm-erase", "dsk-1,desk-2"), '--confirm-erase: no phone is called "dsk-1"; did you mean "desk-1"?'),
        (("sweep", "{}/none.toml", *SWEEP[2:]), "none.toml: no such file"),
        (
            ("sweep", "{}/bench.toml", "--lab", "{}/lab.toml", "--album", "{}/nothing", "--confirm-erase", "desk-1,desk-2"),
            "queries.json",
        ),
        (("resume", "{}/album"), "not a run folder"),
        (("status", "{}/album"), "not a run folder"),
        (("match", "{}/album"), "not a run folder"),
    ],
)
def test_bad_input_is_one_sentence_and_makes_no_run(rig: Rig, tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    result = rig(*words)
    assert isinstance(result.exception, RigError)
    assert sentence in str(result.exception)
    assert result.exception.exit_code is ExitCode.USAGE
    assert not (tmp_path / "runs").exists()


def test_phones_that_cannot_be_driven_are_infrastructure(rig: Rig, tmp_path: Path) -> None:
    result = rig(*SWEEP, "--confirm-erase", "desk-1,desk-2")
    assert isinstance(result.exception, RigError)
    assert result.exception.exit_code is ExitCode.INFRASTRUCTURE
    assert "platform 'fake' is unknown" in str(result.exception)
    (folder,) = (tmp_path / "runs").iterdir()
    assert result.stdout.splitlines()[0] == str(folder)
    assert sorted(read_letters(letter_file(tmp_path / "runs")).letter_of.values()) == ["A", "B"]


def test_status_is_one_document(rig: Rig, tmp_path: Path) -> None:
    rig(*SWEEP, "--confirm-erase", "desk-1,desk-2", "--phones", "desk-1")
    (folder,) = (tmp_path / "runs").iterdir()
    told = json.loads(rig("status", str(folder), "--json").stdout)
    (trial,) = told["trials"]
    assert (told["under_way"], told["complete"]) == (False, False)
    assert (trial["planned"], trial["answered"], trial["not_run"], trial["parked"]) == (4, 0, 4, "driver")


def test_status_without_json_is_a_table(rig: Rig, tmp_path: Path) -> None:
    rig(*SWEEP, "--confirm-erase", "desk-1,desk-2", "--phones", "desk-1")
    (folder,) = (tmp_path / "runs").iterdir()
    assert "0/4" in rig("status", str(folder)).stdout


def test_match_takes_a_run_without_another_word(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")})
    with lab.planned() as run:
        sweep(lab.setup(run))
    result = CliRunner().invoke(app, ["match", str(run.folder), "--workers", "1"])
    assert result.stdout == f"4 searches matched in {run.folder}{os.linesep}"
