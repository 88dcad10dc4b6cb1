"""Drawn albums: their files, and what a phone can know from them."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import cv2
import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from devices.virtual.gallery.facts import read_facts
from devices.virtual.gallery.library import Library
from devices.virtual.gallery.search import Engine, SearchIndex
from rig.album.manifest import load_album, load_probes, load_queries
from rig.album.scan import scan_folder
from rig.album.synth.camera import MARGIN, Shake, expose, shake_of
from rig.album.synth.make import synth_album
from rig.album.synth.naming import frames_of
from rig.album.synth.story import tell
from rig.album.synth.words import KEYWORDS, PEOPLE
from rig.cli.album import album_app
from rig.errors import RigError
from rig.model import Album

PHOTOS, SEED = 20, 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("drawn") / "album"


@pytest.fixture(scope="module")
def album(folder: Path) -> Album:
    return synth_album(folder, photos=PHOTOS, seed=SEED, workers=1)


def test_the_manifest_says_what_a_scan_of_the_files_finds(folder: Path, album: Album) -> None:
    assert load_album(folder) == album
    scanned = scan_folder(folder / "photos", name="album")
    assert scanned == album
    assert len(album.photos) == PHOTOS
    assert album.unusable == ()


def test_the_files_say_what_the_story_says(album: Album) -> None:
    shots = tell(PHOTOS, SEED)
    photos = {photo.id: photo for photo in album.photos}
    for shot, frame in zip(shots, frames_of(shots, SEED), strict=True):
        photo, facts = photos[frame.name], read_facts(album.root / frame.name)
        assert photo.taken_at == shot.taken_at
        assert (photo.width_px, photo.height_px) == frame.size
        assert photo.path.stat().st_mtime == shot.taken_at.timestamp()
        assert set(facts.keywords) == {word for key in shot.keywords for word in (key, KEYWORDS[key])}
        assert set(facts.people) == {name for key in shot.people for name in (PEOPLE[key].en, PEOPLE[key].zh)}
        if shot.place is None:
            assert photo.latitude_deg is None
        else:
            assert photo.latitude_deg == pytest.approx(shot.place.latitude_deg, abs=1e-5)
            assert photo.longitude_deg == pytest.approx(shot.place.longitude_deg, abs=1e-5)


def test_a_search_that_makes_no_mistake_finds_exactly_the_ground_truth(folder: Path, album: Album) -> None:
    library = Library(album.root)
    library.scan()
    index = SearchIndex(Engine(), seed=0, zone=ZoneInfo("Asia/Shanghai"))
    index.put(library.photos)
    for query in (*load_queries(folder), *load_probes(folder)):
        for text in query.text.values():
            found = {hit.photo.path.name for hit in index.find(text, datetime(2025, 6, 1, tzinfo=UTC))}
            assert found == query.relevant, text


def test_no_photo_is_empty_of_detail(album: Album) -> None:
    for photo in album.photos:
        with Image.open(photo.path) as image:
            grey = np.asarray(image.convert("L").resize((200, 150)), np.float32)
        assert grey.std() > 12, photo.id


def test_any_number_of_processes_draws_the_same_bytes(tmp_path: Path) -> None:
    one = synth_album(tmp_path / "one", photos=5, seed=5, workers=1)
    two = synth_album(tmp_path / "two", photos=5, seed=5, workers=2)
    assert one.digest == two.digest


def test_an_album_is_not_drawn_over_another(folder: Path, album: Album) -> None:
    with pytest.raises(RigError, match="already holds an album"):
        synth_album(folder, photos=1)


def test_the_command_says_what_it_made(tmp_path: Path) -> None:
    found = CliRunner().invoke(album_app, ["synth", "--photos", "2", "--seed", "1", "--workers", "1", str(tmp_path / "a")])
    assert found.exit_code == 0
    assert found.stdout.startswith("2 photos, ")
    assert len(load_album(tmp_path / "a").photos) == 2


def a_painting() -> np.ndarray:
    """Smooth blobs, larger than the frame by the margin."""
    size = (round(300 * (1 + 2 * MARGIN)), round(400 * (1 + 2 * MARGIN)), 3)
    rough = np.random.default_rng(1).integers(40, 216, size, np.uint8)
    return cv2.normalize(cv2.GaussianBlur(rough, (0, 0), 4), None, 40, 216, cv2.NORM_MINMAX)


def test_the_frames_of_a_burst_differ_by_less_than_a_hundredth_of_the_picture() -> None:
    painting, rng = a_painting(), np.random.default_rng(2)
    still = expose(painting, rng, (400, 300), Shake(), grain=2.4)
    shifts = []
    for _ in range(12):
        frame = expose(painting, rng, (400, 300), shake_of(rng, 1), grain=2.4)
        grey = [np.float32(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)) for picture in (still, frame)]
        (dx, dy), _ = cv2.phaseCorrelate(grey[0], grey[1], cv2.createHanningWindow((400, 300), cv2.CV_32F))
        shifts.append(np.hypot(dx, dy) / 400)
    # Two standard deviations of 0.35 % and 0.30 %, and as much sway again.
    assert max(shifts) < 0.016
    assert np.median(shifts) < 0.01
    assert max(shifts) > 0.001


def test_two_frames_share_no_noise() -> None:
    flat, rng = np.full((330, 440, 3), 128, np.uint8), np.random.default_rng(3)
    frames = [expose(flat, rng, (400, 300), Shake(), grain=4).astype(np.float32)[..., 1] for _ in range(2)]
    noise = [frame - cv2.GaussianBlur(frame, (0, 0), 8) for frame in frames]
    assert noise[0].std() > 2
    # 120,000 pixels: chance alone gives a correlation of about 0.003.
    assert abs(np.corrcoef(noise[0].ravel(), noise[1].ravel())[0, 1]) < 0.02
