"""APKs on the virtual phone, and the test server that runs of one: as adb installs and Appium starts them."""

import io
import struct
import zipfile
from pathlib import Path

import pytest
from conftest import ServedPhone

SERVER, TESTS = "io.appium.uiautomator2.server", "io.appium.uiautomator2.server.test"
RUNNER = "androidx.test.runner.AndroidJUnitRunner"


def chunk(kind: int, head: bytes, body: bytes) -> bytes:
    """A chunk of binary XML: type, size of its header, whole size."""
    return struct.pack("<HHI", kind, 8 + len(head), 8 + len(head) + len(body)) + head + body


def element(strings: list[str], name: str, attributes: dict[str, str]) -> bytes:
    """A start tag whose attributes are all texts (type 3), with a line number and a comment before it."""
    body = struct.pack("<IIHHHHHH", 0xFFFFFFFF, strings.index(name), 20, 20, len(attributes), 0, 0, 0)
    for key, value in attributes.items():
        at = strings.index(value)
        body += struct.pack("<IIIHBBI", 0xFFFFFFFF, strings.index(key), at, 8, 0, 3, at)
    return chunk(0x0102, struct.pack("<II", 1, 0xFFFFFFFF), body)


def apk(tags: list[tuple[str, dict[str, str]]]) -> bytes:
    """An APK that holds nothing but its manifest."""
    strings = sorted({text for name, told in tags for text in (name, *told, *told.values())})
    pool = b"".join(struct.pack("<H", len(text)) + text.encode("utf-16-le") + b"\0\0" for text in strings)
    offsets, at = b"", 0
    for text in strings:
        offsets += struct.pack("<I", at)
        at += 4 + 2 * len(text)
    head = struct.pack("<IIIII", len(strings), 0, 0, 28 + len(offsets), 0)
    xml = chunk(0x0003, b"", chunk(0x0001, head, offsets + pool) + b"".join(element(strings, *tag) for tag in tags))
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("AndroidManifest.xml", xml)
    return written.getvalue()


@pytest.fixture
def installed(served_once: ServedPhone, tmp_path: Path) -> ServedPhone:
    """A phone with a server of Appium's name and its tests."""
    (tmp_path / "server.apk").write_bytes(apk([("manifest", {"package": SERVER, "versionName": "10.6.6"})]))
    tests = [("manifest", {"package": TESTS}), ("instrumentation", {"name": RUNNER, "targetPackage": SERVER})]
    (tmp_path / "tests.apk").write_bytes(apk(tests))
    for name in ("server.apk", "tests.apk"):
        served_once.run("install", "-r", tmp_path / name)
    return served_once


def test_an_installed_apk_is_known_by_its_manifest(installed: ServedPhone) -> None:
    assert "versionName=10.6.6" in installed.shell(f"dumpsys package {SERVER}")
    assert f"package:{TESTS}" in installed.shell("pm list packages -3").splitlines()
    assert installed.shell("pm list instrumentation") == f"instrumentation:{TESTS}/{RUNNER} (target={SERVER})\n"


def test_an_apk_on_the_phone_is_installed_from_there(served_once: ServedPhone, tmp_path: Path) -> None:
    (tmp_path / "app.apk").write_bytes(apk([("manifest", {"package": "com.example.app"})]))
    served_once.run("push", tmp_path / "app.apk", "/data/local/tmp/app.apk")
    assert served_once.shell("pm install -r /data/local/tmp/app.apk") == "Success\n"
    assert served_once.shell("pm path com.example.app") == "package:/data/app/com.example.app/base.apk\n"


def test_what_is_no_apk_is_refused(served_once: ServedPhone, tmp_path: Path) -> None:
    (tmp_path / "no.apk").write_bytes(b"PK no archive")
    done = served_once.run("install", tmp_path / "no.apk", code=None)
    assert b"INSTALL_PARSE_FAILED_NOT_APK" in done.stdout + done.stderr


def test_instrumentation_that_is_not_installed_fails(served_once: ServedPhone) -> None:
    done = served_once.run("shell", f"am instrument -w {TESTS}/{RUNNER}", code=1)
    assert b"INSTRUMENTATION_FAILED" in done.stderr


def test_two_automations_do_not_run_at_once(installed: ServedPhone) -> None:
    installed.phone.processes.ui_server = object()  # type: ignore[assignment] # one of uiautomator2's is there
    assert "already registered" in installed.shell(f"am instrument -w {TESTS}/{RUNNER}")
    installed.phone.processes.ui_server = None
