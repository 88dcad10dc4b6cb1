"""What a virtual phone's media library knows of the files in its storage."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from virtual_gallery_photos import Shot, picture, write, xmp

from devices.virtual.gallery.facts import FileFacts, read_facts
from devices.virtual.gallery.library import Library, date_taken_ms

TAKEN = datetime(2024, 5, 3, 10, 0)  # noqa: DTZ001 (EXIF's time has no zone)
TAKEN_AS_UTC_MS = 1_714_730_400_000  # 2024-05-03T10:00:00Z
HOUR_MS = 3_600_000


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp", "heic"])
def test_keywords_people_time_and_place_are_read_from_every_format(tmp_path: Path, suffix: str) -> None:
    shot = Shot(f"a.{suffix}", ["beach", "海滩", "R&B"], ["安娜", "Ben"], at=(-33.5, 151.25), size=(64, 48))
    write(tmp_path, [shot])
    facts = read_facts(tmp_path / shot.name)
    assert facts.keywords == ("beach", "海滩", "R&B")
    assert facts.people == ("安娜", "Ben")
    assert facts.taken == TAKEN
    assert facts.offset == timedelta(hours=8)
    assert (facts.latitude_deg, facts.longitude_deg) == (-33.5, 151.25)
    assert (facts.width_px, facts.height_px) == (64, 48)


def test_a_file_that_is_no_image_has_a_row_without_sides(tmp_path: Path) -> None:
    (tmp_path / "broken.jpg").write_bytes(b"this is no JPEG")
    (row,) = Library(tmp_path).scan()
    assert (row.name, row.width_px, row.height_px, row.mime_type) == ("broken.jpg", None, None, "image/jpeg")


def test_hidden_folders_and_nomedia_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "DCIM" / "Camera", [Shot("seen.jpg")])
    write(tmp_path / ".thumbnails", [Shot("hidden.jpg")])
    write(tmp_path / "secret" / "below", [Shot("unseen.jpg")])
    (tmp_path / "secret" / ".nomedia").touch()
    (tmp_path / "notes.txt").write_text("no photo")
    (row,) = Library(tmp_path).scan()
    assert (row.relative_path, row.name) == ("DCIM/Camera/", "seen.jpg")


def test_a_photo_keeps_its_id_over_scans_and_a_changed_file_is_read_again(tmp_path: Path) -> None:
    library = Library(tmp_path)
    write(tmp_path, [Shot("a.jpg"), Shot("b.jpg")])
    first = {row.name: row for row in library.scan()}
    (tmp_path / "a.jpg").unlink()
    picture("b.jpg", (20, 10)).save(tmp_path / "b.jpg")
    (second,) = library.scan()
    assert second.id == first["b.jpg"].id
    assert (second.width_px, second.height_px) == (20, 10)


def test_a_new_mtime_alone_changes_the_date_of_a_photo_without_offset(tmp_path: Path) -> None:
    # adb sets the modification time after the scanner has seen the file: the second scan must correct the date.
    write(tmp_path, [Shot("a.jpg", offset=None)], mtime_s=datetime(2026, 1, 1, tzinfo=UTC).timestamp())
    library = Library(tmp_path)
    assert library.scan()[0].date_taken_ms is None
    true_s = datetime(2024, 5, 3, 2, 0, tzinfo=UTC).timestamp()
    os.utime(tmp_path / "a.jpg", (true_s, true_s))
    assert library.scan()[0].date_taken_ms == TAKEN_AS_UTC_MS - 8 * HOUR_MS


@pytest.mark.parametrize(
    ("facts", "mtime", "expected"),
    [
        pytest.param(FileFacts(1, 1), "2024-05-03T02:00", None, id="no EXIF time: no date"),
        pytest.param(
            FileFacts(1, 1, taken=TAKEN, offset=timedelta(hours=2)),
            "2026-01-01T00:00",
            TAKEN_AS_UTC_MS - 2 * HOUR_MS,
            id="own offset",
        ),
        pytest.param(
            FileFacts(1, 1, taken=TAKEN, gps_time=datetime(2024, 5, 3, 0, 59, 50, tzinfo=UTC)),
            "2026-01-01T00:00",
            TAKEN_AS_UTC_MS - 9 * HOUR_MS,
            id="GPS time tells the zone, rounded to a quarter of an hour",
        ),
        pytest.param(
            FileFacts(1, 1, taken=TAKEN), "2024-05-03T04:31", TAKEN_AS_UTC_MS - 5 * HOUR_MS - HOUR_MS // 2, id="mtime"
        ),
        pytest.param(FileFacts(1, 1, taken=TAKEN), "2024-05-04T10:00", None, id="mtime 24 h away: no date"),
    ],
)
def test_date_taken_follows_androids_rule(facts: FileFacts, mtime: str, expected: int | None) -> None:
    assert date_taken_ms(facts, datetime.fromisoformat(mtime).replace(tzinfo=UTC).timestamp()) == expected


def test_orientation_is_told_in_degrees(tmp_path: Path) -> None:
    write(tmp_path, [Shot("a.jpg", orientation=6)])
    assert Library(tmp_path).scan()[0].orientation_deg == 90


def test_the_xmp_of_the_tests_is_what_the_reader_expects() -> None:
    assert b"<dc:subject><rdf:Bag><rdf:li>a &amp; b</rdf:li>" in xmp(["a & b"], [])
