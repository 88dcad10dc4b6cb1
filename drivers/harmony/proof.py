"""Proof that a phone was reset: what it says before and after, and the independent signs in between.

A sign that a phone does not give is left out, never assumed to hold.
"""

import re
from dataclasses import dataclass
from uuid import uuid4

from drivers.harmony.condition import PIN_LINES, parse_pin
from drivers.harmony.phone import Phone
from drivers.interface import DriverError, Sign
from drivers.readings import parse_uptime

_FOLDER = "/data/local/tmp"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a reset must change, and what it must not."""

    serial: str
    build: str
    boot_id: str
    uptime_s: float | None
    photos: int | None
    bundles: frozenset[str]


def snapshot(phone: Phone, library: str) -> Snapshot:
    """What the phone says now."""
    *pinned, boot, uptime, photos, bundles = phone.texts(
        [*PIN_LINES, "cat /proc/sys/kernel/random/boot_id", "cat /proc/uptime", f"find {library} -type f", "bm dump -a"],
        seconds=60,
    )
    pin = parse_pin(pinned, phone.address)
    return Snapshot(
        serial=pin.serial,
        build=pin.build,
        boot_id=boot if re.fullmatch(r"[0-9a-f-]{36}", boot) else "",
        uptime_s=parse_uptime(uptime),
        photos=parse_photos(photos, library),
        bundles=frozenset(re.findall(r"^\s+([\w.]+)\s*$", bundles, re.MULTILINE)),
    )


def parse_photos(listing: str, library: str) -> int | None:
    """Files that `find` lists; None when it says anything else."""
    lines = listing.splitlines()
    return len(lines) if all(line.startswith(library) for line in lines) else None


def signs(before: Snapshot, after: Snapshot, *, nonce_left: bool, elapsed_s: float) -> tuple[Sign, ...]:
    """The independent signs that can be read on this phone; one that it does not give is left out, not assumed."""
    found = [
        Sign("nonce file", "written", "still there" if nonce_left else "gone", not nonce_left),
        Sign("system build", before.build, after.build, before.build == after.build),
    ]
    if before.boot_id and after.boot_id:
        found.append(Sign("boot id", before.boot_id, after.boot_id, before.boot_id != after.boot_id))
    if after.photos is not None:
        found.append(Sign("photos in the library", shown(before.photos), str(after.photos), after.photos == 0))
    if before.bundles and after.bundles:
        added = after.bundles - before.bundles
        found.append(Sign("installed bundles", str(len(before.bundles)), str(len(after.bundles)), not added))
    if after.uptime_s is not None:
        found.append(Sign("uptime", shown(before.uptime_s), f"{after.uptime_s:.0f} s", after.uptime_s <= elapsed_s + 5))
    return tuple(found)


def leave_nonce(phone: Phone) -> str:
    """A file of a fresh name lies where a factory reset erases; its name is returned."""
    nonce = f".rig-{uuid4().hex}"
    if phone.text(f"echo {nonce} > {_FOLDER}/{nonce}; cat {_FOLDER}/{nonce}") != nonce:
        raise DriverError(
            f"{phone.address}: not reset, nothing was erased: {_FOLDER} cannot be written, so nothing could be proven"
        )
    return nonce


def remove_nonce(phone: Phone, nonce: str) -> None:
    """Nothing of a reset that did not happen is left behind."""
    phone.text(f"rm -f {_FOLDER}/{nonce}")


def nonce_is_left(phone: Phone, nonce: str) -> bool:
    """True when the file is still there."""
    return nonce in phone.text(f"ls -a {_FOLDER}").split()


def shown(reading: float | None) -> str:
    """A reading in a sign; one the phone does not give is unknown."""
    return "unknown" if reading is None else f"{reading:.0f}"
