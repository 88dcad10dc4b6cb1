"""What a photo opened in full does to the verdict on its thumbnail: it decides, narrows, contradicts, or changes nothing."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from opened_photos import BURST, SCREEN, photos, viewed
from thumbnail_grids import save

from matching.model import Match, Position, Verdict
from rig.full_views import CLAIMED, judged
from rig.records import Opened

BOX = (100, 200, 300, 400)
POSITIONS = (Position(((0, (0, 0, 90, 90)),)), Position(((1, (90, 190, 310, 410)), (0, (90, 600, 310, 820)))))
OPEN = Match(Verdict.AMBIGUOUS, None, BURST, {"trust": 0.5})


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    return save(tmp_path_factory.mktemp("photos"), dict(photos()))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run folder in which the second frame was opened from screen 1, and something else later."""
    save(tmp_path, {"opened-00.png": viewed(photos()["burst1.png"]), "opened-01.png": viewed(photos()["other.png"])})
    return tmp_path


def view(file: str | None = "opened-00.png", screen: int = 1, candidates: Sequence[str] = BURST) -> Opened:
    return Opened(screen, BOX, tuple(candidates), file, file and "hash", file and SCREEN, "" if file else "it did not open")


def second(match: Match, opened: Opened, run: Path, files: Mapping[str, Path], first: Match = OPEN) -> Match:
    """The verdict on the second of two positions."""
    return judged((first, match), POSITIONS, (opened,), folder=run, photos=files, twins=())[1]


def test_an_undecided_thumbnail_is_matched_to_what_was_opened(run: Path, files: Mapping[str, Path]) -> None:
    found = second(OPEN, view(), run, files)
    assert (found.verdict, found.photo, found.candidates) == (Verdict.MATCHED, "burst1.png", ())
    assert (found.evidence["trust"], found.evidence["opened"]) == (0.5, 1.0)


def test_only_the_thumbnail_that_was_touched_is_decided(run: Path, files: Mapping[str, Path]) -> None:
    found = judged((OPEN, OPEN), POSITIONS, (view(),), folder=run, photos=files, twins=())
    assert [match.verdict for match in found] == [Verdict.AMBIGUOUS, Verdict.MATCHED]


def test_a_touch_on_a_screen_that_shows_no_position_there_decides_nothing(run: Path, files: Mapping[str, Path]) -> None:
    assert judged((OPEN, OPEN), POSITIONS, (view(screen=3),), folder=run, photos=files, twins=()) == (OPEN, OPEN)


def test_what_did_not_open_stays_undecided(run: Path, files: Mapping[str, Path]) -> None:
    assert second(OPEN, view(None), run, files) == OPEN


def test_a_picture_that_is_gone_changes_nothing(run: Path, files: Mapping[str, Path]) -> None:
    assert second(OPEN, view("gone.png"), run, files) == OPEN


def test_a_full_view_of_something_else_leaves_all_candidates_open(run: Path, files: Mapping[str, Path]) -> None:
    found = second(OPEN, view("opened-01.png"), run, files)
    assert (found.verdict, found.candidates) == (Verdict.AMBIGUOUS, BURST)


def test_a_full_view_may_leave_fewer_candidates(run: Path, files: Mapping[str, Path]) -> None:
    found = second(Match(Verdict.AMBIGUOUS, None, (*BURST, "twin.png")), view(), run, files)
    assert (found.verdict, sorted(found.candidates)) == (Verdict.AMBIGUOUS, ["burst1.png", "twin.png"])


def test_two_looks_that_agree_leave_the_match_with_the_evidence_of_both(run: Path, files: Mapping[str, Path]) -> None:
    found = second(Match(Verdict.MATCHED, "burst1.png", (), {"trust": 3.0}), view(), run, files)
    assert (found.verdict, found.photo) == (Verdict.MATCHED, "burst1.png")
    assert (found.evidence["trust"], found.evidence["opened"]) == (3.0, 1.0)


def test_two_looks_that_contradict_each_other_leave_both_photos_open(run: Path, files: Mapping[str, Path]) -> None:
    found = second(Match(Verdict.MATCHED, "burst0.png"), view(), run, files)
    assert (found.verdict, found.photo, found.candidates) == (Verdict.AMBIGUOUS, None, ("burst0.png", "burst1.png"))


def test_a_photo_that_another_thumbnail_is_matched_to_is_not_taken_twice(run: Path, files: Mapping[str, Path]) -> None:
    found = second(OPEN, view(), run, files, first=Match(Verdict.MATCHED, "burst1.png"))
    assert (found.verdict, found.candidates, found.evidence[CLAIMED]) == (Verdict.AMBIGUOUS, BURST, 1.0)


def test_a_stranger_stays_one(run: Path, files: Mapping[str, Path]) -> None:
    stranger = Match(Verdict.STRANGER, None)
    assert second(stranger, view(), run, files) == stranger
