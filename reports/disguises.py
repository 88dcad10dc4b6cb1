"""What bytes say once the usual encodings are taken off: text as it is, and whatever it may hide, some layers deep.

bytes ─ UTF-8, UTF-16 ─┬─ as it is, reversed, without separators           searched
                       ├─ HTML entities, %41, =41, \\u0041                  one layer off, and again
                       └─ base64 (at every offset), hex, what is packed    bytes again
"""

import binascii
import html
import re
import zlib
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass

LAYERS = 3
"""Encodings on top of each other that are taken off: base64 of hex of UTF-16 is three."""
MOST_BYTES = 256 * 2**20
"""What one packed piece may unpack to; more is not opened."""

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,2}")
_HEX = re.compile(r"(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[\s:,-]?){4,}[0-9A-Fa-f]?")
_NOT_HEX = re.compile(r"0x|\\x|[^0-9A-Fa-f]")
_BACKSLASHED = re.compile(r"\\u\{?([0-9A-Fa-f]{4,6})\}?|\\x([0-9A-Fa-f]{2})|\\([0-7]{3})")
_PERCENT = re.compile(r"(?:[%=][0-9A-Fa-f]{2})+")
_WRAPPED = re.compile(r"[\r\n]+[ \t]*")
_SEPARATORS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class View:
    """One reading of some bytes: folded text, and which encodings were taken off for it ("as it is" when none)."""

    text: str
    how: str


class TooMuch(Exception):
    """Something unpacks to more than is opened."""


def views(data: bytes) -> Iterator[View]:
    """Every reading of the data. Raises TooMuch."""
    seen: set[int] = set()
    yield from _layer(data, (), seen)


def _layer(data: bytes, off: tuple[str, ...], seen: set[int]) -> Iterator[View]:
    for name, text in _texts(data):
        yield from _text_layer(text, (*off, name) if name else off, seen)


def _text_layer(text: str, off: tuple[str, ...], seen: set[int]) -> Iterator[View]:
    mark = hash(text)
    if mark in seen or not text:
        return
    seen.add(mark)
    folded = text.casefold()
    how = ", ".join(off) or "as it is"
    yield View(folded, how)
    yield View(folded[::-1], f"{how}, reversed")
    yield View(_SEPARATORS.sub("", folded), f"{how}, without separators")
    if len(off) >= LAYERS:
        return
    for name, plainer in _unescaped(text):
        if plainer != text:
            yield from _text_layer(plainer, (*off, name), seen)
    for name, data in _decoded(text):
        yield from _layer(data, (*off, name), seen)


def _texts(data: bytes) -> Iterator[tuple[str, str]]:
    """As UTF-8; and where there are NULs as UTF-16, which for ASCII is the same without them, whatever its byte order."""
    yield "", data.decode("utf-8", "replace")
    if b"\0" in data:
        yield "UTF-16", data.replace(b"\0", b"").decode("utf-8", "replace")
        for codec in ("utf-16-le", "utf-16-be"):
            for offset in (0, 1):
                yield "UTF-16", data[offset:].decode(codec, "replace")


def _unescaped(text: str) -> Iterator[tuple[str, str]]:
    yield "HTML entities", html.unescape(text)
    yield "URL encoding", _PERCENT.sub(lambda m: bytes.fromhex(re.sub("[%=]", "", m[0])).decode("utf-8", "replace"), text)
    yield "backslash escapes", _BACKSLASHED.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    number = int(found[1] or found[2], 16) if found[1] or found[2] else int(found[3], 8)
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else found[0]


def _decoded(text: str) -> Iterator[tuple[str, bytes]]:
    """What runs of base64 and hex say, all runs of one offset together; what is packed in one comes by itself."""
    joined = _WRAPPED.sub("", text)
    for source in (text, joined) if joined != text else (text,):
        for offset in range(4):
            yield from _pieces("base64", [_from_base64(m[0], offset) for m in _BASE64.finditer(source)])
        for offset in range(2):
            yield from _pieces("hex", [_from_hex(m[0], offset) for m in _HEX.finditer(source)])


def _pieces(name: str, pieces: list[bytes]) -> Iterator[tuple[str, bytes]]:
    kept = [piece for piece in pieces if piece]
    if kept:
        yield name, b"\n".join(kept)
    for piece in kept:
        unpacked = unpack(piece)
        if unpacked is not None:
            yield f"{name} of packed data", unpacked


def _from_base64(run: str, offset: int) -> bytes:
    run = run.rstrip("=")[offset:].translate(_URL_SAFE)
    if len(run) % 4 == 1:
        run = run[:-1]
    try:
        return b64decode(run + "=" * (-len(run) % 4))
    except binascii.Error:
        return b""


_URL_SAFE = str.maketrans("-_", "+/")


def _from_hex(run: str, offset: int) -> bytes:
    digits = _NOT_HEX.sub("", run)[offset:]
    return bytes.fromhex(digits[: len(digits) // 2 * 2])


def unpack(data: bytes) -> bytes | None:
    """What gzip or zlib data holds; None when it is neither. Raises TooMuch."""
    if data[:2] == b"\x1f\x8b":
        window = 16 + zlib.MAX_WBITS
    elif data[:1] == b"\x78" and len(data) > 6 and not int.from_bytes(data[:2], "big") % 31:
        window = zlib.MAX_WBITS
    else:
        return None
    try:
        return inflate(data, window)
    except zlib.error:
        return None


def inflate(data: bytes, window: int = zlib.MAX_WBITS) -> bytes:
    """Unpacks a stream, and what follows it as it is. Raises zlib.error, TooMuch."""
    machine = zlib.decompressobj(window)
    made = machine.decompress(data, MOST_BYTES)
    if machine.unconsumed_tail:
        raise TooMuch
    return made + machine.unused_data
