"""How many of the asked queries were truly answered, and why the others were not."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rig.metrics.averages import QueryScore


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts of queries and of what their lists held; a system that did not answer every query is incomplete."""

    asked: int
    asked_normal: int
    asked_zero: int
    answered: int
    unanswered: tuple[tuple[str, str], ...]
    """(query id, reason) of each query without an answer, in query order."""
    reasons: tuple[tuple[str, int], ...]
    """(reason, how many), the most frequent first."""
    retried: int
    """Queries that took more than one attempt."""
    foreign: int
    """Answers to queries that were not asked; left out."""
    results: int
    duplicates: int
    cut: int
    strangers: int
    unknown: int
    undecided: int
    open_ended: int
    """Lists that may go on beyond what was captured."""

    @property
    def is_complete(self) -> bool:
        """True when every query was answered."""
        return self.answered == self.asked


def cover(queries: Sequence[QueryScore], answers: Collection[str]) -> Coverage:
    """The coverage of these queries by answers to the queries with these ids."""
    lists = [q.returned for q in queries if q.returned is not None]
    unanswered = tuple((q.query.id, q.unanswered) for q in queries if q.unanswered is not None)
    zero = sum(q.query.is_rejection for q in queries)
    return Coverage(
        asked=len(queries),
        asked_normal=len(queries) - zero,
        asked_zero=zero,
        answered=len(lists),
        unanswered=unanswered,
        reasons=tuple(Counter(reason for _, reason in unanswered).most_common()),
        retried=sum(q.attempts > 1 for q in queries),
        foreign=len(set(answers) - {q.query.id for q in queries}),
        results=sum(r.raw for r in lists),
        duplicates=sum(r.duplicates for r in lists),
        cut=sum(r.cut for r in lists),
        strangers=sum(r.strangers for r in lists),
        unknown=sum(len(r.unknown) for r in lists),
        undecided=sum(r.undecided for r in lists),
        open_ended=sum(r.open_ended for r in lists),
    )
