"""What annotators say together: what at least two said alike, and what an adjudicator settled where they differed.

What only one has judged is no consensus, and what nobody settled is none either; both stay what they were before review.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rig.review.judgements import Judgement, Said
from rig.review.questions import Question

By = Mapping[str, Mapping[str, Judgement]]
"""By name, by question: the judgements that count."""


@dataclass(frozen=True, slots=True)
class Consensus:
    """How far the annotators have come, by ids of questions."""

    settled: Mapping[str, Said]
    agreed: int
    adjudicated: int
    disputed: tuple[str, ...]
    """Judged differently, and not settled yet."""
    single: int
    """Judged by one name only."""


def opinions(annotators: By, question: str) -> tuple[Said, ...]:
    """What was said of a question, each once, in an order that tells nothing of who said it."""
    said = {judged[question].said for judged in annotators.values() if question in judged}
    return tuple(sorted(said, key=lambda one: one.label))


def disagreements(questions: Sequence[Question], annotators: By) -> tuple[Question, ...]:
    """The questions of which annotators said different things."""
    return tuple(question for question in questions if len(opinions(annotators, question.id)) > 1)


def consensus(questions: Sequence[Question], annotators: By, adjudicators: By) -> Consensus:
    """What stands. Where several adjudicators settled one question, the latest counts."""
    ruled: dict[str, Judgement] = {}
    for judged in adjudicators.values():
        for question, judgement in judged.items():
            if question not in ruled or ruled[question].at < judgement.at:
                ruled[question] = judgement
    settled: dict[str, Said] = {}
    disputed: list[str] = []
    agreed = adjudicated = single = 0
    for id_ in (question.id for question in questions):
        said = opinions(annotators, id_)
        heard = sum(id_ in judged for judged in annotators.values())
        if len(said) > 1 and id_ in ruled:
            settled[id_] = ruled[id_].said
            adjudicated += 1
        elif len(said) > 1:
            disputed.append(id_)
        elif heard > 1:
            settled[id_] = said[0]
            agreed += 1
        elif heard == 1:
            single += 1
    return Consensus(settled, agreed, adjudicated, tuple(disputed), single)
