"""Pairs up two sides' answers to the same queries, or says why they may not be compared."""

from collections.abc import Iterable
from dataclasses import dataclass

from rig.errors import RigError
from rig.metrics.averages import QueryScore
from rig.metrics.scoring import look, unanswered_as_zero
from rig.questions import Questions
from rig.sides import EYES, GROUND_TRUTH, QUERY_SET, Side

_REMEDY = {EYES: "match both with one rig (rig match RUN --again), or say with --across-eyes that this is what you compare"}


@dataclass(frozen=True, slots=True)
class Pairs:
    """The queries that both sides answered, in query order, and the others."""

    old: tuple[QueryScore, ...]
    new: tuple[QueryScore, ...]
    """Paired with `old` by place."""
    unanswered_old: tuple[tuple[str, str], ...]
    """(query id, reason) of each query that the old side did not answer."""
    unanswered_new: tuple[tuple[str, str], ...]
    old_with_zeros: tuple[QueryScore, ...]
    """All queries, unanswered ones as 0: the sensitivity to leaving them out."""
    new_with_zeros: tuple[QueryScore, ...]

    @property
    def excluded(self) -> int:
        """Queries that one side or both did not answer; left out of both."""
        return len({query for query, _ in (*self.unanswered_old, *self.unanswered_new)})


def pair_up(questions: Questions, old: Side, new: Side) -> Pairs:
    """The pairs. RigError with the reason when the two sides are not about the same thing, or nothing pairs."""
    check_comparable(old, new)
    for side in (old, new):
        check_asked(side, questions)
    queries = questions.queries
    seen_old, seen_new = (look(queries, side.answers, albums=questions.albums) for side in (old, new))
    both = [(o, n) for o, n in zip(seen_old, seen_new, strict=True) if o.unanswered is None and n.unanswered is None]
    if not both:
        raise RigError(
            f"compare: {old.name} and {new.name} have no answered query in common among {len(queries)}; "
            "give two systems that answered the same queries"
        )
    return Pairs(
        old=tuple(o for o, _ in both),
        new=tuple(n for _, n in both),
        unanswered_old=_unanswered(seen_old),
        unanswered_new=_unanswered(seen_new),
        old_with_zeros=unanswered_as_zero(seen_old),
        new_with_zeros=unanswered_as_zero(seen_new),
    )


def check_asked(side: Side, questions: Questions) -> None:
    """RigError when the side was measured over other queries or another ground truth than it would be scored with."""
    identity = questions.identity
    for name, wanted in ((QUERY_SET, identity.queries), (GROUND_TRUTH, identity.truth)):
        found = side.stamps.get(name, wanted)
        if found != wanted:
            raise RigError(
                f"compare: {side.name} was measured over another {name} ({found:.16}) than is scored here ({wanted:.16}); "
                "give the queries it was measured over"
            )


def check_comparable(old: Side, new: Side) -> None:
    """RigError that names what differs: language, or any stamp that both sides carry."""
    if old.language is not None and new.language is not None and old.language is not new.language:
        raise RigError(f"compare: {old.name} is in {old.language}, {new.name} in {new.language}; compare within one language")
    for name in sorted(old.stamps.keys() & new.stamps.keys()):
        if old.stamps[name] != new.stamps[name]:
            raise RigError(
                f"compare: the {name} differs: {old.stamps[name]:.16} for {old.name}, {new.stamps[name]:.16} for {new.name}; "
                f"their difference would not be the systems'; {_REMEDY.get(name, 'measure both alike')}"
            )


def _unanswered(queries: Iterable[QueryScore]) -> tuple[tuple[str, str], ...]:
    return tuple((q.query.id, q.unanswered) for q in queries if q.unanswered is not None)
