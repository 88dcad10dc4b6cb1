"""Thumbnails traced to photos: an album of singles, bursts, twins and flat frames, shown by a phone in several ways."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from thumbnail_grids import Phone, Picture, moved, painted, save

from matching.index import SourceIndex
from matching.kin import learned_from
from matching.match import match_grid
from matching.model import Match, Verdict
from matching.verdict import CALIBRATED, CLOSED, Evidence

SINGLES = [f"single{seed:02d}.png" for seed in range(12)]
BURSTS = {f"burst{seed}_{frame}.png": (100 + seed, frame) for seed in range(4) for frame in range(4)}
SHAKE = [(0.0, 0.0), (3.1, -1.2), (-2.3, 2.6), (1.4, 3.3)]
"""px of 640 × 480: 0.2–0.6 %. In a 200 px cell of a 480 px square that is 0.4–1.4 px."""
ABSENT = (-3.4, -2.9)


def _frame(seed: int, frame: int) -> Picture:
    return moved(painted(seed), *SHAKE[frame])


@pytest.fixture(scope="module")
def photos() -> dict[str, Picture]:
    album = {name: painted(seed) for seed, name in enumerate(SINGLES)}
    album |= {name: _frame(seed, frame) for name, (seed, frame) in BURSTS.items()}
    album["twin_a.png"] = painted(50)
    album["twin_b.png"] = painted(50)
    album["flat.png"] = np.full((480, 640, 3), 7, np.uint8)
    return album


@pytest.fixture(scope="module")
def index(photos: dict[str, Picture], tmp_path_factory: pytest.TempPathFactory) -> SourceIndex:
    folder = tmp_path_factory.mktemp("album")
    return SourceIndex.build(save(folder / "photos", photos), folder / "index", workers=2)


def _matched(index: SourceIndex, phone: Phone, pictures: Sequence[Picture]) -> tuple[Match, ...]:
    return match_grid(index, [phone.shows(picture) for picture in pictures])


ORDINARY = Phone()
NAMES = [*SINGLES, *BURSTS]

PHONES = {
    "plain": ORDINARY,
    "gamma": Phone(gamma=1.3),
    "ticks on every cell": ORDINARY.with_decorations("tick"),
    "badges on every cell": ORDINARY.with_decorations("badge"),
    "3 px and 1 % misplaced": Phone(off_px=(3, -2), grow_px=2),
    "small and badly compressed": Phone(cell_px=164, quality=60),
}


@pytest.mark.parametrize("phone", PHONES.values(), ids=PHONES.keys())
def test_singles_and_burst_frames_are_traced_to_their_own_photo(
    index: SourceIndex, photos: dict[str, Picture], phone: Phone
) -> None:
    found = _matched(index, phone, [photos[name] for name in NAMES])
    wrong = [(name, match) for name, match in zip(NAMES, found, strict=True) if match.photo not in (name, None)]
    undecided = [name for name, match in zip(NAMES, found, strict=True) if match.verdict is not Verdict.MATCHED]
    assert wrong == []
    assert len(undecided) <= 1


def test_a_twin_is_matched_as_its_class_with_the_first_member_as_photo(index: SourceIndex, photos: dict[str, Picture]) -> None:
    found = _matched(index, ORDINARY, [photos[name] for name in [*SINGLES, "twin_b.png"]])[-1]
    assert (found.verdict, found.photo, found.candidates) == (Verdict.MATCHED, "twin_a.png", ("twin_a.png", "twin_b.png"))


def test_a_flat_thumbnail_is_never_decided(index: SourceIndex, photos: dict[str, Picture]) -> None:
    found = _matched(index, ORDINARY, [photos[name] for name in [*SINGLES, "flat.png"]])[-1]
    assert found.verdict is Verdict.AMBIGUOUS
    assert found.photo is None


def test_photos_that_are_not_in_the_album_are_strangers(index: SourceIndex, photos: dict[str, Picture]) -> None:
    strangers = [painted(seed) for seed in range(200, 212)]
    found = _matched(index, ORDINARY, [*(photos[name] for name in SINGLES), *strangers])
    assert {match.verdict for match in found[len(SINGLES) :]} == {Verdict.STRANGER}


def test_an_absent_burst_frame_is_not_taken_for_its_siblings(index: SourceIndex, photos: dict[str, Picture]) -> None:
    absent = [moved(painted(100 + seed), *ABSENT) for seed in range(4)]
    found = _matched(index, ORDINARY, [*(photos[name] for name in SINGLES), *absent])
    assert [match.verdict for match in found[len(SINGLES) :]].count(Verdict.MATCHED) == 0


def test_a_photo_shown_in_two_sections_is_matched_twice(index: SourceIndex, photos: dict[str, Picture]) -> None:
    found = _matched(index, ORDINARY, [photos[name] for name in [*SINGLES, SINGLES[0]]])
    assert (found[0].photo, found[-1].photo) == (SINGLES[0], SINGLES[0])


def test_a_thumbnail_alone_is_matched_when_its_photo_has_no_like(index: SourceIndex, photos: dict[str, Picture]) -> None:
    assert _matched(index, ORDINARY, [photos[SINGLES[3]]])[0].photo == SINGLES[3]


def test_a_burst_frame_alone_is_decided_only_with_what_was_learned_of_the_phone(
    index: SourceIndex, photos: dict[str, Picture]
) -> None:
    phone = Phone(off_px=(2, 1))
    kin = learned_from(index, [phone.shows(photos[name]) for name in SINGLES])
    crop = phone.shows(photos["burst0_1.png"])
    assert match_grid(index, [crop])[0].photo in {None, "burst0_1.png"}
    assert match_grid(index, [crop], kin=kin)[0].photo == "burst0_1.png"


def test_what_was_learned_of_another_grid_is_not_forced_on_thumbnails_that_lie_elsewhere(
    index: SourceIndex, photos: dict[str, Picture]
) -> None:
    kin = learned_from(index, [Phone(off_px=(3, -3)).shows(photos[name]) for name in SINGLES])
    found = match_grid(index, [ORDINARY.shows(photos[name]) for name in NAMES], kin=kin)
    assert [(match.photo, name) for match, name in zip(found, NAMES, strict=True) if match.photo not in (name, None)] == []
    assert sum(match.verdict is Verdict.MATCHED for match in found) >= len(NAMES) - 1


@pytest.fixture(scope="module")
def shaken(tmp_path_factory: pytest.TempPathFactory) -> tuple[SourceIndex, dict[str, Picture]]:
    """Eight bursts of four, each held by a hand of its own."""
    rng = np.random.default_rng(3)
    frames = {
        f"shaken{seed}_{frame}.png": moved(painted(600 + seed), *rng.uniform(-4, 4, 2))
        for seed in range(8)
        for frame in range(4)
    }
    folder = tmp_path_factory.mktemp("shaken")
    return SourceIndex.build(save(folder / "photos", frames), folder / "index", workers=2), frames


@pytest.mark.parametrize("off", [(3, -2), (-3, 3), (2, 3)])
def test_a_misplaced_grid_of_bursts_alone_is_placed_by_what_all_wish(
    shaken: tuple[SourceIndex, dict[str, Picture]], off: tuple[int, int]
) -> None:
    """Best candidates are the frames whose shake makes up for the misplacement: they must not be believed."""
    index, frames = shaken
    found = _matched(index, Phone(off_px=off, grow_px=2), [*frames.values()])
    assert [(match.photo, name) for match, name in zip(found, frames, strict=True) if match.photo not in (name, None)] == []
    assert sum(match.verdict is Verdict.MATCHED for match in found) >= len(frames) - 3


def test_too_few_thumbnails_teach_nothing(index: SourceIndex, photos: dict[str, Picture], tmp_path: Path) -> None:
    assert learned_from(index, [ORDINARY.shows(photos[name]) for name in SINGLES[:5]]) == ()
    assert learned_from(index, []) == ()
    assert learned_from(SourceIndex.build({}, tmp_path / "index"), [ORDINARY.shows(painted(1))]) == ()


def test_sections_of_two_sizes_each_teach_their_own(index: SourceIndex, photos: dict[str, Picture]) -> None:
    crops = [Phone(cell_px=side).shows(photos[name]) for side in (180, 240) for name in SINGLES]
    assert sorted(kin.side_px for kin in learned_from(index, crops)) == [180, 240]


def test_an_undecided_thumbnail_names_every_photo_it_may_show_or_none_at_all(tmp_path: Path) -> None:
    """Scores span what it names: the photo it truly shows must never be missing."""
    rng = np.random.default_rng(11)
    burst = {f"frame{place:02d}.png": moved(painted(700), *rng.uniform(-0.7, 0.7, 2)) for place in range(24)}
    index = SourceIndex.build(save(tmp_path / "photos", burst), tmp_path / "index", workers=1)
    names = [*burst][:6]
    found = match_grid(index, [Phone(cell_px=140, quality=30, off_px=(1, 1)).shows(burst[name]) for name in names])
    undecided = [(name, match) for name, match in zip(names, found, strict=True) if match.verdict is Verdict.AMBIGUOUS]
    assert undecided
    assert [name for name, match in undecided if match.candidates and name not in match.candidates] == []
    assert [match for _, match in undecided if len(match.candidates) == 1] == []


def test_more_copies_of_a_photo_than_a_class_holds_are_matched_to_no_one_of_them_wrongly(tmp_path: Path) -> None:
    album = {f"copy{place:02d}.png": painted(800) for place in range(24)} | {
        name: painted(seed) for seed, name in enumerate(SINGLES)
    }
    index = SourceIndex.build(save(tmp_path / "photos", album), tmp_path / "index", workers=1)
    shown = [*SINGLES, "copy20.png", "copy23.png"]
    found = match_grid(index, [ORDINARY.shows(album[name]) for name in shown])[-2:]
    assert [
        match.photo for match, name in zip(found, shown[-2:], strict=True) if match.photo and name not in match.candidates
    ] == []


def test_what_no_photo_explains_is_undecided_on_a_phone_that_holds_the_album_alone(
    index: SourceIndex, photos: dict[str, Picture]
) -> None:
    crops = [ORDINARY.shows(picture) for picture in (*(photos[name] for name in SINGLES), painted(200))]
    assert match_grid(index, crops)[-1].verdict is Verdict.STRANGER
    closed = match_grid(index, crops, thresholds=CLOSED)[-1]
    assert (closed.verdict, closed.candidates) == (Verdict.AMBIGUOUS, ())


def test_photos_wider_than_high_may_be_cropped_off_their_middle_in_one_grid_with_square_ones(tmp_path: Path) -> None:
    """Square photos have no room to slide: they stay where they are while the others lie 1.2 px of 200 to the left."""
    wide = {f"wide{seed}_{frame}.png": moved(painted(300 + seed), *SHAKE[frame]) for seed in range(3) for frame in range(4)}
    square = {f"square{seed}.png": painted(400 + seed, 480, 480) for seed in range(6)}
    album = wide | square | {name: painted(500 + seed) for seed, name in enumerate(SINGLES)}
    index = SourceIndex.build(save(tmp_path / "photos", album), tmp_path / "index", workers=1)
    sliding = Phone(slide=0.006)
    shown = [*SINGLES[:8], *square, *wide]
    found = match_grid(index, [sliding.shows(album[name]) for name in shown])
    assert [(match.photo, name) for match, name in zip(found, shown, strict=True) if match.photo not in (name, None)] == []
    assert sum(match.verdict is Verdict.MATCHED for match in found) >= len(shown) - 1


def test_on_a_phone_that_holds_the_album_alone_a_poorly_shown_photo_without_rivals_is_matched() -> None:
    shown_badly = Evidence(
        likeness=0.93, decided=0.98, excess=4.0, unexplained=9.0, shift=1.0, growth=1.0, detail=200, kept=0.9, residual=30
    )
    # 6.26 − 0.64·4 − 0.92·ln 10 − 0.63·ln 2 − 0.79·ln 2 = 0.60, and 14.7·0.02 = 0.29 less with its rivals
    assert shown_badly.trust_but_for_rivals(CALIBRATED) == pytest.approx(0.60, abs=0.01)
    assert shown_badly.trust(CALIBRATED) == pytest.approx(0.30, abs=0.01)
    assert shown_badly.trust(CALIBRATED) < CALIBRATED.trust
    # Both of the first weigh 0.3: 6.26 − 1.20 − 0.69 − 0.44 − 0.55 = 3.38
    assert shown_badly.trust_but_for_rivals(CLOSED) == pytest.approx(3.38, abs=0.01)
    assert shown_badly.trust_but_for_rivals(CLOSED) >= CLOSED.alone


@pytest.mark.parametrize(("top", "bottom"), [(0, 120), (80, 200)], ids=["cut below", "cut above"])
def test_a_square_cut_off_by_a_bar_is_matched_by_what_is_left(
    index: SourceIndex, photos: dict[str, Picture], top: int, bottom: int
) -> None:
    crops = [ORDINARY.shows(photos[name]) for name in SINGLES]
    crops[2] = crops[2][top:bottom]
    found = match_grid(index, crops)[2]
    assert found.photo in {SINGLES[2], None}
    assert found.verdict is not Verdict.STRANGER


def test_too_little_of_a_square_is_left_undecided(index: SourceIndex, photos: dict[str, Picture]) -> None:
    crops = [ORDINARY.shows(photos[name]) for name in SINGLES]
    crops[2] = crops[2][:40]
    assert match_grid(index, crops)[2].verdict is Verdict.AMBIGUOUS


def test_thumbnails_that_show_whole_photos_are_matched(index: SourceIndex, photos: dict[str, Picture]) -> None:
    crops = [np.ascontiguousarray(photos[name][::2, ::2]) for name in SINGLES]
    assert [match.photo for match in match_grid(index, crops)] == SINGLES


def test_evidence_is_finite(index: SourceIndex, photos: dict[str, Picture]) -> None:
    found = _matched(index, ORDINARY, [photos[name] for name in [*SINGLES, "flat.png"]])
    assert all(np.isfinite(value) for match in found for value in match.evidence.values())


def test_no_thumbnails_give_no_verdicts(index: SourceIndex) -> None:
    assert match_grid(index, []) == ()


def test_everything_is_a_stranger_to_an_empty_album(tmp_path: Path) -> None:
    empty = SourceIndex.build({}, tmp_path / "index")
    assert match_grid(empty, [ORDINARY.shows(painted(1))])[0].verdict is Verdict.STRANGER
