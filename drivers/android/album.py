"""Photos onto the phone, and proof that its media library has exactly them.

    preflight → stage a batch (device names, capture mtimes) → adb push --sync → … → scan → wait for idle → compare

`adb push --sync` compares size and mtime, so a push that was cut short goes on where it was. The mtime is the true capture
time: Android's scanner guesses a missing time zone from it, and leaves the date empty when it is more than a day away.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from drivers import preflight
from drivers.android.condition import read_health
from drivers.android.transport import Transport
from drivers.interface import DriverError, ImportFault, ImportReport, PhoneLost, Progress, PushItem

FOLDER = "/sdcard/DCIM/Camera"  # makers' galleries list only the folders they know; this one they all know
_RELATIVE = "DCIM/Camera/"
_BATCH = 200  # bounds what a retry repeats, what staging copies and how long one adb process runs
_BATCH_S = 60.0
_SLOWEST_BYTES_PER_S = 2_000_000  # a tenth of USB 2.0
_SCAN_S = 600.0
_HASH_S = 1800.0  # 11 GB at the pace of a slow phone
_FORBIDDEN = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f]')
_IMAGES = "content://media/external/images/media"


@dataclass(frozen=True, slots=True)
class Row:
    """One photo as the phone's media library has it."""

    name: str
    size_bytes: int | None
    taken_ms: int | None
    width_px: int | None
    height_px: int | None
    settled: bool
    """False while it is pending or when it lies in the bin."""


def push(phone: Transport, items: Sequence[PushItem], progress: Progress) -> None:
    """Every item is on the phone and scanned. Raises DriverError before anything is sent, PhoneLost while sending."""
    health = read_health(phone)
    faults = name_faults([item.device_name for item in items])
    faults += preflight.preflight(items, health.free_bytes, health.clock_skew_s)
    if faults:
        raise DriverError(f"{phone.address}: nothing was sent: {'; '.join(faults[:5])}")
    there = on_phone(phone)
    zone = _zone(health.timezone)
    phone.text(f"mkdir -p {FOLDER}")
    missing = [item for item in items if there.get(item.device_name) != (item.size_bytes, mtime(item, zone))]
    done = len(items) - len(missing)
    progress(done, len(items))
    for sent in _send(phone, list(_batches(missing)), zone):
        done += sent
        progress(done, len(items))
    scan(phone)


def _send(phone: Transport, batches: Sequence[Sequence[PushItem]], zone: tzinfo) -> Iterator[int]:
    """Pushes batch by batch, yielding how many items each had.

    The next one is prepared while one is on its way, so that two of them take room on this computer and none takes time.
    """
    with TemporaryDirectory(prefix="gallery-rig-push-") as made, ThreadPoolExecutor(1, "stage") as ahead:
        folders = [Path(made) / str(number) for number in range(len(batches))]
        following = ahead.submit(_staged, batches[0], folders[0], zone) if batches else None
        for number, batch in enumerate(batches):
            folder = following.result() if following is not None else folders[number]
            following = None
            if number + 1 < len(batches):
                following = ahead.submit(_staged, batches[number + 1], folders[number + 1], zone)
            size = sum(item.size_bytes for item in batch)
            phone.push_folder(folder, f"{FOLDER}/", _BATCH_S + size / _SLOWEST_BYTES_PER_S)
            shutil.rmtree(folder)
            yield len(batch)


def scan(phone: Transport) -> None:
    """The media library knows what is on the disk. The files' mtimes are set after the scan that adb itself causes."""
    volume = phone.shell("content call --uri content://media --method scan_volume --arg external_primary", _SCAN_S)
    if volume.code or b"Error" in volume.out + volume.err:
        said = (volume.err or volume.out).decode("utf-8", "replace").strip()
        raise DriverError(
            f"{phone.address}: the media library could not be scanned: {said[:200]} (Android 10 or newer is needed)"
        )
    phone.shell("content call --uri content://media --method wait_for_idle", _SCAN_S)


def verify(phone: Transport, items: Sequence[PushItem]) -> ImportReport:
    """Compares the media library with `items`: names, sizes, dimensions, dates, then the hash of every file on the phone."""
    rows = library(phone)
    zone = _zone(phone.text("getprop persist.sys.timezone"))
    faults = compare(items, rows, zone)
    bad = {fault.device_name for fault in faults if fault.fault in ("missing", "size")}
    faults += compare_hashes([item for item in items if item.device_name not in bad], hashes(phone))
    faults += [_extra(name, "a file that no album has") for name in _strangers(phone, items, rows)]
    return ImportReport(expected=len(items), found=len(rows), faults=tuple(faults))


def name_faults(names: Sequence[str]) -> list[str]:
    """Names that the phone's file system refuses or cannot keep apart."""
    return preflight.name_faults(names, spelled=str, is_refused=lambda name: _FORBIDDEN.search(name) is not None)


def mtime(item: PushItem, zone: tzinfo) -> int:
    """Unix time that the file carries on the phone: when it was taken, else when it was last changed.

    A capture time without a zone is meant in the phone's zone, which is how the phone's scanner will read it.
    """
    if item.taken_at is None:
        return int(item.path.stat().st_mtime)
    return int(_aware(item.taken_at, zone).timestamp())


def on_phone(phone: Transport) -> dict[str, tuple[int, int]]:
    """Name → (size, mtime) of the files in the album's folder."""
    listing = phone.text(f"cd {FOLDER} && find . -maxdepth 1 -type f -exec stat -c '%s %Y %n' {{}} +", _SCAN_S)
    found = {}
    for line in listing.splitlines():
        size, changed, name = line.split(" ", 2)
        found[name.removeprefix("./")] = (int(size), int(changed))
    return found


def hashes(phone: Transport) -> dict[str, str]:
    """Name → sha256 of the files in the album's folder. `find … +` keeps each command within the phone's ARG_MAX."""
    listing = phone.text(f"cd {FOLDER} && find . -maxdepth 1 -type f -exec sha256sum {{}} +", _HASH_S)
    found = {}
    for line in listing.splitlines():
        digest, _, name = line.partition("  ")
        if re.fullmatch(r"[0-9a-f]{64}", digest):
            found[name.removeprefix("./")] = digest
    return found


def library(phone: Transport) -> tuple[Row, ...]:
    """The photos of the album's folder in the phone's media library."""
    columns = "_size:datetaken:width:height:is_pending:is_trashed:_display_name"
    where = f"relative_path='{_RELATIVE}'"
    asked = phone.shell(f'content query --uri {_IMAGES} --projection {columns} --where "{where}"', _SCAN_S)
    if asked.code:
        raise PhoneLost(f"{phone.address}: the media library does not answer: {asked.err.decode('utf-8', 'replace')[:200]}")
    return parse_rows(asked.text)


def parse_rows(text: str) -> tuple[Row, ...]:
    """Rows of `content query`: `Row: 0 _size=1, …, _display_name=a, b.jpg`; the name stands last because nothing is escaped."""
    found = []
    for line in re.split(r"^Row: \d+ ", text, flags=re.MULTILINE)[1:]:
        head, _, name = line.rstrip("\n").partition("_display_name=")
        values = dict(re.findall(r"(\w+)=([^,]*), ", head))
        found.append(
            Row(
                name=name,
                size_bytes=_number(values.get("_size")),
                taken_ms=_number(values.get("datetaken")),
                width_px=_number(values.get("width")),
                height_px=_number(values.get("height")),
                settled=values.get("is_pending", "0") in ("0", "NULL") and values.get("is_trashed", "0") in ("0", "NULL"),
            )
        )
    return tuple(found)


def compare(items: Sequence[PushItem], rows: Sequence[Row], zone: tzinfo) -> list[ImportFault]:
    """What differs between the album and the library, apart from bytes."""
    by_name = {row.name: row for row in rows}
    wanted = {item.device_name for item in items}
    found = [fault for item in items for fault in _differences(item, by_name.get(item.device_name), zone)]
    found += [_extra(row.name, "a photo that no album has") for row in rows if row.name not in wanted]
    return found


def compare_hashes(items: Sequence[PushItem], digests: Mapping[str, str]) -> list[ImportFault]:
    """Files whose bytes on the phone are not the album's."""
    return [
        ImportFault(item.device_name, "hash", item.sha256, digests.get(item.device_name, "no file"))
        for item in items
        if digests.get(item.device_name) != item.sha256
    ]


def _extra(name: str, what: str) -> ImportFault:
    return ImportFault(name, "extra", "nothing of this name", what)


def _differences(item: PushItem, row: Row | None, zone: tzinfo) -> Iterator[ImportFault]:
    name = item.device_name
    if row is None:
        yield ImportFault(name, "missing", "in the phone's library", "not there")
        return
    if row.size_bytes != item.size_bytes:
        yield ImportFault(name, "size", f"{item.size_bytes} bytes", f"{row.size_bytes} bytes")
    if not row.width_px or not row.height_px:
        yield ImportFault(name, "undecodable", "width and height", f"{row.width_px} × {row.height_px}")
    if not row.settled:
        yield ImportFault(name, "pending", "a visible photo", "pending or in the bin")
    if item.taken_at is not None:
        taken = _aware(item.taken_at, zone)
        if row.taken_ms is None or abs(row.taken_ms / 1000 - taken.timestamp()) >= 1:
            shown = "no date" if row.taken_ms is None else datetime.fromtimestamp(row.taken_ms / 1000, taken.tzinfo).isoformat()
            yield ImportFault(name, "date", taken.isoformat(), shown)


def _strangers(phone: Transport, items: Sequence[PushItem], rows: Sequence[Row]) -> list[str]:
    """Photos on the disk that the album does not have and the library does not list (those are named already)."""
    known = {item.device_name for item in items} | {row.name for row in rows}
    return sorted(name for name in on_phone(phone) if name not in known and not name.startswith("."))


def _staged(batch: Sequence[PushItem], folder: Path, zone: tzinfo) -> Path:
    """A new folder that holds the batch as it shall be on the phone."""
    folder.mkdir()
    for item in batch:
        _stage(item, folder / item.device_name, mtime(item, zone))
    return folder


def _stage(item: PushItem, target: Path, changed: int) -> None:
    """`target` is the item's bytes with that mtime. A hard link shares its mtime, so it serves when that is right."""
    try:
        if int(item.path.stat().st_mtime) == changed:
            try:
                target.hardlink_to(item.path)
            except OSError:  # another file system
                shutil.copyfile(item.path, target)
        else:
            shutil.copyfile(item.path, target)
        if int(target.stat().st_mtime) != changed:
            os.utime(target, (changed, changed))
    except OSError as error:
        raise DriverError(f"{item.path} could not be prepared for pushing: {error}") from error


def _batches(items: Sequence[PushItem]) -> Iterator[Sequence[PushItem]]:
    for start in range(0, len(items), _BATCH):
        yield items[start : start + _BATCH]


def _aware(moment: datetime, zone: tzinfo) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)


def _zone(name: str | None) -> tzinfo:
    try:
        return ZoneInfo(name or "")
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise DriverError(f"the phone's time zone {name!r} is unknown here: set it, or install tzdata") from error


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?\d+", text) else None
