"""The contract of drivers, kept through the real Appium server and its real UiAutomator2 driver, on virtual Android phones."""

from collections.abc import Iterator

import pytest
import test_driver_contract as contract
from appium_server import appium_server
from bench import PHOTOS, Bench, private_adb_server, read_all, reason
from driver_subjects import SCREEN_FAULTS, Subject
from marked_album import make_album

from devices.virtual.lab import running_lab
from drivers import open_driver
from drivers.android.server import running_server
from drivers.interface import DriverError, Ending, GalleryDriver, Invalid, SearchFailed

PHONE = Subject("android", "android", "xiaomi", "xiaomi")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Two phones behind an Appium server; the first has the album, indexed."""
    folder = tmp_path_factory.mktemp("appium")
    described = folder / "appium.toml"
    described.write_text('name = "appium"\n' + PHONE.describe("android", 1) + PHONE.describe("android-other", 2), "utf-8")
    with private_adb_server(), running_lab(str(described), folder / "lab") as control:
        adb = running_server()
        with appium_server(folder, adb.executable, adb.port) as url:
            subject = Subject("android", "android", "xiaomi", "xiaomi", options={"appium": url})
            bench = Bench(subject, control, make_album(folder / "album", PHOTOS))
            with bench.driver() as driver:
                driver.push(bench.items, lambda _done, _total: None)
                bench.wait_until_indexed(driver, bench.phone)
            yield bench


opened, hasty, driver = contract.opened, contract.hasty, contract.driver

test_identity = contract.test_the_phone_says_who_it_is_and_that_it_is_virtual
test_import = contract.test_an_import_is_complete_by_name_size_date_and_hash
test_end = contract.test_results_come_in_the_order_of_the_screen_and_their_end_is_proven
test_scrolling = contract.test_more_than_a_hundred_results_are_read_each_position_once
test_nothing_found = contract.test_nothing_found_is_the_gallerys_own_sign
test_text = contract.test_a_query_is_typed_letter_by_letter
test_lost_within_a_search = contract.test_a_search_that_loses_the_phone_is_void_and_the_next_is_well
test_hanging = contract.test_a_phone_that_hangs_is_given_up_at_its_deadline
test_swapped = contract.test_another_phone_behind_the_address_is_refused
test_not_there = contract.test_a_phone_that_is_not_there_is_one_sentence
test_settings = contract.test_settings_that_were_replaced_are_put_back


@pytest.mark.parametrize("fault", ["permission_prompt", "lock", "notification", "text_garbled"])
def test_a_screen_that_is_no_answer_is_named(hasty: GalleryDriver, bench: Bench, fault: str) -> None:
    bench.control.fault(bench.other, fault, after_query=1)
    try:
        assert read_all(hasty, "zither trio") == ([], Ending.NO_RESULTS)
        assert reason(hasty, "狗") is SCREEN_FAULTS[fault]
    finally:
        bench.control.clear(bench.other)


def test_a_server_on_the_phone_that_dies_voids_the_search_and_the_next_is_well(driver: GalleryDriver, bench: Bench) -> None:
    asking = driver.search("海边")
    next(asking)
    bench.control.fault(bench.phone, "ui_server_killed")
    with pytest.raises(SearchFailed) as failed:
        next(asking)
    assert failed.value.reason is Invalid.CONNECTION
    assert read_all(driver, "cat") == (contract.CATS, Ending.END_PROVEN)


def test_a_screenshot_that_does_not_come_is_no_answer(hasty: GalleryDriver, bench: Bench) -> None:
    bench.control.fault(bench.other, "screenshot", kind="none")
    try:
        assert reason(hasty, "狗") is Invalid.BROKEN_IMAGE
    finally:
        bench.control.clear(bench.other)


def test_appium_asks_the_phone_for_nothing_that_it_does_not_know(driver: GalleryDriver, bench: Bench) -> None:
    read_all(driver, "cat", most=3)
    assert bench.control.ask("status", bench.phone)["unhandled"] == []


def test_no_appium_server_is_one_sentence(bench: Bench) -> None:
    with pytest.raises(DriverError, match=r"no Appium server answers at http://127\.0\.0\.1:1"):
        open_driver("android", bench.address(bench.phone), PHONE.gallery(), {"appium": "http://127.0.0.1:1"})


def test_an_address_that_is_no_url_is_said_so() -> None:
    with pytest.raises(DriverError, match="expected the URL of an Appium server"):
        open_driver("android", "127.0.0.1:1", PHONE.gallery(), {"appium": "127.0.0.1:4723"})


def test_a_port_that_is_none_is_said_so(bench: Bench) -> None:
    with pytest.raises(DriverError, match="option system_port is 'many'"), bench.driver(options={"system_port": "many"}):
        pass
