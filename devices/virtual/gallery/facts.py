"""What a photo file says about itself: EXIF time, place and orientation, XMP keywords and names of people.

This is all that a virtual phone ever knows of a photo's meaning: the keywords stand for what a phone's vision model would
see, the names for the people its owner has told it. Nothing else of the album reaches the phone.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pillow_heif
from PIL import ExifTags, Image, UnidentifiedImageError

pillow_heif.register_heif_opener()

_SUBJECT = re.compile(r"<dc:subject\b.*?</dc:subject>", re.DOTALL)
_PERSON = re.compile(r"<Iptc4xmpExt:PersonInImage\b.*?</Iptc4xmpExt:PersonInImage>", re.DOTALL)
_ITEM = re.compile(r"<rdf:li\b[^>]*>(.*?)</rdf:li>", re.DOTALL)
_EXIF_TIME = "%Y:%m:%d %H:%M:%S"
_EXIF_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)")


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What one file contains. `width_px` and `height_px` are as stored (before orientation), None when it cannot be decoded."""

    width_px: int | None
    height_px: int | None
    orientation: int = 1
    """EXIF orientation, 1 to 8."""
    taken: datetime | None = None
    """EXIF DateTimeOriginal, naive: the clock on the wall where it was taken."""
    offset: timedelta | None = None
    """EXIF OffsetTimeOriginal."""
    gps_time: datetime | None = None
    """EXIF GPS date and time, UTC."""
    latitude_deg: float | None = None
    longitude_deg: float | None = None
    keywords: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


def read_facts(path: Path) -> FileFacts:
    """What `path` contains; a file that is no image gives None for both sides. Pixels are not decoded."""
    try:
        with Image.open(path) as image:
            width, height = image.size
            exif = image.getexif()
            xmp = _xmp(image.info)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return FileFacts(None, None)
    shot = exif.get_ifd(ExifTags.IFD.Exif)
    gps = exif.get_ifd(ExifTags.IFD.GPSInfo)
    return FileFacts(
        width_px=width,
        height_px=height,
        orientation=_orientation(exif.get(ExifTags.Base.Orientation)),
        taken=_time(shot.get(ExifTags.Base.DateTimeOriginal)),
        offset=_offset(shot.get(ExifTags.Base.OffsetTimeOriginal)),
        gps_time=_gps_time(gps),
        latitude_deg=_degrees(gps, ExifTags.GPS.GPSLatitude, ExifTags.GPS.GPSLatitudeRef, "S"),
        longitude_deg=_degrees(gps, ExifTags.GPS.GPSLongitude, ExifTags.GPS.GPSLongitudeRef, "W"),
        keywords=_items(_SUBJECT, xmp),
        people=_items(_PERSON, xmp),
    )


def _xmp(info: Mapping[Any, Any]) -> str:
    # Pillow keeps the packet under "xmp" (JPEG, WebP, HEIC through pillow-heif) or under PNG's own text key.
    raw = info.get("xmp") or info.get("XML:com.adobe.xmp") or ""
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)


def _items(container: re.Pattern[str], xmp: str) -> tuple[str, ...]:
    found = [html.unescape(item).strip() for part in container.findall(xmp) for item in _ITEM.findall(part)]
    return tuple(dict.fromkeys(item for item in found if item))


def _orientation(value: object) -> int:
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _time(value: object) -> datetime | None:
    try:
        return datetime.strptime(str(value).strip("\0 "), _EXIF_TIME)  # noqa: DTZ007 (EXIF's time has no zone)
    except ValueError:
        return None


def _offset(value: object) -> timedelta | None:
    found = _EXIF_OFFSET.fullmatch(str(value).strip("\0 "))
    if not found:
        return None
    minutes = int(found[2]) * 60 + int(found[3])
    return timedelta(minutes=-minutes if found[1] == "-" else minutes)


def _gps_time(gps: Mapping[int, Any]) -> datetime | None:
    try:
        day = datetime.strptime(str(gps[ExifTags.GPS.GPSDateStamp]).strip("\0 "), "%Y:%m:%d").replace(tzinfo=UTC)
        hours, minutes, seconds = (float(part) for part in gps[ExifTags.GPS.GPSTimeStamp])
    except (KeyError, ValueError, TypeError, ZeroDivisionError):
        return None
    return day + timedelta(hours=hours, minutes=minutes, seconds=seconds)


def _degrees(gps: Mapping[int, Any], value: int, reference: int, negative: str) -> float | None:
    try:
        degrees, minutes, seconds = (float(part) for part in gps[value])
    except (KeyError, ValueError, TypeError, ZeroDivisionError):
        return None
    total = degrees + minutes / 60 + seconds / 3600
    return -total if str(gps.get(reference, "")).strip("\0 ").upper() == negative else total
