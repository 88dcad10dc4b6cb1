"""One query's scores, and the two ways to average over queries of several albums.

The paper does not name its own way: `POOLED` is the mean over queries, `ALBUMS` the mean over albums of each album's
mean, over the albums that have such queries (Table 2: "averaged over all albums"). Both are always worked out; which
one is shown is the reader's choice, and printed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from rig.metrics.bounded import UNDEFINED, Bounded, mean
from rig.metrics.returned import Returned
from rig.metrics.sets import SetScore
from rig.model import Query


class Averaging(StrEnum):
    """How a mean over several albums is formed."""

    POOLED = "pooled"
    ALBUMS = "mean-of-albums"


@dataclass(frozen=True, slots=True)
class QueryScore:
    """One query of one system. `sets` is None and `ranking` empty for a zero-ground-truth query."""

    query: Query
    unanswered: str | None
    """Why there is no answer; None when there is one."""
    attempts: int
    returned: Returned | None
    empty: bool | None
    """True when the answer was, or counts as, "nothing"; None when there is no answer and it counts as none."""
    sets: SetScore | None
    ranking: Mapping[str, Bounded]


def by_album(queries: Iterable[QueryScore]) -> dict[str, list[QueryScore]]:
    """The queries of each album, in order of first appearance."""
    albums: dict[str, list[QueryScore]] = {}
    for q in queries:
        albums.setdefault(q.query.album, []).append(q)
    return albums


def average(queries: Iterable[QueryScore], pick: Callable[[QueryScore], Bounded], averaging: Averaging) -> Bounded:
    """The mean of one number over normal queries, formed as `averaging` says; undefined over none."""
    queries = list(queries)
    if not queries:
        return UNDEFINED
    if averaging is Averaging.POOLED:
        return mean(pick(q) for q in queries)
    return mean(mean(pick(q) for q in album) for album in by_album(queries).values())


def precision(q: QueryScore) -> Bounded:
    """The precision of a normal query."""
    return UNDEFINED if q.sets is None else q.sets.precision


def recall(q: QueryScore) -> Bounded:
    """The recall of a normal query."""
    return UNDEFINED if q.sets is None else q.sets.recall


def f1(q: QueryScore) -> Bounded:
    """The F1 of a normal query."""
    return UNDEFINED if q.sets is None else q.sets.f1


def ranking(name: str) -> Callable[[QueryScore], Bounded]:
    """Picks one ranking metric of a normal query."""
    return lambda q: q.ranking.get(name, UNDEFINED)


def normal(queries: Iterable[QueryScore]) -> list[QueryScore]:
    """The queries that have relevant photos."""
    return [q for q in queries if not q.query.is_rejection]
