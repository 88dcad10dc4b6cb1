"""How far two annotators agree: Cohen's κ and the share of equal judgements, over what both have judged.

"Cannot tell" is a category like the others. What only one has judged is counted and compared with nothing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from rig.review.judgements import Judgement
from rig.review.questions import Kind, Question


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two annotators over the questions of one kind."""

    kind: Kind
    first: str
    second: str
    both: int
    """N: questions that both have judged."""
    only_first: int
    only_second: int
    neither: int
    equal: int
    """Of those that both have judged, the ones on which they said the same."""
    kappa: float | None
    """None where it is undefined: nothing judged by both, or one and the same category throughout."""
    table: tuple[tuple[str, str, int], ...]
    """(what the first said, what the second said, how often); a chosen photo is "photo", by whichever name."""

    @property
    def raw(self) -> float | None:
        """The share of equal judgements; None over none."""
        return self.equal / self.both if self.both else None


def cohens_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """κ = (po − pe) / (1 − pe) over pairs of nominal categories (Cohen 1960); None where pe is 1 or there is no pair.

    >>> cohens_kappa([("a", "a"), ("a", "b"), ("b", "b"), ("b", "b")])
    0.5
    """
    n = len(pairs)
    firsts, seconds = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
    # In whole numbers, so that "always the same category" is seen exactly.
    chance = sum(count * seconds[label] for label, count in firsts.items())
    equal = sum(first == second for first, second in pairs)
    return None if chance == n * n else (n * equal - chance) / (n * n - chance)


def agreements(questions: Sequence[Question], judged: Mapping[str, Mapping[str, Judgement]]) -> tuple[Agreement, ...]:
    """Every pair of annotators, for each kind of question that the run has. `judged`: by name, by question."""
    return tuple(
        _agreement(kind, ids, (first, judged[first]), (second, judged[second]))
        for kind in Kind
        if (ids := [question.id for question in questions if question.kind is kind])
        for first, second in combinations(judged, 2)
    )


def _agreement(
    kind: Kind, ids: Sequence[str], one: tuple[str, Mapping[str, Judgement]], other: tuple[str, Mapping[str, Judgement]]
) -> Agreement:
    (first, mine), (second, theirs) = one, other
    both = [(mine[id_].said, theirs[id_].said) for id_ in ids if id_ in mine and id_ in theirs]
    table = Counter((a.choice.value, b.choice.value) for a, b in both)
    return Agreement(
        kind=kind,
        first=first,
        second=second,
        both=len(both),
        only_first=sum(id_ in mine and id_ not in theirs for id_ in ids),
        only_second=sum(id_ in theirs and id_ not in mine for id_ in ids),
        neither=sum(id_ not in mine and id_ not in theirs for id_ in ids),
        equal=sum(a == b for a, b in both),
        kappa=cohens_kappa([(a.label, b.label) for a, b in both]),
        table=tuple((a, b, count) for (a, b), count in sorted(table.items())),
    )
