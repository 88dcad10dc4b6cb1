"""When and where a photo was taken, as its EXIF says it; nonsense counts as not said.

Time: DateTimeOriginal, else DateTimeDigitized (EXIF 2.32, tags 0x9003, 0x9004). The plain DateTime (0x0132) is when the
file was last changed and is not believed. The offset is OffsetTimeOriginal; without it, the difference to the GPS clock, which
runs on UTC, rounded to a quarter of an hour, as Android's media scanner does.
"""

import math
import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from PIL import ExifTags, Image

_Tags = dict[int, Any]
_DATE = re.compile(r"(\d{4})[:\-/](\d\d)[:\-/](\d\d)[ T](\d\d):(\d\d):(\d\d)")
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)")
# Zones run from -12:00 to +14:00; a GPS clock further away than that belongs to another moment.
_EARLIEST_OFFSET, _LATEST_OFFSET = timedelta(hours=-12), timedelta(hours=14)


def taken_at(exif: Image.Exif) -> datetime | None:
    """Capture time: aware when the offset is known, naive when not, None when there is no time or it is nonsense."""
    tags = _directory(exif, ExifTags.IFD.Exif)
    base = ExifTags.Base
    local = _date(tags.get(base.DateTimeOriginal)) or _date(tags.get(base.DateTimeDigitized))
    if local is None:
        return None
    offset = _offset(tags.get(base.OffsetTimeOriginal)) or _offset(tags.get(base.OffsetTime))
    if offset is None:
        offset = _offset_by_gps(local, _directory(exif, ExifTags.IFD.GPSInfo))
    return local if offset is None else local.replace(tzinfo=timezone(offset))


def position(exif: Image.Exif) -> tuple[float, float] | None:
    """(latitude, longitude) in degrees, north and east positive; None when missing, out of range, or exactly 0°, 0°."""
    tags = _directory(exif, ExifTags.IFD.GPSInfo)
    gps = ExifTags.GPS
    latitude = _degrees(tags.get(gps.GPSLatitude), tags.get(gps.GPSLatitudeRef), "S")
    longitude = _degrees(tags.get(gps.GPSLongitude), tags.get(gps.GPSLongitudeRef), "W")
    if latitude is None or longitude is None or abs(latitude) > 90 or abs(longitude) > 180:
        return None
    # Phones without a fix write zeros; no album is made in the Gulf of Guinea.
    return None if (latitude, longitude) == (0.0, 0.0) else (round(latitude, 6), round(longitude, 6))


def _directory(exif: Image.Exif, which: ExifTags.IFD) -> _Tags:
    """One sub-directory; empty when it is broken, which cameras and editors manage in every conceivable way."""
    try:
        return dict(exif.get_ifd(which))
    except Exception:  # noqa: BLE001 - Pillow raises whatever the broken bytes lead it to; a broken directory says nothing
        return {}


def _text(value: object) -> str:
    if isinstance(value, bytes):
        value = value.decode("ascii", "replace")
    return value.strip("\0 ") if isinstance(value, str) else ""


def _date(value: object) -> datetime | None:
    found = _DATE.fullmatch(_text(value)[:19])
    if not found:
        return None
    try:
        return datetime(*(int(part) for part in found.groups()))  # type: ignore[arg-type]  # noqa: DTZ001 - local by definition
    except ValueError:
        return None


def _offset(value: object) -> timedelta | None:
    found = _OFFSET.fullmatch(_text(value))
    if not found:
        return None
    size = timedelta(hours=int(found[2]), minutes=int(found[3]))
    offset = -size if found[1] == "-" else size
    return offset if _EARLIEST_OFFSET <= offset <= _LATEST_OFFSET else None


def _offset_by_gps(local: datetime, tags: _Tags) -> timedelta | None:
    day, clock = _text(tags.get(ExifTags.GPS.GPSDateStamp)), tags.get(ExifTags.GPS.GPSTimeStamp)
    try:
        hours, minutes, seconds = (float(part) for part in clock or ())
        midnight = datetime.strptime(day.replace("-", ":"), "%Y:%m:%d").replace(tzinfo=UTC)
        utc = midnight + timedelta(hours=hours, minutes=minutes, seconds=seconds)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return None
    quarters = round((local.replace(tzinfo=UTC) - utc) / timedelta(minutes=15))
    offset = quarters * timedelta(minutes=15)
    return offset if _EARLIEST_OFFSET <= offset <= _LATEST_OFFSET else None


def _degrees(value: object, reference: object, negative: str) -> float | None:
    try:
        degrees, minutes, seconds = (float(part) for part in value)  # type: ignore[attr-defined]
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    total = degrees + minutes / 60 + seconds / 3600
    if not math.isfinite(total):
        return None
    return -total if _text(reference).upper() == negative else total
