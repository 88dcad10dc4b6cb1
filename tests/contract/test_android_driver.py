"""The Android driver on virtual phones of six makers, through a real adb server and the unmodified uiautomator2."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import pytest
from bench import private_adb_server, read_all, reason
from driver_subjects import PATIENCE
from marked_album import Marked, make_album

from devices.virtual.control import Control
from devices.virtual.lab import running_lab
from drivers.android import open_driver
from drivers.android.driver import open_transport
from drivers.android.server import end_server
from drivers.android.transport import Transport
from drivers.interface import DriverError, Ending, Invalid, Operator, PushItem
from drivers.phone import PhoneDriver
from rig.config import load_profile

SKINS = ("google_photos", "huawei", "oppo", "samsung", "vivo")
FAULTY = "faulty"
PHOTOS = tuple(Marked(f"IMG_{number:03}.jpg", number, ("cat",) if number <= 20 else ("dog",)) for number in range(1, 31))
DOGS = list(range(30, 20, -1))


class Phones:
    """The lab of this module."""

    def __init__(self, control: Control, items: tuple[PushItem, ...]) -> None:
        self.control = control
        self.items = items

    def address(self, phone: str) -> str:
        """Where a phone answers."""
        return str(self.control.ask("status", phone)["address"])

    def transport(self, phone: str) -> Transport:
        """The way to a phone beside its driver's."""
        return open_transport(self.address(phone), {})

    @contextmanager
    def driver(
        self, phone: str, profile: str = "xiaomi", operator: Operator | None = None, **options: str
    ) -> Iterator[PhoneDriver]:
        """A driver of one phone, closed at the end; the phone is well afterwards."""
        driver = open_driver(self.address(phone), replace(load_profile(profile), patience=PATIENCE), options, operator)
        try:
            yield driver
        finally:
            driver.close()
            self.control.clear(phone)


@pytest.fixture(scope="module")
def phones(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Phones]:
    folder = tmp_path_factory.mktemp("makers")
    text = 'name = "makers"\n'
    for name, skin in [*((skin, skin) for skin in SKINS), (FAULTY, "xiaomi")]:
        text += f'[[phone]]\nname = "{name}"\nplatform = "android"\nskin = "{skin}"\nprofile = "{skin}"\nspeed = 5.0\n'
        text += "boot_s = 0.3\nengine = { misses = 0.0, forgets = 0.0, english = 1.0 }\n"
        text += "can_reset = false\n" if name == FAULTY else ""
    (folder / "makers.toml").write_text(text, "utf-8")
    with private_adb_server(), running_lab(str(folder / "makers.toml"), folder / "lab") as control:
        yield Phones(control, make_album(folder / "album", PHOTOS))


@pytest.fixture(scope="module")
def album(phones: Phones) -> Phones:
    """The phones, the faulty one with its album indexed."""
    with phones.driver(FAULTY) as driver:
        driver.push(phones.items, lambda _done, _total: None)
        wait_for(lambda: read_all(driver, "dog", most=10)[0] == DOGS)
    return phones


def wait_for(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    until = monotonic() + seconds
    while not holds():
        assert monotonic() < until, "it did not come to be as it was waited for"
        sleep(0.05)


@pytest.mark.parametrize("skin", [skin for skin in SKINS if skin != "vivo"])
def test_each_makers_gallery_is_read_to_its_end(phones: Phones, skin: str) -> None:
    with phones.driver(skin, skin) as driver:
        driver.push(phones.items, lambda _done, _total: None)
        phones.transport(skin).text("input keyevent KEYCODE_SLEEP")  # one of them indexes only while the screen is dark
        wait_for(lambda: int(phones.control.ask("status", skin)["photos"]) == len(PHOTOS))
        sleep_until_indexed(driver)
        read, ending = read_all(driver, "dog")
        assert (set(read), ending) == (set(DOGS), Ending.END_PROVEN)
        searches = phones.control.shown(skin)["searches"]
        assert [f"IMG_{number:03}.jpg" for number in read] == searches[-1]["lists"][-1]["names"]


def sleep_until_indexed(driver: PhoneDriver) -> None:
    """Until the gallery's processor time has stopped growing."""
    seen: list[str] = []

    def quiet() -> bool:
        seen.append(str(sorted(item for item in driver.index_signals().items() if item[0].startswith(("cpu_s", "jobs")))))
        return len(seen) > 12 and len(set(seen[-12:])) == 1

    wait_for(quiet)


def test_a_gallery_drawn_without_cells_is_told_by_pixels(phones: Phones) -> None:
    with phones.driver("vivo", "vivo") as driver:
        driver.push(phones.items, lambda _done, _total: None)
        phones.transport("vivo").text("input keyevent KEYCODE_SLEEP")
        sleep_until_indexed(driver)
        asking = driver.search("dog")
        screen = next(asking)
        asking.close()
        assert (screen.cells, screen.labels) == (None, None)
        assert phones.control.shown("vivo")["searches"][-1]["found"] == len(DOGS)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("black", Invalid.BLACK_FRAME),
        ("crlf", Invalid.BROKEN_IMAGE),
        ("truncated", Invalid.BROKEN_IMAGE),
        ("none", Invalid.BROKEN_IMAGE),
    ],
)
def test_a_broken_screenshot_is_no_answer(album: Phones, kind: str, expected: Invalid) -> None:
    with album.driver(FAULTY) as driver:
        album.control.fault(FAULTY, "screenshot", kind=kind)
        assert reason(driver, "dog") is expected


def test_a_warning_before_the_screenshot_does_no_harm(album: Phones) -> None:
    with album.driver(FAULTY) as driver:
        album.control.fault(FAULTY, "screenshot", kind="text")
        assert read_all(driver, "dog", most=10)[0] == DOGS


def test_a_uiautomator_that_died_is_started_again(album: Phones) -> None:
    with album.driver(FAULTY) as driver:
        assert read_all(driver, "dog", most=10)[0] == DOGS
        album.control.fault(FAULTY, "ui_server_killed")
        assert read_all(driver, "cat", most=20)[0] == list(range(20, 0, -1))


def test_an_adb_server_that_died_is_started_again(album: Phones) -> None:
    with album.driver(FAULTY) as driver:
        assert read_all(driver, "dog", most=10)[0] == DOGS
        assert end_server(album.transport(FAULTY).server)
        driver.identify()
        assert read_all(driver, "cat", most=20)[0] == list(range(20, 0, -1))


def test_a_uiautomator_that_stays_broken_is_infrastructure(album: Phones) -> None:
    with album.driver(FAULTY) as driver:
        album.control.fault(FAULTY, "automation_broken")
        assert reason(driver, "dog") is Invalid.CONNECTION


def test_an_unauthorised_phone_is_asked_for_by_name_and_not_again_and_again(album: Phones) -> None:
    with album.driver(FAULTY) as driver:
        album.control.fault(FAULTY, "unauthorized")
        with pytest.raises(DriverError, match="allow USB debugging"):
            read_all(driver, "dog")


def test_a_push_goes_on_where_it_was_cut_and_what_was_lost_is_named(phones: Phones) -> None:
    with phones.driver(FAULTY, reset="soft") as driver:
        driver.reset()
        phones.control.fault(FAULTY, "push_lost", count=2)
        driver.push(phones.items, lambda _done, _total: None)
        faults = driver.verify_import(phones.items).faults
        assert [fault.fault for fault in faults] == ["missing", "missing"]
        phones.control.clear(FAULTY)
        driver.push(phones.items, lambda _done, _total: None)
        assert driver.verify_import(phones.items).complete


def test_a_phone_with_an_account_is_not_erased(phones: Phones) -> None:
    with phones.driver(FAULTY) as driver:
        phones.control.fault(FAULTY, "account")
        with pytest.raises(DriverError, match="1 accounts are on the phone"):
            driver.reset()


def test_a_phone_that_cannot_reset_itself_is_not_erased(phones: Phones) -> None:
    with phones.driver(FAULTY) as driver:
        driver.push(phones.items, lambda _done, _total: None)
        with pytest.raises(
            DriverError, match=r"nothing was erased: testharness: .*Test Harness Mode.*; operator: nobody is there"
        ):
            driver.reset()
        assert driver.verify_import(phones.items).complete


def test_a_person_is_asked_only_when_the_phone_refused_and_the_reset_is_not_believed(phones: Phones) -> None:
    asked: list[tuple[str, ...]] = []

    def restart_instead(_phone: str, checklist: Sequence[str]) -> None:
        asked.append(tuple(checklist))
        phones.control.fault(FAULTY, "reboot")

    with phones.driver(FAULTY, operator=restart_instead) as driver:
        driver.push(phones.items, lambda _done, _total: None)
        proof = driver.reset()
    failed = {sign.name for sign in proof.signs if not sign.holds}
    assert "Erase all data" in " ".join(asked[0])
    assert not proof.proven, "the person only restarted the phone"
    assert failed >= {"nonce files", "android_id", "photos in the library"}


def test_a_soft_clean_is_called_one(phones: Phones) -> None:
    with phones.driver(FAULTY, reset="soft") as driver:
        driver.push(phones.items, lambda _done, _total: None)
        proof = driver.reset()
        assert (proof.strategy, proof.factory, proof.proven) == ("soft", False, False)
        assert driver.verify_import(()).complete


def test_the_adb_server_is_the_one_that_was_named(phones: Phones) -> None:
    assert str(phones.transport(FAULTY).server.port) == os.environ["ANDROID_ADB_SERVER_PORT"]


def test_the_album_in_its_folder_is_left_as_it_was(phones: Phones) -> None:
    stamps = {item.path: Path(item.path).stat().st_mtime_ns for item in phones.items}
    with phones.driver(FAULTY) as driver:
        driver.push(phones.items, lambda _done, _total: None)
    assert {item.path: Path(item.path).stat().st_mtime_ns for item in phones.items} == stamps
