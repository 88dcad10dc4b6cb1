"""From a run and a name to a desk, with that name's file held until the desk is left."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from rig.clock import Clock, SystemClock
from rig.model import Photo
from rig.review.consensus import By, disagreements, opinions
from rig.review.desk import Desk
from rig.review.judgements import Judgements, Role, read_all
from rig.review.pictures import Pictures
from rig.review.questions import Plan, Question, plan_review
from rig.review.session import Session
from rig.run import Run


def review_folder(run: Run) -> Path:
    """Where everything of a run's review lies."""
    return run.folder / "review"


def annotators(run: Run) -> By:
    """What annotators said, by name and question."""
    return read_all(review_folder(run), Role.ANNOTATOR)


def adjudicators(run: Run) -> By:
    """What adjudicators settled, by name and question."""
    return read_all(review_folder(run), Role.ADJUDICATOR)


def asks_relevance(run: Run, *, wanted: bool) -> bool:
    """True when relevance is to be asked: the protocol says so, or the operator."""
    return wanted or run.protocol.review.relevance


def judged_kinds(plan: Plan, by: By, *, relevance: bool) -> Sequence[Question]:
    """The questions that count: relevance ones when they are asked for, or somebody has judged one."""
    known = {question for judged in by.values() for question in judged}
    if relevance or any(question.id in known for question in plan.relevance):
        return plan.questions
    return plan.matches


@contextlib.contextmanager
def annotating(run: Run, name: str, *, relevance: bool, clock: Clock | None = None) -> Iterator[Desk]:
    """An annotator's desk: every undecided match and, with `relevance`, every returned photo.

    Raises RigError, and LockedByAnother when the name is at work already.
    """
    plan = plan_review(run)
    asked = plan.questions if relevance else plan.matches
    with _held(run, Role.ANNOTATOR, name) as judgements:
        yield Desk(Session(asked, judgements, clock or SystemClock()), _pictures(run), _photos(run))


@contextlib.contextmanager
def adjudicating(run: Run, name: str, *, clock: Clock | None = None) -> Iterator[Desk]:
    """An adjudicator's desk: the questions that annotators answered differently, with what they said but not who."""
    by = annotators(run)
    asked = disagreements(plan_review(run).questions, by)
    with _held(run, Role.ADJUDICATOR, name) as judgements:
        session = Session(asked, judgements, clock or SystemClock())
        yield Desk(session, _pictures(run), _photos(run), opinions=lambda question: opinions(by, question))


@contextlib.contextmanager
def _held(run: Run, role: Role, name: str) -> Iterator[Judgements]:
    judgements = Judgements(review_folder(run), role, name)
    try:
        yield judgements
    finally:
        judgements.close()


def _photos(run: Run) -> dict[tuple[str, str], Photo]:
    return {(name, photo.id): photo for name, material in run.materials.items() for photo in material.album.photos}


def _pictures(run: Run) -> Pictures:
    return Pictures(run.folder, _photos(run))
