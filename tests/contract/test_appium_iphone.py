"""iPhones through the real Appium server and its real XCUITest driver, on virtual ones, without a Mac."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from appium_server import appium_server
from bench import read_all, reason
from driver_subjects import IMPATIENCE, PATIENCE
from iphones import OLD, IPhones, running_iphones

from drivers import open_driver
from drivers.android.server import find_adb
from drivers.interface import DriverError, Ending, GalleryDriver, Invalid
from drivers.profile import Patience
from rig.config import load_profile

DOGS = list(range(30, 0, -1))
NO_ADB = 1
"""Nothing listens there: the server has no Android phone to look for."""


class Bench:
    """The lab, and the server."""

    def __init__(self, phones: IPhones, url: str) -> None:
        self.phones, self.url = phones, url

    @contextmanager
    def driver(self, patience: Patience = PATIENCE, **options: str) -> Iterator[GalleryDriver]:
        """A driver of the phone with the album; it is well afterwards."""
        profile = replace(load_profile("ios_photos"), patience=patience)
        driver = open_driver("ios", self.phones.address(OLD), profile, {"appium": self.url, **options})
        try:
            yield driver
        finally:
            driver.close()
            self.phones.control.clear(OLD)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("appium-ios")
    with appium_server(folder, find_adb(), NO_ADB) as url, running_iphones(folder) as phones:
        with phones.driver(OLD) as driver:
            phones.with_album(driver, OLD)
        yield Bench(phones, url)


def test_a_search_is_read_in_order_to_its_proven_end(bench: Bench) -> None:
    with bench.driver() as driver:
        assert read_all(driver, "dog") == (DOGS, Ending.END_PROVEN)


def test_nothing_found_is_the_gallerys_own_sign_whatever_was_typed(bench: Bench) -> None:
    text = "It's \"Mom's\" $HOME & 50%s 海边 👨‍👩‍👧"
    with bench.driver() as driver:
        assert read_all(driver, text) == ([], Ending.NO_RESULTS)
    assert bench.phones.control.shown(OLD)["searches"][-1]["field_text"] == text


def test_the_phone_is_known_and_its_settings_come_back(bench: Bench) -> None:
    with bench.driver() as driver:
        assert driver.identify().serial == bench.phones.control.ask("status", OLD)["serial"]
        driver.restore(driver.prepare())
        assert driver.health().locked


@pytest.mark.parametrize(
    ("fault", "expected"), [("spinner_forever", Invalid.STILL_LOADING), ("permission_prompt", Invalid.PERMISSION)]
)
def test_a_screen_that_is_no_answer_is_named(bench: Bench, fault: str, expected: Invalid) -> None:
    with bench.driver(IMPATIENCE) as driver:
        bench.phones.control.fault(OLD, fault, after_query=1)
        assert read_all(driver, "zither trio") == ([], Ending.NO_RESULTS)
        assert reason(driver, "dog") is expected


def test_an_agents_port_that_is_none_is_said_so(bench: Bench) -> None:
    with pytest.raises(DriverError, match="option wda_port is 'x'"), bench.driver(wda_port="x"):
        pass
