"""`rig match grids`, `rig match inspect`, `rig album audit`: what scripts and people get."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow
from thumbnail_grids import Phone, Picture, painted, save
from typer.testing import CliRunner

from rig.album.sources import source_photos
from rig.cli import app
from rig.errors import RigError

NAMES = [f"{seed}.png" for seed in range(6)]


@pytest.fixture
def photos() -> dict[str, Picture]:
    return {name: painted(seed, 320, 240) for seed, name in enumerate(NAMES)}


@pytest.fixture
def album(tmp_path: Path, photos: dict[str, Picture]) -> Path:
    save(tmp_path / "album" / "trip", photos)
    return tmp_path / "album"


def _run(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_grids_answers_one_line_a_cell_in_order_of_name(tmp_path: Path, album: Path, photos: dict[str, Picture]) -> None:
    cells = {f"{place:02d}.png": Phone().shows(photos[name]) for place, name in enumerate(reversed(NAMES))}
    save(tmp_path / "grids" / "first", cells)
    save(tmp_path / "grids" / "second", {"only.png": Phone().shows(painted(99, 320, 240))})
    out = _run("match", "grids", tmp_path / "grids", "--album", album, "--index", tmp_path / "index", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["grid"], line["cell"]) for line in lines] == [*(("first", name) for name in cells), ("second", "only.png")]
    assert [line["photo"] for line in lines] == [*(f"trip/{name}" for name in reversed(NAMES)), None]
    assert lines[-1]["verdict"] == "stranger"
    assert set(lines[0]) == {"grid", "cell", "verdict", "photo", "candidates", "evidence"}


def test_a_cell_that_is_no_picture_is_the_callers_mistake(tmp_path: Path, album: Path) -> None:
    (tmp_path / "grids" / "g").mkdir(parents=True)
    (tmp_path / "grids" / "g" / "a.png").write_text("no picture")
    words = ["match", "grids", str(tmp_path / "grids"), "--album", str(album), "--index", str(tmp_path / "index")]
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, RigError)
    assert "a.png holds no picture" in str(result.exception)


def _screen(thumbnails: list[Picture]) -> Picture:
    """Four columns of square tiles on white, 8 px apart, under a bar of 200 px."""
    side, gap, bar = thumbnails[0].shape[0], 8, 200
    screen = np.full((2000, 4 * side + 3 * gap, 3), 255, np.uint8)
    for place, thumbnail in enumerate(thumbnails):
        row, column = divmod(place, 4)
        top, left = bar + row * (side + gap), column * (side + gap)
        screen[top : top + side, left : left + side] = thumbnail
    return screen


def test_inspect_draws_the_screen_with_its_verdicts(tmp_path: Path, album: Path, photos: dict[str, Picture]) -> None:
    shown = [Phone(cell_px=264).shows(photos[NAMES[place % len(NAMES)]]) for place in range(12)]
    screen = _screen(shown)
    Pillow.fromarray(screen).save(tmp_path / "screen.png")
    words = (tmp_path / "screen.png", "--album", album, "--index", tmp_path / "index", "--out", tmp_path / "why.png")
    out = _run("match", "inspect", *words)
    assert out.count("matched") == 12
    with Pillow.open(tmp_path / "why.png") as drawn:
        assert drawn.width > screen.shape[1] + 500


def test_audit_finds_twins_flats_unreadables_and_collisions(tmp_path: Path, photos: dict[str, Picture]) -> None:
    folder = tmp_path / "album"
    save(folder, {"a.png": photos[NAMES[0]], "b.png": photos[NAMES[0]], "dark.png": np.full((60, 80, 3), 2, np.uint8)})
    save(folder / "sub", {"A.png": photos[NAMES[1]]})
    (folder / "bad.jpg").write_text("no picture")
    found = json.loads(_run("album", "audit", folder, "--index", tmp_path / "index", "--json"))
    assert found["photos"] == 4
    assert found["twins"] == [["a.png", "b.png"]]
    assert found["flat"] == ["dark.png"]
    assert found["unreadable"] == {"bad.jpg": "holds no picture of a known format"}
    assert found["name_collisions"] == [["a.png", "sub/A.png"]]


def test_hidden_files_are_no_sources(album: Path) -> None:
    (album / ".thumbnails").mkdir()
    (album / ".thumbnails" / "x.jpg").write_bytes(b"x")
    (album / ".nomedia").write_bytes(b"")
    assert sorted(source_photos(album)) == [f"trip/{name}" for name in NAMES]


def test_a_folder_without_files_is_told(tmp_path: Path) -> None:
    with pytest.raises(RigError, match="holds no files"):
        source_photos(tmp_path)
