"""The search engine of a virtual phone: text in, photos out, imperfect in a way of its own.

It sees only what files contain. Its faults are data of the skin (`Engine`) and the same for every run with one seed: a photo
that it misjudges today it misjudges tomorrow, as a real phone's model does.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from devices.virtual.gallery.chance import chance
from devices.virtual.gallery.library import LibraryPhoto
from devices.virtual.gallery.meaning import Lexicon, Sense, Term, build_lexicon, terms
from devices.virtual.gallery.places import Atlas, load_atlas
from devices.virtual.gallery.words import Vocabulary, load_vocabulary


class Need(StrEnum):
    """How many of a query's terms a photo must satisfy."""

    ALL = "all"
    MOST = "most"
    """More than half of them."""
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Engine:
    """How good one phone's search is."""

    need: Need = Need.ALL
    people: bool = True
    places: bool = True
    dates: bool = True
    concepts: bool = True
    unknown_words: str = "ignore"
    """`ignore`: words it does not understand ask for nothing; `require`: they match no photo."""
    english: float = 1.0
    """Share of the English phrases it understands."""
    chinese: float = 1.0
    """Share of the Chinese phrases it understands."""
    misses: float = 0.0
    """Chance that it does not see a concept in a photo that has it."""
    confuses: float = 0.0
    """Chance that it sees a concept in a photo that has it not."""
    forgets: float = 0.0
    """Share of the photos that never enter its index."""
    says_nothing: bool = True
    """False when it shows the least bad photos rather than none."""
    fuzzy_count: int = 9
    """How many photos it shows then."""
    phone_dates: bool = False
    """True when it judges dates by the phone's zone instead of the clock where the photo was taken."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A photo found, and how well it fits (higher is better)."""

    photo: LibraryPhoto
    score: float


@dataclass(frozen=True, slots=True)
class _Known:
    """What the index holds of one photo."""

    photo: LibraryPhoto
    concepts: frozenset[str]
    people: frozenset[str]
    places: frozenset[str]


class SearchIndex:
    """The searchable photos of one phone and what its search makes of them."""

    def __init__(self, engine: Engine, *, seed: int, zone: ZoneInfo) -> None:
        self._engine = engine
        self._seed = seed
        self._zone = zone
        self._atlas: Atlas = load_atlas()
        self._vocabulary: Vocabulary = load_vocabulary()
        self._known: tuple[_Known, ...] = ()
        self._read: dict[tuple[int, int], _Known] = {}
        self._lexicon: Lexicon = Lexicon()
        self.put(())

    def put(self, photos: Iterable[LibraryPhoto]) -> None:
        """The index holds exactly these photos, but for those that this phone forgets."""
        self._known = tuple(self._remember(photo) for photo in photos if not self._forgotten(photo))
        keywords = {keyword for known in self._known for keyword in known.photo.facts.keywords}
        people = {name: name.casefold() for known in self._known for name in known.photo.facts.people}
        self._lexicon = build_lexicon(self._vocabulary, self._atlas, keywords, people)

    def find(self, text: str, now: datetime) -> tuple[Hit, ...]:
        """The photos that `text` finds, best first. `now` is the phone's wall clock, naive."""
        asked = [term for term in terms(text, self._lexicon, now) if self._asks(term)]
        understood = [term for term in asked if self._understands(term)]
        judged = [(known, self._fit(known, understood, len(asked))) for known in self._known]
        hits = [Hit(known.photo, self._score(text, known, fit)) for known, fit in judged if self._enough(fit)]
        if not hits and not self._engine.says_nothing:
            hits = self._least_bad(text, judged)
        return tuple(sorted(hits, key=lambda hit: (-hit.score, -hit.photo.sort_s, hit.photo.row.name)))

    def _remember(self, photo: LibraryPhoto) -> _Known:
        key = (photo.row.id, photo.mtime_ns)
        if key not in self._read:
            self._read[key] = self._understand(photo)
        return self._read[key]

    def _understand(self, photo: LibraryPhoto) -> _Known:
        facts, name = photo.facts, photo.row.name
        true = {self._vocabulary.concept(keyword) for keyword in facts.keywords}
        seen = {concept for concept in true if chance(self._seed, "miss", concept, name) >= self._engine.misses}
        every = sorted(set(self._vocabulary.concepts.values()) - true) if self._engine.confuses else ()
        seen |= {concept for concept in every if chance(self._seed, "confuse", concept, name) < self._engine.confuses}
        places = frozenset[str]()
        if facts.latitude_deg is not None and facts.longitude_deg is not None:
            places = frozenset(place.key for place in self._atlas.places_at(facts.latitude_deg, facts.longitude_deg))
        return _Known(photo, frozenset(seen), frozenset(person.casefold() for person in facts.people), places)

    def _forgotten(self, photo: LibraryPhoto) -> bool:
        undecodable = photo.row.width_px is None
        return undecodable or chance(self._seed, "forget", photo.row.name) < self._engine.forgets

    def _asks(self, term: Term) -> bool:
        """False for what this phone passes over as if it had not been said."""
        return self._engine.unknown_words == "require" or self._understands(term)

    def _understands(self, term: Term) -> bool:
        share = self._engine.english if term.is_english else self._engine.chinese
        usable = (term.when is not None and self._engine.dates) or any(self._can(sense) for sense, _key in term.senses)
        return usable and chance(self._seed, "understands", term.text) < share

    def _can(self, sense: Sense) -> bool:
        engine = self._engine
        return {Sense.CONCEPT: engine.concepts, Sense.PERSON: engine.people, Sense.PLACE: engine.places}.get(sense, False)

    def _fit(self, known: _Known, understood: Sequence[Term], asked: int) -> float:
        """Share of the terms asked for that the photo satisfies; 0 when nothing was asked."""
        return sum(self._satisfies(known, term) for term in understood) / asked if asked else 0.0

    def _satisfies(self, known: _Known, term: Term) -> bool:
        if term.when is not None and self._engine.dates and term.when.holds(self._moment(known.photo)):
            return True
        held = {Sense.CONCEPT: known.concepts, Sense.PERSON: known.people, Sense.PLACE: known.places}
        return any(self._can(sense) and key in held[sense] for sense, key in term.senses)

    def _moment(self, photo: LibraryPhoto) -> datetime:
        return photo.phone_time(self._zone) if self._engine.phone_dates else photo.wall_time(self._zone)

    def _enough(self, fit: float) -> bool:
        needed = {Need.ALL: fit > 0.999, Need.MOST: fit > 0.5, Need.ANY: fit > 0.0}
        return needed[self._engine.need]

    def _score(self, text: str, known: _Known, fit: float) -> float:
        # The fraction stands for all that a model feels beyond the terms; it never outweighs a term (at most 1/6 each).
        return fit + 0.1 * chance(self._seed, "feels", text, known.photo.row.name)

    def _least_bad(self, text: str, judged: Sequence[tuple[_Known, float]]) -> list[Hit]:
        hits = [Hit(known.photo, self._score(text, known, fit)) for known, fit in judged]
        return sorted(hits, key=lambda hit: -hit.score)[: self._engine.fuzzy_count]
