"""What annotators judged of a run, as a publication may say it: counts, agreement, scores after review. Names stop here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reports.model import Score
from reports.publication import Cell, Column
from rig.analysis import answers
from rig.errors import RigError
from rig.metrics.averages import Averaging
from rig.metrics.scoring import Scores
from rig.model import Answer, Language, Verdict
from rig.publish.tables import as_score
from rig.review.agreement import Agreement, agreements
from rig.review.consensus import By, consensus
from rig.review.judgements import Choice, Said
from rig.review.opening import adjudicators, annotators, judged_kinds
from rig.review.questions import Kind, Plan, Question, plan_review
from rig.review.rescoring import FIXED, JUDGED, rescore
from rig.run import Run

KEY = "review"
TITLE = "After review"

_SETS = (("precision", "P"), ("recall", "R"), ("f1", "F1"))
COLUMNS = (
    Column("undecided", "undecided"),
    Column("to_a_photo", "→ a photo"),
    Column("to_none", "→ none"),
    *(Column(key, title, group="fixed truth") for key, title in _SETS),
    Column("judged", "judged", group="returned"),
    Column("found_relevant", "relevant", group="returned"),
    *(Column(f"judged_{key}", title, group="judged truth") for key, title in _SETS),
)
"""The cells of one phone, in this order."""

_TOGETHER = "What annotators, blind to the phone and to each other, said alike or an adjudicator settled."
_ALONE = "What the only annotator of a run said."
_KINDS = {Kind.MATCH: "undecided thumbnails", Kind.RELEVANCE: "relevance of returned photos"}


@dataclass(frozen=True, slots=True)
class Review:
    """One run's review, by what stands: what annotators said alike or an adjudicator settled; or what the only one said."""

    plan: Plan
    asked: Sequence[Question]
    annotators: By
    adjudicators: By
    stands: Mapping[str, Said]
    given: Mapping[str, Sequence[Answer]]
    """By letter, as matching left them."""
    scores: Mapping[tuple[str, Language, str], Scores]
    """By (letter, language, ground truth); the judged ground truth is there only where relevance was judged."""

    def is_complete(self, letter: str, language: Language) -> bool:
        """True when the phone answered every query of the language."""
        return self.scores[letter, language, FIXED].coverage.is_complete


def review_of(run: Run) -> Review:
    """The review of a matched run. RigError when nobody has judged anything of it."""
    by, settling, plan = annotators(run), adjudicators(run), plan_review(run)
    by = {name: judged for name, judged in by.items() if judged}
    if not by:
        raise RigError(f"{run.folder}: nobody has reviewed it; review it with: rig review {run.folder} --as NAME")
    asked = judged_kinds(plan, by, relevance=False)
    if len(by) > 1:
        stands = consensus(asked, by, settling).settled
    else:
        stands = {id_: judgement.said for judged in by.values() for id_, judgement in judged.items()}
    rows = [row for row in rescore(run, plan, by, settling).rows if row.view.together == (len(by) > 1)]
    # Before review neither flag nor name is set: with one annotator, the view is that one's.
    scores = {(r.letter, r.language, r.view.truth): r.scores for r in rows if r.view.together or r.view.name is not None}
    return Review(plan, asked, by, settling, stands, answers(run), scores)


def review_cells(review: Review, letter: str, language: Language, averaging: Averaging) -> tuple[Cell, ...]:
    """One phone in one language, as in `COLUMNS`."""
    places = [q for q in review.plan.matches if (q.place.letter, q.place.language) == (letter, language)]
    choices = [review.stands[question.id].choice for question in places if question.id in review.stands]
    judged = _judged(review, letter, language)
    return (
        _undecided(review, letter, language),
        choices.count(Choice.PHOTO),
        choices.count(Choice.NONE),
        *_sets(review.scores.get((letter, language, FIXED)), averaging),
        len(judged),
        _share(sum(judged.values()), len(judged)),
        *_sets(review.scores.get((letter, language, JUDGED)), averaging),
    )


def review_note(reviews: Sequence[Review]) -> str:
    """What the table's numbers rest on."""
    alone = {len(review.annotators) == 1 for review in reviews}
    said = [_TOGETHER] * (False in alone) + [_ALONE] * (True in alone)
    return (
        f"Per cent and counts. {' '.join(said)} Thumbnails that matching left undecided became a photo, or none of the album; "
        "the rest keeps its bounds. Scores against the fixed ground truth know nothing of relevance judgements; those against "
        "the judged one replace it photo by photo where it was judged. Whether matched thumbnails are matched right was not "
        "asked."
    )


def review_lines(review: Review, whose: str, seal: Callable[[str], str]) -> tuple[str, ...]:
    """How many judged what, and how far they agree. `whose` are its phones; `seal` gives names an order that tells nothing."""
    asked = [sum(question.kind is kind for question in review.asked) for kind in Kind]
    counts = ", ".join(f"{count} about {_KINDS[kind]}" for kind, count in zip(Kind, asked, strict=True) if count)
    adjudicated = sum(bool(judged) for judged in review.adjudicators.values())
    people = f"{_counted(len(review.annotators), 'annotator')}, {_counted(adjudicated, 'adjudicator')}"
    order = {name: number for number, name in enumerate(sorted(review.annotators, key=seal), start=1)}
    numbered = {name: review.annotators[name] for name in sorted(order, key=lambda name: order[name])}
    pairs = [_agreement(one, order) for one in agreements(review.asked, numbered)]
    return (f"Review of {whose}: {people}; {counts or 'nothing was asked'}.", *pairs)


def _agreement(one: Agreement, order: Mapping[str, int]) -> str:
    who = f"annotators {order[one.first]} and {order[one.second]}"
    raw = "undefined" if one.raw is None else f"{100 * one.raw:.1f} %"
    kappa = "undefined" if one.kappa is None else f"{one.kappa:.2f}"
    return f"Agreement on {_KINDS[one.kind]}, {who}: {one.both} judged by both, equal {raw}, Cohen's κ {kappa}."


def _judged(review: Review, letter: str, language: Language) -> dict[tuple[str, str], bool]:
    """(query, photo) pairs that this phone surely returned and that somebody could judge: whether they were found relevant."""
    shown = {
        (answer.query, result.photo)
        for answer in _answers(review, letter, language)
        for result in answer.results
        if result.verdict is Verdict.MATCHED
    }
    found = {}
    for question in review.plan.relevance:
        said = review.stands.get(question.id)
        if said is not None and said.choice is not Choice.CANNOT_TELL and (question.query, question.photo) in shown:
            found[question.query, question.photo] = said.choice is Choice.RELEVANT
    return found


def _undecided(review: Review, letter: str, language: Language) -> int:
    given = _answers(review, letter, language)
    return sum(result.verdict is Verdict.AMBIGUOUS for answer in given for result in answer.results)


def _answers(review: Review, letter: str, language: Language) -> list[Answer]:
    return [answer for answer in review.given[letter] if answer.language is language]


def _sets(scores: Scores | None, averaging: Averaging) -> tuple[Cell, ...]:
    if scores is None:
        return (None,) * len(_SETS)
    sets = scores.overall[averaging].sets
    return tuple(as_score(part) for part in (sets.precision, sets.recall, sets.f1))


def _share(part: int, whole: int) -> Score | None:
    return Score(part / whole, part / whole, part / whole) if whole else None


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
