"""The leak scan finds planted identifiers in every disguise, and fails closed."""

import base64
import gzip
import html
import io
import json
import os
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from PIL import Image as Picture
from PIL.PngImagePlugin import PngInfo

from reports.leaks import Leak, Secret, scan

SERIAL = "R5CRA12Q7XK"
SECRET = Secret("serial of a phone", SERIAL)
PLAIN = "Phone A scored 41.7 points; the others less."


def planted(folder: Path, data: bytes | str, name: str = "page.html") -> tuple[Leak, ...]:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    return scan(folder, [SECRET])


def kinds(leaks: tuple[Leak, ...]) -> set[str]:
    return {leak.kind for leak in leaks}


def utf16(text: str) -> bytes:
    return text.encode("utf-16")


DISGUISES: dict[str, Callable[[str], str | bytes]] = {
    "as it is": str,
    "another case": str.lower,
    "inside a word": lambda s: f"xx{s}yy",
    "reversed": lambda s: s[::-1],
    "with separators": lambda s: "-".join(s),
    "UTF-16": lambda s: utf16(f"serial {s}"),
    "base64, first offset": lambda s: base64.b64encode(s.encode()).decode(),
    "base64, second offset": lambda s: base64.b64encode(b"x" + s.encode() + b"z").decode(),
    "base64, third offset": lambda s: base64.b64encode(b"xy" + s.encode()).decode(),
    "base64 in the middle of a run": lambda s: "abc" + base64.b64encode(s.encode()).decode(),
    "base64 of another case": lambda s: base64.b64encode(s.lower().encode()).decode(),
    "base64, url-safe": lambda s: base64.urlsafe_b64encode(b"\xff\xfe\xfb" + s.encode()).decode(),
    "base64, wrapped": lambda s: base64.encodebytes(b"." * 70 + s.encode() + b"." * 50).decode(),
    "base64 of UTF-16": lambda s: base64.b64encode(s.encode("utf-16-le")).decode(),
    "base64 of base64": lambda s: base64.b64encode(base64.b64encode(s.encode())).decode(),
    "base64 of gzip": lambda s: base64.b64encode(gzip.compress(s.encode())).decode(),
    "base64 of zlib": lambda s: base64.b64encode(zlib.compress(s.encode())).decode(),
    "hex": lambda s: s.encode().hex(),
    "hex, capitals": lambda s: s.encode().hex().upper(),
    "hex, off by one": lambda s: "f" + s.encode().hex(),
    "hex with colons": lambda s: s.encode().hex(":"),
    "hex of a listing": lambda s: " ".join(f"0x{b:02x}" for b in s.encode()),
    "URL encoding": lambda s: "".join(f"%{b:02X}" for b in s.encode()),
    "URL encoding of a part": lambda s: s[:3] + quote(s[3], safe="") + "%" + s[4:5].encode().hex() + s[5:],
    "quoted-printable": lambda s: "".join(f"={b:02X}" for b in s.encode()),
    "HTML entities": lambda s: "".join(f"&#{ord(c)};" for c in s),
    "HTML entities, hex": lambda s: "".join(f"&#x{ord(c):x};" for c in s),
    "JSON escapes": lambda s: json.dumps({"x": "".join(f"\\u{ord(c):04x}" for c in s)}).replace("\\\\", "\\"),
    "entities of base64": lambda s: html.escape(base64.b64encode(s.encode()).decode()),
}


@pytest.mark.parametrize("disguise", DISGUISES.values(), ids=DISGUISES)
def test_an_identifier_is_found_in_this_disguise(tmp_path: Path, disguise: Callable[[str], str | bytes]) -> None:
    said = disguise(SERIAL)
    data = said if isinstance(said, bytes) else f"{PLAIN} {said} {PLAIN}"
    assert "serial of a phone" in kinds(planted(tmp_path, data))


def test_a_page_without_an_identifier_is_clean(tmp_path: Path) -> None:
    assert planted(tmp_path, PLAIN) == ()


def picture_with(**changes: object) -> bytes:
    file = io.BytesIO()
    Picture.new("RGB", (8, 8), (10, 20, 30)).save(file, **{"format": "PNG", **changes})  # type: ignore[arg-type]
    return file.getvalue()


def text_chunk(*, packed: bool) -> bytes:
    info = PngInfo()
    info.add_text("Comment", SERIAL, zip=packed)
    return picture_with(pnginfo=info)


def exif() -> Picture.Exif:
    made = Picture.Exif()
    made[0x010F] = SERIAL
    return made


CONTAINERS: dict[str, Callable[[], bytes]] = {
    "PNG text": lambda: text_chunk(packed=False),
    "PNG compressed text": lambda: text_chunk(packed=True),
    "PNG EXIF": lambda: picture_with(exif=exif()),
    "PNG pixels": lambda: picture_of(SERIAL),
    "after a PNG": lambda: picture_with() + SERIAL.encode(),
    "JPEG EXIF": lambda: picture_with(format="JPEG", exif=exif()),
    "JPEG comment": lambda: picture_with(format="JPEG", comment=SERIAL),
    "zip member": lambda: zipped("a.txt", SERIAL),
    "zip member's name": lambda: zipped(f"{SERIAL}.txt", "x"),
    "zip comment": lambda: zipped("a.txt", "x", SERIAL),
    "zip in a zip": lambda: zipped("a.zip", zipped("b.txt", SERIAL)),
    "gzip": lambda: gzip.compress(SERIAL.encode()),
    "gzip's name": lambda: gzip_named(SERIAL),
    "a picture in a page": lambda: b"<img src=data:image/png;base64," + base64.b64encode(text_chunk(packed=True)) + b">",
}


def picture_of(text: str) -> bytes:
    file = io.BytesIO()
    Picture.frombytes("L", (len(text), 1), text.encode()).save(file, "PNG")
    return file.getvalue()


def zipped(name: str, content: str | bytes, comment: str = "") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
        archive.comment = comment.encode()
    return file.getvalue()


def gzip_named(name: str) -> bytes:
    file = io.BytesIO()
    with gzip.GzipFile(name, "wb", fileobj=file, mtime=0) as packed:
        packed.write(b"x")
    return file.getvalue()


@pytest.mark.parametrize("made", CONTAINERS.values(), ids=CONTAINERS)
def test_an_identifier_is_found_in_this_container(tmp_path: Path, made: Callable[[], bytes]) -> None:
    assert "serial of a phone" in kinds(planted(tmp_path, made(), "file"))


def test_a_stripped_picture_and_a_plain_archive_are_clean(tmp_path: Path) -> None:
    assert planted(tmp_path, picture_with(), "a.png") == ()
    assert planted(tmp_path, picture_with(format="JPEG"), "b.jpg") == ()
    assert planted(tmp_path, zipped("a.txt", "x"), "c.zip") == ()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x00\x01\x02\x03", id="unknown bytes"),
        pytest.param(b"%PDF-1.7\n\x80\x81", id="a kind that is not opened"),
        pytest.param(b"PK\x03\x04 and then nothing", id="broken zip"),
        pytest.param(gzip.compress(b"x" * 100)[:-12], id="cut gzip"),
        pytest.param(picture_with()[:-8], id="cut PNG"),
        pytest.param(b"\xff\xd8\xff\xe0", id="cut JPEG"),
        pytest.param(picture_with(format="JPEG") + b"more", id="bytes after a JPEG"),
        pytest.param(b"text with a \x1b control", id="control characters"),
    ],
)
def test_what_cannot_be_opened_is_a_hit(tmp_path: Path, data: bytes) -> None:
    assert "cannot be opened" in kinds(planted(tmp_path, data))


def test_an_encrypted_member_is_a_hit(tmp_path: Path) -> None:
    data = bytearray(zipped("a.txt", "x"))
    data[6] |= 1  # the flag of the local header
    data[data.index(b"PK\x01\x02") + 8] |= 1  # and of the directory
    assert "cannot be opened" in kinds(planted(tmp_path, bytes(data)))


def test_a_link_is_a_hit(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/hostname")
    assert kinds(scan(tmp_path, [SECRET])) == {"cannot be opened"}


def test_an_unreadable_file_is_a_hit(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(PLAIN)
    file.chmod(0)
    if os.access(file, os.R_OK):
        pytest.skip("this user reads everything")
    assert kinds(scan(tmp_path, [SECRET])) == {"cannot be opened"}


def test_metadata_in_a_picture_is_a_hit_whatever_it_says(tmp_path: Path) -> None:
    info = PngInfo()
    info.add_text("Software", "painted")
    assert kinds(planted(tmp_path, picture_with(pnginfo=info))) == {"metadata"}


def test_a_hit_never_prints_the_secret_even_when_a_file_is_called_so(tmp_path: Path) -> None:
    leaks = planted(tmp_path, SERIAL, f"crops/{SERIAL.lower()}.html")
    assert {leak.artefact for leak in leaks} == {"a file name (the 2. of the export)", "file 2"}
    assert SERIAL.casefold() not in repr(leaks).casefold()


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("R5CRA12Q7XK", True),
        ("Mira", True),
        ("A9", False),  # two characters are anywhere
        ("14.2", False),  # also a score
        ("16.4.2", False),  # three digits
        ("14.5.06.13", True),  # seven digits
        ("测试机", True),
        ("", False),
        ("phone", False),  # every export says so
    ],
)
def test_what_is_too_short_or_in_every_export_is_not_searched(tmp_path: Path, text: str, searched: bool) -> None:
    (tmp_path / "a.md").write_text(f"of {text} here", "utf-8")
    assert bool(scan(tmp_path, [Secret("x", text)], known="Phone A, Phone B")) is searched


def test_a_short_secret_must_stand_by_itself(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a miracle")
    assert scan(tmp_path, [Secret("lab name", "Mira")]) == ()
    (tmp_path / "a.md").write_text("by mira_7")
    assert kinds(scan(tmp_path, [Secret("lab name", "Mira")])) == {"lab name"}
