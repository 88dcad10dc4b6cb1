"""What must be put right before an album is sent to a phone, in sentences."""

import unicodedata
from collections.abc import Callable, Sequence

from drivers.interface import PushItem

_ROOM = 1.2  # the album and what the library keeps of it: derivatives, database (fault list, item 14)
_SKEW_S = 5.0
_LONGEST = 255  # bytes of a file name, on every file system that phones have


def preflight(items: Sequence[PushItem], free_bytes: int | None, clock_skew_s: float | None) -> list[str]:
    """What stands against sending `items` to a phone with so much room, whose clock differs by so much; None is unknown."""
    found = []
    needed = int(_ROOM * sum(item.size_bytes for item in items))
    if free_bytes is None:
        found.append("the phone does not say how much room it has")
    elif free_bytes < needed:
        found.append(f"{needed:,} bytes are needed, {free_bytes:,} are free: make room")
    if clock_skew_s is None or abs(clock_skew_s) > _SKEW_S:
        skew = "unknown" if clock_skew_s is None else f"{clock_skew_s:+.0f} s"
        found.append(f"the phone's clock differs from this computer's by {skew} (at most {_SKEW_S:.0f} s): set it")
    return found + [f"{item.path} is not there" for item in items if not item.path.is_file()]


def name_faults(names: Sequence[str], spelled: Callable[[str], str], is_refused: Callable[[str], bool]) -> list[str]:
    """Names that a phone refuses, and those that are one to it as it has them `spelled`, without case or Unicode form."""
    found = []
    seen: dict[str, str] = {}
    for name in names:
        key = unicodedata.normalize("NFC", spelled(name)).casefold()
        if key in seen:
            found.append(f"{name!r} and {seen[key]!r} are one name on the phone")
        seen[key] = name
        if not name or is_refused(name) or name != name.rstrip(". ") or name.startswith("."):
            found.append(f"{name!r} cannot be a file name on the phone")
        elif len(spelled(name).encode()) > _LONGEST:
            found.append(f"{name!r} is longer than {_LONGEST} bytes on the phone")
    return found
