"""Labels narrow what a thumbnail may show by the day they name; they never decide."""

from datetime import date
from pathlib import Path

import pytest
from PIL import Image as Pillow
from thumbnail_grids import Phone, Picture, moved, painted

from matching.index import SourceIndex
from matching.labels import date_in, possible
from matching.match import match_grid
from matching.model import Verdict

DAY = date(2024, 10, 3)


@pytest.mark.parametrize(
    "label",
    [
        "Photo taken on Oct 3, 2024, 3:41:05 PM",
        "Photo, October 03, 2024, 3:41 PM",
        "Portrait. 3 October 2024",
        "照片，2024年10月3日 15:41",
        "2024. 10. 3. 오후 3:41",
        "2024:10:03 15:41:05",
        "IMG 2024-10-03",
    ],
)
def test_a_date_is_read_from_a_label(label: str) -> None:
    assert date_in(label) == DAY


@pytest.mark.parametrize("label", [None, "", "Photo", "03/10/2024", "IMG_1234", "2024-13-40", "2024-10-03 to 2024-10-05"])
def test_a_label_without_one_certain_date_says_nothing(label: str | None) -> None:
    assert date_in(label) is None


def test_photos_more_than_a_day_away_are_ruled_out_and_undated_ones_are_not() -> None:
    taken = [DAY, date(2024, 10, 4), date(2024, 10, 6), None]
    found = possible(["2024-10-03", None], taken)
    assert found is not None
    assert found.tolist() == [[True, True, False, True], [True, True, True, True]]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SourceIndex:
    """Nine scenes, the last taken again on another day by a camera moved by a px."""
    folder = tmp_path_factory.mktemp("dated")
    files: dict[str, Path] = {}
    pictures = {f"{seed}.jpg": painted(seed) for seed in range(9)} | {"8_later.jpg": moved(painted(8), 1.0, 0.6)}
    for name, picture in pictures.items():
        exif = Pillow.Exif()
        exif.get_ifd(0x8769)[0x9003] = "2024:12:24 10:00:00" if name == "8_later.jpg" else "2024:10:03 15:41:05"
        files[name] = folder / name
        Pillow.fromarray(picture).save(files[name], quality=95, exif=exif)
    return SourceIndex.build(files, folder / "index", workers=1)


def _crops() -> list[Picture]:
    """Each scene; the last seen from half way between its two photos, so that pixels cannot tell which it is."""
    phone = Phone(cell_px=160, quality=30)
    return [phone.shows(moved(painted(seed), *((0.5, 0.3) if seed == 8 else (0, 0)))) for seed in range(9)]


def test_what_pixels_leave_open_a_label_may_close(index: SourceIndex) -> None:
    open_one = match_grid(index, _crops())[8]
    assert open_one.verdict is Verdict.AMBIGUOUS
    assert set(open_one.candidates) == {"8.jpg", "8_later.jpg"}
    labels = [None] * 8 + ["Photo taken on Oct 3, 2024"]
    assert match_grid(index, _crops(), labels=labels)[8].photo == "8.jpg"


def test_a_label_that_leaves_nothing_alike_is_not_believed(index: SourceIndex) -> None:
    labels = ["Photo taken on May 1, 1999"] * 9
    found = match_grid(index, _crops(), labels=labels)
    assert [match.photo for match in found[:8]] == [f"{seed}.jpg" for seed in range(8)]
    assert found[8].verdict is Verdict.AMBIGUOUS
