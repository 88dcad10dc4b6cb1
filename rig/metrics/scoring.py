"""One system's scores: every query looked at once, then counted by album, source type and dimension."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from rig.errors import RigError
from rig.metrics.averages import Averaging, QueryScore
from rig.metrics.bounded import UNKNOWN, Bounded
from rig.metrics.coverage import Coverage, cover
from rig.metrics.ranking import RANKING_METRICS, UNKNOWN_RANKING, score_ranking
from rig.metrics.rejection import Rejection
from rig.metrics.returned import read_returned, why_unanswered
from rig.metrics.sets import UNKNOWN_SETS, SetScore, score_sets
from rig.metrics.tables import (
    Complexity,
    DepthGap,
    Slice,
    complexity,
    depth_gap,
    rejection_of,
    slice_by_album,
    slice_by_depth,
    slice_by_type,
    slice_of,
)
from rig.model import Answer, Depth, Language, Query, SourceType

METRIC_VERSION = "1"
"""Goes up when the same answers would get other numbers; comparisons across versions are refused."""


class Missing(StrEnum):
    """What an unanswered query (invalid, or never run) counts as in the value; the bounds always span it."""

    LEAVE_OUT = "leave-out"
    """Nothing: the value is that of the answered queries, and the system is marked incomplete."""
    ZERO = "zero"
    """P = R = F1 = 0 on a normal query, "not rejected" on a zero-ground-truth one: never an empty answer."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Everything that is known of one system over one set of queries, in one language."""

    language: Language | None
    missing: Missing
    queries: tuple[QueryScore, ...]
    coverage: Coverage
    overall: Mapping[Averaging, Slice]
    rejection: Rejection
    by_album: Mapping[str, Slice]
    by_type: Mapping[Averaging, Mapping[SourceType, Slice | None]]
    complexity: Mapping[Averaging, Complexity]
    by_depth: Mapping[Averaging, Mapping[str, Mapping[Depth, Slice | None]]]
    depth_gap: Mapping[Averaging, DepthGap]


def score(
    queries: Sequence[Query],
    answers: Iterable[Answer],
    *,
    albums: Mapping[str, Collection[str]] | None = None,
    missing: Missing = Missing.LEAVE_OUT,
) -> Scores:
    """The scores of one system's answers, at most one a query and all in one language.

    `albums` gives the photo ids of each album where they are known: they tell unknown names from wrong photos, and how
    long a list that may go on can get. Answers to queries that are not among `queries` are left out and counted.
    """
    answers = list(answers)
    seen = look(queries, answers, albums=albums)
    if missing is Missing.ZERO:
        seen = unanswered_as_zero(seen)
    return Scores(
        language=_one_language(answers),
        missing=missing,
        queries=seen,
        coverage=cover(seen, {answer.query for answer in answers}),
        overall={averaging: slice_of(seen, averaging) for averaging in Averaging},
        rejection=rejection_of(seen),
        by_album=slice_by_album(seen),
        by_type={averaging: slice_by_type(seen, averaging) for averaging in Averaging},
        complexity={averaging: complexity(seen, averaging) for averaging in Averaging},
        by_depth={averaging: slice_by_depth(seen, averaging) for averaging in Averaging},
        depth_gap={averaging: depth_gap(seen, averaging) for averaging in Averaging},
    )


def look(
    queries: Sequence[Query], answers: Iterable[Answer], *, albums: Mapping[str, Collection[str]] | None = None
) -> tuple[QueryScore, ...]:
    """Each query's scores alone, in query order; otherwise as `score`."""
    _check_truth(queries)
    by_query = _by_query(answers)
    _one_language(by_query.values())
    return tuple(_look(query, by_query.get(query.id), (albums or {}).get(query.album)) for query in queries)


def unanswered_as_zero(queries: Iterable[QueryScore]) -> tuple[QueryScore, ...]:
    """The same, each unanswered query with the value 0 and "not rejected"; its bounds stay."""
    return tuple(q if q.unanswered is None else _as_zero(q) for q in queries)


def _as_zero(q: QueryScore) -> QueryScore:
    if q.query.is_rejection:
        return replace(q, empty=False)
    zero = Bounded(0.0, UNKNOWN.low, UNKNOWN.high)
    return replace(q, empty=False, sets=SetScore(zero, zero, zero), ranking=dict.fromkeys(RANKING_METRICS, zero))


def _check_truth(queries: Sequence[Query]) -> None:
    blank = [query.id for query in queries if not query.truth_known]
    if blank:
        raise RigError(f"scores: {len(blank)} queries have no ground truth, first {blank[0]!r}; give a file that has it")


def _by_query(answers: Iterable[Answer]) -> dict[str, Answer]:
    answers = list(answers)
    by_query = {answer.query: answer for answer in answers}
    if len(by_query) < len(answers):
        twice = [query for query, n in Counter(answer.query for answer in answers).items() if n > 1]
        raise RigError(f"scores: {len(twice)} queries are answered twice, first {twice[0]!r}; give one repeat at a time")
    return by_query


def _one_language(answers: Iterable[Answer]) -> Language | None:
    languages = {answer.language for answer in answers}
    if len(languages) > 1:
        raise RigError(f"scores: answers in {' and '.join(sorted(languages))} are mixed; score each language by itself")
    return next(iter(languages), None)


def _look(query: Query, answer: Answer | None, names: Collection[str] | None) -> QueryScore:
    reason = why_unanswered(answer)
    if answer is None or reason is not None:
        return _unanswered(query, answer, reason or "not run")
    returned = read_returned(answer, names=names)
    empty = returned.raw == 0
    if query.is_rejection:
        return QueryScore(query, None, answer.attempts, returned, empty, None, {})
    size = None if names is None else len(names)
    sets = score_sets(returned, query.relevant, album_size=size)
    return QueryScore(query, None, answer.attempts, returned, empty, sets, score_ranking(returned, query.relevant))


def _unanswered(query: Query, answer: Answer | None, reason: str) -> QueryScore:
    attempts = 0 if answer is None else answer.attempts
    if query.is_rejection:
        return QueryScore(query, reason, attempts, None, None, None, {})
    return QueryScore(query, reason, attempts, None, None, UNKNOWN_SETS, UNKNOWN_RANKING)
