"""Nothing that leaves may say whose phone it was: every byte of an export is searched, whatever it is wrapped in.

    files, links, names ─ text · PNG · JPEG · zip · gzip ─ views (reports.disguises) ─ needles

Fails closed: what cannot be opened, is of an unknown kind or carries metadata is a hit. A hit names the artefact and the kind
of secret, never the secret; a name that holds one is told by its number.

**What is searched for.** Case does not matter. A secret with letters needs four characters; below eight it must stand by
itself, so that "Mira" is not found in "miracle". Of digits and dots it needs six digits, because "14.2" is also a score.
Anything that an export over no phone at all would say too (`known`) tells nothing and is not searched for.
"""

import gzip
import io
import re
import stat
import unicodedata
import zipfile
import zlib
from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from reports.disguises import MOST_BYTES, TooMuch, View, inflate, views

SHORTEST = 4
STANDS_BY_ITSELF = 8
FEWEST_DIGITS = 6
SQUASHED = 8
"""A secret this long without its separators is also found without them, if it has letters and digits; else at four more."""
_DEEPEST = 4
"""Archives in archives that are opened."""
_PNG = b"\x89PNG\r\n\x1a\n"
_PLAIN_CHUNKS = frozenset({b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS"})
_DATA_URI = re.compile(rb"data:[\w.+/-]*;base64,([A-Za-z0-9+/=]+)")


@dataclass(frozen=True, slots=True)
class Secret:
    """What must not leave, and what it is ("serial of a phone")."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Leak:
    """Where something was found, what kind of thing, and under which encodings. Never the thing."""

    artefact: str
    kind: str
    how: str


@dataclass(frozen=True, slots=True)
class _Needle:
    kind: str
    text: str
    alone: re.Pattern[str] | None
    squashed: str


def scan(folder: Path, secrets: Iterable[Secret], *, known: str = "") -> tuple[Leak, ...]:
    """Every leak of an export folder, in the order of its files.

    A secret that is too short to be told from chance, or is in every export (`known`), is not looked for.
    """
    needles = _needles(secrets, known)
    found: dict[Leak, None] = {}
    for number, path in enumerate(sorted(folder.rglob("*")), 1):
        name = path.relative_to(folder).as_posix()
        in_name = list(_search(name.encode("utf-8", "surrogateescape"), needles, f"a file name (the {number}. of the export)"))
        said = f"file {number}" if in_name else name
        found |= dict.fromkeys([*in_name, *_file(path, said, needles)])
    return tuple(found)


def _needles(secrets: Iterable[Secret], known: str) -> tuple[_Needle, ...]:
    everywhere = _folded(known)
    needles: dict[str, _Needle] = {}
    for secret in secrets:
        text = _folded(secret.text).strip()
        if text and text not in needles and _tells(text) and text not in everywhere:
            alone = re.compile(rf"(?<![^\W_]){re.escape(text)}(?![^\W_])") if len(text) < STANDS_BY_ITSELF else None
            needles[text] = _Needle(secret.kind, text, alone, _squashed(text))
    return tuple(needles.values())


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _tells(text: str) -> bool:
    if any(c.isalpha() for c in text):
        wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)  # two Chinese characters say as much as four letters
        return len(text) + wide >= SHORTEST
    return sum(c.isdigit() for c in text) >= FEWEST_DIGITS


def _squashed(text: str) -> str:
    """The text without separators where that still tells it from chance; "" where not."""
    bare = re.sub(r"[\W_]+", "", text)
    mixed = any(c.isalpha() for c in bare) and any(c.isdigit() for c in bare)
    return bare if len(bare) >= (SQUASHED if mixed else SQUASHED + 4) and not bare.isdigit() else ""


def _search(data: bytes, needles: Sequence[_Needle], artefact: str) -> Iterator[Leak]:
    try:
        for view in views(data):
            for needle in needles:
                if _holds(view, needle):
                    yield Leak(artefact, needle.kind, view.how)
    except TooMuch:
        yield Leak(artefact, "cannot be opened", "unpacks to too much")


def _holds(view: View, needle: _Needle) -> bool:
    if view.how.endswith("without separators"):
        return bool(needle.squashed) and needle.squashed in view.text
    if needle.text not in view.text:
        return False
    return needle.alone is None or needle.alone.search(view.text) is not None


def _file(path: Path, artefact: str, needles: Sequence[_Needle]) -> Iterator[Leak]:
    try:
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            return
        if not stat.S_ISREG(mode):
            yield Leak(artefact, "cannot be opened", "is no plain file")
            return
        data = path.read_bytes()
    except OSError as error:
        yield Leak(artefact, "cannot be opened", type(error).__name__)
        return
    yield from _content(data, artefact, needles, depth=0)


def _content(data: bytes, artefact: str, needles: Sequence[_Needle], depth: int) -> Iterator[Leak]:
    """Searches the bytes themselves, then what their kind wraps."""
    yield from _search(data, needles, artefact)
    if depth > _DEEPEST:
        yield Leak(artefact, "cannot be opened", "archives in archives")
    elif data.startswith(_PNG):
        yield from _png(data, artefact, needles)
    elif data.startswith(b"\xff\xd8"):
        yield from _jpeg(data, artefact, needles)
    elif data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        yield from _zip(data, artefact, needles, depth)
    elif data.startswith(b"\x1f\x8b"):
        yield from _gzip(data, artefact, needles, depth)
    elif _is_text(data):
        for number, uri in enumerate(_DATA_URI.finditer(data), 1):
            yield from _data_uri(uri[1], f"{artefact}: picture {number}", needles, depth)
    else:
        yield Leak(artefact, "cannot be opened", "an unknown kind of file")


def _is_text(data: bytes) -> bool:
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
    except UnicodeDecodeError:
        return False
    return not any(unicodedata.category(c) in ("Cc", "Cn", "Co") and c not in "\t\n\r\f" for c in set(text))


def _data_uri(text: bytes, artefact: str, needles: Sequence[_Needle], depth: int) -> Iterator[Leak]:
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        yield Leak(artefact, "cannot be opened", "broken base64")
        return
    yield from _content(data, artefact, needles, depth + 1)


def _png(data: bytes, artefact: str, needles: Sequence[_Needle]) -> Iterator[Leak]:
    """Only chunks that pixels need may be there; what the others say is searched besides, to name what they hold."""
    at, packed = len(_PNG), b""
    while at + 12 <= len(data):
        size, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + size]
        at += 12 + size
        if kind == b"IDAT":
            packed += body
        elif kind not in _PLAIN_CHUNKS:
            yield Leak(artefact, "metadata", f"PNG chunk {kind.decode('ascii', 'replace')!r:.8}")
            yield from _packed_text(body, artefact, needles)
        if kind == b"IEND":
            break
    if at != len(data):
        yield Leak(artefact, "cannot be opened", "bytes after the end of the picture, or too few")
    yield from _packed(packed, artefact, needles)
    yield from _picture(data, artefact, needles)


def _packed_text(body: bytes, artefact: str, needles: Sequence[_Needle]) -> Iterator[Leak]:
    """zTXt, iTXt and iCCP pack what they say after a keyword."""
    for start in range(len(body) - 2):
        if body[start] == 0x78 and not int.from_bytes(body[start : start + 2], "big") % 31:
            yield from _packed(body[start:], artefact, needles, optional=True)


def _packed(body: bytes, artefact: str, needles: Sequence[_Needle], *, optional: bool = False) -> Iterator[Leak]:
    try:
        yield from _search(inflate(body), needles, artefact)
    except (zlib.error, TooMuch):
        if not optional:
            yield Leak(artefact, "cannot be opened", "broken compression")


def _jpeg(data: bytes, artefact: str, needles: Sequence[_Needle]) -> Iterator[Leak]:
    """No EXIF, comment, profile or thumbnail: only JFIF's own header and what pixels need."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF and data[at + 1] != 0xDA:
        marker = data[at + 1]
        if 0xE1 <= marker <= 0xEF or marker == 0xFE:
            yield Leak(artefact, "metadata", f"JPEG segment {marker:02X}")
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    if not data.endswith(b"\xff\xd9") or data.count(b"\xff\xd9") != 1:
        yield Leak(artefact, "cannot be opened", "bytes after the end of the picture, or too few")
    yield from _picture(data, artefact, needles)


def _picture(data: bytes, artefact: str, needles: Sequence[_Needle]) -> Iterator[Leak]:
    """Its pixels, read as bytes, are searched, too: as they are, because any pixels look like some encoding of something."""
    try:
        with Image.open(io.BytesIO(data)) as picture:
            pixels = picture.tobytes()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        yield Leak(artefact, "cannot be opened", "a broken picture")
        return
    text = pixels.decode("utf-8", "replace").casefold()
    yield from (Leak(artefact, needle.kind, "pixels") for needle in needles if _holds(View(text, "pixels"), needle))


def _gzip(data: bytes, artefact: str, needles: Sequence[_Needle], depth: int) -> Iterator[Leak]:
    try:
        with gzip.open(io.BytesIO(data)) as packed:
            inside = packed.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        yield Leak(artefact, "cannot be opened", "broken gzip")
        return
    if len(inside) > MOST_BYTES:
        yield Leak(artefact, "cannot be opened", "unpacks to too much")
        return
    yield from _content(inside, f"{artefact}: unpacked", needles, depth + 1)


def _zip(data: bytes, artefact: str, needles: Sequence[_Needle], depth: int) -> Iterator[Leak]:
    """Members, their names and comments; dates and owners of members are metadata unless they are the fixed ones."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > MOST_BYTES:
                yield Leak(artefact, "cannot be opened", "unpacks to too much")
                return
            yield from _search(archive.comment, needles, f"{artefact}: comment")
            for number, member in enumerate(members, 1):
                where = f"{artefact}: member {number}"
                if member.date_time != (1980, 1, 1, 0, 0, 0):
                    yield Leak(where, "metadata", "a date")
                for said in (member.filename.encode("utf-8", "replace"), member.comment, member.extra):
                    yield from _search(said, needles, where)
                if not member.is_dir():
                    yield from _content(archive.read(member), where, needles, depth + 1)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, zlib.error):
        yield Leak(artefact, "cannot be opened", "a broken, encrypted or unknown archive")
