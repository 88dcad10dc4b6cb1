"""What happens to a connection and to the phone behind it, as real adb programs see it."""

import socket
from pathlib import Path

import adbutils
import pytest
from conftest import ServedPhone

from devices.virtual.android.faults import FAULTS
from devices.virtual.service import PhoneService


def begin(served: ServedPhone, name: str, **options: object) -> None:
    served.do(lambda: FAULTS[name](served.phone, options))


def test_an_unauthorized_phone_is_told_from_an_offline_one(served: ServedPhone) -> None:
    begin(served, "unauthorized")
    served.adb.run("disconnect", served.serial, code=None)
    served.adb.run("connect", served.serial, code=None)
    assert "unauthorized" in served.state()
    begin(served, "allow")
    served.run("wait-for-device")
    assert served.state() == "device"


def test_a_reboot_changes_the_boot_and_keeps_the_files(served: ServedPhone) -> None:
    before = served.shell("settings get global boot_count; cat /proc/sys/kernel/random/boot_id; settings get secure android_id")
    served.shell("echo kept > /sdcard/kept")
    served.run("reboot")
    served.connect()
    after = served.shell("settings get global boot_count; cat /proc/sys/kernel/random/boot_id; settings get secure android_id")
    assert [int(text.split()[0]) for text in (before, after)] == [7, 8]
    assert before.split()[1] != after.split()[1]
    assert before.split()[2] == after.split()[2]
    assert served.shell("cat /sdcard/kept") == "kept\n"


def test_the_harness_reset_erases_everything_but_the_authorisation(served: ServedPhone) -> None:
    served.shell("echo gone > /sdcard/gone; echo gone > /data/local/tmp/gone; settings put global mine 1")
    begin(served, "account")
    before = served.shell("settings get secure android_id")
    served.run("shell", "cmd testharness enable", code=None)
    served.connect()
    assert served.state() == "device"
    assert served.shell("settings get secure android_id") != before
    assert served.shell("settings get global boot_count; settings get global mine") == "1\nnull\n"
    assert served.shell("ls /sdcard/gone /data/local/tmp/gone 2>/dev/null; true") == ""
    assert "Accounts: 0" in served.shell("dumpsys account")
    assert served.shell("getprop persist.sys.test_harness; getprop sys.boot_completed") == "1\n1\n"


def test_a_locked_phone_refuses_the_harness_reset(served_once: ServedPhone) -> None:
    served_once.phone.gallery.locked = True
    served_once.run("shell", "cmd testharness enable", code=2)
    assert served_once.state() == "device"


def test_a_dropped_phone_comes_back_as_the_same_boot(served: ServedPhone) -> None:
    boot = served.shell("cat /proc/sys/kernel/random/boot_id")
    begin(served, "drop", seconds=0.3)
    assert served.run("shell", "true", code=None).returncode != 0
    served.connect()
    assert served.shell("cat /proc/sys/kernel/random/boot_id") == boot


def test_a_system_update_changes_the_fingerprint(served_once: ServedPhone) -> None:
    before = served_once.shell("getprop ro.build.fingerprint")
    begin(served_once, "system_update")
    served_once.connect()
    assert served_once.shell("getprop ro.build.fingerprint") != before


def test_a_gallery_update_changes_its_version(served_once: ServedPhone) -> None:
    begin(served_once, "gallery_update", version="1.3.0")
    assert "versionName=1.3.0" in served_once.shell("dumpsys package com.small.gallery")


def test_a_hanging_phone_answers_nothing_until_it_is_well(served_once: ServedPhone) -> None:
    begin(served_once, "hang")
    with pytest.raises(TimeoutError):
        served_once.adb.run_for(1.0, "-s", served_once.serial, "shell", "echo late")
    served_once.do(served_once.phone.heal)
    assert served_once.shell("echo now") == "now\n"


def test_a_refused_service_is_closed(served_once: ServedPhone) -> None:
    device = adbutils.AdbClient("127.0.0.1", served_once.adb.port).device(served_once.serial)
    with pytest.raises(adbutils.AdbError, match="closed"):
        device.create_connection(adbutils.Network.LOCAL_ABSTRACT, "nobody")
    with pytest.raises(adbutils.AdbError, match="closed"):
        device.create_connection(adbutils.Network.TCP, 9008)


def test_what_is_not_adb_is_hung_up_on(served_once: ServedPhone) -> None:
    with socket.create_connection(("127.0.0.1", served_once.port), 10) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: phone\r\n\r\n")
        assert connection.recv(1) == b""


def test_an_unplugged_phone_keeps_its_port_from_others(served_once: ServedPhone) -> None:
    served_once.do(served_once.phone.cable.unplug)
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", served_once.port))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", served_once.port), 10)


def test_a_fault_may_wait_for_searches(served_once: ServedPhone, tmp_path: Path) -> None:
    phone = served_once.phone
    service = PhoneService(phone, FAULTS, tmp_path)
    served_once.do(lambda: service.fault("battery", {"percent": 5, "after_query": 2}))
    served_once.do(lambda: phone.gallery.truth.search_shown("a", "a", 0.0, 1))
    served_once.do(service.status)
    assert phone.battery.percent == 100
    served_once.do(lambda: phone.gallery.truth.search_shown("b", "b", 0.0, 1))
    served_once.wait_for(lambda: phone.battery.percent == 5)
    served_once.do(service.clear)
    assert phone.battery.percent == 100


def test_a_phone_remembers_what_it_keeps_without_power(served_once: ServedPhone, tmp_path: Path) -> None:
    served_once.shell("settings put system user_rotation 0; settings put global mine 1; setprop persist.sys.locale en-US")
    memory = served_once.do(served_once.phone.memory)
    served_once.run("shell", "cmd testharness enable", code=None)
    served_once.connect()
    served_once.do(lambda: served_once.phone.remember(memory))
    assert served_once.shell("settings get global mine; getprop persist.sys.locale; settings get global boot_count") == (
        "1\nen-US\n8\n"
    )
