"""What an operator may get wrong at the desk: each is one clear sentence and the right exit code."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from engine_lab import PROFILE, PROTOCOL, FakeLab, FakePhone, draw_album
from typer.testing import CliRunner, Result

from rig.cli import app
from rig.errors import ExitCode, RigError

LAB = """
[[phone]]
name = "desk-1"
platform = "{platform}"
address = "{address}"
profile = "{profile}"
"""

Rig = Callable[..., RigError]


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    """Types a sweep in a folder with a lab, a protocol, a profile and an album; returns the error it ends with."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "own.toml").write_text(PROFILE)
    (tmp_path / "bench.toml").write_text(PROTOCOL.replace("reconnect_s = 5", "reconnect_s = 0.1"))
    (tmp_path / "lab.toml").write_text(LAB.format(platform="fake", address="nowhere:1", profile="own.toml"))
    draw_album(tmp_path / "album")

    def sweep(*words: object) -> RigError:
        usual = ("sweep", tmp_path / "bench.toml", "--lab", tmp_path / "lab.toml", "--album", tmp_path / "album")
        more = ("--runs", tmp_path / "runs", "--confirm-erase", "desk-1")
        return ended(CliRunner().invoke(app, [str(word) for word in words or (*usual, *more)]))

    return sweep


def ended(result: Result) -> RigError:
    assert isinstance(result.exception, RigError), result.output
    sentence = str(result.exception)
    assert "\n" not in sentence
    assert "Traceback" not in result.output
    return result.exception


@pytest.mark.parametrize("file", ["bench.toml", "lab.toml", "own.toml"])
def test_an_unknown_key_is_named_with_the_nearest_right_one(rig: Rig, tmp_path: Path, file: str) -> None:
    wrong = {"bench.toml": ("max_results", "max_result"), "lab.toml": ("address", "adress"), "own.toml": ("package", "pakage")}
    right, misspelt = wrong[file]
    text = (tmp_path / file).read_text()
    (tmp_path / file).write_text(text.replace(f"{right} =", f"{misspelt} =", 1))
    error = rig()
    assert error.exit_code is ExitCode.USAGE
    assert file in str(error)
    assert misspelt in str(error)
    assert f'did you mean "{right}"' in str(error)


def test_an_address_that_nobody_answers_is_named(rig: Rig, tmp_path: Path) -> None:
    nobody = tmp_path / "no-usbmuxd-here"
    (tmp_path / "lab.toml").write_text(LAB.format(platform="ios", address=f"UDID@{nobody}", profile="ios_photos"))
    error = rig()
    assert error.exit_code is ExitCode.INFRASTRUCTURE
    assert str(nobody) in str(error)


def test_a_full_disk_is_told_before_any_phone_is_touched(rig: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rig.runner.free_bytes", lambda _folder: 1)
    monkeypatch.setattr("rig.cli.sweep.open_driver", lambda *_: pytest.fail("a phone was opened"))
    error = rig()
    assert error.exit_code is ExitCode.INFRASTRUCTURE
    assert "free some space, then go on with: rig resume RUN" in str(error)


def test_an_album_that_is_not_json_is_named(rig: Rig, tmp_path: Path) -> None:
    (tmp_path / "album" / "album.json").write_text("{")
    error = rig()
    assert error.exit_code is ExitCode.USAGE
    assert "album.json" in str(error)


def test_an_album_whose_photos_are_gone_is_named(rig: Rig, tmp_path: Path) -> None:
    for photo in (tmp_path / "album" / "photos").iterdir():
        photo.unlink()
    error = rig()
    assert error.exit_code is ExitCode.USAGE
    assert "album" in str(error)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read every file")
def test_an_album_that_may_not_be_read_is_named(rig: Rig, tmp_path: Path) -> None:
    (tmp_path / "album" / "album.json").chmod(0)
    assert "album.json" in str(rig())


def test_a_run_of_another_protocol_is_refused(rig: Rig, tmp_path: Path) -> None:
    lab = FakeLab(tmp_path / "other", {"A": FakePhone(tmp_path / "other" / "A")})
    with lab.planned() as run:
        folder = run.folder
    protocol = folder / "inputs" / "protocol.toml"
    protocol.write_text(protocol.read_text().replace("max_results = 20", "max_results = 21"))
    error = rig("resume", folder)
    assert error.exit_code is ExitCode.USAGE
    assert "its protocol was changed after the run began; put back inputs/protocol.toml" in str(error)
