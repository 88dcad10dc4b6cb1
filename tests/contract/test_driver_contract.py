"""What every driver keeps, tried on virtual phones over their real wires. A driver joins in `driver_subjects.py`."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

import pytest
from bench import NUMBER, Bench, number_in_full, numbers, read_all, reason, running_bench
from driver_subjects import IMPATIENCE, SCREEN_FAULTS, SUBJECTS

from drivers import open_driver
from drivers.interface import (
    Ask,
    DriverError,
    Ending,
    GalleryDriver,
    Invalid,
    NotOpened,
    PhoneLost,
    PhotoOpener,
    SearchFailed,
    WrongPhone,
)

BEACH = [number for name, number in reversed(NUMBER.items()) if number <= 200]
"""The order of the newest first: as the album, from its end."""
CATS = list(range(312, 300, -1))
DOGS = [403, 402, 401]
FLOWERS = list(range(24, 0, -1))
MOM = "It's \"Mom's\" $HOME & 50%s 海边 👨‍👩‍👧 \u00e9/e\u0301"


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Bench]]:
    with running_bench(tmp_path_factory.mktemp("contract")) as benches:
        yield benches


@pytest.fixture(scope="module", params=[subject.name for subject in SUBJECTS])
def bench(benches: Mapping[str, Bench], request: pytest.FixtureRequest) -> Bench:
    """A subject whose phone has the album, indexed."""
    bench = benches[request.param]
    with bench.driver() as driver:
        driver.push(bench.items, lambda _done, _total: None)
        bench.wait_until_indexed(driver, bench.phone)
        bench.wait_for(lambda: read_all(driver, "狗", most=3)[0] == DOGS)
    return bench


@pytest.fixture(scope="module")
def opened(bench: Bench) -> Iterator[GalleryDriver]:
    with bench.driver() as driver:
        yield driver


@pytest.fixture(scope="module")
def hasty(bench: Bench) -> Iterator[GalleryDriver]:
    """A driver that gives up soon, on the phone that nothing else of this module searches on."""
    with bench.driver(bench.other, patience=IMPATIENCE) as driver:
        driver.push(bench.items[-3:], lambda _done, _total: None)
        bench.wait_until_indexed(driver, bench.other)
        bench.wait_for(lambda: read_all(driver, "狗", most=3)[0] == DOGS)
        yield driver


@pytest.fixture
def driver(opened: GalleryDriver, bench: Bench) -> Iterator[GalleryDriver]:
    """A driver of a phone that is well before and after."""
    yield opened
    bench.control.clear(bench.phone)


def test_the_phone_says_who_it_is_and_that_it_is_virtual(driver: GalleryDriver, bench: Bench) -> None:
    identity = driver.identify()
    assert identity.serial == bench.control.ask("status", bench.phone)["serial"]
    assert identity.gallery_package == bench.subject.gallery().package
    assert identity.virtual
    assert "" not in (identity.build, identity.gallery_version, identity.locale, identity.boot_count)


def test_an_import_is_complete_by_name_size_date_and_hash(driver: GalleryDriver, bench: Bench) -> None:
    report = driver.verify_import(bench.items)
    assert (report.complete, report.found, report.faults) == (True, len(bench.items), ())


def test_a_photo_that_no_album_has_is_named(driver: GalleryDriver, bench: Bench) -> None:
    report = driver.verify_import(bench.items[:-1])
    assert ("🐶 pup.jpg", "extra") in [(fault.device_name, fault.fault) for fault in report.faults]
    assert not report.complete


def test_a_file_that_differs_in_its_bytes_only_is_found_by_its_hash(driver: GalleryDriver, bench: Bench) -> None:
    changed = replace(bench.items[0], sha256="0" * 64)
    faults = driver.verify_import([changed, *bench.items[1:]]).faults
    assert [(fault.device_name, fault.fault) for fault in faults] == [(changed.device_name, "hash")]


@pytest.mark.parametrize(
    ("fault", "options", "said"),
    [("free_space", {"bytes": 1000}, "make room"), ("clock", {"seconds": -86400.0}, "clock")],
    ids=["full", "wrong clock"],
)
def test_nothing_is_sent_to_a_phone_that_is_not_ready(bench: Bench, fault: str, options: dict[str, float], said: str) -> None:
    bench.control.fault(bench.other, fault, **options)
    try:
        with bench.driver(bench.other) as driver, pytest.raises(DriverError, match=f"nothing was sent: .*{said}"):
            driver.push(bench.items, lambda _done, _total: None)
    finally:
        bench.control.clear(bench.other)


def test_results_come_in_the_order_of_the_screen_and_their_end_is_proven(driver: GalleryDriver) -> None:
    assert read_all(driver, "cat") == (CATS, Ending.END_PROVEN)


def test_more_than_a_hundred_results_are_read_each_position_once(driver: GalleryDriver, bench: Bench) -> None:
    read, ending = read_all(driver, "海边")
    assert (read, ending) == (BEACH, Ending.END_PROVEN)
    assert bench.last_shown() == ("海边", BEACH)


def test_twins_are_two_results(driver: GalleryDriver) -> None:
    assert read_all(driver, "sunset") == ([200, 200], Ending.END_PROVEN)


def test_a_reader_that_has_enough_ends_the_search_and_the_next_is_clean(driver: GalleryDriver) -> None:
    assert read_all(driver, "海边", most=20) == (BEACH[:20], None)
    assert read_all(driver, "cat") == (CATS, Ending.END_PROVEN)


def test_nothing_found_is_the_gallerys_own_sign(driver: GalleryDriver) -> None:
    assert read_all(driver, "xylophone quartet") == ([], Ending.NO_RESULTS)


def test_two_queries_in_a_row_that_find_nothing_are_both_answers(driver: GalleryDriver) -> None:
    assert read_all(driver, "xylophone quartet") == read_all(driver, "zither trio") == ([], Ending.NO_RESULTS)


def test_two_queries_that_truly_find_the_same_are_both_answers(driver: GalleryDriver) -> None:
    assert read_all(driver, "cat") == read_all(driver, "猫") == (CATS, Ending.END_PROVEN)


def test_screens_overlap_and_going_back_shows_the_rows_between(driver: GalleryDriver) -> None:
    asking = driver.search("海边")
    first = numbers(next(asking))
    second = numbers(asking.send(Ask.ON))
    back = numbers(asking.send(Ask.BACK))
    asking.close()
    assert set(first) & set(second)
    assert BEACH.index(first[0]) < BEACH.index(back[0]) < BEACH.index(second[0])


def test_a_result_is_shown_in_full_and_the_list_goes_on_where_it_was(driver: GalleryDriver) -> None:
    asking = driver.search("花")
    screen = next(asking)
    seen = set(numbers(screen))
    assert isinstance(driver, PhotoOpener)
    assert screen.cells
    for place in (4, 1):
        assert number_in_full(driver.open_result(screen.cells[place])) == FLOWERS[place]
    with suppress(StopIteration):
        while True:
            seen |= set(numbers(asking.send(Ask.ON)))
    assert seen == set(FLOWERS)


def test_a_result_that_does_not_open_leaves_the_list_where_it_is(driver: GalleryDriver) -> None:
    asking = driver.search("dog")
    screen = next(asking)
    assert isinstance(driver, PhotoOpener)
    assert screen.cells
    left, top, right, bottom = screen.cells[0]
    row = bottom - top
    with pytest.raises(NotOpened):
        driver.open_result((left, top + 2 * row, right, bottom + 2 * row))
    with pytest.raises(StopIteration) as ended:
        asking.send(Ask.ON)
    assert ended.value.value is Ending.END_PROVEN


def test_a_list_that_is_gone_after_opening_is_no_answer_and_the_next_search_is_well(
    driver: GalleryDriver, bench: Bench
) -> None:
    asking = driver.search("dog")
    screen = next(asking)
    assert isinstance(driver, PhotoOpener)
    assert screen.cells
    bench.control.fault(bench.phone, "lock")
    with pytest.raises(SearchFailed):
        driver.open_result(screen.cells[1])
    asking.close()
    bench.control.clear(bench.phone)
    assert read_all(driver, "cat") == (CATS, Ending.END_PROVEN)


def test_drags_that_land_elsewhere_lose_and_double_nothing(driver: GalleryDriver, bench: Bench) -> None:
    bench.control.fault(bench.phone, "scroll_jitter")
    assert read_all(driver, "花") == (FLOWERS, Ending.END_PROVEN)


def test_every_screen_tells_where_its_cells_are(driver: GalleryDriver) -> None:
    asking = driver.search("cat")
    screen = next(asking)
    asking.close()
    left, top, right, bottom = screen.viewport
    assert screen.png.startswith(b"\x89PNG")
    assert screen.cells
    assert all(left <= cell[0] < cell[2] <= right and top <= cell[1] < cell[3] <= bottom for cell in screen.cells)


@pytest.mark.parametrize(
    "text",
    [MOM, "e\u0301te\u0301", " xyz "],
    ids=["quotes, dollar, percent, emoji", "decomposed", "spaces around"],
)
def test_a_query_is_typed_letter_by_letter(driver: GalleryDriver, bench: Bench, text: str) -> None:
    read_all(driver, text)
    assert bench.last_shown()[0] == text, "what the phone says stood in its field"


def test_a_query_of_five_hundred_letters_is_typed_whole(driver: GalleryDriver, bench: Bench) -> None:
    read_all(driver, "x" * 500)
    assert bench.last_shown()[0] == "x" * 500


def test_an_empty_query_is_no_search(driver: GalleryDriver) -> None:
    assert reason(driver, "") is Invalid.INPUT_MISMATCH


@pytest.mark.parametrize("fault", SCREEN_FAULTS)
def test_a_screen_that_is_no_answer_is_named_and_the_search_after_it_is_well(
    hasty: GalleryDriver, bench: Bench, fault: str
) -> None:
    if fault in bench.subject.cannot:
        pytest.skip(f"{bench.subject.name} phones do not have {fault}")
    bench.control.fault(bench.other, fault, after_query=1)
    try:
        assert read_all(hasty, "zither trio") == ([], Ending.NO_RESULTS)  # after the fault of the case before, too
        assert reason(hasty, "狗") is SCREEN_FAULTS[fault]
    finally:
        bench.control.clear(bench.other)


@pytest.mark.parametrize("count", [1, None], ids=["once", "for good"])
def test_old_results_are_never_taken_for_new_ones(driver: GalleryDriver, bench: Bench, count: int | None) -> None:
    read_all(driver, "cat", most=12)
    bench.control.fault(bench.phone, "stale_grid", count=count)
    with suppress(SearchFailed):  # refusing to answer is right, too
        assert read_all(driver, "狗")[0] == DOGS


def test_a_failed_search_keeps_what_was_on_the_screen(driver: GalleryDriver, bench: Bench) -> None:
    bench.control.fault(bench.phone, "indexing_banner")
    with pytest.raises(SearchFailed) as failed:
        read_all(driver, "cat")
    assert (failed.value.screenshot or b"").startswith(b"\x89PNG")


def test_a_search_that_loses_the_phone_is_void_and_the_next_is_well(driver: GalleryDriver, bench: Bench) -> None:
    asking = driver.search("海边")
    next(asking)
    bench.control.fault(bench.phone, "drop", seconds=0.3)
    with pytest.raises(SearchFailed) as failed:
        asking.send(Ask.ON)
    assert failed.value.reason is Invalid.CONNECTION
    assert read_all(driver, "cat") == (CATS, Ending.END_PROVEN)


def test_a_phone_that_stays_away_is_lost(bench: Bench) -> None:
    with bench.driver() as driver:
        port = int(bench.address(bench.phone).rpartition(":")[2])
        bench.control.ask("unplug", bench.phone)
        try:
            with pytest.raises(PhoneLost):
                next(driver.search("cat"))
        finally:
            bench.control.ask("plug", bench.phone, port=port)


def test_a_phone_that_hangs_is_given_up_at_its_deadline(bench: Bench) -> None:
    with bench.driver(options={"deadline_scale": "0.05"}) as driver:
        read_all(driver, "cat", most=12)
        bench.control.fault(bench.phone, "hang")
        try:
            with pytest.raises((PhoneLost, SearchFailed)):
                next(driver.search("狗"))
        finally:
            bench.control.clear(bench.phone)


def test_another_phone_behind_the_address_is_refused(bench: Bench) -> None:
    with bench.driver() as driver:
        read_all(driver, "cat", most=12)
        bench.control.swap(bench.phone, bench.other)
        try:
            with pytest.raises(WrongPhone):
                read_all(driver, "cat")
            with pytest.raises(WrongPhone):
                driver.identify()
        finally:
            bench.control.swap(bench.phone, bench.other)


def test_a_serial_in_the_lab_file_has_to_be_the_phones(bench: Bench) -> None:
    with pytest.raises(WrongPhone, match="the lab file says phone OTHER"), bench.driver(options={"serial": "OTHER"}):
        pass


def test_a_phone_that_is_not_there_is_one_sentence(bench: Bench) -> None:
    with pytest.raises(DriverError, match=r"127\.0\.0\.1:1"):
        open_driver(bench.subject.platform, "127.0.0.1:1", bench.subject.gallery(), dict(bench.subject.options))


def test_settings_that_were_replaced_are_put_back(driver: GalleryDriver) -> None:
    before = driver.health().settings
    replaced = driver.prepare()
    assert driver.prepare() == {}
    driver.restore(replaced)
    assert driver.health().settings == before


def test_the_screen_is_dark_while_nobody_searches_because_some_galleries_index_only_then(
    driver: GalleryDriver, bench: Bench
) -> None:
    driver.verify_import(bench.items)
    assert not driver.health().screen_on
    replaced = driver.prepare()
    read_all(driver, "狗")
    driver.restore(replaced)
    assert not driver.health().screen_on


def test_reading_signals_of_indexing_wakes_no_screen(driver: GalleryDriver) -> None:
    before = driver.health().screen_on
    assert driver.index_signals()
    assert driver.health().screen_on is before


def test_a_reset_is_proven_and_leaves_no_photo(bench: Bench) -> None:
    with bench.driver(bench.other) as driver:
        driver.push(bench.items[:3], lambda _done, _total: None)
        proof = driver.reset()
        assert (proof.factory, proof.proven) == (True, True)
        assert driver.verify_import(()).complete
