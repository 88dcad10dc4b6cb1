"""What one annotator sits at: everything that the page is shown, and nothing else.

A browser is never told a phone's letter, a photo's file name or what anybody else said (an adjudicator: not who said it).
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rig.errors import RigError
from rig.model import Photo
from rig.review.guard import Guard
from rig.review.judgements import Choice, Said
from rig.review.pictures import Pictures
from rig.review.questions import Kind, MatchQuestion, RelevanceQuestion
from rig.review.session import Session

Opinions = Callable[[str], Sequence[Said]]
"""By question id: what is to be settled."""
Json = dict[str, object]


@dataclass(slots=True)
class Desk:
    """What one annotator sits at. `photos` are by (album, id)."""

    session: Session
    pictures: Pictures
    photos: Mapping[tuple[str, str], Photo]
    opinions: Opinions | None = None
    """Set for an adjudicator."""
    guard: Guard = field(default_factory=Guard)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    asked_at: float = field(default_factory=time.monotonic)

    def show(self, place: int | None) -> Json:
        """Everything the page needs: progress, and the question at `place` (None when all are judged)."""
        progress = self.session.progress
        return {
            "name": self.session.judgements.name,
            "adjudicating": self.opinions is not None,
            "key": self.guard.key,
            "total": progress.total,
            "done": progress.done,
            "question": None if place is None else self._question(place),
            "ahead": self._ahead(place),
        }

    def _question(self, place: int) -> Json:
        question = self.session.questions[place]
        said = self.session.said(place)
        shown: Json = {"place": place, "kind": question.kind, "said": None if said is None else self._told(place, said)}
        if self.opinions is not None:
            shown["opinions"] = [self._told(place, one) for one in self.opinions(question.id)]
        if question.kind is Kind.MATCH:
            return shown | self._match(place, question)
        return shown | self._relevance(question)

    def _match(self, place: int, question: MatchQuestion) -> Json:
        left, top, right, bottom = question.box
        names = [self.pictures.photo(question.album, photo) for photo in self.session.candidates(place)]
        return {
            "crop": self.pictures.crop(question),
            "shape": (right - left) / (bottom - top),
            "candidates": names,
        }

    def _relevance(self, question: RelevanceQuestion) -> Json:
        photo = self.photos[question.album, question.photo]
        located = photo.latitude_deg is not None and photo.longitude_deg is not None
        return {
            "picture": self.pictures.photo(question.album, question.photo),
            "texts": [{"language": language, "text": text} for language, text in question.text.items()],
            "taken": photo.taken_at.strftime("%Y-%m-%d %H:%M") if photo.taken_at else None,
            "where": f"{photo.latitude_deg:.5f}, {photo.longitude_deg:.5f}" if located else None,
        }

    def _told(self, place: int, said: Said) -> Json:
        candidate = self.session.candidates(place).index(said.photo) if said.photo is not None else None
        return {"choice": said.choice, "candidate": candidate}

    def _ahead(self, place: int | None) -> list[str]:
        """Pictures of the question that comes after, to be fetched while this one is looked at."""
        following = None if place is None else self.session.next_open(place)
        if following is None or following == place:
            return []
        question = self.session.questions[following]
        if question.kind is Kind.RELEVANCE:
            return [self.pictures.photo(question.album, question.photo)]
        return [self.pictures.crop(question), *(self.pictures.photo(question.album, name) for name in question.candidates)]

    def read_said(self, place: int, sent: Mapping[str, Any]) -> Said:
        """A judgement as the page sends it. Raises RigError."""
        choice, candidate = sent.get("choice"), sent.get("candidate")
        if choice not in set(Choice) or choice == Choice.WITHDRAWN:
            raise RigError("review: that is no choice of this page; load it again")
        if choice != Choice.PHOTO:
            return Said(Choice(choice))
        candidates = self.session.candidates(place)
        if type(candidate) is not int or not 0 <= candidate < len(candidates):
            raise RigError("review: that is none of the candidates; load the page again")
        return Said(Choice.PHOTO, candidates[candidate])
