"""A photo opened in full tells the frames of a burst apart that a thumbnail cannot; whatever it does not tell stays open."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from opened_photos import BURST, SCREEN, photos, viewed
from thumbnail_grids import Picture, painted, save

from matching.framed import bare_beside, boxes_of, fitted, grey_of
from matching.model import UnreadableImage, Verdict
from matching.opened import match_opened


@pytest.fixture(scope="module")
def pictures() -> Mapping[str, Picture]:
    return photos()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    return save(tmp_path_factory.mktemp("photos"), dict(photos()))


VIEWERS = {
    "black bars": {},
    "white bars, a little darker": {"bars": 255, "gamma": 1.05},
    "60 px above the middle": {"down_px": -60},
}


@pytest.mark.parametrize("viewer", VIEWERS.values(), ids=VIEWERS.keys())
@pytest.mark.parametrize("name", BURST)
def test_a_burst_frame_is_told_from_its_siblings(
    pictures: Mapping[str, Picture], files: Mapping[str, Path], name: str, viewer: Mapping[str, float]
) -> None:
    found = match_opened(viewed(pictures[name], **viewer), SCREEN, {frame: files[frame] for frame in BURST})
    assert (found.verdict, found.photo, found.candidates) == (Verdict.MATCHED, name, ())


def test_an_absent_sibling_is_not_taken_for_the_frame_nearest_to_it(
    pictures: Mapping[str, Picture], files: Mapping[str, Path]
) -> None:
    candidates = {frame: files[frame] for frame in ("burst0.png", "burst2.png")}
    found = match_opened(viewed(pictures["burst1.png"]), SCREEN, candidates)
    assert (found.verdict, found.photo, found.candidates) == (Verdict.AMBIGUOUS, None, ("burst0.png", "burst2.png"))


def test_what_none_of_the_candidates_explains_leaves_all_of_them_open(
    pictures: Mapping[str, Picture], files: Mapping[str, Path]
) -> None:
    found = match_opened(viewed(pictures["other.png"]), SCREEN, {frame: files[frame] for frame in BURST})
    assert (found.verdict, found.candidates) == (Verdict.AMBIGUOUS, BURST)


def test_identical_photos_that_nobody_called_twins_stay_undecided_between_each_other(
    pictures: Mapping[str, Picture], files: Mapping[str, Path]
) -> None:
    candidates = {name: files[name] for name in (*BURST, "twin.png")}
    found = match_opened(viewed(pictures["burst1.png"]), SCREEN, candidates)
    assert (found.verdict, sorted(found.candidates)) == (Verdict.AMBIGUOUS, ["burst1.png", "twin.png"])


def test_twins_are_matched_as_their_class(pictures: Mapping[str, Picture], files: Mapping[str, Path]) -> None:
    candidates = {name: files[name] for name in ("twin.png", "burst2.png", "burst1.png")}
    found = match_opened(viewed(pictures["burst1.png"]), SCREEN, candidates, twins=[("burst1.png", "twin.png")])
    assert (found.verdict, found.photo, found.candidates) == (Verdict.MATCHED, "burst1.png", ("burst1.png", "twin.png"))


def test_candidates_of_another_shape_are_told_apart(pictures: Mapping[str, Picture], files: Mapping[str, Path]) -> None:
    candidates = {name: files[name] for name in ("other.png", "tall.png")}
    assert match_opened(viewed(pictures["tall.png"]), SCREEN, candidates).photo == "tall.png"


def test_a_photo_and_its_own_middle_are_told_apart_by_what_lies_beside(
    pictures: Mapping[str, Picture], files: Mapping[str, Path], tmp_path: Path
) -> None:
    cut = save(tmp_path, {"cut.png": pictures["tall.png"][300:900]})
    candidates = {"tall.png": files["tall.png"], **cut}
    assert match_opened(viewed(pictures["tall.png"]), SCREEN, candidates).photo == "tall.png"
    assert match_opened(viewed(pictures["tall.png"][300:900]), SCREEN, candidates).photo == "cut.png"


def test_somebody_who_moved_is_no_button(pictures: Mapping[str, Picture], files: Mapping[str, Path]) -> None:
    other = pictures["burst1.png"].copy()
    other[380:540, 500:700] = painted(50, 200, 160)
    found = match_opened(viewed(other), SCREEN, {frame: files[frame] for frame in BURST})
    assert found.verdict is Verdict.AMBIGUOUS


def test_an_even_picture_is_never_decided(tmp_path: Path) -> None:
    even = {f"even{level}.png": np.full((900, 1200, 3), level, np.uint8) for level in (90, 140)}
    found = match_opened(viewed(even["even90.png"]), SCREEN, save(tmp_path, even))
    assert found.verdict is Verdict.AMBIGUOUS


def test_a_candidate_that_cannot_be_read_is_told(pictures: Mapping[str, Picture], tmp_path: Path) -> None:
    with pytest.raises(UnreadableImage):
        match_opened(viewed(pictures["other.png"]), SCREEN, {"gone.png": tmp_path / "gone.png"})


def test_no_candidates_are_no_verdict(pictures: Mapping[str, Picture]) -> None:
    assert match_opened(viewed(pictures["other.png"]), SCREEN, {}).candidates == ()


def test_a_photo_is_as_large_as_its_frame_lets_it_be() -> None:
    assert fitted((1200, 900), SCREEN) == (720, 540)  # 720 / 1200 = 0.6
    assert fitted((900, 3200), SCREEN) == (360, 1280)  # 1280 / 3200 = 0.4


def test_a_photo_lies_in_the_middle_or_where_its_edges_are(pictures: Mapping[str, Picture]) -> None:
    screen = grey_of(viewed(pictures["other.png"], down_px=-60))
    # 540 px high: in the middle from (1280 - 540) / 2 = 370 to 910, here 60 px above.
    assert boxes_of(screen, SCREEN, (1200, 900)) == ((0, 370, 720, 910), (0, 310, 720, 850))


def test_bars_with_a_title_are_bare_and_a_picture_is_not(pictures: Mapping[str, Picture]) -> None:
    assert bare_beside(grey_of(viewed(pictures["other.png"])), SCREEN, (0, 370, 720, 910))
    assert not bare_beside(grey_of(viewed(pictures["tall.png"])), SCREEN, (0, 460, 720, 820))
