"""What only iPhones have: their agent, their trust, their importer, their two ways of showing results."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from bench import read_all, reason
from driver_subjects import IMPATIENCE
from iphones import NEW, OLD, PHOTOS, IPhones, running_iphones

from drivers.interface import DriverError, Ending, Invalid, PhoneLost, SearchFailed
from drivers.ios.services import NotPaired
from drivers.ios.usbmux import UsbmuxServices

DOGS = list(range(30, 0, -1))


@pytest.fixture(scope="module")
def phones(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IPhones]:
    with running_iphones(tmp_path_factory.mktemp("iphones")) as phones:
        for name in (OLD, NEW):
            with phones.driver(name) as driver:
                phones.with_album(driver, name)
        yield phones


def test_results_behind_see_all_are_read_in_full(phones: IPhones) -> None:
    with phones.driver(OLD) as driver:
        assert read_all(driver, "dog") == (DOGS, Ending.END_PROVEN)
        assert phones.control.shown(OLD)["searches"][-1]["lists"][-1]["page"] == "all"


def test_top_results_and_all_results_are_read_with_their_sections(phones: IPhones) -> None:
    with phones.driver(NEW) as driver:
        asking = driver.search("狗")
        screen = next(asking)
        asking.close()
        assert [title for _, title in screen.sections][:1] == ["热门结果"]
        read, ending = read_all(driver, "狗")
        names = phones.control.shown(NEW)["searches"][-1]["lists"][-1]["names"]
        assert ([f"DOG_{number:03}.jpg" for number in read], ending) == (names, Ending.END_PROVEN)


def test_tiles_keep_their_labels(phones: IPhones) -> None:
    with phones.driver(NEW) as driver:
        asking = driver.search("狗")
        screen = next(asking)
        asking.close()
        assert screen.labels
        assert all(label.startswith(("照片，", "视频，")) for label in screen.labels)


def test_a_search_whose_session_is_lost_is_void_and_the_next_is_well(phones: IPhones) -> None:
    with phones.driver(OLD) as driver:
        asking = driver.search("dog")
        next(asking)
        phones.control.fault(OLD, "wda_session_lost")
        with pytest.raises(SearchFailed) as failed:
            asking.send(None)
        assert failed.value.reason is Invalid.CONNECTION
        assert read_all(driver, "dog") == (DOGS, Ending.END_PROVEN)


def test_an_agent_that_hangs_is_given_up_at_its_deadline(phones: IPhones) -> None:
    with phones.driver(OLD, deadline_scale="0.03") as driver:
        phones.control.fault(OLD, "wda_hang")
        with pytest.raises((PhoneLost, SearchFailed)):
            read_all(driver, "dog")


@pytest.mark.parametrize("kind", ["none", "truncated", "text", "empty"])
def test_a_screenshot_that_fails_is_a_frame_of_the_stream(phones: IPhones, kind: str) -> None:
    with phones.driver(OLD) as driver:
        phones.control.fault(OLD, "screenshot", kind=kind)
        assert read_all(driver, "dog")[0] == DOGS


def test_an_alert_that_no_profile_knows_is_not_answered(phones: IPhones) -> None:
    with phones.driver(OLD, IMPATIENCE) as driver:
        phones.control.fault(OLD, "permission_prompt")
        assert reason(driver, "dog") is Invalid.PERMISSION
        assert "permission_prompt" in phones.control.ask("status", OLD)["faults"]


def test_a_phone_that_does_not_trust_this_computer_is_named_with_the_next_step(phones: IPhones) -> None:
    phones.control.fault(OLD, "untrusted")
    try:
        with pytest.raises(NotPaired, match="tap Trust"), phones.driver(OLD):
            pass
    finally:
        phones.control.clear(OLD)


def test_after_an_import_and_after_searching_the_screen_is_dark(phones: IPhones) -> None:
    with phones.driver(OLD) as driver:
        read_all(driver, "dog", most=3)
        assert driver.health().locked is False
        driver.restore({})
        assert driver.health().locked is True


def test_an_album_that_is_there_is_not_sent_again(phones: IPhones) -> None:
    with phones.driver(OLD) as driver:
        told: list[tuple[int, int]] = []
        driver.push(phones.items, lambda done, total: told.append((done, total)))
        assert told[0] == (len(PHOTOS), len(PHOTOS))


def test_a_phone_with_an_apple_id_is_not_erased(phones: IPhones) -> None:
    with phones.driver(OLD) as driver:
        phones.control.fault(OLD, "apple_id")
        with pytest.raises(DriverError, match="nothing was erased: Find My is on"):
            driver.reset()
        assert driver.verify_import(phones.items).complete


def test_an_operators_import_is_proven_by_the_hash_of_every_file(phones: IPhones) -> None:
    with phones.driver(OLD, **{"import": "operator"}) as driver:
        assert driver.verify_import(phones.items).complete
        changed = (replace(phones.items[0], sha256="0" * 64), *phones.items[1:])
        faults = [(fault.device_name, fault.fault) for fault in driver.verify_import(changed).faults]
        assert faults == [("DOG_001.jpg", "missing"), ("", "extra")]


def test_what_goes_wrong_with_an_import_is_named_and_put_right(phones: IPhones) -> None:
    with phones.driver(NEW) as driver:
        assert driver.reset().proven
        phones.control.fault(NEW, "push_cut", bytes=100)  # the cable falls out in the first file: it is sent again by itself
        driver.push(phones.items[:10], lambda _done, _total: None)
        phones.control.fault(NEW, "push_lost", count=1)
        driver.push(phones.items, lambda _done, _total: None)
        faults = [(fault.device_name, fault.fault) for fault in driver.verify_import(phones.items).faults]
        assert faults == [("DOG_011.jpg", "missing")]
        phones.control.clear(NEW)
        driver.push(phones.items, lambda _done, _total: None)
        assert driver.verify_import(phones.items).complete
        phones.control.fault(NEW, "asset_refused", count=1)
        with pytest.raises(DriverError, match=r"1 of 1 photos were refused by the phone; first copy\.jpg"):
            driver.push((replace(phones.items[0], device_name="copy.jpg"),), lambda _done, _total: None)


def test_an_erased_phone_that_does_not_come_by_itself_is_a_persons_and_the_reset_goes_on_when_it_trusts(
    phones: IPhones, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drivers.ios.reset._ALONE_S", 0.5)
    erase = UsbmuxServices.erase
    asked: list[tuple[str, ...]] = []

    def erased(services: UsbmuxServices) -> None:
        erase(services)
        phones.control.fault(NEW, "untrusted")

    def trust(_phone: str, checklist: Sequence[str]) -> None:
        asked.append(tuple(checklist))
        phones.control.fault(NEW, "trusted")

    monkeypatch.setattr(UsbmuxServices, "erase", erased)
    with phones.driver(NEW, operator=trust) as driver:
        proof = driver.reset()
    assert (proof.strategy, proof.proven) == ("erase", True)
    assert len(asked) == 1
    assert "Tap Trust" in " ".join(asked[0])
    assert "Erase All Content" not in " ".join(asked[0])
