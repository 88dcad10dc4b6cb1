"""The lab: a process a phone, one control socket, and nothing left behind."""

import json
import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import psutil
import pytest
from conftest import Adb
from PIL import Image

from devices.virtual.control import CONTROL_FILE, Control, ControlAddress, as_options, read_address
from devices.virtual.description import LabError, described_labs, load_lab, read_lab
from devices.virtual.lab import running_lab
from devices.virtual.platforms import phone_factory

LAB = """
name = "two"
[[phone]]
name = "one"
platform = "android"
skin = "xiaomi"
profile = "xiaomi"
seed = 1
[[phone]]
name = "other"
platform = "android"
skin = "samsung"
profile = "samsung"
seed = 2
boot_s = 0.2
[phone.options]
note = "a b"
"""
PHONE = {"name": "a", "platform": "android", "skin": "xiaomi", "profile": "xiaomi"}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Control]]:
    folder = tmp_path_factory.mktemp("lab")
    (folder / "two.toml").write_text(LAB, "utf-8")
    with running_lab(str(folder / "two.toml"), folder / "state") as control:
        yield folder / "state", control


def serial_at(adb: Adb, address: str) -> str:
    adb.run("disconnect", address, code=None)
    eventually(lambda: b"connected to" in adb.run("connect", address, code=None).stdout)
    adb.run("-s", address, "wait-for-device")
    return adb.run("-s", address, "shell", "getprop ro.serialno").stdout.decode().strip()


def eventually(holds: Callable[[], bool]) -> None:
    """Returns when `holds` does; looks again without hurry for half a minute."""
    for _ in range(300):
        if holds():
            return
        Event().wait(0.1)
    raise AssertionError("it never came true")


def remembered(memory: Path) -> dict[str, Any]:
    return dict(json.loads(memory.read_text("utf-8")))


def phones_of(folder: Path) -> dict[str, dict[str, str]]:
    return {phone["name"]: phone for phone in tomllib.loads((folder / "lab.toml").read_text("utf-8"))["phone"]}


def test_the_rigs_lab_file_names_each_phone_and_nothing_of_the_control_socket(lab: tuple[Path, Control]) -> None:
    phones = phones_of(lab[0])
    assert list(phones) == ["one", "other"]
    assert (phones["one"]["platform"], phones["one"]["profile"]) == ("android", "xiaomi")
    assert phones["other"]["options"] == {"note": "a b"}
    assert "token" not in (lab[0] / "lab.toml").read_text("utf-8")


def test_the_control_file_is_private(lab: tuple[Path, Control]) -> None:
    assert (lab[0] / CONTROL_FILE).stat().st_mode & 0o777 == 0o600


def test_a_wrong_token_is_refused(lab: tuple[Path, Control]) -> None:
    address = read_address(lab[0] / CONTROL_FILE)
    with pytest.raises(LabError, match="wrong token"):
        Control(ControlAddress(address.host, address.port, "guess")).status()


def test_each_phone_has_a_process_and_an_identity_of_its_own(lab: tuple[Path, Control], bundled_adb: Adb) -> None:
    phones = lab[1].status()["phones"]
    assert len({phone["pid"] for phone in phones.values()}) == 2
    for name, phone in phones_of(lab[0]).items():
        assert serial_at(bundled_adb, phone["address"]) == phones[name]["serial"]


def test_swapped_cables_show_the_other_phone(lab: tuple[Path, Control], bundled_adb: Adb) -> None:
    addresses = [phone["address"] for phone in phones_of(lab[0]).values()]
    before = [serial_at(bundled_adb, address) for address in addresses]
    lab[1].swap("one", "other")
    assert [serial_at(bundled_adb, address) for address in addresses] == before[::-1]
    lab[1].swap("one", "other")
    assert [serial_at(bundled_adb, address) for address in addresses] == before


def test_faults_of_phone_and_gallery_begin_and_end(lab: tuple[Path, Control]) -> None:
    control = lab[1]
    control.fault("one", "battery", percent=18)
    control.fault("one", "spinner_forever")
    status = control.ask("status", "one")
    assert status["battery_percent"] == 18
    assert status["faults"] == ["battery", "spinner_forever"]
    control.clear("one")
    status = control.ask("status", "one")
    assert (status["battery_percent"], status["faults"]) == (100, [])


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("spiner", {}, "there are: account, allow"),
        ("clock", {}, "seconds"),
        ("screenshot", {"kind": "pink"}, "screenshot kind pink"),
        ("lock", {"colour": 1}, "colour"),
    ],
)
def test_a_fault_that_cannot_be_is_said_so(lab: tuple[Path, Control], name: str, options: dict[str, object], said: str) -> None:
    with pytest.raises(LabError, match=said):
        lab[1].fault("one", name, **options)


def test_an_unknown_phone_is_named_with_those_that_exist(lab: tuple[Path, Control]) -> None:
    with pytest.raises(LabError, match="no phone 'third' in this lab; there are: one, other"):
        lab[1].shown("third")


def test_a_killed_phone_comes_back_at_its_port_with_what_it_had(lab: tuple[Path, Control], bundled_adb: Adb) -> None:
    address = phones_of(lab[0])["other"]["address"]
    serial = serial_at(bundled_adb, address)
    shell = ("-s", address, "shell")
    bundled_adb.run(*shell, "echo kept > /sdcard/kept; settings put global kept yes")
    Image.new("RGB", (64, 64), "teal").save(lab[0] / "a.png")
    bundled_adb.run("-s", address, "push", lab[0] / "a.png", "/sdcard/DCIM")
    bundled_adb.run(*shell, "content call --uri content://media --method scan_volume --arg external_primary")
    android_id = bundled_adb.run(*shell, "settings get secure android_id").stdout
    boots = int(bundled_adb.run(*shell, "settings get global boot_count").stdout)
    memory = lab[0] / "phones" / "other" / "storage" / "phone.json"
    eventually(lambda: remembered(memory)["indexed"] and "kept" in remembered(memory)["settings"]["global"])
    os.kill(lab[1].ask("status", "other")["pid"], signal.SIGKILL)
    eventually(lambda: "error" not in lab[1].status()["phones"]["other"])
    assert serial_at(bundled_adb, address) == serial
    assert lab[1].ask("status", "other")["indexed"] == 1
    assert bundled_adb.run(*shell, "cat /sdcard/kept; settings get global kept").stdout == b"kept\nyes\n"
    assert bundled_adb.run(*shell, "settings get secure android_id").stdout == android_id
    assert int(bundled_adb.run(*shell, "settings get global boot_count").stdout) == boots + 1


def test_a_second_lab_in_the_same_folder_is_refused(lab: tuple[Path, Control]) -> None:
    with pytest.raises(LabError, match="already up"), running_lab("single", lab[0]):
        pass


def test_no_phone_outlives_a_lab_that_was_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "devices.virtual.lab", "single", tmp_path / "state"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert json.loads(process.stdout.readline()) == {"up": True}
        workers = psutil.Process(process.pid).children()
        assert len(workers) == 1
        process.kill()
        process.wait()
        _, alive = psutil.wait_procs(workers, timeout=20)
        assert alive == []


def test_a_lab_ends_with_whoever_started_it(tmp_path: Path) -> None:
    with running_lab("single", tmp_path / "state"):
        assert (tmp_path / "state" / CONTROL_FILE).exists()
    assert not (tmp_path / "state" / CONTROL_FILE).exists()
    with pytest.raises(LabError, match="rig lab up"):
        read_address(tmp_path / "state" / CONTROL_FILE)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"phones": []}, "unknown key phones"),
        ({"phone": []}, "no phone"),
        ({"phone": [PHONE | {"skn": "x"}]}, "unknown key 'skn'; did you mean 'skin'"),
        ({"phone": [{"name": "a"}]}, "platform"),
        ({"phone": [PHONE | {"seed": "seven"}]}, "seed"),
        ({"phone": [PHONE | {"engine": 3}]}, "engine has to be a table"),
        ({"phone": [PHONE, PHONE]}, "two phones have one name: a"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_description_is_one_clear_sentence(told: dict[str, object], said: str) -> None:
    with pytest.raises(LabError, match=said):
        read_lab(told, "lab")


def test_an_unknown_platform_or_lab_names_those_that_exist() -> None:
    with pytest.raises(LabError, match="there are: android"):
        phone_factory("symbian")
    with pytest.raises(LabError, match=", ".join(described_labs())):
        load_lab("nowhere")


def test_every_lab_that_comes_with_the_rig_can_be_read() -> None:
    for name in described_labs():
        assert load_lab(name).phones


def test_options_typed_by_a_person_become_numbers_and_truth() -> None:
    typed = {"seconds": "2.5", "plugged": "false", "kind": "black", "celsius": "null"}
    assert as_options(typed) == {"seconds": 2.5, "plugged": False, "kind": "black", "celsius": None}


def test_another_phone_of_the_same_name_finds_nothing_of_the_one_before(tmp_path: Path) -> None:
    described = tmp_path / "lab.toml"
    for skin in ("xiaomi", "samsung"):
        described.write_text(
            f'name = "turn"\n[[phone]]\nname = "one"\nplatform = "android"\nskin = "{skin}"\nprofile = "{skin}"\n'
        )
        with running_lab(str(described), tmp_path / "lab"):
            leftover = tmp_path / "lab" / "phones" / "one" / "storage" / "leftover"
            assert not leftover.exists()
            leftover.write_text("of the phone before")
