"""What a set of scores was taken over, as digests: two sides may be compared only where these agree."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rig.model import Query


@dataclass(frozen=True, slots=True)
class QuerySetIdentity:
    """sha256 (hex) of the questions, and of the right answers; with the counts."""

    queries: str
    """Over id, album, texts, source type and dimensions."""
    truth: str
    """Over id and relevant photos."""
    count: int
    zero: int
    albums: Mapping[str, int]
    """Queries per album."""


def identify(queries: Iterable[Query]) -> QuerySetIdentity:
    """The identity of these queries; their order does not matter."""
    queries = sorted(queries, key=lambda query: query.id)
    albums: dict[str, int] = {}
    for query in queries:
        albums[query.album] = albums.get(query.album, 0) + 1
    return QuerySetIdentity(
        queries=_digest([_question(query) for query in queries]),
        truth=_digest([[query.id, sorted(query.relevant)] for query in queries]),
        count=len(queries),
        zero=sum(query.is_rejection for query in queries),
        albums=albums,
    )


def _question(query: Query) -> list[object]:
    return [query.id, query.album, sorted(query.text.items()), query.source_type, sorted(query.dimensions.items())]


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()
