"""Undecided results are opened in full while their search goes on: which, how many, and what becomes of it."""

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest
from engine_lab import PROTOCOL, FakeDriver, FakeLab, FakePhone, SteadyClock, ask
from opened_photos import BURST, HEIGHT, SCREEN, WIDTH, photos, viewed
from PIL import Image as Picture
from thumbnail_grids import painted, save

import rig.phases.opening
import rig.runner
import rig.tracing
from drivers.interface import Ask, Box, Ending, Invalid, NotOpened, Screen, SearchFailed
from matching.index import SourceIndex
from matching.match import match_grid
from matching.model import Image, Match, Verdict
from rig.album.manifest import write_album, write_queries
from rig.album.scan import scan_folder
from rig.analysis import answered_searches, answers, index_albums, match_run
from rig.errors import ExitCode
from rig.model import Query
from rig.publish.gathering import Wanted, gather, measured_phones
from rig.publish.study import join_study
from rig.records import Opened, Search
from rig.run import Run
from rig.run_report import build_report
from rig.runner import sweep
from rig.seeing import Eyes

SIDE, GAP, TOP = 236, 4, 120
SINGLES = [f"single{number}.png" for number in range(8)]
SHOWN = [*SINGLES[:4], "burst1.png", *SINGLES[4:], "burst2.png", "burst0.png"]
"""In rows of three: the first burst frame is the fifth result, the others the tenth and eleventh; all on one screen."""
ESCALATING = PROTOCOL + "[match]\nescalate = true\n"


@pytest.fixture(scope="module")
def pictures() -> Mapping[str, Image]:
    drawn = {name: painted(20 + number, 320, 240) for number, name in enumerate(SINGLES)}
    return drawn | {name: photos()[name] for name in BURST}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, pictures: Mapping[str, Image]) -> Path:
    folder = tmp_path_factory.mktemp("source") / "photos"
    save(folder, dict(pictures))
    return folder


def make_album(source: Path, folder: Path, queries: Sequence[Query]) -> Path:
    folder.mkdir(parents=True)
    write_album(scan_folder(source, name="album"), folder)
    write_queries(queries, folder)
    return folder


@dataclass
class ViewerPhone(FakePhone):
    """Shows `SHOWN` on one screen, or on two when it is `long`; a touch opens the photo, or does what `touched` does."""

    pictures: Mapping[str, Image] = field(default_factory=dict)
    touched: Callable[[], None] = lambda: None
    opens: bool = True
    long: bool = False

    def open(self) -> "FakeDriver":
        return ViewerDriver(self) if self.opens else BlindDriver(self)


class BlindDriver(FakeDriver):
    """Cannot open a photo."""

    phone: ViewerPhone

    def search(self, text: str) -> object:
        self._play(text)
        if not self.phone.results.get(text):
            return Ending.NO_RESULTS
        asked = yield self._grid()
        if self.phone.long and asked is Ask.ON:
            yield self._grid()
        return Ending.END_PROVEN

    def _grid(self) -> Screen:
        page = np.full((HEIGHT, WIDTH, 3), 250, np.uint8)
        cells = []
        for place, name in enumerate(SHOWN):
            left, top = 2 + place % 3 * (SIDE + GAP), TOP + place // 3 * (SIDE + GAP)
            photo = self.phone.pictures[name]
            height, width = photo.shape[:2]
            square = photo[:, (width - height) // 2 : (width + height) // 2]
            page[top : top + SIDE, left : left + SIDE] = cv2.resize(square, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
            cells.append((left, top, left + SIDE, top + SIDE))
        return Screen(png(page), (0, TOP, WIDTH, HEIGHT), tuple(cells))


class ViewerDriver(BlindDriver):
    """Keeps `PhotoOpener`, too."""

    def open_result(self, box: Box) -> Screen:
        self.phone.touched()
        place = (box[1] - TOP) // (SIDE + GAP) * 3 + box[0] // (SIDE + GAP)
        return Screen(png(viewed(self.phone.pictures[SHOWN[place]])), SCREEN, None)


def png(page: Image) -> bytes:
    file = io.BytesIO()
    Picture.fromarray(page).save(file, "PNG", compress_level=1)
    return file.getvalue()


@pytest.fixture(autouse=True)
def burst_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """However well thumbnails may be matched: here, no frame of the burst is told by its own."""

    def matched(index: SourceIndex, crops: Sequence[Image], **options: object) -> tuple[Match, ...]:
        found = match_grid(index, crops, **options)
        return tuple(
            Match(Verdict.AMBIGUOUS, None, BURST) if {match.photo, *match.candidates} & set(BURST) else match for match in found
        )

    monkeypatch.setattr(rig.runner, "index_albums", partial(index_albums, workers=1))
    monkeypatch.setattr(rig.phases.opening, "match_grid", matched)
    monkeypatch.setattr(rig.tracing, "match_grid", matched)


class PatientClock(SteadyClock):
    """A clock that time can be made to pass on."""

    def pass_by(self, seconds: float) -> None:
        with self._lock:
            self.now_s += seconds


@dataclass
class Lab:
    """One phone, one query, one run."""

    folder: Path
    source: Path
    pictures: Mapping[str, Image]
    clock: PatientClock = field(default_factory=PatientClock)

    @contextmanager
    def swept(
        self, relevant: Sequence[str] = ("burst1.png", SINGLES[0]), protocol: str = ESCALATING, **phone: object
    ) -> Iterator[Run]:
        album = make_album(self.source, self.folder / "album", [ask("q0", relevant=relevant)])
        found = {"find q0": SHOWN}
        one = ViewerPhone(self.folder / "A", results=found, pictures=self.pictures, **phone)
        lab = FakeLab(self.folder, {"A": one}, protocol=protocol, album=album, clock=self.clock)
        with lab.planned() as run:
            assert sweep(lab.setup(run, eyes=Eyes())).exit_code is ExitCode.COMPLETE
            yield run


@pytest.fixture
def lab(tmp_path: Path, source: Path, pictures: Mapping[str, Image]) -> Lab:
    return Lab(tmp_path, source, pictures)


def search(run: Run) -> Search:
    """The one that has the answer."""
    (trial,) = run.ledger.trials()
    (found,) = answered_searches(run, trial).values()
    return found


def opened(run: Run) -> tuple[Opened, ...]:
    return run.ledger.opened(search(run).id)


def traced(run: Run) -> dict[int, str | None]:
    """What the three results that no thumbnail tells were matched to, by rank."""
    match_run(run, workers=1)
    results = answers(run)["A"][0].results
    return {result.rank: result.photo for result in results if result.rank in (4, 9, 10)}


def events(run: Run, kind: str) -> list[dict[str, object]]:
    lines = (run.folder / "events.jsonl").read_text("utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["kind"] == kind]


def test_undecided_results_that_a_score_hangs_on_are_opened_and_traced(lab: Lab) -> None:
    with lab.swept() as run:
        assert [(view.screen, view.candidates, view.failure) for view in opened(run)] == [(0, BURST, "")] * 3
        assert all((run.folder / str(view.path)).is_file() for view in opened(run))
        assert len(events(run, "opened")) == 3
        assert traced(run) == {4: "burst1.png", 9: "burst2.png", 10: "burst0.png"}


def test_the_report_and_a_publication_say_that_results_were_opened(lab: Lab) -> None:
    with lab.swept() as run:
        match_run(run, workers=1)
        (note,) = (line for line in build_report(run, lab.folder / "report").footnotes if "opened" in line)
        assert note.startswith("3 results that their thumbnails left undecided were opened in full, up to 5 a search; 0 more")
        phones = measured_phones([run])
        study = join_study(lab.folder / "study.json", "study", [phone.subject for phone in phones])
        method = gather(phones, [], study, Wanted()).method
        assert any("were opened in full during the search, up to 5 each" in line for line in method)


def test_nothing_is_opened_unless_the_protocol_asks_for_it(lab: Lab) -> None:
    with lab.swept(protocol=PROTOCOL) as run:
        assert opened(run) == ()
        assert traced(run) == dict.fromkeys((4, 9, 10))
        assert not any("opened" in line for line in build_report(run, lab.folder / "report").footnotes)


@pytest.mark.parametrize("relevant", [BURST, SINGLES[:2], ()], ids=["all", "none", "nothing is right"])
def test_what_no_score_hangs_on_is_not_opened(lab: Lab, relevant: Sequence[str]) -> None:
    with lab.swept(relevant) as run:
        assert opened(run) == ()


def test_openings_are_bounded(lab: Lab) -> None:
    with lab.swept(protocol=ESCALATING + "escalations_per_search = 2\n") as run:
        assert len(opened(run)) == 2
        assert traced(run) == {4: "burst1.png", 9: "burst2.png", 10: None}


def test_a_result_is_opened_once_though_two_screens_show_it(lab: Lab) -> None:
    with lab.swept(long=True) as run:
        assert [view.screen for view in opened(run)] == [0, 0, 0]


def test_a_failed_opening_leaves_the_result_undecided_with_its_reason(lab: Lab) -> None:
    def refuse() -> None:
        raise NotOpened("the photo did not open")

    with lab.swept(touched=refuse) as run:
        assert [(view.path, view.failure) for view in opened(run)] == [(None, "the photo did not open")] * 3
        assert search(run).number == 1
        assert traced(run) == dict.fromkeys((4, 9, 10))


def test_a_list_that_is_lost_by_opening_is_searched_again(lab: Lab) -> None:
    tries = iter(range(100))

    def lose() -> None:
        if next(tries) == 0:
            raise SearchFailed(Invalid.SCROLL_LOST, "the results are not where they were")

    with lab.swept(touched=lose) as run:
        assert search(run).number == 2
        assert len(opened(run)) == 3


def test_a_driver_that_cannot_open_is_told_and_its_searches_are_answered(lab: Lab) -> None:
    with lab.swept(opens=False) as run:
        assert opened(run) == ()
        assert len(events(run, "cannot_open")) == 1


def test_opening_does_not_use_up_the_time_of_the_search(lab: Lab) -> None:
    hasty = ESCALATING.replace("[query]", "[query]\ndeadline_s = 1\nattempts = 1")
    with lab.swept(protocol=hasty, touched=lambda: lab.clock.pass_by(20), long=True) as run:
        assert len(opened(run)) == 3


def test_a_picture_that_was_changed_decides_nothing(lab: Lab) -> None:
    with lab.swept() as run:
        for view in opened(run):
            (run.folder / str(view.path)).write_bytes(png(viewed(photos()["other.png"])))
        assert traced(run) == dict.fromkeys((4, 9, 10))
