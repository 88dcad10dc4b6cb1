"""What package manager reads in an APK: its manifest, which lies in the archive as Android's binary XML.

    file        chunk of type 3 around all others
    strings     chunk of type 1: offsets, then each text with its length before it, in UTF-8 or UTF-16
    elements    chunks of type 0x102: name and attributes as indexes into the strings
Every chunk begins with type and header size (uint16 each) and its whole size (uint32). Source: AOSP ResourceTypes.h.
"""

import io
import struct
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_STRINGS, _ELEMENT = 0x0001, 0x0102
_UTF8 = 1 << 8
_NO_STRING = 0xFFFFFFFF
_INTEGERS = (0x10, 0x11)
"""Types of an attribute's value that are a number: decimal and hexadecimal."""


class BadApk(Exception):
    """The bytes are no APK that a phone would install."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What identifies a package."""

    package: str
    version: str
    version_code: int
    runner: str = ""
    """The class that `am instrument` runs; "" for a package without tests."""
    target: str = ""
    """The package that it tests."""


def read_manifest(apk: bytes) -> Manifest:
    """The manifest of an APK. Raises BadApk."""
    try:
        with zipfile.ZipFile(io.BytesIO(apk)) as archive:
            elements = list(_elements(archive.read("AndroidManifest.xml")))
    except (zipfile.BadZipFile, KeyError, struct.error, IndexError, UnicodeDecodeError) as error:
        raise BadApk(f"{type(error).__name__} {error}") from error
    top = next((told for name, told in elements if name == "manifest"), {})
    if not top.get("package"):
        raise BadApk("the manifest names no package")
    runs = next((told for name, told in elements if name == "instrumentation"), {})
    return Manifest(
        package=top["package"],
        version=top.get("versionName", ""),
        version_code=int(top.get("versionCode", "0")),
        runner=runs.get("name", ""),
        target=runs.get("targetPackage", ""),
    )


def _elements(xml: bytes) -> Iterator[tuple[str, Mapping[str, str]]]:
    """(name, attributes) of every element, in the order of the file."""
    strings: list[str] = []
    at = struct.unpack_from("<H", xml, 2)[0]
    while at < len(xml):
        kind, header, size = struct.unpack_from("<HHI", xml, at)
        if not size:
            raise BadApk("a chunk without a size")
        if kind == _STRINGS:
            strings = _strings(xml[at : at + size])
        elif kind == _ELEMENT:
            yield _element(xml[at : at + size], header, strings)
        at += size


def _element(chunk: bytes, header: int, strings: list[str]) -> tuple[str, Mapping[str, str]]:
    name, start, size, count = struct.unpack_from("<IHHH", chunk, header + 4)
    told = {}
    for number in range(count):
        key, raw, _, _, kind, value = struct.unpack_from("<IIHBBI", chunk, header + start + number * size + 4)
        if raw != _NO_STRING:
            told[strings[key]] = strings[raw]
        elif kind in _INTEGERS:
            told[strings[key]] = str(value)
    return strings[name], told


def _strings(chunk: bytes) -> list[str]:
    _, header, _, count, _, flags, start, _ = struct.unpack_from("<HHIIIIII", chunk)
    offsets = struct.unpack_from(f"<{count}I", chunk, header)
    read = _utf8 if flags & _UTF8 else _utf16
    return [read(chunk, start + offset) for offset in offsets]


def _utf8(chunk: bytes, at: int) -> str:
    """Length in letters, then in bytes, each of one or two bytes; then the text."""
    at += 2 if chunk[at] & 0x80 else 1
    length = chunk[at]
    at += 1
    if length & 0x80:
        length = (length & 0x7F) << 8 | chunk[at]
        at += 1
    return chunk[at : at + length].decode("utf-8", "surrogatepass")


def _utf16(chunk: bytes, at: int) -> str:
    (length,) = struct.unpack_from("<H", chunk, at)
    at += 2
    if length & 0x8000:
        length = (length & 0x7FFF) << 16 | struct.unpack_from("<H", chunk, at)[0]
        at += 2
    return chunk[at : at + 2 * length].decode("utf-16-le", "surrogatepass")
