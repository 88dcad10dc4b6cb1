"""One search session: the field's text, the search on its way, and the results that stand on the screen.

    edit ──(live)──┐
    submit ────────┴→ Waiting ──latency──→ Outcome on the screen, older one gone

Until an outcome is ready the older one stays where it was: on a real phone the old grid is still there, too.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from devices.virtual.gallery.chance import between
from devices.virtual.gallery.faults import FaultName, Faults
from devices.virtual.gallery.library import LibraryPhoto
from devices.virtual.gallery.search import Hit
from devices.virtual.gallery.skin import Order, ResultLook, SearchLook
from devices.virtual.gallery.truth import ShownSearch, Truth


@dataclass(frozen=True, slots=True)
class Section:
    """Part of a result list under one title ("" for none)."""

    title: str
    """`top` or `rest`: which of the skin's titles stands above it."""
    photos: tuple[LibraryPhoto, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of one search, as they stand on the screen."""

    number: int
    """Counts the searches of this phone: two outcomes are never taken for each other."""
    text: str
    shown_at_s: float
    sections: tuple[Section, ...]
    log: ShownSearch

    @property
    def photos(self) -> tuple[LibraryPhoto, ...]:
        """All positions in reading order, with repeats."""
        return tuple(photo for section in self.sections for photo in section.photos)

    @property
    def found(self) -> int:
        """How many photos were found."""
        return self.log.found


@dataclass(frozen=True, slots=True)
class Waiting:
    """A search on its way."""

    text: str
    ready_at_s: float


@dataclass(slots=True)
class Finder:
    """The state of the search page. `search` asks the phone's index; `speed` shortens every wait."""

    search_look: SearchLook
    result_look: ResultLook
    search: Callable[[str], tuple[Hit, ...]]
    faults: Faults
    truth: Truth
    seed: int
    speed: float = 1.0
    text: str = ""
    recent: list[str] = field(default_factory=list)
    outcome: Outcome | None = None
    waiting: Waiting | None = None
    submitted: int = 0

    def reset(self) -> None:
        """As never used: no text, no results, no recent searches."""
        self.leave()
        self.recent.clear()

    def leave(self) -> None:
        """The search page was closed: text and results are gone, recent searches stay."""
        self.text, self.outcome, self.waiting = "", None, None

    def edit(self, text: str, now_s: float) -> None:
        """The field holds `text`; an empty field leads back to the suggestions, unless the old grid is stuck."""
        self.text = self._garbled(text)
        if not self.text:
            self.waiting = None
            if not self.faults.holds(FaultName.STALE_GRID):
                self.outcome = None
        elif self.search_look.live:
            self._begin(now_s)

    def submit(self, now_s: float) -> None:
        """`enter` was pressed or a suggestion taken."""
        if not self.text.strip():
            return
        if self.text not in self.recent:
            self.recent.insert(0, self.text)
        current = self.waiting.text if self.waiting else self.outcome.text if self.outcome else None
        if not (self.search_look.live and current == self.text):
            self._begin(now_s)

    def advance(self, now_s: float) -> None:
        """A search whose time has come is on the screen."""
        waiting = self.waiting
        if waiting is None or now_s < waiting.ready_at_s or self.faults.holds(FaultName.SPINNER_FOREVER):
            return
        if self.faults.holds(FaultName.STALE_GRID) and self.outcome is not None:
            self.waiting = None
            return
        if self.faults.holds(FaultName.SUGGESTIONS_ONLY):
            self.waiting, self.outcome = None, None
            return
        self.waiting = None
        self.outcome = self._outcome(waiting)

    def _begin(self, now_s: float) -> None:
        self.submitted += 1
        self.faults.search_submitted()
        low, high = self.search_look.latency_s
        wait_s = between(low, high, self.seed, "latency", self.submitted) / self.speed
        self.waiting = Waiting(self.text, now_s + wait_s)

    def _outcome(self, waiting: Waiting) -> Outcome:
        sections = arrange(self.search(waiting.text), self.result_look)
        found = len({photo.row.id for section in sections for photo in section.photos})
        log = self.truth.search_shown(waiting.text, self.text, waiting.ready_at_s, found)
        return Outcome(self.submitted, waiting.text, waiting.ready_at_s, sections, log)

    def _garbled(self, text: str) -> str:
        if text and self.faults.meets_next_search(FaultName.TEXT_GARBLED):
            return text[1:] + text[0] + text[0]  # a letter swallowed at the front and come back at the end
        return text


def arrange(hits: tuple[Hit, ...], look: ResultLook) -> tuple[Section, ...]:
    """The sections of a result page; `hits` are best first."""
    photos = tuple(hit.photo for hit in hits)
    if not photos:
        return ()
    top = photos[: look.top_count]
    rest = photos if look.top_repeats else photos[len(top) :]
    sections = (Section("top", top), Section("rest", ordered(rest, look.order)))
    return tuple(section for section in sections if section.photos)


def ordered(photos: tuple[LibraryPhoto, ...], order: Order) -> tuple[LibraryPhoto, ...]:
    """`photos`, which are best first, in the given order."""
    if order is Order.RELEVANCE:
        return photos
    by_age = sorted(photos, key=lambda photo: (photo.sort_s, photo.row.id))
    return tuple(by_age) if order is Order.OLDEST else tuple(reversed(by_age))
