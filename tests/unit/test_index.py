"""The index: what it holds, what it refuses, and that it is brought up to date and repairs itself."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow
from thumbnail_grids import Picture, painted, save

from matching import index_build
from matching.descriptor import describe
from matching.index import SourceIndex
from matching.index_files import IndexDamaged
from matching.index_readers import read_photos
from matching.shortlist import nearest


@pytest.fixture
def album(tmp_path: Path) -> dict[str, Path]:
    return save(tmp_path / "photos", {f"p{seed}.png": painted(seed, 320, 240) for seed in range(5)})


def _read_by(album: dict[str, Path], folder: Path) -> tuple[SourceIndex, list[tuple[int, int]]]:
    """The index, and what its building reported: nothing where nothing was read."""
    seen: list[tuple[int, int]] = []
    built = SourceIndex.build(album, folder, workers=1, progress=lambda done, total: seen.append((done, total)))
    return built, seen


def test_photos_are_in_name_order_with_their_size(album: dict[str, Path], tmp_path: Path) -> None:
    index, seen = _read_by(album, tmp_path / "index")
    assert index.names == ("p0.png", "p1.png", "p2.png", "p3.png", "p4.png")
    assert (index.catalogue.entries[0].width, index.catalogue.entries[0].height) == (320, 240)
    assert seen[-1] == (5, 5)


def test_an_unchanged_album_is_not_read_again(album: dict[str, Path], tmp_path: Path) -> None:
    _read_by(album, tmp_path / "index")
    assert _read_by(album, tmp_path / "index")[1] == []


def test_a_touched_file_with_the_same_bytes_is_not_read_again(album: dict[str, Path], tmp_path: Path) -> None:
    _read_by(album, tmp_path / "index")
    os.utime(album["p1.png"], (1, 1))
    assert _read_by(album, tmp_path / "index")[1] == []


def test_only_new_and_changed_photos_are_read(album: dict[str, Path], tmp_path: Path) -> None:
    before, _ = _read_by(album, tmp_path / "index")
    kept = np.array(before.rows.square_fine[0])
    album |= save(tmp_path / "photos", {"p2.png": painted(77, 320, 240), "p9.png": painted(9, 320, 240)})
    after, seen = _read_by(album, tmp_path / "index")
    assert seen[-1] == (2, 2)
    assert after.names[-1] == "p9.png"
    assert np.array_equal(after.rows.square_fine[0], kept)


def test_removed_photos_are_gone(album: dict[str, Path], tmp_path: Path) -> None:
    _read_by(album, tmp_path / "index")
    del album["p3.png"]
    index, seen = _read_by(album, tmp_path / "index")
    assert (index.names, seen) == (("p0.png", "p1.png", "p2.png", "p4.png"), [])


def test_a_damaged_row_is_read_again(album: dict[str, Path], tmp_path: Path) -> None:
    index, _ = _read_by(album, tmp_path / "index")
    whole = np.array(index.rows.square_fine[2])
    file = next((tmp_path / "index").glob("rows-*/square-fine.u8"))
    data = bytearray(file.read_bytes())
    data[2 * 192 * 192 + 5] ^= 255  # in the third photo's picture
    file.write_bytes(data)
    repaired, seen = _read_by(album, tmp_path / "index")
    assert seen == [(1, 1)]
    assert np.array_equal(repaired.rows.square_fine[2], whole)


@pytest.mark.parametrize("harm", ["", "{", '{"schema": 99}'], ids=["empty", "torn", "another schema"])
def test_an_index_file_that_cannot_be_used_is_made_anew(album: dict[str, Path], tmp_path: Path, harm: str) -> None:
    _read_by(album, tmp_path / "index")
    (tmp_path / "index" / "index.json").write_text(harm)
    with pytest.raises(IndexDamaged):
        SourceIndex.open(tmp_path / "index")
    assert _read_by(album, tmp_path / "index")[1][-1] == (5, 5)


def test_a_missing_array_is_made_anew(album: dict[str, Path], tmp_path: Path) -> None:
    _read_by(album, tmp_path / "index")
    next((tmp_path / "index").glob("rows-*/whole.i8")).unlink()
    assert _read_by(album, tmp_path / "index")[1][-1] == (5, 5)


def test_another_decoder_makes_the_index_anew(album: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _read_by(album, tmp_path / "index")
    monkeypatch.setattr(index_build, "DECODER", "another")
    assert _read_by(album, tmp_path / "index")[1][-1] == (5, 5)


def test_a_build_that_dies_leaves_the_old_index_whole(album: dict[str, Path], tmp_path: Path) -> None:
    _read_by(album, tmp_path / "index")
    album |= save(tmp_path / "photos", {"p8.png": painted(8, 320, 240)})

    def die(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SourceIndex.build(album, tmp_path / "index", workers=1, progress=die)
    assert len(SourceIndex.open(tmp_path / "index")) == 5
    assert len(list((tmp_path / "index").glob("rows-*"))) == 1


def test_unusable_files_are_named_with_their_reason(album: dict[str, Path], tmp_path: Path) -> None:
    bad = {name: tmp_path / "photos" / name for name in ("empty.jpg", "text.jpg", "gone.jpg", "cut.png")}
    bad["empty.jpg"].write_bytes(b"")
    bad["text.jpg"].write_text("not a picture")
    bad["cut.png"].write_bytes(album["p0.png"].read_bytes()[:2000])
    index, _ = _read_by(album | bad, tmp_path / "index")
    assert len(index) == 5
    assert index.unusable["empty.jpg"] == "is empty (0 bytes)"
    assert index.unusable["text.jpg"] == "holds no picture of a known format"
    assert index.unusable["gone.jpg"].startswith("cannot be opened")
    assert index.unusable["cut.png"].startswith("damaged or not supported")


def test_an_unusable_file_is_not_read_again_until_it_changes(album: dict[str, Path], tmp_path: Path) -> None:
    album["bad.jpg"] = tmp_path / "photos" / "bad.jpg"
    album["bad.jpg"].write_text("not a picture")
    _read_by(album, tmp_path / "index")
    assert _read_by(album, tmp_path / "index")[1] == []
    save(tmp_path / "photos", {"bad.jpg": painted(4, 320, 240)})
    index, seen = _read_by(album, tmp_path / "index")
    assert (len(index), dict(index.unusable), seen) == (6, {}, [(1, 1)])


def test_a_decoder_that_takes_too_long_is_ended_and_named(tmp_path: Path) -> None:
    slow = tmp_path / "slow.png"
    Pillow.fromarray(np.random.default_rng(1).integers(0, 255, (3000, 3000, 3), dtype=np.uint8)).save(slow, compress_level=0)
    small = save(tmp_path, {"small.png": painted(1, 64, 48)})["small.png"]
    readings = list(read_photos([slow, small], count=2, workers=1, limit_s=0.01))
    assert readings[0].reason == "decoding it took longer than 0 s"


def test_exif_orientation_turns_the_references_as_the_picture(tmp_path: Path) -> None:
    scene = Pillow.fromarray(painted(3, 320, 240))
    exif = Pillow.Exif()
    exif[0x0112] = 6  # to be turned right by a quarter
    scene.save(tmp_path / "stored.png", exif=exif)
    scene.transpose(Pillow.Transpose.ROTATE_270).save(tmp_path / "upright.png")
    files = {name: tmp_path / name for name in ("stored.png", "upright.png")}
    index = SourceIndex.build(files, tmp_path / "index", workers=1)
    assert np.abs(index.rows.whole_fine[0].astype(int) - index.rows.whole_fine[1]).max() <= 1
    assert (index.catalogue.entries[0].width, index.catalogue.entries[0].height) == (240, 320)


def test_twins_flats_and_near_twins_are_told(tmp_path: Path) -> None:
    scene = painted(1, 320, 240)
    lighter = np.clip(scene.astype(int) + 1, 0, 255).astype(np.uint8)
    photos: dict[str, Picture] = {
        "a.png": scene,
        "b.png": scene,
        "c.png": painted(2, 320, 240),
        "dark.png": np.full((240, 320, 3), 3, np.uint8),
        "near.png": lighter,  # about one level off everywhere: at or just over the limit of 1.0
    }
    index = SourceIndex.build(save(tmp_path / "photos", photos), tmp_path / "index", workers=1)
    assert index.flat == ("dark.png",)
    assert index.twins[0][:2] == ("a.png", "b.png")
    told = {name for pair in index.watched for name in pair[:2]} | {name for members in index.twins for name in members}
    assert "near.png" in told
    assert "c.png" not in told


def test_the_nearest_rows_do_not_depend_on_how_they_are_chunked(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    stored = rng.integers(-60, 60, (1000, 256)).astype(np.int8)
    queries = describe(rng.integers(0, 255, (3, 64, 64)).astype(np.uint8))
    whole = nearest(queries, stored)
    monkeypatch.setattr("matching.shortlist._CHUNK", 96)
    parts = nearest(queries, stored)
    assert np.array_equal(whole[0], parts[0])
    expected = np.argsort(-(queries @ stored.T.astype(np.float32)), axis=1, kind="stable")[:, :64]
    assert np.array_equal(whole[0], expected)


def test_index_json_names_who_decoded(album: dict[str, Path], tmp_path: Path) -> None:
    _read_by(album, tmp_path / "index")
    assert "pillow" in json.loads((tmp_path / "index" / "index.json").read_text())["decoder"]
