"""The scores of a run before review, under each annotator, and as settled together.

Settled thumbnails replace undecided results; the ground truth stays the fixed one. Relevance judgements make another
ground truth, whose scores stand in rows of their own that name it: the two are never mixed in one number.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rig.analysis import answers
from rig.metrics.scoring import Scores, score
from rig.model import Answer, Language, Query, Result, Verdict
from rig.review.consensus import By, consensus
from rig.review.judgements import Choice, Said
from rig.review.questions import Place, Plan
from rig.run import Run

FIXED = "fixed"
"""The ground truth that came with the queries."""
JUDGED = "judged"
"""The fixed one, in which relevance judgements replace it photo by photo; what was not judged, or could not be, stays."""


@dataclass(frozen=True, slots=True)
class View:
    """One way to look at the same answers. `name` is set under one annotator; neither flag nor name: before review."""

    name: str | None
    together: bool
    truth: str

    @property
    def words(self) -> str:
        """As tables call it."""
        who = "adjudicated" if self.together else f"under {self.name}" if self.name is not None else "before review"
        return who if self.truth == FIXED else f"{who}, judged relevance"


@dataclass(frozen=True, slots=True)
class Change:
    """What a view changed, over the whole run."""

    settled: int
    """Undecided thumbnails that became a photo or a stranger."""
    left_undecided: int
    added: int
    """(query, photo) pairs that became relevant."""
    removed: int
    turned: tuple[str, ...]
    """Queries that became zero-ground-truth queries, or no longer are."""


@dataclass(frozen=True, slots=True)
class Rescored:
    """One phone in one language under one view."""

    letter: str
    language: Language
    view: View
    scores: Scores


@dataclass(frozen=True, slots=True)
class Rescoring:
    """Every phone, language and view, and what each view changed."""

    rows: tuple[Rescored, ...]
    changes: Mapping[View, Change]


def rescore(run: Run, plan: Plan, annotators: By, adjudicators: By) -> Rescoring:
    """The scores of a matched run under every view that its judgements allow."""
    found = answers(run)
    albums = {name: [photo.id for photo in material.album.photos] for name, material in run.materials.items()}
    queries = [query for material in run.materials.values() for query in material.queries if query.truth_known]
    rows: list[Rescored] = []
    changes: dict[View, Change] = {}
    for view, said in _views(plan, annotators, adjudicators):
        settled = _settled(plan, said)
        judged = _judged(plan, said) if view.truth == JUDGED else {}
        truth = [_rejudged(query, judged) for query in queries]
        changes[view] = _change(plan, settled, queries, truth)
        for letter, given in found.items():
            reviewed = [_reviewed(letter, answer, settled) for answer in given]
            for language in run.protocol.languages:
                mine = [answer for answer in reviewed if answer.language is language]
                rows.append(Rescored(letter, language, view, score(truth, mine, albums=albums)))
    return Rescoring(tuple(rows), changes)


def _views(plan: Plan, annotators: By, adjudicators: By) -> Iterator[tuple[View, Mapping[str, Said]]]:
    yield View(None, together=False, truth=FIXED), {}
    told: list[tuple[str | None, bool, Mapping[str, Said]]] = [
        (name, False, {id_: judgement.said for id_, judgement in judged.items()}) for name, judged in annotators.items()
    ]
    if len(annotators) > 1:
        told.append((None, True, consensus(plan.questions, annotators, adjudicators).settled))
    relevance = {question.id for question in plan.relevance}
    for name, together, said in told:
        yield View(name, together, FIXED), said
        if relevance & said.keys():
            yield View(name, together, JUDGED), said


def _settled(plan: Plan, said: Mapping[str, Said]) -> dict[Place, Said]:
    """What is said of each thumbnail; who cannot tell leaves it undecided."""
    return {
        question.place: said[question.id]
        for question in plan.matches
        if question.id in said and said[question.id].choice is not Choice.CANNOT_TELL
    }


def _judged(plan: Plan, said: Mapping[str, Said]) -> dict[tuple[str, str], bool]:
    """(query, photo) → relevant or not; who cannot tell says nothing."""
    return {
        (question.query, question.photo): said[question.id].choice is Choice.RELEVANT
        for question in plan.relevance
        if question.id in said and said[question.id].choice is not Choice.CANNOT_TELL
    }


def _reviewed(letter: str, answer: Answer, settled: Mapping[Place, Said]) -> Answer:
    results = tuple(
        _settle(result, settled.get(Place(letter, answer.query, answer.language, 1, result.rank))) for result in answer.results
    )
    return replace(answer, results=results)


def _settle(result: Result, said: Said | None) -> Result:
    if said is None:
        return result
    if said.choice is Choice.PHOTO:
        return replace(result, verdict=Verdict.MATCHED, photo=said.photo, candidates=())
    return replace(result, verdict=Verdict.STRANGER, photo=None, candidates=())


def _rejudged(query: Query, judged: Mapping[tuple[str, str], bool]) -> Query:
    mine = {photo: relevant for (asked, photo), relevant in judged.items() if asked == query.id}
    added = {photo for photo, relevant in mine.items() if relevant}
    return replace(query, relevant=(query.relevant | added) - (mine.keys() - added))


def _change(plan: Plan, settled: Mapping[Place, Said], before: Sequence[Query], after: Sequence[Query]) -> Change:
    pairs = list(zip(before, after, strict=True))
    return Change(
        settled=len(settled),
        left_undecided=len(plan.matches) + plan.without_candidates - len(settled),
        added=sum(len(new.relevant - old.relevant) for old, new in pairs),
        removed=sum(len(old.relevant - new.relevant) for old, new in pairs),
        turned=tuple(old.id for old, new in pairs if old.is_rejection != new.is_rejection),
    )
