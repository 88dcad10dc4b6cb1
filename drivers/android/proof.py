"""Proof that a phone was reset: what it says before and after, and the independent signs in between.

A sign that a phone does not give is left out, never assumed to hold.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from drivers.android.transport import Transport
from drivers.interface import DriverError, Sign
from drivers.readings import parse_uptime

_NONCE_FOLDERS = ("/data/local/tmp", "/sdcard")
_IMAGES = "content query --uri content://media/external/images/media --projection _id"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a reset must change, and what it must not."""

    boot_count: int | None
    android_id: str
    uptime_s: float | None
    images: int | None
    third_party: frozenset[str]
    accounts: int | None
    build: str


def snapshot(phone: Transport) -> Snapshot:
    """What the phone says now."""
    boot, android_id, uptime, images, packages, accounts, build = phone.texts(
        [
            "settings get global boot_count",
            "settings get secure android_id",
            "cat /proc/uptime",
            _IMAGES,
            "pm list packages -3",
            "dumpsys account",
            "getprop ro.build.fingerprint",
        ],
        seconds=60,
    )
    return Snapshot(
        boot_count=int(boot) if boot.isdigit() else None,
        android_id="" if android_id == "null" else android_id,
        uptime_s=parse_uptime(uptime),
        images=parse_image_count(images),
        third_party=frozenset(re.findall(r"^package:(\S+)", packages, re.MULTILINE)),
        accounts=parse_accounts(accounts),
        build=build,
    )


def parse_image_count(text: str) -> int | None:
    """Rows of a `content query`; None when the provider did not answer."""
    if "No result found" in text:
        return 0
    rows = len(re.findall(r"^Row: ", text, re.MULTILINE))
    return rows or None


def parse_accounts(text: str) -> int | None:
    """The sum over all users of `Accounts: N` in `dumpsys account`."""
    counts = re.findall(r"^\s*Accounts: (\d+)", text, re.MULTILINE)
    return sum(int(count) for count in counts) if counts else None


def signs(before: Snapshot, after: Snapshot, nonces_left: Sequence[str], elapsed_s: float) -> tuple[Sign, ...]:
    """The independent signs that can be read on this phone; one that it does not give is left out, not assumed."""
    found = [
        Sign(
            "nonce files", "written", "gone" if not nonces_left else f"still there: {', '.join(nonces_left)}", not nonces_left
        ),
        Sign("build fingerprint", before.build, after.build, before.build == after.build),
    ]
    if before.android_id and after.android_id:
        found.append(Sign("android_id", before.android_id, after.android_id, before.android_id != after.android_id))
    if before.boot_count is not None and after.boot_count is not None:
        # A restart alone would have counted one up.
        started_over = after.boot_count <= before.boot_count and after.boot_count <= 3
        found.append(Sign("boot count", str(before.boot_count), str(after.boot_count), started_over))
    if after.images is not None:
        found.append(Sign("photos in the library", shown(before.images), str(after.images), after.images == 0))
    gone = before.third_party - after.third_party
    added = after.third_party - before.third_party
    found.append(
        Sign("installed apps", f"{len(before.third_party)}", f"{len(after.third_party)} ({len(gone)} gone)", not added)
    )
    if after.accounts is not None:
        found.append(Sign("accounts", shown(before.accounts), str(after.accounts), after.accounts == 0))
    if after.uptime_s is not None:
        fresh = after.uptime_s <= elapsed_s + 5
        found.append(Sign("uptime", shown(before.uptime_s), f"{after.uptime_s:.0f} s", fresh))
    return tuple(found)


def leave_nonce(phone: Transport) -> str:
    """A file of a fresh name lies where a factory reset erases; its name is returned."""
    nonce = f".rig-{uuid4().hex}"
    for folder in _NONCE_FOLDERS:
        written = phone.shell(f"echo {nonce} > {folder}/{nonce} && cat {folder}/{nonce}")
        if written.text.strip() != nonce:
            raise DriverError(
                f"{phone.address}: not reset, nothing was erased: {folder} cannot be written, so nothing could be proven"
            )
    return nonce


def remove_nonce(phone: Transport, nonce: str) -> None:
    """Nothing of a reset that did not happen is left behind."""
    phone.text(f"rm -f {' '.join(f'{folder}/{nonce}' for folder in _NONCE_FOLDERS)}")


def nonce_left(phone: Transport, nonce: str) -> list[str]:
    """The folders where the file still lies."""
    listed = phone.texts([f"ls -a {folder}" for folder in _NONCE_FOLDERS])
    return [folder for folder, names in zip(_NONCE_FOLDERS, listed, strict=True) if nonce in names]


def shown(value: float | None) -> str:
    """A reading in a sign; one the phone does not give is unknown."""
    return "unknown" if value is None else f"{value:.0f}"
