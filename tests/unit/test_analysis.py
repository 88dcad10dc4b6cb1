"""From screens to photos with the real eyes: what was shown is traced, what was not is never invented."""

import io
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from engine_lab import PROTOCOL, FakeLab, FakePhone, ask, draw_album, invalid
from PIL import Image as Picture

from drivers.interface import Screen
from matching.index import SourceIndex
from rig.album.manifest import load_album, write_album, write_queries
from rig.album.scan import scan_folder
from rig.analysis import answers, match_run
from rig.errors import RigError
from rig.model import Answer, Language, Outcome, Verdict
from rig.records import ScreenRecord
from rig.run import Run, open_run
from rig.runner import sweep
from rig.seeing import Eyes
from rig.tracing import read_screens

WIDTH, TOP, BOTTOM, SIDE, GAP = 720, 120, 1160, 236, 4
"""A 720 × 1280 px phone with three columns of 236 px tiles, 4 px apart, under a 120 px bar."""


def scene(seed: int) -> np.ndarray:
    """Something like a photograph: blobs, edges and grain, 320 × 240 px."""
    random = np.random.default_rng(seed)
    small = random.integers(0, 255, (9, 12, 3), dtype=np.uint8)
    picture = cv2.resize(small, (320, 240), interpolation=cv2.INTER_CUBIC).astype(np.float32)
    for _ in range(6):
        centre = tuple(int(value) for value in random.integers(20, 220, 2))
        cv2.circle(picture, centre, int(random.integers(8, 40)), tuple(float(v) for v in random.integers(0, 255, 3)), -1)
    return np.clip(picture + random.normal(0, 6, picture.shape), 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def album(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lab") / "album"
    (folder / "photos").mkdir(parents=True)
    for number in range(30):
        Picture.fromarray(scene(number)).save(folder / "photos" / f"p{number:02d}.jpg", quality=92)
    write_album(scan_folder(folder / "photos", name="album"), folder)
    write_queries([ask("q0"), ask("q1"), ask("q2")], folder)
    return folder


def gallery_screen(album: Path, names: Sequence[str], scrolled: int) -> Screen:
    """The results as a gallery draws them, without a UI tree."""
    page = np.full((1280, WIDTH, 3), 250, np.uint8)
    for place, name in enumerate(names):
        row, column = divmod(place, 3)
        top = TOP + row * (SIDE + GAP) - scrolled
        if top + SIDE <= TOP or top >= BOTTOM:
            continue
        photo = np.asarray(Picture.open(album / "photos" / name))[:, 40:280]
        tile = cv2.resize(photo, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        first, last = max(top, TOP), min(top + SIDE, BOTTOM)
        left = 2 + column * (SIDE + GAP)
        page[first:last, left : left + SIDE] = tile[first - top : last - top]
    file = io.BytesIO()
    Picture.fromarray(page).save(file, "PNG")
    return Screen(file.getvalue(), (0, TOP, WIDTH, BOTTOM), None)


class DrawnPhone(FakePhone):
    """Shows real pixels: screens of three columns, scrolled by two rows and a bit."""

    album: Path

    def open(self) -> object:
        driver = super().open()

        def search(text: str) -> object:
            driver._play(text)
            names = self.results.get(text, ())
            if not names:
                return "no_results"
            rows = -(-len(names) // 3)
            last = max(0, rows * (SIDE + GAP) - (BOTTOM - TOP))
            scrolled = 0
            while True:
                yield gallery_screen(self.album, names, scrolled)
                if scrolled == last:
                    return "end_proven"
                scrolled = min(last, scrolled + 2 * (SIDE + GAP) + 37)

        driver.search = search
        return driver


SHOWN = [f"p{number:02d}.jpg" for number in (3, 17, 4, 28, 9, 0, 11, 22, 5, 6, 14, 1, 19, 27, 8, 2, 25)]


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory, album: Path) -> Path:
    """A run folder over three queries: 17 results, nothing, one result; seen with the real eyes, its photos indexed."""
    folder = tmp_path_factory.mktemp("searched")
    phone = DrawnPhone(folder / "A", results={"find q0": SHOWN, "find q2": ["p12.jpg"]})
    phone.album = album
    lab = FakeLab(folder, {"A": phone}, album=album)
    with lab.planned() as run:
        sweep(lab.setup(run, eyes=Eyes()))
        sources = {photo.id: photo.path for photo in run.materials["album"].album.photos}
        SourceIndex.build(sources, run.folder / "index" / "album", workers=1)
        return run.folder


@pytest.fixture
def run(searched: Path, tmp_path: Path) -> Iterator[Run]:
    """The same run for each test."""
    run = open_run(Path(shutil.copytree(searched, tmp_path / "run")))
    yield run
    run.ledger.close()


def photos(answer: Answer) -> list[str | None]:
    return [result.photo for result in answer.results]


def test_what_was_shown_is_traced_in_order(run: Run) -> None:
    assert match_run(run, workers=1) == 3
    first, second, third = answers(run)["A"]
    assert photos(first) == SHOWN
    assert (second.outcome, photos(second)) == (Outcome.ANSWERED, [])
    assert photos(third) == ["p12.jpg"]
    assert all(result.verdict is Verdict.MATCHED for result in first.results)


def test_matching_needs_no_phone_and_can_be_done_again(run: Run) -> None:
    match_run(run, workers=1)
    before = answers(run)
    assert match_run(run, workers=1) == 0
    assert match_run(run, workers=1, again=True) == 3
    assert answers(run) == before


def test_screens_read_anew_show_the_same_list(run: Run) -> None:
    (trial,) = run.ledger.trials()
    (attempt,) = run.ledger.attempts(trial.id)
    for search in run.ledger.searches(attempt.id):
        again = read_screens(run.folder, run.ledger.screens(search.id), search.ending or "", run.protocol.max_results)
        assert again == run.ledger.reading(search.id)


def test_other_eyes_read_the_screens_anew(run: Run) -> None:
    (trial,) = run.ledger.trials()
    (attempt,) = run.ledger.attempts(trial.id)
    for search in run.ledger.searches(attempt.id):
        run.ledger._do("save_reading", search.id, "older eyes", "[]", 1, 0, None)
    match_run(run, workers=1)
    assert photos(answers(run)["A"][0]) == SHOWN


def test_a_run_that_was_not_matched_has_no_answers_yet(run: Run) -> None:
    with pytest.raises(RigError, match=r"is not matched yet; run: rig match"):
        answers(run)


def test_an_invalid_search_stays_invalid_and_one_not_asked_is_there(tmp_path: Path) -> None:
    small = draw_album(tmp_path / "album", queries=[ask(f"q{number}") for number in range(3)])
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", script={"find q1": [invalid()] * 3})}, album=small)
    with lab.planned() as run:
        before = answers(run)["A"]
        sweep(lab.setup(run))
        match_run(run, workers=1)
        after = answers(run)["A"]
    assert [answer.outcome for answer in before] == [Outcome.NOT_RUN] * 3
    assert [(answer.outcome, answer.reason, answer.attempts) for answer in after] == [
        (Outcome.ANSWERED, None, 1),
        (Outcome.INVALID, "dialog", 3),
        (Outcome.ANSWERED, None, 1),
    ]


def test_two_processes_match_as_one_does(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rig.analysis.FEW", 1)
    match_run(run, workers=1)
    one = answers(run)
    match_run(run, workers=2, again=True)
    assert answers(run) == one


def test_photos_that_moved_are_told_and_others_are_refused(run: Run, tmp_path: Path, album: Path) -> None:
    moved = tmp_path / "moved"
    other = draw_album(tmp_path / "other")
    with pytest.raises(RigError, match="its photos are not those of album album"):
        match_run(run, workers=1, albums={"album": other})
    write_album(load_album(album), moved)
    assert match_run(run, workers=1, albums={"album": moved}) == 3


def test_a_screen_that_was_lost_is_a_fault_and_not_an_empty_list(run: Run) -> None:
    for file in run.folder.rglob("q0/**/001.png"):
        file.write_bytes(b"")
    match_run(run, workers=1)
    lost = next(answer for answer in answers(run)["A"] if answer.query == "q0")
    assert (lost.outcome, lost.reason, lost.results) == (Outcome.INVALID, "screen_changed", ())


def test_a_screen_without_a_grid_is_unknown_unless_the_gallery_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "000.png"
    Picture.new("RGB", (WIDTH, 1280), "white").save(file)
    screens = (ScreenRecord(0, "000.png", "", (0, TOP, WIDTH, BOTTOM), None, None, ()),)
    assert read_screens(tmp_path, screens, "no_results", 100).fault is None
    assert read_screens(tmp_path, screens, "end_proven", 100).fault == "unknown_screen"
    assert read_screens(tmp_path, (), "end_proven", 100).fault == "unknown_screen"


def test_languages_and_repeats_are_answers_of_their_own(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")}, protocol=PROTOCOL.replace("[index]", "repeats = 2\n[index]", 1))
    with lab.planned() as run:
        sweep(lab.setup(run))
        match_run(run, workers=1)
        assert {(answer.query, answer.language) for answer in answers(run, repeat=2)["A"]} == {
            (f"q{number}", Language.EN) for number in range(4)
        }
