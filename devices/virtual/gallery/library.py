"""The phone's media library: the photos found in its storage, as rows like MediaStore's.

`scan` is what a phone's media scanner does: walk the storage, skip hidden folders and those with `.nomedia`, read what is
new or changed, forget what is gone. A row keeps its id as long as its file stays.
"""

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from devices.virtual.gallery.facts import FileFacts, read_facts

MIME_TYPES = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".heic": "image/heic",
    ".heif": "image/heif",
    ".webp": "image/webp",
}
"""By suffix, as Android's scanner decides it."""

_DAY = timedelta(hours=24)
_ZONE_STEP_S = 15 * 60  # the finest step of the world's time zones


@dataclass(frozen=True, slots=True)
class MediaRow:
    """One row of the media library. `date_taken_ms` is POSIX milliseconds or None; sides are None for an undecodable file."""

    id: int
    name: str
    relative_path: str
    """Folder below the storage's root with a trailing slash, e.g. `DCIM/Camera/`."""
    size_bytes: int
    modified_s: int
    date_taken_ms: int | None
    mime_type: str
    width_px: int | None
    height_px: int | None
    orientation_deg: int
    latitude_deg: float | None
    longitude_deg: float | None


@dataclass(frozen=True, slots=True)
class LibraryPhoto:
    """A row with the file behind it and what that file says."""

    row: MediaRow
    path: Path
    mtime_ns: int
    facts: FileFacts

    @property
    def sort_s(self) -> float:
        """POSIX seconds by which galleries sort: time taken, else time modified."""
        taken = self.row.date_taken_ms
        return float(self.row.modified_s) if taken is None else taken / 1000

    def wall_time(self, zone: ZoneInfo) -> datetime:
        """The clock on the wall, naive: EXIF's own, else the phone's at the time of modification."""
        if self.facts.taken is not None:
            return self.facts.taken
        return datetime.fromtimestamp(self.row.modified_s, zone).replace(tzinfo=None)

    def phone_time(self, zone: ZoneInfo) -> datetime:
        """When it was taken by the phone's own clock and zone, naive."""
        return datetime.fromtimestamp(self.sort_s, zone).replace(tzinfo=None)


class Library:
    """The photos below `root`, as of the last scan."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._photos: dict[str, LibraryPhoto] = {}
        self._next_id = 1000  # real libraries never start at 1 either; a rig must not count on it

    @property
    def photos(self) -> tuple[LibraryPhoto, ...]:
        """All photos in the order of their ids."""
        return tuple(sorted(self._photos.values(), key=lambda photo: photo.row.id))

    def clear(self) -> None:
        """The library is empty until the next scan; ids go on from where they were."""
        self._photos = {}

    def scan(self) -> tuple[MediaRow, ...]:
        """The library agrees with the storage; returns all rows in the order of their ids."""
        found = {}
        for path in _image_files(self._root):
            key = path.relative_to(self._root).as_posix()
            known = self._photos.get(key)
            stat = path.stat()
            if known and (known.row.size_bytes, known.mtime_ns) == (stat.st_size, stat.st_mtime_ns):
                found[key] = known
            else:
                found[key] = self._read(path, stat, known.row.id if known else None)
        self._photos = found
        return tuple(photo.row for photo in self.photos)

    def _read(self, path: Path, stat: os.stat_result, row_id: int | None) -> LibraryPhoto:
        facts = read_facts(path)
        if row_id is None:
            row_id, self._next_id = self._next_id, self._next_id + 1
        folder = path.parent.relative_to(self._root).as_posix()
        row = MediaRow(
            id=row_id,
            name=path.name,
            relative_path="" if folder == "." else folder + "/",
            size_bytes=stat.st_size,
            modified_s=int(stat.st_mtime),
            date_taken_ms=date_taken_ms(facts, stat.st_mtime),
            mime_type=MIME_TYPES[path.suffix.lower()],
            width_px=facts.width_px,
            height_px=facts.height_px,
            orientation_deg={3: 180, 6: 90, 8: 270}.get(facts.orientation, 0),
            latitude_deg=facts.latitude_deg,
            longitude_deg=facts.longitude_deg,
        )
        return LibraryPhoto(row, path, stat.st_mtime_ns, facts)


def date_taken_ms(facts: FileFacts, mtime_s: float) -> int | None:
    """When the photo was taken, as Android 10 and later decide it (ModernMediaScanner): POSIX ms or None.

    EXIF's time counts with its own offset. Without one the zone is guessed from the GPS time, then from the file's
    modification time, to a quarter of an hour; when both are 24 h or more away, the date stays unknown.
    """
    if facts.taken is None:
        return None
    as_utc = facts.taken.replace(tzinfo=UTC)
    if facts.offset is not None:
        return round((as_utc - facts.offset).timestamp() * 1000)
    guesses = (facts.gps_time, datetime.fromtimestamp(mtime_s, UTC))
    for guess in guesses:
        if guess is not None and abs(guess - as_utc) < _DAY:
            steps = round((guess - as_utc).total_seconds() / _ZONE_STEP_S)
            return round((as_utc.timestamp() + steps * _ZONE_STEP_S) * 1000)
    return None


def _image_files(root: Path) -> list[Path]:
    found = []
    for folder, folders, names in os.walk(root):
        if ".nomedia" in names:
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        visible = (name for name in sorted(names) if not name.startswith("."))
        found += [Path(folder) / name for name in visible if Path(name).suffix.lower() in MIME_TYPES]
    return found
