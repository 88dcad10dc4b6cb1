"""One person's way through the questions: an order of their own, where they are, and the way back."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from rig.clock import Clock
from rig.review.judgements import Choice, Judgement, Judgements, Said, latest
from rig.review.questions import Kind, Question


@dataclass(frozen=True, slots=True)
class Progress:
    """How many questions there are, and how many of them are judged."""

    total: int
    done: int


class Session:
    """The questions in one annotator's order, which is the same at every start; what was judged in an earlier one is known."""

    def __init__(self, questions: Sequence[Question], judgements: Judgements, clock: Clock) -> None:
        self.judgements = judgements
        self.questions = ordered(questions, judgements.name)
        self._clock = clock
        self._place = {question.id: place for place, question in enumerate(self.questions)}
        self._said = {id_: one for id_, one in latest(judgements.history).items() if id_ in self._place}

    @property
    def progress(self) -> Progress:
        """How far this annotator has come."""
        return Progress(len(self.questions), len(self._said))

    def said(self, place: int) -> Said | None:
        """What this annotator says of the question at `place`; None when it is open."""
        judgement = self._said.get(self.questions[place].id)
        return judgement.said if judgement else None

    def next_open(self, after: int = -1) -> int | None:
        """The place of the next open question after `after`, going round at the end; None when all are judged."""
        count = len(self.questions)
        for step in range(count):
            place = (after + 1 + step) % count
            if self.said(place) is None:
                return place
        return None

    def judge(self, place: int, said: Said) -> Judgement:
        """The judgement is on the disk. Raises RigError when it is no answer to the question at `place`."""
        question = self.questions[place]
        judgement = self.judgements.add(question, said, self._clock.utc())
        if said.choice is Choice.WITHDRAWN:
            self._said.pop(question.id, None)
        else:
            # Last again in the order of judging, which undo walks back.
            self._said.pop(question.id, None)
            self._said[question.id] = judgement
        return judgement

    def undo(self) -> int | None:
        """The last judgement that counts is withdrawn; returns the place of its question, None when there is none."""
        last = max(self._said.values(), key=lambda judgement: judgement.number, default=None)
        if last is None:
            return None
        place = self._place[last.question]
        self.judge(place, Said(Choice.WITHDRAWN))
        return place

    def candidates(self, place: int) -> tuple[str, ...]:
        """The candidates of the question at `place` in an order that says nothing of their rank or name."""
        question = self.questions[place]
        if question.kind is Kind.RELEVANCE:
            return ()
        shuffled = list(question.candidates)
        Random(f"{self.judgements.name}/{question.id}/candidates").shuffle(shuffled)
        return tuple(shuffled)


def ordered(questions: Sequence[Question], name: str) -> tuple[Question, ...]:
    """Thumbnails first, shuffled; then relevance, shuffled by query and within one, so that a query is read once."""
    matches = [question for question in questions if question.kind is Kind.MATCH]
    Random(f"{name}/matches").shuffle(matches)
    by_query: dict[tuple[str, str], list[Question]] = {}
    for question in questions:
        if question.kind is Kind.RELEVANCE:
            by_query.setdefault((question.album, question.query), []).append(question)
    groups = list(by_query.values())
    random = Random(f"{name}/relevance")
    random.shuffle(groups)
    for group in groups:
        random.shuffle(group)
    return (*matches, *(question for group in groups for question in group))
