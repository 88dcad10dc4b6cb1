"""A lab for testing the engine: an album of drawn photos, and phones that live in a file, where a killed rig finds them again.

The fake driver keeps the driver's contract in full; what it shows is laid out by its own cell boxes and labels, which the
test's eyes read, so that no test of the engine depends on how well pictures are seen.
"""

import io
import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from threading import Event as Flag
from threading import Lock

import numpy as np
from PIL import Image as Picture

from drivers.interface import (
    Ask,
    DriverError,
    Ending,
    GalleryDriver,
    Health,
    Identity,
    ImportFault,
    ImportReport,
    Invalid,
    PhoneLost,
    Progress,
    PushItem,
    ResetProof,
    Screen,
    SearchFailed,
    Sign,
)
from matching.model import Cell, Grid, Image, Position
from matching.stitch import Step
from rig.album.manifest import write_album, write_queries
from rig.album.scan import scan_folder
from rig.events import EventLog
from rig.host_locks import HostLocks
from rig.model import Language, Phone, Query, SourceType
from rig.phone_run import Setup
from rig.records import PhoneRecord
from rig.run import Run, open_run, plan_run
from rig.seeing import Eyes, Look

COLUMNS, ROWS, TILE = 3, 4, 8
WELL = Health(90, 25.0, True, 10**12, 0.0, False, True, "UTC", {})

PROTOCOL = """
schema_version = 1
name = "bench"
languages = ["en"]
max_results = 20
[index]
mode = "fixed"
hours = 0
[query]
reconnect_s = 5
[disk]
keep_free_bytes = 0
screen_bytes = 1
"""

PROFILE = """
schema_version = 1
name = "fake"
title = "A gallery made of a file"
platform = "fake"
package = "fake.gallery"
[elements]
field = [{ id = "field" }]
no_results = [{ id = "nothing" }]
"""


class SteadyClock:
    """Waits pass at once; every reading takes a millisecond, so that time goes on."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.began = datetime(2026, 1, 1, tzinfo=UTC)
        self._lock = Lock()

    def utc(self) -> datetime:
        return self.began + timedelta(seconds=self.elapsed_s())

    def elapsed_s(self) -> float:
        with self._lock:
            self.now_s += 0.001
            return self.now_s

    def wait(self, seconds: float, stop: Flag) -> bool:
        with self._lock:
            self.now_s += max(0.0, seconds)
        return stop.is_set()


def draw_album(folder: Path, photos: int = 6, queries: Sequence[Query] = (), probes: Sequence[Query] = ()) -> Path:
    """An album folder with drawn photos p00.png …"""
    source = folder / "photos"
    source.mkdir(parents=True)
    for number in range(photos):
        noise = np.random.default_rng(number).integers(0, 255, (12, 16, 3), dtype=np.uint8)
        Picture.fromarray(noise).resize((64, 48)).save(source / f"p{number:02d}.png")
    write_album(scan_folder(source, name=folder.name), folder)
    write_queries(queries or [ask(f"q{number}") for number in range(4)], folder, probes=probes)
    return folder


def ask(query: str, text: str | None = None, relevant: Sequence[str] = ()) -> Query:
    return Query(query, "album", {Language.EN: text or f"find {query}"}, SourceType.V, frozenset(relevant), {})


@dataclass
class FakePhone:
    """A phone that lives in a file. `script` maps a text to what each next search of it does; the last entry stays."""

    home: Path
    serial: str = "S1"
    virtual: bool = True
    results: Mapping[str, Sequence[str]] = field(default_factory=dict)
    script: Mapping[str, Sequence["SearchFailed | DriverError | Callable[[], None]"]] = field(default_factory=dict)
    health: Callable[[], Health] = lambda: WELL
    factory: bool = True

    def __post_init__(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        if not self.file.exists():
            self.write(
                {"serial": self.serial, "build": "b1", "gallery": "g1", "boot": 1, "album": {}, "settings": {"ime": "vendor"},
                 "erased": 0, "tried": {}, "searches": []}
            )  # fmt: skip

    @property
    def file(self) -> Path:
        return self.home / "phone.json"

    def read(self) -> dict:
        return json.loads(self.file.read_text())

    def write(self, state: Mapping[str, object]) -> None:
        part = self.file.with_suffix(".part")
        part.write_text(json.dumps(state))
        part.replace(self.file)

    def change(self, **changes: object) -> None:
        self.write({**self.read(), **changes})

    def open(self) -> "FakeDriver":
        if self.read().get("gone"):
            raise PhoneLost("no such device")
        return FakeDriver(self)


class FakeDriver:
    """Keeps `GalleryDriver`."""

    def __init__(self, phone: FakePhone) -> None:
        self.phone = phone

    def identify(self) -> Identity:
        state = self.phone.read()
        if state.get("gone"):
            raise PhoneLost("no such device")
        return Identity(
            state["serial"],
            "Fake 1",
            state["build"],
            "1",
            "fake.gallery",
            state["gallery"],
            "en",
            str(state["boot"]),
            self.phone.virtual,
        )

    def health(self) -> Health:
        return self.phone.health()

    def prepare(self) -> Mapping[str, str]:
        state = self.phone.read()
        self.phone.change(settings={"ime": "rig"})
        return state["settings"]

    def restore(self, settings: Mapping[str, str]) -> None:
        self.phone.change(settings=dict(settings))

    def reset(self) -> ResetProof:
        state = self.phone.read()
        self.phone.change(album={}, settings={"ime": "vendor"}, erased=state["erased"] + 1)
        return ResetProof("fake", self.phone.factory, tuple(Sign(name, "there", "gone", True) for name in ("a", "b", "c")))

    def push(self, items: Sequence[PushItem], progress: Progress) -> None:
        album = dict(self.phone.read()["album"])
        for item in items:
            album[item.device_name] = sha256(item.path.read_bytes()).hexdigest()
        self.phone.change(album=album)
        progress(len(items), len(items))

    def verify_import(self, items: Sequence[PushItem]) -> ImportReport:
        album = self.phone.read()["album"]
        faults = [
            ImportFault(item.device_name, "missing", item.sha256, "")
            for item in items
            if album.get(item.device_name) != item.sha256
        ]
        return ImportReport(len(items), len(album), tuple(faults))

    def index_signals(self) -> Mapping[str, str]:
        return {"cpu_s": "1"}

    def search(self, text: str) -> Generator[Screen, Ask | None, Ending]:
        self._play(text)
        names = self.phone.results.get(text, ())
        if not names:
            return Ending.NO_RESULTS
        top = 0
        last = max(0, -(-len(names) // COLUMNS) - ROWS)
        while True:
            yield draw_screen(names, top)
            if top >= last:
                return Ending.END_PROVEN
            top = min(top + ROWS - 1, last)

    def _play(self, text: str) -> None:
        state = self.phone.read()
        tried = state["tried"].get(text, 0)
        self.phone.change(tried={**state["tried"], text: tried + 1}, searches=[*state["searches"], text])
        acts = self.phone.script.get(text, ())
        if tried < len(acts):
            act = acts[tried]
            if isinstance(act, Exception):
                raise act
            act()

    def close(self) -> None:
        return


def draw_screen(names: Sequence[str], top: int) -> Screen:
    """Rows `top`… of a result list; each cell is labelled with its place and photo."""
    picture = np.full((ROWS * TILE, COLUMNS * TILE, 3), 255, np.uint8)
    cells, labels = [], []
    for place, name in enumerate(names):
        row, column = divmod(place, COLUMNS)
        if not top <= row < top + ROWS:
            continue
        box = (column * TILE, (row - top) * TILE, (column + 1) * TILE, (row - top + 1) * TILE)
        seed = int.from_bytes(name.encode()[-4:], "big")
        picture[box[1] : box[3], box[0] : box[2]] = np.random.default_rng(seed).integers(
            0, 255, (TILE, TILE, 3), dtype=np.uint8
        )
        cells.append(box)
        labels.append(f"{place}:{name}")
    file = io.BytesIO()
    Picture.fromarray(picture).save(file, "PNG")
    return Screen(file.getvalue(), (0, 0, COLUMNS * TILE, ROWS * TILE), tuple(cells), tuple(labels))


class LabelEyes(Eyes):
    """Sees cells where the tree says, and joins them by their labels."""

    @property
    def version(self) -> str:
        return "labels"

    def image(self, file: Path) -> Image:
        return np.asarray(Picture.open(file))

    def grid(self, image: Image, look: Look) -> Grid:
        if not look.cells:
            return Grid(False, "no cells in the tree")
        labels = look.labels or [None] * len(look.cells)
        return Grid(True, "tree", tuple(Cell(box, False, label) for box, label in zip(look.cells, labels, strict=True)))

    def stitcher(self) -> "LabelStitcher":
        return LabelStitcher()


class LabelStitcher:
    def __init__(self) -> None:
        self.seen: dict[str, list] = {}
        self.screens = 0

    def add(self, image: Image, grid: Grid) -> Step:
        before = len(self.seen)
        lost = bool(self.seen) and not any(cell.label in self.seen for cell in grid.cells)
        for cell in () if lost else grid.cells:
            self.seen.setdefault(cell.label or "", []).append((self.screens, cell.box))
        self.screens += 1
        return Step(len(self.seen) - before, 1.0, lost, len(self.seen) == before)

    @property
    def positions(self) -> tuple[Position, ...]:
        return tuple(Position(tuple(sightings), label) for label, sightings in self.seen.items())


@dataclass
class FakeLab:
    """Phones by letter, an album, a run, and the means to sweep it."""

    folder: Path
    phones: Mapping[str, FakePhone]
    protocol: str = PROTOCOL
    album: Path | None = None
    confirm: Sequence[str] = ("all-virtual",)
    platforms: Mapping[str, str] = field(default_factory=dict)
    """By letter, where it is not `fake`."""
    clock: SteadyClock = field(default_factory=SteadyClock)
    stop: Flag = field(default_factory=Flag)
    meet_serial: Callable[[str, str], str | None] = lambda _letter, _serial: None

    def __post_init__(self) -> None:
        self.locks = HostLocks(self.folder / "locks")

    def plan(self) -> Run:
        self.folder.mkdir(exist_ok=True)
        file = self.folder / "bench.toml"
        file.write_text(self.protocol)
        profile = self.folder / "fake.toml"
        profile.write_text(PROFILE)
        album = self.folder / "album"
        letters = {
            letter: Phone(f"phone-{letter}", self.platforms.get(letter, "fake"), f"fake://{letter}", str(profile), {})
            for letter in self.phones
        }
        return plan_run(
            runs=self.folder / "runs",
            protocol_file=file,
            letters=letters,
            album_folders=[self.album or (album if album.exists() else draw_album(album))],
            confirm_erase=self.confirm,
            now=self.clock.utc(),
        )

    @contextmanager
    def planned(self) -> Iterator[Run]:
        """A new run, closed afterwards."""
        run = self.plan()
        try:
            yield run
        finally:
            run.ledger.close()
            self.locks.release()

    def setup(self, run: Run, **changes: object) -> Setup:
        setup = Setup(
            run,
            open_driver=self.open_driver,
            locks=self.locks,
            emit=EventLog(run.folder / "events.jsonl"),
            stop=self.stop,
            clock=self.clock,
            eyes=LabelEyes(),
            meet_serial=self.meet_serial,
        )
        return replace(setup, **changes)

    def open_driver(self, phone: PhoneRecord) -> GalleryDriver:
        return self.phones[phone.letter].open()


def reopened(run: Run) -> Run:
    """The same run as a later process opens it."""
    run.ledger.close()
    return open_run(run.folder)


def invalid(reason: Invalid = Invalid.DIALOG) -> SearchFailed:
    return SearchFailed(reason, "as the test wants it", b"not a picture, kept as it came")
