"""Indexing takes time and processor, rests when it should, and forgets what is gone."""

import pytest

from devices.virtual.gallery.indexer import IndexCosts, Indexer

COSTS = IndexCosts(seconds_per_photo=0.1, cpu_share=0.5, start_delay_s=1.0)


def indexer(costs: IndexCosts = COSTS, *, speed: float = 1.0) -> Indexer:
    worker = Indexer(costs, seed=1, speed=speed)
    worker.advance(0.0, screen_on=False)
    worker.photos_changed(range(10), 0.0)
    return worker


def test_photos_become_searchable_one_by_one_after_the_delay() -> None:
    worker = indexer()
    worker.advance(1.0, screen_on=True)
    assert worker.done == frozenset()
    worker.advance(1.35, screen_on=True)  # 0.35 s of work at 0.1 s a photo
    assert len(worker.done) == 3
    worker.advance(9.0, screen_on=True)
    assert worker.done == frozenset(range(10))


def test_the_processor_time_is_that_of_the_work_and_then_stands_still() -> None:
    worker = indexer()
    for now_s in (1.5, 3.0, 60.0):
        worker.advance(now_s, screen_on=True)
    assert worker.signals().cpu_s == pytest.approx(0.5)  # 10 photos · 0.1 s · half a processor
    assert not worker.signals().working


def test_many_short_looks_add_up_to_one_long_one() -> None:
    worker = indexer()
    for step in range(1, 201):
        worker.advance(step / 100, screen_on=True)
    assert len(worker.done) == 10  # 1.0 s of delay, then 10 photos in 1.0 s


def test_a_phone_that_indexes_in_the_dark_rests_while_the_screen_is_on() -> None:
    worker = indexer(IndexCosts(seconds_per_photo=0.1, start_delay_s=0.0, only_screen_off=True))
    worker.advance(5.0, screen_on=True)
    assert worker.done == frozenset()
    worker.advance(5.5, screen_on=False)
    assert len(worker.done) == 5


def test_speed_divides_all_times() -> None:
    worker = indexer(speed=10.0)
    worker.advance(0.2, screen_on=True)  # 0.1 s of delay, 10 photos in 0.1 s
    assert len(worker.done) == 10


def test_a_photo_that_is_gone_is_forgotten_and_a_new_one_is_queued() -> None:
    worker = indexer()
    worker.advance(60.0, screen_on=True)
    worker.photos_changed([0, 1, 99], 60.0)
    assert worker.done == {0, 1}
    worker.advance(70.0, screen_on=True)
    assert worker.done == {0, 1, 99}


def test_the_order_of_indexing_is_the_phones_own() -> None:
    first, second = Indexer(COSTS, seed=1), Indexer(COSTS, seed=2)
    for worker in (first, second):
        worker.advance(0.0, screen_on=True)
        worker.photos_changed(range(20), 0.0)
        worker.advance(1.5, screen_on=True)
    assert len(first.done) == len(second.done) == 5
    assert first.done != second.done
