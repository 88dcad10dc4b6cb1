"""When and where a photo says it was taken."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from PIL import ExifTags, Image
from PIL.TiffImagePlugin import IFDRational

from rig.album.exif import position, taken_at

BASE, GPS = ExifTags.Base, ExifTags.GPS
NOON = datetime(2024, 5, 14, 12, 0, 0)  # noqa: DTZ001 - EXIF's own clock


def exif_with(detail: dict[int, Any] | None = None, gps: dict[int, Any] | None = None, **top: Any) -> Image.Exif:
    exif = Image.Exif()
    for name, value in top.items():
        exif[BASE[name]] = value
    exif.get_ifd(ExifTags.IFD.Exif).update(detail or {})
    exif.get_ifd(ExifTags.IFD.GPSInfo).update(gps or {})
    return exif


def degrees(whole: int, minutes: int = 0, seconds: int = 0) -> tuple[IFDRational, ...]:
    return IFDRational(whole, 1), IFDRational(minutes, 1), IFDRational(seconds, 1)


def test_a_time_with_an_offset_is_aware() -> None:
    exif = exif_with({BASE.DateTimeOriginal: "2024:05:14 12:00:00", BASE.OffsetTimeOriginal: "+08:00"})
    assert taken_at(exif) == datetime(2024, 5, 14, 4, 0, tzinfo=UTC)


def test_a_time_without_an_offset_is_naive() -> None:
    assert taken_at(exif_with({BASE.DateTimeOriginal: "2024:05:14 12:00:00"})) == NOON


def test_the_gps_clock_gives_the_offset_to_a_quarter_of_an_hour() -> None:
    # 12:00:00 local, 06:16:20 UTC by GPS: 5 h 43 min 40 s, rounded to 5:45 (Nepal).
    gps = {GPS.GPSDateStamp: "2024:05:14", GPS.GPSTimeStamp: degrees(6, 16, 20)}
    found = taken_at(exif_with({BASE.DateTimeOriginal: "2024:05:14 12:00:00"}, gps))
    assert found == NOON.replace(tzinfo=timezone(timedelta(hours=5, minutes=45)))


def test_a_gps_clock_of_another_day_gives_no_offset() -> None:
    gps = {GPS.GPSDateStamp: "2019:01:01", GPS.GPSTimeStamp: degrees(6)}
    assert taken_at(exif_with({BASE.DateTimeOriginal: "2024:05:14 12:00:00"}, gps)) == NOON


def test_the_time_of_the_last_change_is_not_the_time_of_capture() -> None:
    assert taken_at(exif_with(DateTime="2024:05:14 12:00:00")) is None


@pytest.mark.parametrize(
    "nonsense",
    ["0000:00:00 00:00:00", "    :  :     :  :  ", "2024:13:45 99:00:00", "", "yesterday", "2024:05:14", b"\xff\xfe"],
)
def test_a_nonsense_time_is_no_time(nonsense: str | bytes) -> None:
    assert taken_at(exif_with({BASE.DateTimeOriginal: nonsense})) is None


@pytest.mark.parametrize("offset", ["+99:00", "-13:00", "Z", "", "08"])
def test_a_nonsense_offset_leaves_the_time_naive(offset: str) -> None:
    assert taken_at(exif_with({BASE.DateTimeOriginal: "2024:05:14 12:00:00", BASE.OffsetTimeOriginal: offset})) == NOON


def test_south_and_west_are_negative() -> None:
    gps = {
        GPS.GPSLatitudeRef: "S",
        GPS.GPSLatitude: degrees(22, 54, 36),
        GPS.GPSLongitudeRef: "W",
        GPS.GPSLongitude: degrees(43, 10, 12),
    }
    # 22 + 54/60 + 36/3600 = 22.91; 43 + 10/60 + 12/3600 = 43.17
    assert position(exif_with(gps=gps)) == (-22.91, -43.17)


@pytest.mark.parametrize(
    ("latitude", "longitude"),
    [
        (degrees(0), degrees(0)),
        (degrees(91), degrees(10)),
        (degrees(10), degrees(181)),
        ((IFDRational(10, 0), IFDRational(0, 1), IFDRational(0, 1)), degrees(10)),
        (degrees(10)[:2], degrees(10)),
        (None, degrees(10)),
    ],
    ids=["zero", "beyond the pole", "beyond the date line", "zero denominator", "no seconds", "no latitude"],
)
def test_a_nonsense_position_is_no_position(latitude: object, longitude: object) -> None:
    gps = {GPS.GPSLatitude: latitude, GPS.GPSLongitude: longitude}
    assert position(exif_with(gps={key: value for key, value in gps.items() if value is not None})) is None
