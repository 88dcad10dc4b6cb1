"""Where a number comes from: one search of one phone, from the query to its screens, positions, photos and scores. Private."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matching.model import UnreadableImage
from rig.analysis import answers
from rig.disk import safe_name
from rig.errors import RigError
from rig.metrics.averages import QueryScore
from rig.metrics.scoring import look
from rig.model import Answer, Language, Query, Verdict
from rig.pictures import Pictures
from rig.records import Opened, Placed, ScreenRecord, Search, Trial
from rig.run import Run, latest_attempt
from rig.run_sides import photo_ids


@dataclass(frozen=True, slots=True)
class Place:
    """One position of the list with its picture; `relevant` is None where that is open."""

    placed: Placed
    crop: Path | None
    """None where the screen cannot be read any more."""
    relevant: bool | None


@dataclass(frozen=True, slots=True)
class Explained:
    """Everything that is known of one search."""

    letter: str
    query: Query
    language: Language
    tries: tuple[Search, ...]
    screens: tuple[ScreenRecord, ...]
    """Of the try that counts."""
    opened: tuple[Opened, ...]
    """Of the same try: results that were opened in full."""
    places: tuple[Place, ...]
    eyes: str | None
    missing: tuple[str, ...]
    """Relevant photos that are certainly not among the results."""
    answer: Answer
    score: QueryScore | None
    """None for a query whose right answer is not known."""


def explain(run: Run, letter: str, query: str, language: Language | None = None) -> Explained:
    """The search of a query, given by id or by its whole text. Crops are written below the run's `explain/`.

    RigError when there is no such phone, query or language, or the search is not matched.
    """
    trial, asked = _find(run, letter, query)
    spoken = _language(run, language)
    answer = next(a for a in answers(run)[letter] if a.query == asked.id and a.language is spoken)
    tries = _tries(run, trial, asked.id, spoken)
    counted = next((search for search in reversed(tries) if search.ending is not None), None)
    screens = run.ledger.screens(counted.id) if counted else ()
    placed = run.ledger.placed(counted.id) if counted else ()
    home = run.folder / "explain" / letter / f"{safe_name(asked.id)}-{spoken}"
    crops = _crops(Pictures(home, run.folder), counted, screens, placed)
    found = {name for result in answer.results for name in (result.photo, *result.candidates) if name is not None}
    return Explained(
        letter=letter,
        query=asked,
        language=spoken,
        tries=tries,
        screens=screens,
        opened=run.ledger.opened(counted.id) if counted else (),
        places=tuple(Place(p, crop, _relevant(p, asked)) for p, crop in zip(placed, crops, strict=True)),
        eyes=run.ledger.match_version(counted.id) if counted else None,
        missing=tuple(sorted(asked.relevant - found)),
        answer=answer,
        score=look([asked], [answer], albums=photo_ids(run))[0] if asked.truth_known else None,
    )


def _find(run: Run, letter: str, query: str) -> tuple[Trial, Query]:
    trials = [trial for trial in run.ledger.trials() if trial.letter == letter]
    if not trials:
        letters = ", ".join(phone.letter for phone in run.ledger.phones())
        raise RigError(f"{run.folder}: has no phone {letter}; there are: {letters}")
    every = [(trial, one) for trial in trials for one in run.materials[trial.album].queries]
    named = [pair for pair in every if pair[1].id == query] or [pair for pair in every if query in pair[1].text.values()]
    if not named:
        raise RigError(f'{run.folder}: has no query "{query}"; give its id, or its whole text')
    if len(named) > 1:
        ids = ", ".join(one.id for _, one in named)
        raise RigError(f'{run.folder}: the text "{query}" is that of several queries; give an id: {ids}')
    return named[0]


def _language(run: Run, language: Language | None) -> Language:
    languages = run.protocol.languages
    if language is None and len(languages) > 1:
        raise RigError(f"{run.folder}: was asked in {' and '.join(languages)}; give --language")
    chosen = Language(language or languages[0])
    if chosen not in languages:
        raise RigError(f"{run.folder}: was not asked in {chosen}; there are: {', '.join(languages)}")
    return chosen


def _tries(run: Run, trial: Trial, query: str, language: Language) -> tuple[Search, ...]:
    attempt = latest_attempt(run, trial)
    searches = run.ledger.searches(attempt.id) if attempt else ()
    return tuple(s for s in searches if (s.key.query, s.key.language, s.key.repeat) == (query, language, 1))


def _crops(
    pictures: Pictures, search: Search | None, screens: tuple[ScreenRecord, ...], placed: tuple[Placed, ...]
) -> Sequence[Path | None]:
    if search is None or not placed:
        return ()
    try:
        return [pictures.folder / name for name in pictures.crops(search.id, screens, placed)]
    except (UnreadableImage, IndexError):  # screens may have been removed to free space; what they showed is recorded
        return [None] * len(placed)


def _relevant(placed: Placed, query: Query) -> bool | None:
    if placed.verdict is Verdict.STRANGER:
        return False  # no photo of the album answers a query about it
    names = {name for name in (placed.photo, *placed.candidates) if name is not None}
    told = {name in query.relevant for name in names}
    return told.pop() if len(told) == 1 else None
