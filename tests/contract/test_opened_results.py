"""A whole sweep of one virtual phone whose burst no thumbnail tells: frames that a score hangs on are opened and told apart."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import pytest
from bench import private_adb_server
from driver_subjects import PATIENCE
from PIL import Image as Picture

import rig.phases.opening
import rig.tracing
from devices.virtual.lab import running_lab
from drivers import open_driver
from drivers.interface import GalleryDriver
from matching.index import SourceIndex
from matching.match import match_grid
from matching.model import Image, Match, Verdict
from rig.album.manifest import write_album, write_queries
from rig.album.scan import scan_folder
from rig.analysis import answered_searches, answers, match_run
from rig.config import load_lab
from rig.errors import ExitCode
from rig.events import EventLog
from rig.host_locks import HostLocks
from rig.model import Language, Query, SourceType
from rig.phone_run import Setup
from rig.records import PhoneRecord
from rig.run import Run, plan_run, profile_of
from rig.runner import sweep

BURST = ("burst0.jpg", "burst1.jpg", "burst2.jpg")
SHAKE = ((0.0, 0.0), (3.0, 1.0), (-2.0, 4.0))
"""px of 1200 × 900: at most 0.4 %."""
SINGLES = tuple(f"single{number}.jpg" for number in range(4))
PHONE = """
name = "opened"
[[phone]]
name = "one"
platform = "android"
skin = "xiaomi"
profile = "xiaomi"
seed = 3
speed = 5.0
engine = { misses = 0.0, forgets = 0.0, confuses = 0.0, english = 1.0 }
"""
PROTOCOL = """
schema_version = 1
name = "opened"
languages = ["en"]
[match]
escalate = true
[index]
mode = "adaptive"
floor_s = 1
spacing_s = 1
cap_s = 60
probes = ["cat"]
stable_rounds = 2
[disk]
keep_free_bytes = 0
screen_bytes = 1
"""
_XMP = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:subject><rdf:Bag><rdf:li>{}</rdf:li></rdf:Bag></dc:subject>'
    "</rdf:Description></rdf:RDF></x:xmpmeta>"
)


def scene(seed: int, dx: float = 0.0, dy: float = 0.0) -> Image:
    """Clouds and blocks of 1200 × 900 px, seen by a camera that was moved by so many px; the grain is new each time."""
    random = np.random.default_rng(seed)
    small = random.integers(40, 215, (45, 60, 3), dtype=np.uint8)
    large = cv2.resize(small, (1200, 900), interpolation=cv2.INTER_CUBIC)
    for _ in range(40):
        left, top = int(random.integers(0, 1100)), int(random.integers(0, 800))
        colour = tuple(int(level) for level in random.integers(30, 225, 3))
        cv2.rectangle(
            large, (left, top), (left + int(random.integers(20, 200)), top + int(random.integers(20, 150))), colour, -1
        )
    moved = cv2.warpAffine(large, np.array([[1, 0, dx], [0, 1, dy]], float), (1200, 900), borderMode=cv2.BORDER_REFLECT)
    grain = np.random.default_rng(abs(round(1000 * dx + dy))).normal(0, 3, moved.shape)
    return np.clip(moved + grain, 0, 255).astype(np.uint8)


def write_photo(file: Path, pixels: Image, keyword: str) -> None:
    held = BytesIO()
    Picture.fromarray(pixels).save(held, "JPEG", quality=92, xmp=_XMP.format(escape(keyword)).encode())
    file.write_bytes(held.getvalue())


def make_album(folder: Path) -> Path:
    """Dogs: a burst of three and four singles. Only one frame of the burst answers the query. A cat for the probe."""
    source = folder / "photos"
    source.mkdir(parents=True)
    for name, shake in zip(BURST, SHAKE, strict=True):
        write_photo(source / name, scene(1, *shake), "dog")
    for number, name in enumerate(SINGLES):
        write_photo(source / name, scene(10 + number), "dog")
    write_photo(source / "zz-cat.jpg", scene(30), "cat")  # for the probe; the last to be indexed
    write_album(scan_folder(source, name="dogs"), folder)
    relevant = frozenset({"burst1.jpg", *SINGLES})
    write_queries([Query("q1", "dogs", {Language.EN: "dog"}, SourceType.V, relevant)], folder)
    return folder


@pytest.fixture
def _undecided_bursts(monkeypatch: pytest.MonkeyPatch) -> None:
    """However well thumbnails may be matched: here, no frame of the burst is told by its own."""

    def matched(index: SourceIndex, crops: Sequence[Image], **options: object) -> tuple[Match, ...]:
        found = match_grid(index, crops, **options)
        return tuple(
            Match(Verdict.AMBIGUOUS, None, BURST) if {match.photo, *match.candidates} & set(BURST) else match for match in found
        )

    monkeypatch.setattr(rig.phases.opening, "match_grid", matched)
    monkeypatch.setattr(rig.tracing, "match_grid", matched)


def setup_of(run: Run, folder: Path) -> Setup:
    def opened(phone: PhoneRecord) -> GalleryDriver:
        profile = replace(profile_of(run, phone), patience=PATIENCE)
        return open_driver(phone.platform, phone.address, profile, phone.options)

    return Setup(run, open_driver=opened, locks=HostLocks(folder / "locks"), emit=EventLog(run.folder / "events.jsonl"))


@pytest.mark.usefixtures("_undecided_bursts")
def test_burst_frames_are_opened_on_the_phone_and_traced_by_what_it_shows_in_full(tmp_path: Path) -> None:
    album = make_album(tmp_path / "album")
    (tmp_path / "described.toml").write_text(PHONE)
    (tmp_path / "protocol.toml").write_text(PROTOCOL)
    with private_adb_server(), running_lab(str(tmp_path / "described.toml"), tmp_path / "lab") as control:
        (phone,) = load_lab(tmp_path / "lab" / "lab.toml")
        run = plan_run(
            runs=tmp_path / "runs",
            protocol_file=tmp_path / "protocol.toml",
            letters={"A": phone},
            album_folders=[album],
            confirm_erase=("one",),
            now=datetime.now(UTC),
        )
        try:
            ended = sweep(setup_of(run, tmp_path))
            assert ended.exit_code is ExitCode.COMPLETE, [phone.cause for phone in ended.phones]
            truly = control.shown("one")["searches"][-1]["lists"][-1]["names"]
            (trial,) = run.ledger.trials()
            (search,) = answered_searches(run, trial).values()
            views = run.ledger.opened(search.id)
            match_run(run, workers=1)
            (answer,) = answers(run)["A"]
        finally:
            run.ledger.close()
    assert sorted(truly) == sorted((*BURST, *SINGLES))
    assert [(view.candidates, view.failure) for view in views] == [(BURST, "")] * 3
    assert [result.photo for result in answer.results if truly[result.rank] in BURST] == [n for n in truly if n in BURST]
    assert all(result.photo in (truly[result.rank], None) for result in answer.results)
