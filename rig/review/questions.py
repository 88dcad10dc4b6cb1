"""What is asked of annotators about one run, the same for each of them; what an annotator must not know is not in a session.

A question's id is a hash of what is asked and of what is shown. After a new match with other candidates it is another
question, and what was said of the old one is kept but no longer counts.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Literal

from rig.analysis import answered_searches
from rig.errors import RigError
from rig.model import Box, Language, Query, Verdict
from rig.records import Placed, ScreenRecord, Search, Trial
from rig.run import Run


class Kind(StrEnum):
    """What a question is about."""

    MATCH = "match"
    """Which photo a thumbnail is that matching left undecided."""
    RELEVANCE = "relevance"
    """Whether a returned photo answers a query."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the run a thumbnail was seen. Never shown to an annotator."""

    letter: str
    query: str
    language: Language
    repeat: int
    rank: int


@dataclass(frozen=True, slots=True)
class MatchQuestion:
    """One undecided thumbnail. `screen` is relative to the run folder, `box` is in its pixels."""

    id: str
    album: str
    place: Place
    screen: str
    box: Box
    candidates: tuple[str, ...]
    kind: Literal[Kind.MATCH] = Kind.MATCH


@dataclass(frozen=True, slots=True)
class RelevanceQuestion:
    """One photo that some phone returned for a query, asked once however many did, in the languages in which they did."""

    id: str
    album: str
    query: str
    text: Mapping[Language, str]
    photo: str
    kind: Literal[Kind.RELEVANCE] = Kind.RELEVANCE


Question = MatchQuestion | RelevanceQuestion


@dataclass(frozen=True, slots=True)
class Plan:
    """Every question of a run."""

    matches: tuple[MatchQuestion, ...]
    relevance: tuple[RelevanceQuestion, ...]
    without_candidates: int
    """Undecided thumbnails of which matching could name no candidate: nothing to choose from, so they are not asked."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """All of both kinds."""
        return (*self.matches, *self.relevance)


def plan_review(run: Run) -> Plan:
    """The questions of a matched run, in the ledger's order. Raises RigError when an answered search is not matched yet."""
    matches: list[MatchQuestion] = []
    returned: dict[tuple[str, str], dict[str, set[Language]]] = {}
    without = 0
    for trial, search in _read_searches(run):
        placed = run.ledger.placed(search.id)
        shown = returned.setdefault((trial.album, search.key.query), {})
        for place in placed:
            for photo in names_of(place):
                shown.setdefault(photo, set()).add(search.key.language)
        undecided = [place for place in placed if place.verdict is Verdict.AMBIGUOUS]
        without += sum(not place.candidates for place in undecided)
        if any(place.candidates for place in undecided):
            screens = run.ledger.screens(search.id)
            matches += [_match_question(run, trial, search, place, screens) for place in undecided if place.candidates]
    return Plan(tuple(matches), tuple(_relevance_questions(run, returned)), without)


def names_of(place: Placed) -> tuple[str, ...]:
    """The photos that a place is, or may be, each once."""
    return tuple(dict.fromkeys(name for name in (place.photo, *place.candidates) if name is not None))


def _read_searches(run: Run) -> Iterator[tuple[Trial, Search]]:
    """Every search whose screens are a result list."""
    for trial in run.ledger.trials():
        for key, search in answered_searches(run, trial).items():
            reading = run.ledger.reading(search.id)
            if reading is None or run.ledger.match_version(search.id) is None:
                raise RigError(
                    f"{run.folder}: search {key.query} ({key.language}) is not matched yet; run: rig match {run.folder}"
                )
            if reading.fault is None:
                yield trial, search


def _match_question(run: Run, trial: Trial, search: Search, place: Placed, screens: tuple[ScreenRecord, ...]) -> MatchQuestion:
    key, screen = search.key, screens[place.screen]
    shown = [run.record.id, search.id, place.rank, screen.sha256, place.box, sorted(place.candidates)]
    where = Place(trial.letter, key.query, key.language, key.repeat, place.rank)
    return MatchQuestion(_id(Kind.MATCH, shown), trial.album, where, screen.path, place.box, place.candidates)


def _relevance_questions(
    run: Run, returned: Mapping[tuple[str, str], Mapping[str, set[Language]]]
) -> Iterator[RelevanceQuestion]:
    run_id = run.record.id
    queries = {query.id: query for material in run.materials.values() for query in material.queries}
    for (album, query_id), photos in returned.items():
        query = queries[query_id]
        asked = _id(Kind.RELEVANCE, [run_id, album, query_id, sorted(query.text.items())])
        for photo, languages in photos.items():
            yield RelevanceQuestion(_id(Kind.RELEVANCE, [asked, photo]), album, query_id, _texts(query, languages), photo)


def _texts(query: Query, languages: set[Language]) -> dict[Language, str]:
    return {language: query.text[language] for language in Language if language in languages}


def _id(kind: Kind, shown: Sequence[object]) -> str:
    return sha256(json.dumps([kind, *shown], ensure_ascii=False).encode()).hexdigest()[:24]
