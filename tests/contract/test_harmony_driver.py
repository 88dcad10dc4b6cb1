"""The HarmonyOS driver on virtual phones: faults of the wire, broken screenshots, white starts, imports, resets."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import pytest
from bench import read_all, reason
from driver_subjects import HDC, PATIENCE
from marked_album import Marked, make_album

from devices.virtual.control import Control
from devices.virtual.lab import running_lab
from drivers.harmony import open_driver
from drivers.harmony.hdc import Hdc, Refused
from drivers.harmony.phone import Phone
from drivers.interface import DriverError, Ending, Invalid, PhoneLost, PushItem
from drivers.phone import PhoneDriver
from rig.config import load_profile

PHONE, NEW = "phone", "new"
PHOTOS = tuple(Marked(f"IMG_{number:03}.jpg", number, ("cat",) if number <= 20 else ("dog",)) for number in range(1, 31))
DOGS = list(range(30, 20, -1))


class Phones:
    """The lab of this module: one phone with its album, one for imports and resets."""

    def __init__(self, control: Control, items: tuple[PushItem, ...]) -> None:
        self.control = control
        self.items = items

    def address(self, phone: str) -> str:
        """Where a phone answers."""
        return str(self.control.ask("status", phone)["address"])

    @contextmanager
    def driver(self, phone: str = PHONE, **options: str) -> Iterator[PhoneDriver]:
        """A driver of one phone, closed at the end; the phone is well afterwards."""
        given = {"hdc": str(HDC), "mdm": "com.example.rigadmin/ResetAbility", **options}
        driver = open_driver(self.address(phone), replace(load_profile("harmony_photos"), patience=PATIENCE), given)
        try:
            yield driver
        finally:
            driver.close()
            self.control.clear(phone)


@pytest.fixture(scope="module")
def phones(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Phones]:
    folder = tmp_path_factory.mktemp("harmony")
    text = 'name = "harmony"\n'
    for name in (PHONE, NEW):
        text += f'[[phone]]\nname = "{name}"\nplatform = "harmony"\nskin = "harmony_photos"\nprofile = "harmony_photos"\n'
        text += "speed = 5.0\nboot_s = 0.3\nengine = { misses = 0.0, forgets = 0.0, confuses = 0.0, english = 1.0 }\n"
    (folder / "harmony.toml").write_text(text, "utf-8")
    with running_lab(str(folder / "harmony.toml"), folder / "lab") as control:
        phones = Phones(control, make_album(folder / "album", PHOTOS))
        with phones.driver() as driver:
            driver.push(phones.items, lambda _done, _total: None)
            wait_until_indexed(phones)
        yield phones


def wait_until_indexed(phones: Phones) -> None:
    until = monotonic() + 20
    while int(phones.control.ask("status", PHONE)["indexed"]) < len(PHOTOS):
        assert monotonic() < until, "the photos were not indexed"
        sleep(0.05)


def test_answers_in_small_pieces_are_whole(phones: Phones) -> None:
    with phones.driver() as driver:
        phones.control.fault(PHONE, "uitest_fragments", bytes=1500)
        assert read_all(driver, "dog") == (DOGS, Ending.END_PROVEN)


@pytest.mark.parametrize("fault", ["uitest_garbage", "uitest_half", "uitest_killed"])
def test_a_connection_to_uitest_that_breaks_is_void_at_most_for_one_search(phones: Phones, fault: str) -> None:
    with phones.driver() as driver:
        assert read_all(driver, "dog", most=10)[0] == DOGS
        asking = driver.search("cat")
        next(asking)
        phones.control.fault(PHONE, fault)
        with pytest.raises(Exception, match="connection"):
            asking.send(None)
        assert read_all(driver, "dog") == (DOGS, Ending.END_PROVEN)


def test_a_daemon_that_died_between_two_searches_harms_none(phones: Phones) -> None:
    with phones.driver() as driver:
        assert read_all(driver, "dog", most=10)[0] == DOGS
        phones.control.fault(PHONE, "uitest_killed")
        assert read_all(driver, "cat", most=20)[0] == list(range(20, 0, -1))


def test_a_restart_between_two_searches_is_seen_by_its_boot(phones: Phones) -> None:
    with phones.driver() as driver:
        before = driver.identify().boot_count
        phones.control.fault(PHONE, "reboot")
        assert driver.identify().boot_count != before


def test_another_build_is_another_phone(phones: Phones) -> None:
    with phones.driver(NEW) as driver:
        read_all(driver, "dog", most=1)
        phones.control.fault(NEW, "system_update")
        with pytest.raises(DriverError, match=r"expected phone .* found"):
            read_all(driver, "dog")


def test_a_white_first_page_is_started_again(phones: Phones) -> None:
    with phones.driver() as driver:
        phones.control.fault(PHONE, "blank_start", count=1)
        assert read_all(driver, "dog") == (DOGS, Ending.END_PROVEN)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("black", Invalid.BLACK_FRAME),
        ("crlf", Invalid.BROKEN_IMAGE),
        ("truncated", Invalid.BROKEN_IMAGE),
        ("none", Invalid.BROKEN_IMAGE),
    ],
)
def test_a_broken_screenshot_is_no_answer(phones: Phones, kind: str, expected: Invalid) -> None:
    with phones.driver() as driver:
        phones.control.fault(PHONE, "screenshot", kind=kind)
        assert reason(driver, "dog") is expected


def test_a_warning_before_the_screenshot_does_no_harm(phones: Phones) -> None:
    with phones.driver() as driver:
        phones.control.fault(PHONE, "screenshot", kind="text")
        assert read_all(driver, "dog", most=10)[0] == DOGS


@pytest.mark.parametrize("percent", [18, None], ids=["low", "not told"])
def test_a_battery_is_read_as_it_is(phones: Phones, percent: int | None) -> None:
    with phones.driver() as driver:
        phones.control.fault(PHONE, "battery", percent=percent, plugged=False)
        health = driver.health()
        assert (health.battery_percent, health.charging) == (percent, False)


@pytest.mark.parametrize(("told", "read"), [(46.2, 46.2), (0.0, None), (-0.1, None), (None, None)])
def test_a_temperature_that_is_no_reading_is_unknown(phones: Phones, told: float | None, read: float | None) -> None:
    with phones.driver() as driver:
        phones.control.fault(PHONE, "temperature", celsius=told)
        assert driver.health().temperature_c == read


def test_a_push_goes_on_where_it_was_cut_and_what_was_lost_is_named(phones: Phones) -> None:
    with phones.driver(NEW, reset="soft") as driver:
        assert not driver.reset().factory
        phones.control.fault(NEW, "push_cut", files=10)
        driver.push(phones.items, lambda _done, _total: None)
        assert driver.verify_import(phones.items).complete
        driver.reset()
        phones.control.fault(NEW, "push_lost", count=2)
        driver.push(phones.items, lambda _done, _total: None)
        assert [fault.fault for fault in driver.verify_import(phones.items).faults] == ["missing", "missing"]
        driver.push(phones.items, lambda _done, _total: None)
        assert driver.verify_import(phones.items).complete


def test_names_that_the_library_refuses_are_spelled_otherwise_and_found_again(phones: Phones, tmp_path: Path) -> None:
    items = make_album(tmp_path / "album", [Marked("a[1]'{2}.jpg", 1, ("cat",)), Marked("a=5B.jpg", 2, ("cat",))])
    with phones.driver(NEW, reset="soft") as driver:
        driver.reset()
        driver.push(items, lambda _done, _total: None)
        assert driver.verify_import(items).complete
        listed = Phone(Hdc(str(HDC)), phones.address(NEW)).text("find /mnt/data/100/media_fuse/Photo -type f").splitlines()
        assert [path.rpartition("/")[2] for path in listed] == ["a=3D5B.jpg", "a=5B1=5D=27=7B2=7D.jpg"]
        driver.reset()


def test_a_phone_without_the_labs_management_app_is_not_erased(phones: Phones) -> None:
    with phones.driver(mdm="com.example.other/Reset") as driver:
        with pytest.raises(DriverError, match=r"nothing was erased: mdm: .*not installed; operator: nobody is there"):
            driver.reset()
        assert driver.verify_import(phones.items).complete


def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    left = tmp_path / "left"
    slow = tmp_path / "hdc"
    slow.write_text(f"#!{sys.executable}\nimport subprocess\nsubprocess.run(['sh', '-c', 'sleep 60; touch {left}'])\n", "utf-8")
    slow.chmod(0o755)
    with pytest.raises(PhoneLost, match=r"no answer in 0\.5 s"):
        Hdc(str(slow)).run(["shell", "true"], 0.5)
    assert subprocess.run(["pgrep", "-f", str(left)], capture_output=True, check=False).stdout == b""


@pytest.mark.parametrize(
    ("said", "error"),
    [("[Fail][E001005] Device not found or connected", PhoneLost), ("[Fail]Error opening file: x", Refused)],
)
def test_failures_are_read_from_words_and_not_from_the_exit_code(tmp_path: Path, said: str, error: type[Exception]) -> None:
    liar = tmp_path / "hdc"
    liar.write_text(f"#!/bin/sh\necho '{said}'\nexit 0\n", "utf-8")
    liar.chmod(0o755)
    with pytest.raises(error):
        Hdc(str(liar)).run(["list", "targets"], 10)
