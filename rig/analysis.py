"""From screens to source photos: everything here is a function of the run folder, needs no phone, and can be done again.

searches of a trial ─ some teach ─ all are traced ─ position rows ─ answers
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from matching.index import SourceIndex
from rig.album.manifest import load_album
from rig.clock import Clock, SystemClock
from rig.errors import RigError
from rig.model import Answer, Language, Outcome
from rig.records import Search, SearchKey, Trial
from rig.run import Run, final_tries, index_folder, latest_attempt, planned
from rig.sampling import spread
from rig.seeing import Eyes
from rig.tracing import Source, Task, learn, trace

TEACHERS = 16
"""Searches of a trial whose thumbnails teach the rest: LEARNED_FROM of them, six a search."""
TAUGHT = "matching"
"""Kind of evidence: which searches taught the matching of a trial."""

Progress = Callable[[int, int], None]
"""Called with (done, total) searches."""


@dataclass(frozen=True, slots=True)
class _Lesson:
    """The searches of one trial that are to be matched, and those that teach how its phone draws thumbnails."""

    letter: str
    attempt: int
    teachers: tuple[Task, ...]
    tasks: tuple[Task, ...]

    def taught_by(self, version: str) -> Mapping[str, object]:
        """What a match depends on besides its own search: kept, so that it is known when that has changed."""
        return {"attempt": self.attempt, "eyes": version, "searches": [task.search for task in self.teachers]}


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
    lessons = _due(run, index_albums(run, albums or {}, workers), version, again=again)
    total, done = sum(len(lesson.tasks) for lesson in lessons), 0
    with run.ledger.transaction():  # a run half matched anew is a run not matched, wherever this is cut short
        for task in (task for lesson in lessons for task in lesson.tasks):
            run.ledger.forget_match(task.search)
    with _workers(total, workers) as pool:
        for lesson, kin in zip(lessons, _each(pool, learn, [lesson.teachers for lesson in lessons]), strict=True):
            for result in _each(pool, trace, [replace(task, kin=kin) for task in lesson.tasks]):
                with run.ledger.transaction():
                    run.ledger.save_reading(result.search, result.reading)
                    run.ledger.save_match(result.search, clock.utc(), version, result.placed)
                progress(done := done + 1, total)
            run.ledger.add_evidence(lesson.letter, lesson.attempt, TAUGHT, clock.utc(), lesson.taught_by(version))
    return total


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


def index_albums(run: Run, moved: Mapping[str, Path] | None = None, workers: int | None = None) -> Mapping[str, Source]:
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
        sources[name] = Source(index_folder(run, name), {photo.id: photo.path for photo in album.photos})
        SourceIndex.build(sources[name].photos, sources[name].index, workers=workers)
    return sources


def _due(run: Run, sources: Mapping[str, Source], version: str, *, again: bool) -> list[_Lesson]:
    """What is to be matched, by trial. A trial that has other teachers than before, for it has grown, is matched anew."""
    lessons = []
    for trial in run.ledger.trials():
        attempt, searches = latest_attempt(run, trial), [*answered_searches(run, trial).values()]
        if attempt is None or not searches:
            continue
        teachers = tuple(_task(run, search, sources[trial.album], version) for search in spread(searches, TEACHERS))
        lesson = _Lesson(trial.letter, attempt.id, teachers, ())
        taught = [body for _, body in run.ledger.evidence(trial.letter, TAUGHT) if body["attempt"] == attempt.id]
        anew = again or taught[-1:] != [lesson.taught_by(version)]
        due = [search for search in searches if anew or run.ledger.match_version(search.id) != version]
        if due:
            lessons.append(replace(lesson, tasks=tuple(_task(run, search, sources[trial.album], version) for search in due)))
    return lessons


def _task(run: Run, search: Search, source: Source, version: str) -> Task:
    reading, opened = run.ledger.reading(search.id), run.ledger.opened(search.id)
    return Task(
        search.id,
        run.folder,
        run.ledger.screens(search.id),
        search.ending or "",
        reading if reading is not None and reading.eyes == version and reading.fault is None else None,
        source if opened else Source(source.index, {}),
        opened,
        run.protocol.max_results,
    )


@contextmanager
def _workers(tasks: int, workers: int | None) -> Iterator[Executor | None]:
    """Other processes to work in, where there is enough to do for them."""
    if workers == 1 or tasks < FEW:
        yield None
        return
    # Spawned, not forked: the parent has threads (rich's live table, OpenCV's pool), which a fork would copy half.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield pool


FEW = 16
"""Below this, starting processes costs more than it saves."""

_Given = TypeVar("_Given")
_Found = TypeVar("_Found")


def _each(pool: Executor | None, do: Callable[[_Given], _Found], tasks: Sequence[_Given]) -> Iterator[_Found]:
    return map(do, tasks) if pool is None else pool.map(do, tasks)
