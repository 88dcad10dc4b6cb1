"""Files over real adb programs: names, times, resuming, and what can go wrong on the way."""

import os
from pathlib import Path

import pytest
from conftest import ServedPhone
from PIL import Image

CAMERA = "/sdcard/DCIM/Camera"
NAMES = [
    "IMG_0001.JPG",
    "照片 (1).jpg",
    "e\u0301.jpg",
    'it\'s "so" $HOME.jpg',
    "👨‍👩‍👧.png",
    "-dash.jpg",
    "a&b;c.jpg",
    "x" * 251 + ".jpg",
]


@pytest.fixture
def album(tmp_path: Path) -> Path:
    folder = tmp_path / "album"
    folder.mkdir()
    for number, name in enumerate(NAMES):
        (folder / name).write_bytes(bytes([number]) * (number * 70_000))
        os.utime(folder / name, (1_600_000_000 + number, 1_600_000_000 + number))
    return folder


def stored(served: ServedPhone) -> Path:
    return served.phone.files.host(CAMERA)


def names(served: ServedPhone) -> list[str]:
    return sorted(entry.name for entry in stored(served).iterdir())


def test_files_arrive_under_their_names_with_their_bytes_and_times(served: ServedPhone, album: Path) -> None:
    served.run("push", f"{album}/.", CAMERA)
    assert names(served) == sorted(NAMES)
    for name in NAMES:
        assert (stored(served) / name).read_bytes() == (album / name).read_bytes()
        assert (stored(served) / name).stat().st_mtime == (album / name).stat().st_mtime


def test_files_come_back_as_they_were(served: ServedPhone, album: Path, tmp_path: Path) -> None:
    served.run("push", f"{album}/.", CAMERA)
    served.run("pull", "-a", CAMERA, tmp_path / "back")
    for name in NAMES:
        assert (tmp_path / "back" / name).read_bytes() == (album / name).read_bytes()
        assert (tmp_path / "back" / name).stat().st_mtime == (album / name).stat().st_mtime


def test_push_sync_sends_only_what_is_missing_or_differs(served: ServedPhone, album: Path) -> None:
    served.run("push", "--sync", f"{album}/.", CAMERA)
    inodes = {name: (stored(served) / name).stat().st_ino for name in NAMES}
    (stored(served) / NAMES[1]).unlink()
    (stored(served) / NAMES[3]).write_bytes(b"half")
    os.utime(stored(served) / NAMES[4], (1, 1))
    (stored(served) / "new").touch()  # takes the inode that was freed
    served.run("push", "--sync", f"{album}/.", CAMERA)
    assert {name for name in NAMES if (stored(served) / name).stat().st_ino != inodes[name]} <= {NAMES[1], NAMES[3], NAMES[4]}
    for name in NAMES:
        assert (stored(served) / name).read_bytes() == (album / name).read_bytes()
        assert (stored(served) / name).stat().st_mtime == (album / name).stat().st_mtime


def test_a_push_to_a_full_phone_fails_and_leaves_no_half_file(served: ServedPhone, album: Path) -> None:
    served.phone.files.capacity_bytes = 100_000
    done = served.run("push", album / NAMES[2], CAMERA, code=1)
    assert b"No space left on device" in done.stdout + done.stderr
    assert names(served) == []
    assert served.shell("df /data").splitlines()[1].split()[1:3] == ["97", "0"]  # 100 000 B = 97 KiB


def test_a_file_that_is_pushed_again_is_replaced(served_once: ServedPhone, album: Path) -> None:
    served_once.run("push", album / NAMES[7], f"{CAMERA}/a.jpg")
    served_once.run("push", album / NAMES[1], f"{CAMERA}/a.jpg")
    assert (stored(served_once) / "a.jpg").read_bytes() == bytes([1]) * 70_000
    assert served_once.phone.files.used_bytes == 70_000


def test_a_push_that_is_cut_leaves_half_a_file(served_once: ServedPhone, album: Path) -> None:
    served_once.phone.faults.cut_push_after = 100_000
    served_once.run("push", album / NAMES[2], CAMERA, code=1)
    assert (stored(served_once) / NAMES[2]).stat().st_size == 100_000
    served_once.connect()
    served_once.run("push", "--sync", f"{album}/.", CAMERA)
    assert (stored(served_once) / NAMES[2]).stat().st_size == 140_000


def test_a_push_may_be_confirmed_and_lost(served_once: ServedPhone, album: Path) -> None:
    served_once.phone.faults.lost_pushes = 2
    served_once.run("push", f"{album}/.", CAMERA)
    assert len(names(served_once)) == len(NAMES) - 2


def test_a_pushed_photo_is_in_the_media_library_only_after_a_scan(served_once: ServedPhone, tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0132] = "2024:05:01 12:00:00"
    exif.get_ifd(0x8769)[0x9003] = "2024:05:01 12:00:00"  # DateTimeOriginal
    exif.get_ifd(0x8769)[0x9011] = "+08:00"  # OffsetTimeOriginal
    Image.new("RGB", (64, 48), "teal").save(tmp_path / "海 (1).jpg", exif=exif)
    served_once.run("push", tmp_path / "海 (1).jpg", CAMERA)
    query = (
        "content query --uri content://media/external/images/media"
        " --projection _size:datetaken:width:height:mime_type:relative_path:_display_name"
        " --where \"relative_path='DCIM/Camera/'\""
    )
    assert served_once.shell(query) == "No result found.\n"
    assert served_once.shell("content call --uri content://media --method scan_volume --arg external_primary") == (
        "Result: Bundle[{}]\n"
    )
    size = (tmp_path / "海 (1).jpg").stat().st_size
    # 2024-05-01 12:00 at +08:00 is 04:00 UTC: 1 714 536 000 s
    assert served_once.shell(query) == (
        f"Row: 0 _size={size}, datetaken=1714536000000, width=64, height=48, mime_type=image/jpeg,"
        " relative_path=DCIM/Camera/, _display_name=海 (1).jpg\n"
    )


def test_an_unknown_column_is_an_error_and_not_an_empty_answer(served_once: ServedPhone, tmp_path: Path) -> None:
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png")
    served_once.run("push", tmp_path / "a.png", CAMERA)
    served_once.shell("content call --uri content://media --method scan_volume --arg external_primary")
    done = served_once.run("shell", "content query --uri content://media/external/images/media --projection nonsense", code=1)
    assert b"Invalid column nonsense" in done.stderr
