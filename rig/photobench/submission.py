"""Writes answers as a PhotoBench submission, in both forms, and says what its readers cannot tell apart.

    current  one array over all albums: [{"album_id": "1", "query_en": …, "pred": […]}]; the key is the English text even
             for Chinese runs, so queries that share it are ambiguous
    old      {"model_name", "language": "cn"|"en", "results": [{"query_id", "predictions": […]}]}

Only answered queries are written: a failed look is never an empty answer.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rig.errors import RigError
from rig.metrics.returned import MAXIMUM_RESULTS, why_unanswered
from rig.model import Answer, Language, Query, Verdict
from rig.photobench.release import shared_keys


class Form(StrEnum):
    """The two published forms."""

    CURRENT = "current"
    OLD = "old"


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission ready to be written as JSON, and what to know about it."""

    content: list[dict[str, object]] | dict[str, object]
    written: int
    unanswered: tuple[tuple[str, str], ...]
    """(query id, reason) of each query that is left out."""
    ambiguous: tuple[tuple[str, str, int], ...]
    """(album, English text, number of queries) of each key that several written queries share."""
    unnamed: int
    """Results left out of the written lists: undecided, no photo of the album, repeated, or beyond the maximum."""


def make_submission(
    queries: Sequence[Query], answers: Iterable[Answer], *, form: Form, model_name: str, language: Language
) -> Submission:
    """The submission of one system's answers in one language. RigError when an album or a text cannot be put into the form."""
    by_query = {answer.query: answer for answer in answers if answer.language is language}
    unanswered: list[tuple[str, str]] = []
    names: dict[str, list[str]] = {}
    for query in queries:
        answer = by_query.get(query.id)
        reason = why_unanswered(answer)
        named = [] if answer is None else _named(answer)
        if reason is None and answer is not None and answer.results and not named:
            reason = "no result could be named"  # an empty list would say that nothing was found
        if reason is None:
            names[query.id] = named
        else:
            unanswered.append((query.id, reason))
    kept = [query for query in queries if query.id in names]
    shared = shared_keys(kept, Language.EN) if form is Form.CURRENT else {}
    return Submission(
        content=_current(kept, names) if form is Form.CURRENT else _old(kept, names, model_name, language),
        written=len(kept),
        unanswered=tuple(unanswered),
        ambiguous=tuple((album, text, len(group)) for (album, text), group in shared.items()),
        unnamed=sum(len(by_query[query.id].results) - len(names[query.id]) for query in kept),
    )


def _named(answer: Answer) -> list[str]:
    """The matched photos in order, none twice, at most 100; a second match to a class of twins is the next of them."""
    names: dict[str, None] = {}
    for result in answer.results:
        if result.verdict is Verdict.MATCHED and result.photo is not None:
            new = next((photo for photo in (result.photo, *result.candidates) if photo not in names), None)
            if new is not None:
                names[new] = None
    return list(names)[:MAXIMUM_RESULTS]


def _current(queries: Iterable[Query], names: Mapping[str, Sequence[str]]) -> list[dict[str, object]]:
    return [
        {"album_id": _album_id(query), "query_en": _english(query), "pred": [_file_name(n) for n in names[query.id]]}
        for query in queries
    ]


def _old(
    queries: Iterable[Query], names: Mapping[str, Sequence[str]], model_name: str, language: Language
) -> dict[str, object]:
    return {
        "model_name": model_name,
        "language": "cn" if language is Language.ZH else "en",
        "results": [{"query_id": query.id, "predictions": [_file_name(n) for n in names[query.id]]} for query in queries],
    }


def _album_id(query: Query) -> str:
    """The release's number of the album, as a string."""
    found = re.fullmatch(r"(?:album[ _-]?)?(\d+)", query.album, re.IGNORECASE)
    if not found:
        raise RigError(
            f"submission: PhotoBench's albums are album1 to album3, query {query.id} is of {query.album!r}; use --form old"
        )
    return found[1]


def _english(query: Query) -> str:
    if Language.EN not in query.text:
        raise RigError(f"submission: query {query.id} has no English text, which is the form's key; use --form old")
    return query.text[Language.EN]


def _file_name(photo: str) -> str:
    """The release names photos without folders."""
    return photo.rsplit("/", 1)[-1]
