"""Run folders written through the ledger alone: what a sweep and a match would have left, without a phone or a picture seen.

Every number of such a run is the test's own: it says which photos each phone showed for each query.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import numpy as np
from engine_lab import PROFILE
from PIL import Image as Picture

from drivers.interface import Identity, Screen
from matching.model import Position
from rig.album.digest import digest_of
from rig.album.manifest import write_album, write_queries
from rig.disk import write_file
from rig.model import Album, Language, Phone, Photo, Query, SourceType, Verdict
from rig.records import Placed, Reading, SearchKey
from rig.run import Run, plan_run

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
SIDE, COLUMNS = 40, 3
"""Cells of a drawn screen, in pixels, and in a row."""

Shows = Callable[[str, Query, Language], Sequence[str | Placed] | str | None]
"""What a phone (by letter) shows for a query: photos in order, a word for an invalid search, None for none at all."""

PROTOCOL = """
schema_version = 1
name = "made"
languages = [{languages}]
max_results = 100
[index]
mode = "fixed"
hours = 0
"""


def identity(letter: str, **changes: object) -> Identity:
    """Who answers under a letter: everything about it is a secret of the study."""
    values: dict[str, object] = {
        "serial": f"R5CR{letter}12Q7XK",
        "model": f"Galaxoid {letter}9 Ultra",
        "build": f"vendor/galaxoid{letter}/build.4711{letter}",
        "os_version": "16.4.2-beta",
        "gallery_package": "com.galaxoid.gallery",
        "gallery_version": "14.5.06.1",
        "locale": "zh-Hans-CN",
        "boot_count": "17",
        "virtual": False,
    }
    return Identity(**{**values, **changes})  # type: ignore[arg-type]


def ask(number: int, relevant: Sequence[str] = (), **changes: object) -> Query:
    values: dict[str, object] = {
        "id": f"q{number}",
        "album": "album",
        "text": {Language.ZH: f"海边 {number}", Language.EN: f"the sea {number}"},
        "source_type": list(SourceType)[number % 7],
        "relevant": frozenset(relevant),
        "dimensions": {},
    }
    return Query(**{**values, **changes})  # type: ignore[arg-type]


def make_album(folder: Path, queries: Sequence[Query], photos: int = 10, *, drawn: bool = False) -> Path:
    """An album folder of photos p0.png …; one byte each unless `drawn`."""
    source = folder / "photos"
    source.mkdir(parents=True)
    made = tuple(_photo(source, number, drawn=drawn) for number in range(photos))
    write_album(Album("album", source, made, (), digest_of(made)), folder)
    write_queries(queries, folder)
    return folder


def _photo(source: Path, number: int, *, drawn: bool) -> Photo:
    file = source / f"p{number}.png"
    if drawn:
        Picture.fromarray(_tile(f"p{number}.png")).save(file)
    else:
        file.write_bytes(b"%d" % number)
    content = file.read_bytes()
    return Photo(
        file.name, file, file.name, len(content), sha256(content).hexdigest(), SIDE, SIDE, "PNG", None, None, None
    )  # fmt: skip


def _tile(name: str) -> np.ndarray:
    """A photo's square: its own colour, with grain."""
    random = np.random.default_rng(int.from_bytes(sha256(name.encode()).digest()[:4], "big"))
    tile = np.full((SIDE, SIDE, 3), random.integers(40, 216, 3), np.float32)
    return np.clip(tile + random.normal(0, 12, tile.shape), 0, 255).astype(np.uint8)


def make_run(
    home: Path,
    album: Path,
    letters: Sequence[str],
    shows: Shows,
    *,
    languages: Sequence[str] = ("zh",),
    who: Callable[[str], Identity] = identity,
    drawn: bool = False,
    eyes: str = "eyes-1",
    names: Mapping[str, str] | None = None,
) -> Run:
    """A new run below `home`/runs in which every phone did what `shows` says. The caller closes its ledger."""
    home.mkdir(parents=True, exist_ok=True)
    protocol, profile = home / "made.toml", home / "fake.toml"
    protocol.write_text(PROTOCOL.format(languages=", ".join(f'"{language}"' for language in languages)))
    profile.write_text(PROFILE)
    phones = {
        letter: Phone((names or {}).get(letter, f"bench-{letter}-left"), "fake", f"10.77.0.{i}:5555", str(profile), {})
        for i, letter in enumerate(letters, 1)
    }
    run = plan_run(runs=home / "runs", protocol_file=protocol, letters=phones, album_folders=[album], confirm_erase=(), now=NOW)
    with run.ledger.transaction():
        for trial in run.ledger.trials():
            attempt = run.ledger.add_attempt(trial.id, NOW)
            run.ledger.add_identity(trial.letter, attempt, "met", NOW, who(trial.letter))
            for query in run.materials[trial.album].queries:
                for language in run.protocol.languages:
                    _search(run, attempt, trial.letter, query, language, shows, drawn=drawn, eyes=eyes)
    return run


def _search(
    run: Run, attempt: int, letter: str, query: Query, language: Language, shows: Shows, *, drawn: bool, eyes: str
) -> None:
    shown = shows(letter, query, language)
    if shown is None:
        return
    search = run.ledger.begin_search(attempt, SearchKey(query.id, language, 1), NOW)
    if isinstance(shown, str):
        run.ledger.invalidate(search.id, shown, "as the test wants it", 1.5)
        return
    boxes = [_box(place) for place in range(len(shown))]
    if drawn and shown:
        path = f"phones/{letter}/{query.id}-{language}/000.png"
        _draw(run.folder / path, shown)
        screen = Screen(b"", (0, 0, SIDE * COLUMNS, SIDE * (len(shown) // COLUMNS + 1)), None)
        run.ledger.add_screen(search.id, 0, path, sha256((run.folder / path).read_bytes()).hexdigest(), screen)
    ending = "end_proven" if shown else "no_results"
    positions = tuple(Position(((0, box),)) for box in boxes)
    run.ledger.answer(search.id, ending, 1.5, Reading(eyes, positions, end_proven=True, capped=False))
    placed = [
        one if isinstance(one, Placed) else Placed(rank, Verdict.MATCHED, one, (), {"inliers": 40.0}, 0, boxes[rank])
        for rank, one in enumerate(shown)
    ]
    run.ledger.save_match(search.id, NOW, eyes, placed)


def _box(place: int) -> tuple[int, int, int, int]:
    left, top = place % COLUMNS * SIDE, place // COLUMNS * SIDE
    return (left, top, left + SIDE, top + SIDE)


def _draw(file: Path, shown: Sequence[str | Placed]) -> None:
    screen = np.full((SIDE * (len(shown) // COLUMNS + 1), SIDE * COLUMNS, 3), 250, np.uint8)
    for place, one in enumerate(shown):
        left, top, right, bottom = _box(place)
        screen[top:bottom, left:right] = _tile(one if isinstance(one, str) else one.photo or "?")
    file.parent.mkdir(parents=True, exist_ok=True)
    Picture.fromarray(screen).save(file)
    write_file(file, file.read_bytes())
