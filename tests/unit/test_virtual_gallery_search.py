"""The search engine of a virtual phone: what it finds, and how each phone errs in its own way."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from virtual_gallery_photos import Shot, write

from devices.virtual.gallery.library import Library, LibraryPhoto
from devices.virtual.gallery.search import Engine, Need, SearchIndex

NOW = datetime(2026, 2, 3, 12, 0)  # noqa: DTZ001 (a wall clock)
QINGDAO, PARIS = (36.0671, 120.3826), (48.8566, 2.3522)
SHOTS = [
    Shot("anna_beach.jpg", ["beach", "海滩"], ["Anna", "安娜"], taken="2025:07:10 10:00:00", at=QINGDAO),
    Shot("ben_beach.jpg", ["beach", "海滩"], ["Ben", "小明"], taken="2024:05:03 15:00:00", at=QINGDAO),
    Shot("anna_cafe.jpg", ["cafe", "coffee", "咖啡馆", "咖啡"], ["Anna", "安娜"], taken="2025:07:12 09:00:00", at=PARIS),
    Shot("sunset.jpg", ["sunset", "beach", "日落", "海滩"], taken="2025:01:02 18:30:00"),
    Shot("paris_late.jpg", ["street", "街道"], taken="2024:12:31 20:00:00", offset="+01:00", at=PARIS),
    Shot("cat.jpg", ["cat", "猫"], taken=None),
]


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> tuple[LibraryPhoto, ...]:
    folder: Path = tmp_path_factory.mktemp("storage")
    write(folder, SHOTS)
    library = Library(folder)
    library.scan()
    return library.photos


def found(photos: tuple[LibraryPhoto, ...], text: str, engine: Engine | None = None, *, seed: int = 1) -> set[str]:
    index = SearchIndex(engine or Engine(), seed=seed, zone=ZoneInfo("Asia/Shanghai"))
    index.put(photos)
    return {hit.photo.row.name.removesuffix(".jpg") for hit in index.find(text, NOW)}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("beach", {"anna_beach", "ben_beach", "sunset"}),
        ("海边", {"anna_beach", "ben_beach", "sunset"}),  # a synonym of the keyword 海滩
        ("photos of the beaches", {"anna_beach", "ben_beach", "sunset"}),
        ("海滩上的日落", {"sunset"}),
        ("Anna at the beach", {"anna_beach"}),
        ("安娜在海边的照片", {"anna_beach"}),
        ("小明", {"ben_beach"}),
        ("Qingdao", {"anna_beach", "ben_beach"}),
        ("法国", {"anna_cafe", "paris_late"}),
        ("Anna in Paris", {"anna_cafe"}),
        ("last summer", {"anna_beach", "anna_cafe"}),
        ("2024年5月的海边", {"ben_beach"}),
        ("2025年1月的大象", set()),
        ("penguins", set()),
        ("企鹅", set()),
    ],
)
def test_the_perfect_phone_finds_what_the_files_say(photos: tuple[LibraryPhoto, ...], text: str, names: set[str]) -> None:
    assert found(photos, text) == names


def test_a_photo_without_any_date_counts_by_its_modification(photos: tuple[LibraryPhoto, ...]) -> None:
    # Written 100 days before 3 February 2026: 26 October 2025.
    assert found(photos, "October 2025") == {"cat"}


def test_a_phone_that_cannot_do_people_passes_over_names(photos: tuple[LibraryPhoto, ...]) -> None:
    engine = Engine(people=False)
    assert found(photos, "Anna at the beach", engine) == {"anna_beach", "ben_beach", "sunset"}
    assert found(photos, "Anna", engine) == set()


def test_a_phone_that_ignores_places_answers_as_if_none_were_said(photos: tuple[LibraryPhoto, ...]) -> None:
    assert found(photos, "Anna in Paris", Engine(places=False)) == {"anna_beach", "anna_cafe"}


def test_a_phone_that_needs_every_word_finds_nothing_for_an_unknown_one(photos: tuple[LibraryPhoto, ...]) -> None:
    assert found(photos, "zorgly beach", Engine(unknown_words="require")) == set()
    assert found(photos, "zorgly beach", Engine(unknown_words="ignore")) == {"anna_beach", "ben_beach", "sunset"}


def test_a_phone_that_takes_any_word_finds_too_much(photos: tuple[LibraryPhoto, ...]) -> None:
    assert found(photos, "Ben and a cat", Engine(need=Need.ANY)) == {"ben_beach", "cat"}
    assert found(photos, "Ben and a cat", Engine(need=Need.ALL)) == set()


def test_a_phone_that_wants_most_words_forgives_one_of_three(photos: tuple[LibraryPhoto, ...]) -> None:
    # Anna, sunset, beach: two of three hold for anna_beach (Anna, beach) and sunset (sunset, beach).
    assert found(photos, "Anna, sunset, beach", Engine(need=Need.MOST)) == {"anna_beach", "sunset"}


def test_a_phone_that_never_says_nothing_shows_the_least_bad(photos: tuple[LibraryPhoto, ...]) -> None:
    engine = Engine(says_nothing=False, fuzzy_count=4)
    assert len(found(photos, "penguins", engine)) == 4
    assert found(photos, "penguins", engine) == found(photos, "penguins", engine)


def test_a_phone_that_forgets_misses_the_same_photos_every_time(photos: tuple[LibraryPhoto, ...]) -> None:
    engine = Engine(forgets=0.5)
    seen = [found(photos, "beach", engine, seed=seed) for seed in range(6)]
    assert seen == [found(photos, "beach", engine, seed=seed) for seed in range(6)]
    assert len({frozenset(names) for names in seen}) > 1
    assert all(names <= {"anna_beach", "ben_beach", "sunset"} for names in seen)


def test_a_phone_weak_in_english_still_understands_chinese(photos: tuple[LibraryPhoto, ...]) -> None:
    engine = Engine(english=0.0)
    assert found(photos, "beach", engine) == set()
    assert found(photos, "海滩", engine) == {"anna_beach", "ben_beach", "sunset"}


def test_a_phone_that_judges_dates_by_its_own_zone_moves_new_years_eve(photos: tuple[LibraryPhoto, ...]) -> None:
    # 20:00 on 31 December in Paris is 03:00 on 1 January in Shanghai.
    assert "paris_late" in found(photos, "December 2024")
    assert "paris_late" in found(photos, "January 2025", Engine(phone_dates=True))


def test_missed_and_confused_concepts_are_of_the_seeds_making(photos: tuple[LibraryPhoto, ...]) -> None:
    assert found(photos, "beach", Engine(misses=1.0)) == set()
    assert found(photos, "penguins", Engine(confuses=1.0)) == {shot.name.removesuffix(".jpg") for shot in SHOTS}


def test_the_order_is_the_same_for_one_seed_and_another_for_another(photos: tuple[LibraryPhoto, ...]) -> None:
    def order(seed: int) -> list[str]:
        index = SearchIndex(Engine(), seed=seed, zone=ZoneInfo("Asia/Shanghai"))
        index.put(photos)
        return [hit.photo.row.name for hit in index.find("beach", NOW)]

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(8)}) > 1


def test_a_better_fit_comes_first(photos: tuple[LibraryPhoto, ...]) -> None:
    index = SearchIndex(Engine(need=Need.ANY), seed=3, zone=ZoneInfo("Asia/Shanghai"))
    index.put(photos)
    assert index.find("sunset at the beach", NOW)[0].photo.row.name == "sunset.jpg"
