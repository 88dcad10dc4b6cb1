"""Photos into the phone's media library, and proof that it has exactly them.

    preflight → stage a batch → API 21: hdc file send DIR …/media_fuse/Photo/     → compare names, sizes, hashes
                                before: hdc file send DIR /data/local/tmp/, mediatool send

Since API 21 the library is a folder, one folder an album. Before, the files lie below the library's own folders. The library
tells no dates over hdc: equal bytes have equal EXIF, from which the gallery takes the date. A photo without EXIF has the date
of its import: that date cannot be brought over, and not be checked here.
"""

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from hashlib import md5
from pathlib import Path

from drivers import preflight
from drivers.harmony.condition import read_health
from drivers.harmony.phone import Phone
from drivers.interface import DriverError, ImportFault, ImportReport, Progress, PushItem

LIBRARY = "/mnt/data/100/media_fuse/Photo"  # 100: the first user of a phone
ASSETS = "/storage/media/100/local/files/Photo"
ALBUM = "rig"
FOLDERS_SINCE_API = 21
_TEMPORARY = "/data/local/tmp/rig-album"
_BATCH = 200  # bounds what a retry repeats and how long one hdc process runs
_LIST_S = 120.0
_HASH_S = 1800.0  # 11 GB at the pace of a slow phone
# What the media library's display names may not hold, and what no file system holds.
_FORBIDDEN = re.compile(r"""[\\/:*?"'`<>|{}\[\]\x00-\x1f\x7f]""")


def library_folder(api: int) -> str:
    """Where the photos lie."""
    return LIBRARY if api >= FOLDERS_SINCE_API else ASSETS


def phone_name(device_name: str) -> str:
    """The name on this phone: letters that the library refuses are spelled `=XX`, and so is `=` before two such digits.

    `a[1].jpg` → `a=5B1=5D.jpg`. Nothing else changes, and no two names become one.
    """
    kept = re.sub(r"=(?=[0-9A-F]{2})", "=3D", device_name)
    return _FORBIDDEN.sub(lambda letter: f"={ord(letter[0]):02X}", kept)


def push(phone: Phone, items: Sequence[PushItem], progress: Progress, api: int) -> None:
    """Every item is in the media library. Raises DriverError before anything is sent, PhoneLost while sending."""
    health = read_health(phone)
    faults = name_faults([item.device_name for item in items])
    faults += preflight.preflight(items, health.free_bytes, health.clock_skew_s)
    if faults:
        raise DriverError(f"{phone.address}: nothing was sent: {'; '.join(faults[:5])}")
    there = _hashes(phone, items, api)
    done = 0
    for start in range(0, len(items), _BATCH):
        batch = items[start : start + _BATCH]
        waiting = [item for item in batch if not _is_there(item, there)]
        if waiting:
            _send(phone, waiting, api)
        done += len(batch)
        progress(done, len(items))


def verify(phone: Phone, items: Sequence[PushItem], api: int) -> ImportReport:
    """Compares the library with `items`: names, sizes, and the hash of every file on the phone."""
    names = {phone_name(item.device_name): item for item in items}
    sizes = _sizes(phone, api)
    faults = [fault for name, item in names.items() for fault in _differences(item, sizes.get(name))]
    bad = {fault.device_name for fault in faults}
    whole = [item for item in items if item.device_name not in bad]
    digests = _hashes(phone, whole, api)
    faults += [
        ImportFault(item.device_name, "hash", item.sha256, digests.get(phone_name(item.device_name), "no file"))
        for item in whole
        if not _is_there(item, digests)
    ]
    faults += [
        ImportFault(name, "extra", "nothing of this name", "a file that no album has") for name in sizes if name not in names
    ]
    return ImportReport(expected=len(items), found=len(sizes), faults=tuple(faults))


def name_faults(names: Sequence[str]) -> list[str]:
    """Names that the phone cannot keep apart or cannot have, even respelled."""
    return preflight.name_faults(names, spelled=phone_name, is_refused=lambda _name: False)


def _differences(item: PushItem, size: int | None) -> Iterator[ImportFault]:
    if size is None:
        yield ImportFault(item.device_name, "missing", "in the phone's library", "not there")
    elif size != item.size_bytes:
        yield ImportFault(item.device_name, "size", f"{item.size_bytes} bytes", f"{size} bytes")


def _sizes(phone: Phone, api: int) -> dict[str, int]:
    """Name → bytes of every photo in the library. Raises DriverError when two albums have one name."""
    said = phone.text(f"find {library_folder(api)} -type f -exec stat -c '%s %n' {{}} +", _LIST_S)
    found: dict[str, int] = {}
    for line in said.splitlines():
        size, _, path = line.partition(" ")
        if not size.isdigit():
            continue
        name = path.rpartition("/")[2]
        if name in found:
            raise DriverError(f"{phone.address}: {name!r} is in the library twice: empty it (`reset`), then import again")
        found[name] = int(size)
    return found


def _hashes(phone: Phone, items: Sequence[PushItem], api: int) -> Mapping[str, str]:
    """Name → hash of the library's files: sha256, on phones without that command md5. Nothing is asked for no items."""
    if not items:
        return {}
    for command, pattern in (("sha256sum", r"[0-9a-f]{64}"), ("md5sum", r"[0-9a-f]{32}")):
        said = phone.text(f"find {library_folder(api)} -type f -exec {command} {{}} +", _HASH_S)
        found = {
            path.rpartition("/")[2]: digest
            for digest, _, path in (line.partition("  ") for line in said.splitlines())
            if re.fullmatch(pattern, digest)
        }
        if found or not said:
            return found
    return {}


def _is_there(item: PushItem, digests: Mapping[str, str]) -> bool:
    """True when the phone has the item's bytes under its name."""
    found = digests.get(phone_name(item.device_name), "")
    if len(found) != 32:  # the length of an md5
        return found == item.sha256
    return found == md5(item.path.read_bytes(), usedforsecurity=False).hexdigest()


def _send(phone: Phone, batch: Sequence[PushItem], api: int) -> None:
    """One folder is sent whole: hdc makes it an album or adds to that of its name; files of the same name are replaced."""
    size = sum(item.size_bytes for item in batch)
    with tempfile.TemporaryDirectory(prefix="gallery-rig-push-") as made:
        folder = Path(made) / ALBUM
        folder.mkdir()
        for item in batch:
            _stage(item, folder / phone_name(item.device_name))
        if api >= FOLDERS_SINCE_API:
            phone.send(folder, f"{LIBRARY}/", size)
            return
        phone.text(f"rm -rf {_TEMPORARY}; mkdir -p {_TEMPORARY}")
        phone.send(folder, f"{_TEMPORARY}/", size)
        said = phone.text(f"mediatool send {_TEMPORARY}/{ALBUM} -tas -urf", _LIST_S + size / 1_000_000)
        phone.text(f"rm -rf {_TEMPORARY}")
        if "[SUCCESS]" not in said:
            raise DriverError(
                f"{phone.address}: mediatool did not import: {said[:200]!r}; this build may lack its send command: "
                "copy the album by hand, or use a phone with API 21"
            )


def _stage(item: PushItem, target: Path) -> None:
    try:
        try:
            target.hardlink_to(item.path)
        except OSError:  # another file system
            shutil.copyfile(item.path, target)
    except OSError as error:
        raise DriverError(f"{item.path} could not be prepared for sending: {error}") from error
