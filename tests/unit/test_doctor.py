"""What `rig doctor` and `rig devices` make of what they find, and that they change nothing."""

import json
import socket
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from engine_lab import PROFILE, FakeDriver, FakeLab, FakePhone
from typer.testing import CliRunner, Result

from drivers.discovery import Attached, Tool, with_addresses
from drivers.interface import DriverError, PhoneLost
from rig.cli import app
from rig.config import load_profile
from rig.desk import host
from rig.desk.calibrations import Calibration, calibrations_file, gallery_of, look_of, remember
from rig.desk.checks import Check, Level, checks_told, exit_code
from rig.desk.leftovers import check_leftovers
from rig.desk.phones import check_attached, check_lab, meet
from rig.disk import Lock
from rig.errors import ExitCode, RigError
from rig.model import Phone

PHONE = Phone("desk-1", "fake", "nowhere:1", "own.toml")


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.mark.parametrize(
    ("checks", "code"),
    [
        ([Check("host.disk", Level.WARN, "little")], ExitCode.COMPLETE),
        ([Check("host.disk", Level.FAIL, "none")], ExitCode.USAGE),
        ([Check("host.disk", Level.FAIL, "none"), Check("lab.desk-1", Level.FAIL, "gone")], ExitCode.INFRASTRUCTURE),
    ],
    ids=["warnings pass", "a failure is 2", "an unreachable phone is 4"],
)
def test_the_gravest_check_decides_the_exit_code(checks: list[Check], code: ExitCode) -> None:
    assert exit_code(checks) is code
    assert checks_told(checks)["exit_code"] == code


def test_a_package_of_another_version_is_named(tmp_path: Path) -> None:
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("# pinned\nnumpy==0.0.1\nno-such-package==1.0\n")
    found = host.check_packages(constraints)
    assert found.status is Level.WARN
    assert found.evidence.endswith("instead of 0.0.1")
    assert "no-such-package" not in found.evidence


def test_a_tool_is_missed_only_where_a_phone_needs_it() -> None:
    nowhere = Tool("hdc", "", "")
    assert host.check_tool(nowhere, needed=False, fix="install it").status is Level.OK
    assert host.check_tool(nowhere, needed=True, fix="install it") == Check(
        "host.hdc", Level.FAIL, "no hdc on PATH", "install it"
    )
    assert host.check_tool(Tool("adb", "/bin/adb", "1.0.41", "another version runs"), needed=False, fix="").status is Level.FAIL


@pytest.mark.parametrize(("free", "status"), [(10**8, Level.FAIL), (10**9, Level.WARN), (10**11, Level.OK)])
def test_a_disk_is_judged_by_what_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, status: Level) -> None:
    monkeypatch.setattr(host, "free_bytes", lambda _folder: free)
    assert host.check_disk(tmp_path / "not" / "there").status is status


def test_a_port_that_another_program_holds_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(5)
        monkeypatch.setattr("drivers.android.server._ANSWER_S", 0.2)
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(other.getsockname()[1]))
        found = {check.id: check for check in host.check_adb(needed=True)}
    assert found["host.adb-port"].status is Level.FAIL


def opened(phone: FakePhone) -> Callable[..., FakeDriver]:
    return lambda _phone, _profile: phone.open()


def refused(error: DriverError) -> Callable[..., FakeDriver]:
    def opener(_phone: Phone, _profile: object) -> FakeDriver:
        raise error

    return opener


def test_a_real_phone_that_was_never_calibrated_is_a_warning_with_the_command(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(PROFILE)
    profile = load_profile(tmp_path / "own.toml")
    phone = FakePhone(tmp_path / "phone", virtual=False)
    first = list(check_lab([meet(PHONE, profile, opened(phone))]))
    assert [(check.id, check.status) for check in first] == [("lab.desk-1", Level.OK), ("calibration.desk-1", Level.WARN)]
    assert first[1].fix.startswith("rig calibrate desk-1 --lab FILE")
    at = datetime(2026, 1, 1, tzinfo=UTC)
    gallery = gallery_of("fake", phone.open().identify())
    remember(Calibration(gallery, "fake", look_of(profile), at, "bundle", with_album=False), calibrations_file())
    assert [check.id for check in check_lab([meet(PHONE, profile, opened(phone))])] == ["lab.desk-1"]


@pytest.mark.parametrize(
    "error",
    [
        PhoneLost("nowhere:1 is not attached (attached: none); check cable"),
        DriverError("nowhere:1 is unauthorized: unlock the phone and allow USB debugging from this computer (always)"),
    ],
    ids=["missing", "unauthorised"],
)
def test_a_phone_of_the_lab_that_cannot_be_used_fails_in_the_driver_s_words(tmp_path: Path, error: DriverError) -> None:
    (tmp_path / "own.toml").write_text(PROFILE)
    met = meet(PHONE, load_profile(tmp_path / "own.toml"), refused(error))
    (check,) = check_lab([met])
    assert (check.status, check.evidence) == (Level.FAIL, str(error))
    assert exit_code([check]) is ExitCode.INFRASTRUCTURE


def test_two_phones_with_one_serial_are_told_apart_by_their_usb_path() -> None:
    one, other = (Attached("android", "0123456789", "0123456789", "device", f"usb:1-{n} product:x", "") for n in (1, 2))
    listed = with_addresses([one, other])
    assert [phone.address for phone in listed] == ["usb:1-1", "usb:1-2"]
    assert [phone.serial for phone in listed] == ["0123456789", "0123456789"]
    assert all('write address = "usb:1-' in phone.about for phone in listed)
    assert with_addresses([one]) == (one,)


def test_an_attached_phone_comes_with_its_next_step() -> None:
    waiting = Attached("android", "S1", "S1", "unauthorized", "usb:1-1", "unlock the phone")
    ours, other = (Attached("android", name, name, "device", "usb:1-2", "") for name in ("S2", "S3"))
    found = list(check_attached([waiting, ours, other], [Phone("desk-1", "android", "S2", "samsung")]))
    assert [(check.id, check.status, check.fix) for check in found] == [
        ("attached.android.S1", Level.WARN, "unlock the phone"),
        ("attached.android.S3", Level.OK, "rig devices shows what it is"),
    ]


def test_settings_that_a_run_owes_are_found_and_left_alone(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")})
    with lab.planned() as run:
        run.ledger.save_settings("A", datetime(2026, 1, 1, tzinfo=UTC), {"ime": "vendor"})
        lock = Lock(run.folder / "run.lock", "run")
        lock.acquire()
        assert [check.status for check in check_leftovers(tmp_path / "runs")] == [Level.OK], "a run under way owes nothing yet"
        lock.release()
        (check,) = check_leftovers(tmp_path / "runs")
        assert run.ledger.owed_settings("A") == {"ime": "vendor"}
    assert check.status is Level.WARN
    assert '("phone-A") is owed 1 settings: ime' in check.evidence
    assert check.fix.endswith(f"rig resume {run.folder}")


def rig(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def quiet_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is attached to this computer, and its tools are not asked."""
    monkeypatch.setattr("rig.cli.doctor.attached_phones", lambda: ())
    monkeypatch.setattr("rig.cli.devices.attached_phones", lambda: ())
    monkeypatch.setattr("rig.cli.doctor.check_host", lambda *_: [Check("host.disk", Level.OK, "enough")])


@pytest.mark.usefixtures("quiet_host")
def test_doctor_is_one_document_and_ends_with_4_when_a_phone_is_missing(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(PROFILE)
    lab = tmp_path / "lab.toml"
    lab.write_text('[[phone]]\nname = "desk-1"\nplatform = "fake"\naddress = "nowhere:1"\nprofile = "own.toml"\n')
    result = rig("doctor", "--lab", lab, "--runs", tmp_path / "runs", "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == told["exit_code"] == ExitCode.INFRASTRUCTURE
    failed = [check for check in told["checks"] if check["status"] == "fail"]
    assert [check["id"] for check in failed] == ["lab.desk-1"]
    assert set(failed[0]) == {"id", "status", "evidence", "fix"}


@pytest.mark.usefixtures("quiet_host")
def test_doctor_of_a_good_desk_ends_with_0(tmp_path: Path) -> None:
    result = rig("doctor", "--runs", tmp_path / "runs")
    assert result.exit_code == 0
    assert "enough" in result.stdout


@pytest.mark.usefixtures("quiet_host")
@pytest.mark.parametrize("command", ["doctor", "devices"])
def test_a_lab_file_with_an_unknown_key_is_one_sentence(tmp_path: Path, command: str) -> None:
    lab = tmp_path / "lab.toml"
    lab.write_text('[[phone]]\nname = "desk-1"\nplatform = "fake"\nadress = "nowhere:1"\nprofile = "own.toml"\n')
    result = rig(command, "--lab", lab)
    assert isinstance(result.exception, RigError)
    assert result.exception.exit_code is ExitCode.USAGE
    assert 'unknown key "phone.0.adress"; did you mean "address"?' in str(result.exception)


@pytest.mark.usefixtures("quiet_host")
def test_devices_of_an_empty_desk_are_an_empty_list() -> None:
    assert json.loads(rig("devices", "--json").stdout) == {"schema_version": 1, "devices": []}
