"""What a file is called on a phone: its own name where possible, a unique one where two folders use the same.

A phone's shared storage is case-insensitive and refuses what FAT refuses, so `IMG_1.JPG` and `img_1.jpg` are one file there,
and so are the composed and decomposed spellings of `é.jpg`: two such photos would overwrite each other without a word.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

# VFAT and Android's sdcard refuse these; the slash cannot occur in a name anyway.
FORBIDDEN = frozenset('\\/:*?"<>|')
# ext4, f2fs and the sdcard layer above them all stop at 255 bytes of UTF-8.
MAX_BYTES = 255


def why_not(name: str) -> str | None:
    """Why a file of this name cannot be put on a phone; None when it can."""
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return "the name is not valid UTF-8"
    bad = sorted({character for character in name if character in FORBIDDEN or not character.isprintable()} - {" "})
    if any(unicodedata.category(character) in ("Cc", "Cs") or character in FORBIDDEN for character in bad):
        return f"the name holds {' '.join(repr(character) for character in bad)}, which phones refuse"
    if size > MAX_BYTES:
        return f"the name is {size} bytes long, phones take {MAX_BYTES}"
    return "the name ends in a dot or a space, which phones drop" if name[-1:] in (".", " ") else None


def key_of(name: str) -> str:
    """What a phone compares names by: equal keys are one file there."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def device_names(ids: Iterable[str]) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """(device name by id, reason by id of those that cannot have one).

    The shallowest path claims a name first, then the first in order. A photo from another folder gets its folders' names put
    before its own; one of the same folder that differs in case or spelling only is refused.
    """
    named: dict[str, str] = {}
    refused: dict[str, str] = {}
    claimed: dict[str, str] = {}
    for photo_id in sorted(ids, key=lambda photo_id: (photo_id.count("/"), photo_id)):
        path = PurePosixPath(photo_id)
        holder = claimed.get(key_of(path.name))
        if holder is not None and PurePosixPath(holder).parent == path.parent:
            refused[photo_id] = f"on a phone its name is the same as that of {holder}: they differ in case or accents only"
            continue
        name = path.name if holder is None else _with_folders(path, claimed)
        reason = why_not(name)
        if reason:
            refused[photo_id] = reason
            continue
        claimed[key_of(name)] = photo_id
        named[photo_id] = name
    return named, refused


def _with_folders(path: PurePosixPath, claimed: Mapping[str, str]) -> str:
    plain = "_".join(path.parts)
    name, number = plain, 2
    while key_of(name) in claimed:
        name, number = f"{PurePosixPath(plain).stem}_{number}{path.suffix}", number + 1
    return name
