"""From screens to source photos: everything here is a function of the run folder, needs no phone, and can be done again.

    screens ─ reading (positions) ─ crops ─ match_grid against the album's index ─ position rows ─ answers
                                            └ photos opened in full, where the protocol had some opened

A reading made while searching is used again as long as the eyes are the same; other eyes read the screens anew.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from matching.index import SourceIndex
from matching.match import match_grid
from matching.model import Image, Match, UnreadableImage
from rig.album.manifest import load_album
from rig.clock import Clock, SystemClock
from rig.errors import RigError
from rig.full_views import judged
from rig.model import Answer, Language, Outcome, Verdict
from rig.records import Opened, Placed, Reading, ScreenRecord, Search, SearchKey, Trial
from rig.run import Run, final_tries, index_folder, latest_attempt, planned
from rig.seeing import CAPPED, Eyes, Follower, Look, NotAnAnswer

Progress = Callable[[int, int], None]
"""Called with (done, total) searches."""


@dataclass(frozen=True, slots=True)
class _Source:
    """An album to match against: its index, and where its photos lie."""

    index: Path
    photos: Mapping[str, Path]


@dataclass(frozen=True, slots=True)
class _Task:
    """One search to be matched. Plain data, so that it can go to another process."""

    search: int
    folder: Path
    screens: tuple[ScreenRecord, ...]
    ending: str
    reading: Reading | None
    """What was seen before; None when the screens are to be read anew."""
    source: _Source
    """Of its photos, only for a search that opened some."""
    opened: tuple[Opened, ...]
    max_results: int


@dataclass(frozen=True, slots=True)
class _Done:
    search: int
    reading: Reading
    placed: tuple[Placed, ...]


def match_run(
    run: Run,
    *,
    workers: int | None = None,
    progress: Progress = lambda _done, _total: None,
    albums: Mapping[str, Path] | None = None,
    clock: Clock | None = None,
    again: bool = False,
) -> int:
    """Every answered search of the run is matched by the eyes of this rig; returns how many were newly matched.

    `albums`: where the photos of an album lie now, by name, if not where they were. `again` matches also what the same eyes
    have matched before. Raises RigError when photos are gone.
    """
    clock = clock or SystemClock()
    version = Eyes().version
    tasks = _tasks(run, index_albums(run, albums or {}, workers), version, again=again)
    for done, result in enumerate(_work(tasks, workers), start=1):
        with run.ledger.transaction():
            run.ledger.save_reading(result.search, result.reading)
            run.ledger.save_match(result.search, clock.utc(), version, result.placed)
        progress(done, len(tasks))
    return len(tasks)


def answers(run: Run, *, repeat: int = 1) -> dict[str, tuple[Answer, ...]]:
    """By letter: one answer for each planned query and language, in the order of albums and query files.

    A search that was not answered, or whose screens turned out not to be a list, is there with its outcome; nothing is left
    out. Raises RigError when an answered search was not matched yet.
    """
    found: dict[str, list[Answer]] = {}
    for trial in run.ledger.trials():
        found.setdefault(trial.letter, []).extend(_answers(run, trial, repeat))
    return {letter: tuple(given) for letter, given in found.items()}


def answered_searches(run: Run, trial: Trial) -> dict[SearchKey, Search]:
    """The searches of a trial that have an answer, each with the try that gave it."""
    attempt = latest_attempt(run, trial)
    final = final_tries(run.ledger.searches(attempt.id)) if attempt else {}
    return {key: search for key, search in final.items() if search.outcome is Outcome.ANSWERED}


def _answers(run: Run, trial: Trial, repeat: int) -> list[Answer]:
    attempt = latest_attempt(run, trial)
    final = final_tries(run.ledger.searches(attempt.id)) if attempt else {}
    keys = [key for key in planned(run.protocol, run.materials[trial.album]) if key.repeat == repeat]
    return [_answer(run, key, final.get(key)) for key in keys]


def _answer(run: Run, key: SearchKey, search: Search | None) -> Answer:
    language = Language(key.language)
    if search is None:
        return Answer(key.query, language, Outcome.NOT_RUN, (), attempts=0)
    if search.outcome is not Outcome.ANSWERED:
        return Answer(key.query, language, Outcome.INVALID, (), reason=search.reason, attempts=search.number)
    reading = run.ledger.reading(search.id, places=False)
    if reading is None or run.ledger.match_version(search.id) is None:
        raise RigError(f"{run.folder}: search {key.query} ({language}) is not matched yet; run: rig match {run.folder}")
    if reading.fault is not None:
        return Answer(key.query, language, Outcome.INVALID, (), reason=reading.fault, attempts=search.number)
    return Answer(
        key.query,
        language,
        Outcome.ANSWERED,
        run.ledger.results(search.id),
        attempts=search.number,
        end_proven=reading.end_proven,
        capped=reading.capped,
    )


def index_albums(run: Run, moved: Mapping[str, Path] | None = None, workers: int | None = None) -> Mapping[str, _Source]:
    """The index of each album is in the run folder and up to date. `moved`: as `albums` of `match_run`. Raises RigError."""
    sources = {}
    moved = moved or {}
    digests = {record.name: record.digest for record in run.ledger.albums()}
    for name, material in run.materials.items():
        album = load_album(moved[name]) if name in moved else material.album
        if album.digest != digests[name]:
            raise RigError(
                f"album {album.root}: its photos are not those of album {name} of {run.folder.name}; give those pushed"
            )
        sources[name] = _Source(index_folder(run, name), {photo.id: photo.path for photo in album.photos})
        SourceIndex.build(sources[name].photos, sources[name].index, workers=workers)
    return sources


def _tasks(run: Run, sources: Mapping[str, _Source], version: str, *, again: bool) -> list[_Task]:
    tasks = []
    for trial in run.ledger.trials():
        for search in answered_searches(run, trial).values():
            if not again and run.ledger.match_version(search.id) == version:
                continue
            reading, opened, source = run.ledger.reading(search.id), run.ledger.opened(search.id), sources[trial.album]
            tasks.append(
                _Task(
                    search.id,
                    run.folder,
                    run.ledger.screens(search.id),
                    search.ending or "",
                    reading if reading is not None and reading.eyes == version and reading.fault is None else None,
                    source if opened else _Source(source.index, {}),
                    opened,
                    run.protocol.max_results,
                )
            )
    return tasks


def _work(tasks: Sequence[_Task], workers: int | None) -> Iterator[_Done]:
    if not tasks:
        return
    if workers == 1 or len(tasks) < FEW:
        yield from map(_match, tasks)
        return
    # Spawned, not forked: the parent has threads (rich's live table, OpenCV's pool), which a fork would copy half.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_match, tasks, chunksize=4)


FEW = 16
"""Below this, starting processes costs more than it saves."""

_open_indices: dict[Path, SourceIndex] = {}
"""This process's open indices; each is memory-mapped once."""


def _match(task: _Task) -> _Done:
    changed = [screen.path for screen in task.screens if not _is_as_captured(task.folder / screen.path, screen.sha256)]
    if changed:
        return _Done(task.search, Reading(Eyes().version, (), end_proven=False, capped=False, fault="screen_changed"), ())
    reading = task.reading or read_screens(task.folder, task.screens, task.ending, task.max_results)
    if reading.fault is not None or not reading.positions:
        return _Done(task.search, reading, ())
    index = _index(task.source.index)
    try:
        crops = _crops(task, reading)
    except UnreadableImage as error:
        return _Done(task.search, Reading(reading.eyes, (), end_proven=False, capped=False, fault=f"broken_image: {error}"), ())
    labels = [position.label for position in reading.positions]
    matches = match_grid(index, crops, labels=labels)
    whole = [view for view in task.opened if view.path and _is_as_captured(task.folder / view.path, view.sha256 or "")]
    if whole:
        photos, twins = task.source.photos, index.twins
        matches = judged(matches, reading.positions, whole, folder=task.folder, photos=photos, twins=twins)
    placed = tuple(_placed(rank, match, reading) for rank, match in enumerate(matches))
    return _Done(task.search, reading, placed)


def _index(folder: Path) -> SourceIndex:
    if folder not in _open_indices:
        _open_indices[folder] = SourceIndex.open(folder)
    return _open_indices[folder]


def read_screens(
    folder: Path, screens: Sequence[ScreenRecord], ending: str, max_results: int, eyes: Eyes | None = None
) -> Reading:
    """What the screens of one search show, read anew; a `fault` says why they are no result list."""
    follower = Follower(eyes or Eyes(), max_results)
    try:
        for screen in screens:
            follower.look(Look(folder / screen.path, screen.viewport, screen.cells, screen.labels))
        # Other eyes may see fewer positions than the reader had when it closed the list: then its end is not proven.
        return follower.reading("" if ending == CAPPED and not follower.enough else ending)
    except (NotAnAnswer, UnreadableImage) as error:
        reason = error.reason if isinstance(error, NotAnAnswer) else "broken_image"
        return Reading((eyes or Eyes()).version, (), end_proven=False, capped=False, fault=str(reason))


def _is_as_captured(file: Path, digest: str) -> bool:
    """False when a screen is gone or is not the one that was captured: nothing is to be concluded from it."""
    try:
        return sha256(file.read_bytes()).hexdigest() == digest
    except OSError:
        return False


def _crops(task: _Task, reading: Reading) -> list[Image]:
    """The best sighting of each position, cut from its screen."""
    eyes = Eyes()
    images: dict[int, Image] = {}
    crops = []
    for position in reading.positions:
        screen, (left, top, right, bottom) = position.sightings[0]
        if screen not in images:
            images[screen] = eyes.image(task.folder / task.screens[screen].path)
        crops.append(np.ascontiguousarray(images[screen][top:bottom, left:right]))
    return crops


def _placed(rank: int, match: Match, reading: Reading) -> Placed:
    screen, box = reading.positions[rank].sightings[0]
    return Placed(rank, Verdict(match.verdict), match.photo, match.candidates, match.evidence, screen, box)
