"""Files become pixels or reasons; nothing crashes, hangs or warns (warnings are errors here)."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

from matching.decode import load_image
from matching.model import UnreadableImage
from matching.views import views_of

EDGE_CASES = Path(__file__).parents[2].parent / "shared" / "data" / "edge-cases"
CORNER = (200, 30, 30)


def _scene() -> Pillow.Image:
    """40 × 30 px, white, with a red upper left corner."""
    image = Pillow.new("RGB", (40, 30), "white")
    image.paste(CORNER, (0, 0, 10, 10))
    return image


@pytest.mark.parametrize(
    ("orientation", "row", "column"),
    [(1, 0, 0), (2, 0, -1), (3, -1, -1), (4, -1, 0), (5, 0, 0), (6, 0, -1), (7, -1, -1), (8, -1, 0)],
)
@pytest.mark.parametrize("suffix", ["jpg", "png", "webp", "tiff"])
def test_exif_orientation_is_applied(tmp_path: Path, orientation: int, row: int, column: int, suffix: str) -> None:
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    file = tmp_path / f"photo.{suffix}"
    _scene().save(file, exif=exif)
    picture = load_image(file)
    assert picture.shape == ((30, 40, 3) if orientation < 5 else (40, 30, 3))
    assert np.abs(picture[row, column].astype(int) - CORNER).max() < 40


def test_sixteen_bits_become_eight(tmp_path: Path) -> None:
    Pillow.fromarray(np.full((4, 5), 0x8034, np.uint16)).save(tmp_path / "grey.png")
    assert load_image(tmp_path / "grey.png").tolist() == np.full((4, 5, 3), 0x80).tolist()


def test_transparency_lies_on_white(tmp_path: Path) -> None:
    Pillow.new("RGBA", (3, 2), (0, 0, 0, 0)).save(tmp_path / "clear.png")
    assert load_image(tmp_path / "clear.png").min() == 255


def test_cmyk_becomes_rgb(tmp_path: Path) -> None:
    Pillow.new("CMYK", (8, 8), (0, 255, 255, 0)).save(tmp_path / "red.jpg", quality=95)
    red, green, _ = load_image(tmp_path / "red.jpg")[4, 4]
    assert red > 200
    assert green < 60


def test_an_animation_gives_its_first_frame(tmp_path: Path) -> None:
    first, second = Pillow.new("RGB", (6, 6), "black"), Pillow.new("RGB", (6, 6), "white")
    first.save(tmp_path / "moving.gif", save_all=True, append_images=[second])
    assert load_image(tmp_path / "moving.gif").max() == 0


def test_more_pixels_than_the_cap_are_refused_by_the_header(tmp_path: Path) -> None:
    _scene().save(tmp_path / "photo.png")
    with pytest.raises(UnreadableImage, match=r"is 40 × 30 = 1,200 pixels, over the cap of 1,000"):
        load_image(tmp_path / "photo.png", max_pixels=1000)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b"%PDF-1.7 ", "holds a PDF"),
        (b"PK\x03\x04rest", "holds a ZIP archive"),
        (bytes(64), "holds zeros"),
        (b"\x89PNG torn", "starts like a picture"),
        (b"hello", "holds no picture"),
    ],
    ids=["empty", "pdf", "zip", "zeros", "torn png", "text"],
)
def test_what_is_no_picture_is_named(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "photo.jpg").write_bytes(data)
    with pytest.raises(UnreadableImage, match=reason):
        load_image(tmp_path / "photo.jpg")


def test_a_folder_and_a_missing_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableImage, match="not a regular file"):
        load_image(tmp_path)
    with pytest.raises(UnreadableImage, match="cannot be opened"):
        load_image(tmp_path / "gone.jpg")


def test_a_reduced_decode_shows_the_same_as_a_full_one(tmp_path: Path) -> None:
    """A JPEG is read at 1/2 and grey; its references must lie where those of the full picture lie."""
    rng = np.random.default_rng(5)
    small = Pillow.fromarray(rng.integers(0, 255, (15, 21, 3), dtype=np.uint8))
    scene = small.resize((1300, 971), Pillow.Resampling.BICUBIC)
    scene.save(tmp_path / "photo.jpg", quality=95)
    scene.save(tmp_path / "photo.png")
    reduced, full = views_of(tmp_path / "photo.jpg"), views_of(tmp_path / "photo.png")
    assert (reduced.width, reduced.height) == (1300, 971)
    assert np.abs(reduced.square.fine.astype(int) - full.square.fine).mean() < 1.5


@pytest.mark.skipif(not EDGE_CASES.is_dir(), reason="the shared edge cases are not here")
def test_every_edge_case_is_read_or_named() -> None:
    files = [file for file in sorted(EDGE_CASES.rglob("*")) if file.is_file()]
    reasons = {}
    for file in files:
        try:
            assert load_image(file, max_pixels=30_000_000).dtype == np.uint8
        except UnreadableImage as error:
            reasons[file.name] = str(error)
    assert len(files) == 251
    assert len(reasons) == 26
    assert all(reasons.values())
