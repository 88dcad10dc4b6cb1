"""`rig calibrate` at a desk with one virtual phone: the real client, the real matcher, a bundle on the disk."""

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from devices.virtual.control import CONTROL_FILE, Control, read_address
from devices.virtual.lab import running_lab
from drivers.android.server import AdbServer, end_server, find_adb
from rig.cli import app
from rig.config import HOME, load_profile
from rig.desk.bundle import FILE, findings_told, read_visits
from rig.desk.calibrations import calibrations_file, read_calibrations
from rig.desk.probing import probe
from rig.errors import ExitCode, GateFailed, InfrastructureDown

PHONE = """
name = "desk"
[[phone]]
name = "desk-1"
platform = "android"
skin = "xiaomi"
profile = "xiaomi"
seed = 11
speed = 5.0
engine = { misses = 0.0 }
"""
PHOTOS = 18
"""Six rows of three: one more than the screen holds."""

DAY = "2019年3月14日"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a lab that is up; what the rig remembers, it remembers there."""
    folder = tmp_path_factory.mktemp("desk")
    (folder / "desk.toml").write_text(PHONE)
    with socket.create_server(("127.0.0.1", 0)) as probed:
        port = probed.getsockname()[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANDROID_ADB_SERVER_PORT", str(port))
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        with running_lab(str(folder / "desk.toml"), folder / "lab"):
            yield folder
        end_server(AdbServer(find_adb(), port))


def rig(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def calibrated(desk: Path) -> Result:
    """The phone calibrated with its album, once for all tests."""
    lab, to = desk / "lab" / "lab.toml", desk / "bundle"
    return rig(
        "calibrate", "desk-1", "--lab", lab, "--album", "--photos", PHOTOS, "--query", DAY, "--wait", 120, "--to", to, "--json"
    )


def test_the_album_is_measured_and_the_calibration_remembered(desk: Path, calibrated: Result) -> None:
    assert calibrated.exit_code == 0, calibrated.output
    told = json.loads(calibrated.stdout)
    day = told["measured"]["searches"][0]
    assert (told["calibrated"], told["problems"]) == (True, [])
    assert (day["query"], day["ending"], day["shown"]) == (DAY, "end_proven", PHOTOS)
    assert (day["missed"], day["wrong"], day["unread"]) == (0, 0, 0)
    assert day["right"] + day["undecided"] == PHOTOS
    assert day["right"] >= PHOTOS - 2
    assert day["scrolls"], "the list is longer than the screen"
    assert all(scroll["distance_px"] > 0 and scroll["unsteady_px"] <= 2 for scroll in day["scrolls"])
    assert all(text["same"] for text in told["measured"]["texts"])
    (record,) = read_calibrations(calibrations_file())
    assert (record.profile, record.gallery.package, record.gallery.language) == ("xiaomi", "com.miui.gallery", "zh")
    assert record.with_album


def test_a_bundle_gives_the_same_table_at_another_desk(desk: Path, calibrated: Result) -> None:
    visits = read_visits(desk / "bundle")
    again = findings_told(probe(load_profile(desk / "bundle" / "profile.toml"), visits, "zh"))
    assert json.loads(json.dumps(again)) == json.loads((desk / "bundle" / FILE).read_text())["findings"]


def test_a_bundle_does_not_say_whose_phone_it_was(desk: Path, calibrated: Result) -> None:
    told = (desk / "bundle" / FILE).read_text()
    assert "serial" not in json.loads(told)["phone"]
    assert set(json.loads(told)["phone"]) == {"model", "os_version", "build", "locale", "virtual"}


def test_a_profile_that_does_not_fit_fails_the_gate_and_gets_suggestions(desk: Path, calibrated: Result) -> None:
    ours = (HOME / "devices" / "xiaomi.toml").read_text()
    wrong = ours.replace('"result_view"', '"no_such_view"').replace('"micro_thumb"', '"no_such_thumb"')
    wrong = wrong.replace('id = "grid"', 'id = "no_such_grid"')
    impatient = re.sub(r"results_s = \S+", "results_s = 3.0", wrong)
    assert impatient != wrong
    (desk / "wrong.toml").write_text(impatient)
    lab = desk / "wrong-lab.toml"
    told = (desk / "lab" / "lab.toml").read_text()
    lab.write_text(told.replace('profile = "xiaomi"', 'profile = "wrong.toml"'))
    result = rig(
        "calibrate", "desk-1", "--lab", lab, "--query", DAY, "--to", desk / "wrong-bundle", "--json"
    )  # fmt: skip
    assert isinstance(result.exception, GateFailed)
    assert result.exception.exit_code is ExitCode.GATE_FAILED
    found = json.loads(result.stdout)
    assert not found["calibrated"]
    assert 'id = "micro_thumb"' in found["suggestions"]["cell"]
    assert 'id = "result_view"' in found["suggestions"]["results"]
    assert 'id = "micro_thumb"' in (desk / "wrong-bundle" / "suggested.toml").read_text()
    assert len(read_calibrations(calibrations_file())) == 1, "what failed is not remembered"


def test_a_bundle_is_not_written_over(desk: Path, calibrated: Result) -> None:
    result = rig("calibrate", "desk-1", "--lab", desk / "lab" / "lab.toml", "--to", desk / "bundle")
    assert "is not empty; give a new folder with --to DIR" in str(result.exception)


def test_a_phone_that_does_not_trust_this_computer_is_one_sentence_with_the_next_step(desk: Path, calibrated: Result) -> None:
    control = Control(read_address(desk / "lab" / CONTROL_FILE))
    control.ask("fault", "desk-1", name="unauthorized", options={})
    try:
        result = rig("calibrate", "desk-1", "--lab", desk / "lab" / "lab.toml", "--to", desk / "refused")
    finally:
        control.ask("clear", "desk-1")
    assert isinstance(result.exception, InfrastructureDown)
    assert "is unauthorized: unlock the phone and allow USB debugging from this computer (always)" in str(result.exception)
    assert not (desk / "refused").exists()


def test_a_phone_that_nobody_answers_for_is_one_sentence(desk: Path, calibrated: Result) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        address = f"127.0.0.1:{nobody.getsockname()[1]}"
    lab = desk / "missing.toml"
    lab.write_text(f'[[phone]]\nname = "desk-1"\nplatform = "android"\naddress = "{address}"\nprofile = "xiaomi"\n')
    result = rig("calibrate", "desk-1", "--lab", lab, "--to", desk / "missing")
    assert isinstance(result.exception, InfrastructureDown)
    assert result.exception.exit_code is ExitCode.INFRASTRUCTURE
    assert f"phone desk-1: {address}" in str(result.exception)
    assert "\n" not in str(result.exception)
