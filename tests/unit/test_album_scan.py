"""A folder of anybody's photos becomes an album."""

import hashlib
import os
from pathlib import Path

import pytest
from album_samples import draw
from PIL import Image

from rig.album.scan import scan_folder
from rig.errors import RigError
from rig.model import Album

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "edge-cases"


def reasons(album: Album) -> dict[str, str]:
    return {item.path: item.reason for item in album.unusable}


def test_a_photo_carries_its_bytes_hash_and_upright_size(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    path = draw(tmp_path / "sub" / "a.jpg", 1, exif=exif)
    (photo,) = scan_folder(tmp_path).photos
    assert (photo.id, photo.device_name, photo.format) == ("sub/a.jpg", "a.jpg", "JPEG")
    assert (photo.width_px, photo.height_px) == (30, 40)
    assert photo.size_bytes == path.stat().st_size
    assert photo.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert photo.path == path


def test_the_digest_names_the_photos_and_their_bytes_only(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        draw(tmp_path / folder / "a.png", 1)
        draw(tmp_path / folder / "b.png", 2)
    (tmp_path / "two" / "notes.txt").write_text("not a photo")
    one, two = scan_folder(tmp_path / "one"), scan_folder(tmp_path / "two")
    assert one.digest == two.digest
    lines = "".join(f"{photo.id}\0{photo.sha256}\n" for photo in one.photos)
    assert one.digest == hashlib.sha256(lines.encode()).hexdigest()


def test_every_file_that_cannot_be_used_is_listed_with_its_reason(tmp_path: Path) -> None:
    good = draw(tmp_path / "good.jpg", 1).read_bytes()
    (tmp_path / "zz copy.jpg").write_bytes(good)
    (tmp_path / "cut.jpg").write_bytes(good[: len(good) // 2])
    (tmp_path / "empty.jpg").write_bytes(b"")
    (tmp_path / "text.jpg").write_bytes(b"hello")
    (tmp_path / "notes.txt").write_bytes(b"hello")
    (tmp_path / "raw.dng").write_bytes(good)
    (tmp_path / "no_ending").write_bytes(good)
    draw(tmp_path / "as tiff.jpg", 2, format="TIFF")
    draw(tmp_path / ".hidden.jpg", 3)
    draw(tmp_path / ".thumbnails" / "a.jpg", 4)
    draw(tmp_path / "12:30.jpg", 5)
    album = scan_folder(tmp_path)
    assert [photo.id for photo in album.photos] == ["good.jpg"]
    found = reasons(album)
    assert found.pop("zz copy.jpg") == "same bytes as good.jpg"
    assert found.pop("cut.jpg").startswith("corrupt: ")
    assert found == {
        ".hidden.jpg": "hidden: phones do not show it",
        ".thumbnails": "hidden: phones do not show it",
        "12:30.jpg": "the name holds ':', which phones refuse",
        "as tiff.jpg": "TIFF: phone galleries do not show this format",
        "empty.jpg": "empty file",
        "no_ending": "not an image by its name: phones go by the ending",
        "notes.txt": "not an image by its name: phones go by the ending",
        "raw.dng": "DNG: phone galleries do not show this format",
        "text.jpg": "not an image: no known picture format starts like this",
    }


def test_links_to_folders_are_not_followed_and_links_to_files_are(tmp_path: Path) -> None:
    outside = draw(tmp_path / "outside" / "a.png", 1)
    album_folder = tmp_path / "album"
    draw(album_folder / "b.png", 2)
    (album_folder / "a.png").symlink_to(outside)
    (album_folder / "loop").symlink_to(album_folder)
    (album_folder / "dead.png").symlink_to(tmp_path / "nowhere.png")
    (album_folder / "self.png").symlink_to(album_folder / "self.png")
    album = scan_folder(album_folder)
    assert [photo.id for photo in album.photos] == ["a.png", "b.png"]
    assert sorted(reasons(album)) == ["dead.png", "loop", "self.png"]


def test_nothing_in_the_folder_is_changed(tmp_path: Path) -> None:
    draw(tmp_path / "a.png", 1)
    os.utime(tmp_path / "a.png", (1_000_000_000, 1_000_000_000))
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.iterdir()}
    folder_time = tmp_path.stat().st_mtime_ns
    scan_folder(tmp_path)
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.iterdir()} == before
    assert tmp_path.stat().st_mtime_ns == folder_time


def test_progress_ends_at_the_number_of_files(tmp_path: Path) -> None:
    for number in range(3):
        draw(tmp_path / f"{number}.png", number)
    steps: list[tuple[int, int]] = []
    scan_folder(tmp_path, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 3), (2, 3), (3, 3)]


def test_a_folder_without_a_usable_photo_says_so(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(RigError, match="no usable photo among 1 files"):
        scan_folder(tmp_path)


def test_a_missing_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(RigError, match="there is no such folder"):
        scan_folder(tmp_path / "nowhere")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared edge cases are not here")
def test_the_edge_cases_are_told_apart() -> None:
    album = scan_folder(SHARED)
    found = reasons(album)
    kinds = {path.split("/")[0] for path in found}
    assert {"corrupt", "heic-corrupt", "decompression-bomb", "exact-duplicate", "filenames", "other-formats"} <= kinds
    assert not kinds & {"exif-orientation", "webp", "png-variants", "avif", "gif", "mpo-3d", "cmyk-jpeg", "screenshot"}
    assert "decompression bomb" in found["decompression-bomb/sharp-65536-uint32-limit.png"]
    assert "decompression bomb" in found["decompression-bomb/pil-decompression_bomb.gif"]
    assert len(album.photos) + len(album.unusable) == sum(path.is_file() for path in SHARED.rglob("*"))
