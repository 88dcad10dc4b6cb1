"""What phones print, read without guessing."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from drivers.android import album, condition, proof
from drivers.android.automation import leftover_pids
from drivers.android.transport import choose, parse_devices
from drivers.interface import DriverError, PhoneLost, PushItem
from drivers.preflight import preflight
from drivers.readings import cpu_seconds, parse_free, parse_temperature

TWO_OF_ONE_NAME = """\
0123456789ABCDEF       device usb:1-2 product:a model:M1 device:a transport_id:3
0123456789ABCDEF       device usb:1-4 product:a model:M1 device:a transport_id:7
192.168.1.5:5555       unauthorized transport_id:9
"""


def test_a_serial_that_names_two_phones_is_refused_with_what_tells_them_apart() -> None:
    with pytest.raises(DriverError, match=r"usb:1-2 .*; usb:1-4 "):
        choose("0123456789ABCDEF", parse_devices(TWO_OF_ONE_NAME))


def test_a_usb_path_names_one_of_them() -> None:
    assert choose("usb:1-4", parse_devices(TWO_OF_ONE_NAME)).transport == 7


def test_a_phone_that_is_not_attached_is_lost() -> None:
    with pytest.raises(PhoneLost, match="not attached"):
        choose("012345", parse_devices(TWO_OF_ONE_NAME))


BATTERY = "  AC powered: false\n  USB powered: true\n  level: {level}\n  scale: 100\n  temperature: {temperature}\n"


def test_a_battery_without_a_temperature_is_unknown_not_cool() -> None:
    for reading in ("0", "-1"):
        assert parse_temperature(BATTERY.format(level=50, temperature=reading)) is None
    assert parse_temperature(BATTERY.format(level=50, temperature=275)) == 27.5


def test_charging_is_unknown_when_no_source_is_named() -> None:
    assert condition.parse_charging("level: 50") is None
    assert condition.parse_charging(BATTERY.format(level=50, temperature=1)) is True


def test_free_bytes_come_from_the_last_line() -> None:
    listing = "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/block/dm-9 100 40 60 40% /data"
    assert parse_free(listing) == 61440


@pytest.mark.parametrize(
    ("power", "awake"),
    [("  mWakefulness=Awake\n", True), ("  mWakefulness=Dozing\n", False), ("Display Power: state=OFF", False), ("", None)],
)
def test_wakefulness(power: str, awake: bool | None) -> None:
    assert condition.parse_awake(power) is awake


def test_the_focus_names_its_package() -> None:
    assert condition.parse_focus("  mCurrentFocus=Window{41b3 u0 com.a.b/com.a.b.Main}") == "com.a.b"
    assert condition.parse_focus("  mCurrentFocus=null") == ""


def test_servers_of_an_earlier_rig_are_found_by_pid() -> None:
    listing = "  PID ARGS\n 12 /system/bin/sh\n 345 app_process / com.wetest.uia2.Main -p 9008\n 6 com.wetest.uia2.MainOther\n"
    assert leftover_pids(listing) == (345,)


def test_cpu_time_adds_up_the_processes_of_a_package() -> None:
    listing = "  PID     TIME NAME\n 10 00:01:10 com.a\n 11 01:00:05 com.a:ml\n 12 1-00:00:01 com.b\n 13 00:09:00 com.ab\n"
    assert cpu_seconds(listing, ("com.a", "com.b", "com.c")) == {"com.a": 3675, "com.b": 86401}


ROWS = (
    "Row: 0 _size=10, datetaken=1700000000000, width=4, height=3, is_pending=0, is_trashed=0, "
    "_display_name=a, b=c.jpg\n"
    "Row: 1 _size=NULL, datetaken=NULL, width=NULL, height=NULL, is_pending=1, is_trashed=0, "
    "_display_name=照片 (1).heic\n"
)


def test_rows_keep_names_with_commas_and_equals_signs() -> None:
    first, second = album.parse_rows(ROWS)
    assert (first.name, first.size_bytes, first.taken_ms, first.settled) == ("a, b=c.jpg", 10, 1700000000000, True)
    assert (second.name, second.size_bytes, second.width_px, second.settled) == ("照片 (1).heic", None, None, False)


def item(name: str, size: int = 10, taken: datetime | None = None) -> PushItem:
    return PushItem(Path("/nowhere") / name, name, size, "0" * 64, taken)


def test_what_differs_from_the_library_is_named() -> None:
    rows = album.parse_rows(ROWS)
    wanted = [item("a, b=c.jpg", size=11), item("照片 (1).heic"), item("c.jpg")]
    faults = [(fault.device_name, fault.fault) for fault in album.compare(wanted, rows, ZoneInfo("UTC"))]
    assert faults == [
        ("a, b=c.jpg", "size"),
        ("照片 (1).heic", "size"),
        ("照片 (1).heic", "undecodable"),
        ("照片 (1).heic", "pending"),
        ("c.jpg", "missing"),
    ]


def test_a_date_without_a_zone_is_meant_in_the_phones_zone() -> None:
    row = album.Row("a", 10, 1_700_000_000_000, 4, 3, settled=True)  # 2023-11-14 22:13:20 UTC
    naive = item("a", taken=datetime(2023, 11, 15, 6, 13, 20))  # noqa: DTZ001 - as EXIF without an offset gives it
    aware = item("a", taken=datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC))
    assert album.compare([naive], [row], ZoneInfo("Asia/Shanghai")) == []
    assert album.compare([aware], [row], ZoneInfo("Asia/Shanghai")) == []
    assert [fault.fault for fault in album.compare([naive], [row], ZoneInfo("UTC"))] == ["date"]


def test_an_extra_photo_is_named() -> None:
    faults = album.compare([], album.parse_rows(ROWS), ZoneInfo("UTC"))
    assert [(fault.device_name, fault.fault) for fault in faults] == [("a, b=c.jpg", "extra"), ("照片 (1).heic", "extra")]


@pytest.mark.parametrize(
    "names",
    [
        ["IMG.jpg", "img.JPG"],
        ["\u00e9.jpg", "e\u0301.jpg"],
        ["a:b.jpg"],
        ["end. "],
        ["x" * 252 + ".jpg"],
        ["海" * 84 + ".jpg"],
    ],
    ids=["case", "NFC and NFD", "colon", "trailing dot and space", "256 letters", "256 bytes"],
)
def test_names_the_phone_cannot_keep_are_refused(names: list[str]) -> None:
    assert len(album.name_faults(names)) == 1


def test_names_the_phone_can_keep_pass() -> None:
    assert album.name_faults(["照片 (1).jpg", "-dash.png", "😀.heic", "x" * 251 + ".jpg"]) == []


@pytest.mark.parametrize(
    ("free_bytes", "skew_s", "said"),
    [(11, 0.0, "are free"), (None, 0.0, "how much room"), (10**9, -3e8, "clock"), (10**9, None, "clock")],
    ids=["full", "unknown room", "clock in 2015", "unknown clock"],
)
def test_a_phone_that_is_not_ready_gets_nothing(
    free_bytes: int | None, skew_s: float | None, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(b"0123456789")
    assert said in preflight([PushItem(path, "a.jpg", 10, "", None)], free_bytes, skew_s)[0]


BEFORE = proof.Snapshot(4, "aa", 5000.0, 120, frozenset({"com.x"}), 0, "b/1")
AFTER = proof.Snapshot(1, "bb", 20.0, 0, frozenset(), 0, "b/1")


def test_a_reset_is_proven_by_independent_signs() -> None:
    signs = proof.signs(BEFORE, AFTER, [], 60.0)
    assert {sign.name for sign in signs if not sign.holds} == set()
    assert len(signs) == 8


@pytest.mark.parametrize(
    ("after", "left", "fails"),
    [
        (BEFORE, ["/sdcard"], {"nonce files", "android_id", "boot count", "photos in the library", "uptime"}),
        (AFTER, ["/sdcard"], {"nonce files"}),
    ],
    ids=["nothing happened", "storage was kept"],
)
def test_a_reset_that_did_not_happen_is_not_proven(after: proof.Snapshot, left: list[str], fails: set[str]) -> None:
    assert {sign.name for sign in proof.signs(BEFORE, after, left, 60.0) if not sign.holds} == fails


def test_a_restart_alone_counts_one_up_and_is_no_reset() -> None:
    restarted = proof.Snapshot(5, "aa", 20.0, 120, frozenset({"com.x"}), 0, "b/1")
    held = {sign.name: sign.holds for sign in proof.signs(BEFORE, restarted, ["/sdcard"], 60.0)}
    assert held["boot count"] is False


def test_accounts_of_all_users_are_added_up() -> None:
    assert proof.parse_accounts("User UserInfo{0}:\n  Accounts: 0\nUser UserInfo{10}:\n  Accounts: 2\n") == 2
    assert proof.parse_accounts("Can't find service: account") is None


def test_a_provider_that_does_not_answer_has_no_count() -> None:
    assert proof.parse_image_count("No result found.") == 0
    assert proof.parse_image_count("Error while accessing provider:media") is None
    assert proof.parse_image_count("Row: 0 _id=1\nRow: 1 _id=2") == 2
