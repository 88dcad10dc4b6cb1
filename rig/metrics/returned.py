"""What an answer returned, as the metrics see it: different places in order, each a known photo, an outsider or undecided.

Repeats are dropped (PhotoBench says nothing of them; counting them twice pushes recall over 1), order is kept, and the
list is cut at 100 (Appendix F, step 5). What was dropped is counted.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from rig.model import Answer, Outcome, Result, Verdict

MAXIMUM_RESULTS = 100
"""Appendix F, step 5: "up to 100 per query"."""


@dataclass(frozen=True, slots=True)
class Place:
    """One place of the list: a photo, or what it may be; neither when it is no photo of the album."""

    photo: str | None
    candidates: frozenset[str] = frozenset()
    anything: bool = False
    """True when it is undecided and matching could name no candidates: any photo of the album, or none."""

    @property
    def is_undecided(self) -> bool:
        """True when more than one photo may be here."""
        return self.photo is None and (self.anything or bool(self.candidates))


@dataclass(frozen=True, slots=True)
class Returned:
    """The places of one answer, at most 100, no photo twice."""

    places: tuple[Place, ...]
    shown: frozenset[str]
    """The photos that are certainly here."""
    undecided_at: tuple[int, ...]
    """Indices of the places that may hold more than one photo."""
    raw: int
    """Results before anything was dropped."""
    duplicates: int
    cut: int
    """Different results beyond the maximum, left out."""
    strangers: int
    unknown: tuple[str, ...]
    """Named photos that the album does not have, in order; empty when the album's names are not known."""
    open_ended: bool
    """True when the list may go on beyond what is here."""

    @property
    def undecided(self) -> int:
        """How many places may hold more than one photo."""
        return len(self.undecided_at)

    @property
    def outsiders(self) -> int:
        """Places that hold nothing of the album: strangers and unknown names."""
        return self.strangers + len(self.unknown)


def why_unanswered(answer: Answer | None) -> str | None:
    """The reason why this is no answer to score, or None when it is one.

    An empty list whose end is not proven is no answer: "nothing" is believed only on the gallery's own sign.
    """
    if answer is None or answer.outcome is Outcome.NOT_RUN:
        return "not run"
    if answer.outcome is Outcome.INVALID:
        return answer.reason or "invalid"
    if not answer.results and not answer.end_proven:
        return "empty without proof"
    return None


def read_returned(answer: Answer, *, names: Collection[str] | None = None, maximum: int = MAXIMUM_RESULTS) -> Returned:
    """The places of an answer. `names` are the photos of its album, where they are known."""
    distinct = _without_repeats(answer.results)
    places = distinct[:maximum]
    shown = frozenset(place.photo for place in places if place.photo is not None)
    kept = tuple(_left_open(places, shown))
    undecided = tuple(i for i, place in enumerate(kept) if place.photo is None and place.is_undecided)
    cut = len(distinct) - len(places)
    return Returned(
        places=kept,
        shown=shown,
        undecided_at=undecided,
        raw=len(answer.results),
        duplicates=len(answer.results) - cut - len(kept),
        cut=cut,
        strangers=len(kept) - len(shown) - len(undecided),
        unknown=() if names is None else tuple(p.photo for p in kept if p.photo is not None and p.photo not in names),
        open_ended=answer.capped or not answer.end_proven or cut > 0,
    )


def _without_repeats(results: Collection[Result]) -> list[Place]:
    places: list[Place] = []
    seen: set[str | None] = set()
    for result in results:
        place = _place(result)
        if place.photo is None:
            places.append(place)
        elif place.photo not in seen:
            seen.add(place.photo)
            places.append(place)
    return places


@lru_cache(maxsize=20_000)  # the photos of a few albums; making each of a million places anew takes longer than scoring them
def _known(photo: str | None) -> Place:
    return Place(photo)


def _place(result: Result) -> Place:
    """A match to a class of identical photos may be any of them; an undecided one with one candidate is that one."""
    if result.verdict is Verdict.MATCHED and len(result.candidates) < 2:
        return _known(result.photo)
    if result.verdict is Verdict.STRANGER:
        return _known(None)
    candidates = frozenset(result.candidates)
    if result.verdict is Verdict.MATCHED and result.photo is not None:
        candidates |= {result.photo}
    if len(candidates) == 1:
        return Place(next(iter(candidates)))
    return Place(None, candidates, anything=not candidates)


def _left_open(places: list[Place], shown: frozenset[str]) -> Iterator[Place]:
    """The places, with what is shown elsewhere struck from the candidates; a place left without any is a repeat."""
    for place in places:
        if not place.candidates:
            yield place
        elif left := place.candidates - shown:
            yield Place(None, left)
