"""Fair samples: of an album's queries, for procedures that have not the time for all, and of anything in order."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from rig.model import Query

T = TypeVar("T")


def spread(items: Sequence[T], count: int) -> tuple[T, ...]:
    """At most `count` of the items, at equal steps, in order.

    >>> spread("abcdef", 3)
    ('a', 'c', 'e')
    """
    return tuple(items) if len(items) <= count else tuple(items[place * len(items) // count] for place in range(count))


def sample_queries(queries: Sequence[Query], count: int | None, seed: int) -> tuple[Query, ...]:
    """At most `count` queries, in the order given; each kind has its share, and the seed says which of a kind are taken.

    Kinds are source types, and queries whose right answer is "nothing". Sampling is systematic: queries are sorted by kind,
    shuffled within each, then taken at equal steps, so that a kind's share is right to within one query.
    """
    if count is None or count >= len(queries):
        return tuple(queries)
    random = Random(f"{seed}/sample")
    ordered = list(queries)
    random.shuffle(ordered)
    ordered.sort(key=lambda query: (query.is_rejection, query.source_type))
    step = len(ordered) / count
    start = random.random() * step
    taken = {ordered[int(start + place * step)].id for place in range(count)}
    return tuple(query for query in queries if query.id in taken)
