"""The phone's shell as real adb programs see it."""

import io

import numpy as np
import pytest
from conftest import ServedPhone
from PIL import Image


def test_output_errors_and_exit_code_are_told_apart(served: ServedPhone) -> None:
    done = served.run("shell", "echo out; ls /nowhere; exit 7", code=7)
    assert done.stdout == b"out\n"
    assert done.stderr == b"ls: /nowhere: No such file or directory\n"


def test_an_unknown_command_ends_with_127_and_is_recorded(served: ServedPhone) -> None:
    done = served.run("shell", "frobnicate --now", code=127)
    assert done.stderr == b"/system/bin/sh: frobnicate: inaccessible or not found\n"
    assert served.phone.unhandled == ["frobnicate --now"]


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("echo 'a  b' \"c  d\" e\\ f", "a  b c  d e f\n"),
        ("false; echo $?", "1\n"),
        ("false && echo yes || echo no", "no\n"),
        ("true || echo no; echo end", "end\n"),
        ("X=5; echo \"$X ${X}6\" '$X'", "5 56 $X\n"),
        ("echo $(getprop ro.serialno) `echo in`", "VIRT0001 in\n"),
        ("printf '%s\\n' b a b | sort -u", "a\nb\n"),
        ("(echo one; echo two) | grep -c o", "2\n"),
        ("echo one > /sdcard/x; echo two >> /sdcard/x; cat < /sdcard/x", "one\ntwo\n"),
        ("ls /nowhere 2>/dev/null || echo gone", "gone\n"),
        ("ls /nowhere 2>&1 | wc -l", "1\n"),
        ("touch '/sdcard/a b' /sdcard/ab; ls /sdcard/a*", "/sdcard/a b\n/sdcard/ab\n"),
        ("echo /sdcard/*.none", "/sdcard/*.none\n"),
        ("[ -d /sdcard/DCIM ] && [ ! -e /sdcard/none ] && echo yes", "yes\n"),
        ("cd /sdcard/DCIM && pwd", "/storage/emulated/0/DCIM\n"),
    ],
    ids=lambda value: value.replace("\n", "|")[:40],
)
def test_the_shell_language(served_once: ServedPhone, script: str, printed: str) -> None:
    assert served_once.shell(script) == printed


def test_a_broken_script_is_a_syntax_error(served_once: ServedPhone) -> None:
    done = served_once.run("shell", "echo 'open", code=1)
    assert done.stderr == b"/system/bin/sh: syntax error: no closing quote: '\n"


def test_hashes_of_found_files_are_those_of_the_host(served_once: ServedPhone) -> None:
    served_once.shell("printf abc > '/sdcard/DCIM/a (1).jpg'")
    # md5 and sha256 of "abc": RFC 1321, FIPS 180-2
    md5, sha256 = "900150983cd24fb0d6963f7d28e17f72", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert served_once.shell("cd /sdcard/DCIM && md5sum -- *.jpg") == f"{md5}  a (1).jpg\n"
    found = served_once.shell("find /sdcard/DCIM -type f -exec sha256sum {} +")
    assert found == f"{sha256}  /sdcard/DCIM/a (1).jpg\n"


def test_exec_out_gives_a_whole_lossless_screenshot(served: ServedPhone) -> None:
    png = served.run("exec-out", "screencap", "-p").stdout
    with Image.open(io.BytesIO(png)) as image:
        assert np.array_equal(np.asarray(image.convert("RGB")), served.phone.gallery.frame())


@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        ("crlf", lambda png: b"\r\r\n" in png or b"\x89PNG\r\r\n" in png),
        ("text", lambda png: png.startswith(b"[Warning]") and b"\x89PNG" in png),
        ("truncated", lambda png: png.startswith(b"\x89PNG") and b"IEND" not in png),
        ("black", lambda png: not np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).any()),
    ],
)
def test_a_screenshot_can_be_damaged(served_once: ServedPhone, kind: str, damage: object) -> None:
    served_once.phone.faults.screenshot = kind
    png = served_once.run("exec-out", "screencap", "-p").stdout
    assert damage(png)  # type: ignore[operator]


def test_the_phone_says_that_it_is_virtual(served_once: ServedPhone) -> None:
    assert served_once.shell("getprop ro.boot.qemu; getprop ro.hardware") == "1\nvirtual\n"


def test_settings_are_kept_and_deleted(served_once: ServedPhone) -> None:
    served_once.shell("settings put system user_rotation 0; settings put global x 'a b'")
    assert served_once.shell("settings get global x; settings delete global x; settings get global x") == (
        "a b\nDeleted 1 rows\nnull\n"
    )
    served_once.shell("content insert --uri content://settings/system --bind name:s:y --bind value:s:2")
    query = "content query --uri content://settings/system --projection name:value --where \"name='y'\""
    assert served_once.shell(query) == "Row: 0 name=y, value=2\n"


def test_battery_heat_and_lock_are_told_as_android_tells_them(served_once: ServedPhone) -> None:
    served_once.phone.battery.percent, served_once.phone.battery.temperature_c = 18, 46.0
    told = served_once.shell("dumpsys battery; dumpsys thermalservice; dumpsys window")
    assert "  level: 18\n" in told
    assert "  temperature: 460\n" in told
    assert "Thermal Status: 3\n" in told
    assert "mDreamingLockscreen=false" in told


def test_a_reading_that_the_phone_does_not_give_is_absent(served_once: ServedPhone) -> None:
    served_once.phone.battery.temperature_c = None
    assert "temperature" not in served_once.shell("dumpsys battery")


def test_apps_are_found_started_and_stopped(served_once: ServedPhone) -> None:
    resolve = "cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.APP_GALLERY"
    assert served_once.shell(resolve).splitlines()[-1] == "com.small.gallery/.MainActivity"
    assert "versionName=1.2.3" in served_once.shell("dumpsys package com.small.gallery")
    served_once.shell("am start -n com.small.gallery/.MainActivity")
    assert "mCurrentFocus=Window{41b3757 u0 com.small.gallery/" in served_once.shell("dumpsys window windows")
    served_once.shell("am force-stop com.small.gallery")
    assert "com.android.launcher3" in served_once.shell("dumpsys window | grep mCurrentFocus")
    assert "does not exist" in served_once.run("shell", "am start -n com.none/.Main", code=1).stderr.decode()


def test_the_galleries_processor_time_is_readable(served_once: ServedPhone) -> None:
    served_once.phone.gallery.cpu_s = 3723.0  # type: ignore[attr-defined]
    assert "com.small.gallery 01:02:03\n" in served_once.shell("ps -A -o NAME,TIME")


def test_the_clock_is_the_phones_own(served_once: ServedPhone) -> None:
    served_once.phone.clock.wrong_by_s = 86400.0
    host, phone = (int(text) for text in (served_once.run("shell", "date +%s").stdout, served_once.phone.clock.epoch_s()))
    assert abs(host - phone) <= 2
    assert served_once.shell("date +%Z") == "CST\n"


def test_input_text_cannot_type_chinese(served_once: ServedPhone) -> None:
    done = served_once.run("shell", "input text 海边", code=255)
    assert b"NullPointerException" in done.stderr


def test_an_interactive_shell_answers_line_by_line(served_once: ServedPhone) -> None:
    done = served_once.adb.run_with_input("echo hello\nexit 3\n", "-s", served_once.serial, "shell", "-tt")
    assert b"hello\r\n" in done.stdout
    assert done.returncode == 3
