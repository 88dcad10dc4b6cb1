"""What a report says: frozen values without identities.

    Report ─┬─ Section (one language) ─ PhoneRow      the Phone A–F table
            ├─ Honesty                                virtual phones only: what was truly shown
            ├─ PhaseTime                              where the night went
            └─ SearchCard ─ ResultCard                every search, crop beside source

No field can carry a serial, a model or a build: letters are all that a report knows of a phone.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Score:
    """A score in [0, 1] with what it could be; all three are equal when nothing was left open."""

    value: float | None
    """None when nothing was answered, or the score is undefined over what was."""
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """What happened to the planned searches of one phone."""

    planned: int
    answered: int
    invalid: int
    not_run: int
    retried: int

    @property
    def complete(self) -> bool:
        """True when every planned search was answered."""
        return self.answered == self.planned


@dataclass(frozen=True, slots=True)
class PhoneRow:
    """One row of the Phone A–F table. A score is None where it is undefined, never 0."""

    letter: str
    virtual: bool
    precision: Score | None
    recall: Score | None
    f1: Score | None
    reject_precision: Score | None
    reject_recall: Score | None
    reject_f1: Score | None
    coverage: Coverage
    note: str = ""
    """What a reader must know of this row: parked, soft clean, uncalibrated …"""


@dataclass(frozen=True, slots=True)
class Section:
    """The table of one language; languages are never mixed in one row."""

    language: str
    normal_queries: int
    rejection_queries: int
    rows: tuple[PhoneRow, ...]


@dataclass(frozen=True, slots=True)
class Honesty:
    """The instrument's own error on one virtual phone, against what the phone says it truly showed (thumbnails)."""

    letter: str
    shown: int
    right: int
    wrong: int
    undecided: int
    missed: int
    twice: int


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """How long one phase of one phone took, in seconds."""

    letter: str
    phase: str
    seconds: float


@dataclass(frozen=True, slots=True)
class ResultCard:
    """One thumbnail beside the photo it was traced to. Paths are relative to the page."""

    rank: int
    verdict: str
    crop: str
    photo: str | None
    source: str | None
    relevant: bool | None
    """None when undecided: ambiguous between relevant and irrelevant, or a stranger."""
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchCard:
    """One search: what was asked, how it ended, what came back and what was missed."""

    letter: str
    query: str
    text: str
    language: str
    source_type: str
    outcome: str
    ending: str
    relevant: int
    precision: Score | None
    recall: Score | None
    f1: Score | None
    results: tuple[ResultCard, ...]
    missing: tuple[tuple[str, str], ...]
    """(photo id, thumbnail path) of the relevant photos that were not returned."""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything one run's page and table show."""

    title: str
    protocol: str
    album: str
    photos: int
    virtual: bool
    sections: tuple[Section, ...]
    honesty: tuple[Honesty, ...]
    times: tuple[PhaseTime, ...]
    searches: tuple[SearchCard, ...]
    footnotes: tuple[str, ...]
