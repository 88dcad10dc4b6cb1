"""What the ledger remembers: frozen rows, and the enums of their states.

run ─ phone (letter) ─ trial (phone × album) ─ attempt (from reset) ─ phase
                                               └─ search (query × language × repeat × try) ─ screen, opened, reading, position
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from matching.model import Position
from rig.model import Box, Language, Outcome, Verdict


class Phase(StrEnum):
    """The part of a trial that needs the phone, in order."""

    RESET = "reset"
    IMPORT = "import"
    INDEX = "index"
    QUERY = "query"


NOT_CONVERGED = "not_converged"
"""First word of what the record of an index wait says that ended at its cap: every report passes it on."""


class Status(StrEnum):
    """How far a phase has come."""

    STARTED = "started"
    """Begun; when a later process reads this, the earlier one was cut short."""
    DONE = "done"
    GAPS = "gaps"
    """Query phase only: every search was tried, some have no answer."""
    FAILED = "failed"


class Parked(StrEnum):
    """Why a phone was taken out of a run."""

    DRIVER = "driver"
    WRONG_PHONE = "wrong_phone"
    CHANGED = "changed"
    """Its firmware, gallery, language or day is not what the run began with."""
    HEALTH = "health"
    HANGING = "hanging"
    HOST = "host"
    """Every phone of its platform went away with it: what they share failed, not this phone."""
    LOCKED = "locked"
    REFUSED = "refused"
    """It may not be erased, or its storage or clock cannot hold the album."""
    BUG = "bug"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The run itself. `confirm_erase` are the names the operator gave when it began."""

    id: str
    name: str
    created_at: datetime
    protocol_sha256: str
    rig_version: str
    confirm_erase: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PhoneRecord:
    """One phone of the run, with the identity it must keep. Private: never leaves the ledger."""

    letter: str
    name: str
    platform: str
    address: str
    profile: str
    options: Mapping[str, str]
    parked: Parked | None
    cause: str
    """The first cause of being parked; "" when it is not."""


@dataclass(frozen=True, slots=True)
class AlbumRecord:
    """One album of the run as it was when the run began; `inputs_sha256` is over its manifest and queries as copied."""

    name: str
    folder: str
    digest: str
    inputs_sha256: str


@dataclass(frozen=True, slots=True)
class Trial:
    """Phone × album: the unit that has a state."""

    id: int
    letter: str
    album: str


@dataclass(frozen=True, slots=True)
class PhaseRecord:
    """One phase of one attempt. `due_at` is the stored end of a fixed wait."""

    phase: Phase
    status: Status
    started_at: datetime
    ended_at: datetime | None
    due_at: datetime | None
    detail: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a trial, from reset on. `number` counts from 1."""

    id: int
    trial: int
    number: int
    phases: Mapping[Phase, PhaseRecord] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, order=True)
class SearchKey:
    """What a search is, independent of when it is tried: ids, never texts."""

    query: str
    language: Language
    repeat: int


@dataclass(frozen=True, slots=True)
class Search:
    """One try of one search. `outcome` is None while it is under way (or was cut short)."""

    id: int
    key: SearchKey
    number: int
    """Which try of this key within the attempt, from 1."""
    outcome: Outcome | None
    reason: str | None
    """Why it is invalid, one word of `drivers.interface.Invalid` or of `rig.records.Parked`."""
    detail: str
    ending: str | None
    started_at: datetime
    elapsed_s: float | None


@dataclass(frozen=True, slots=True)
class ScreenRecord:
    """One screen of a search; the file was on disk before this row. `path` is relative to the run folder."""

    number: int
    path: str
    sha256: str
    viewport: Box
    cells: tuple[Box, ...] | None
    labels: tuple[str, ...] | None
    sections: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """A thumbnail that was opened in full because it could not be told by itself: where it was, and what came of it."""

    screen: int
    """Number of the screen it was touched on."""
    box: Box
    """Of the thumbnail there."""
    candidates: tuple[str, ...]
    """What it could have been, by its thumbnail alone."""
    path: str | None
    """Of the whole photo's screen, relative to the run folder; None where it was not shown."""
    sha256: str | None
    viewport: Box | None
    failure: str = ""
    """Why it was not shown."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the screens of one answered search show: its stitched positions, and which version of seeing said so."""

    eyes: str
    positions: tuple[Position, ...]
    end_proven: bool
    capped: bool
    """True when the list goes on beyond the protocol's maximum."""
    fault: str | None = None
    """Why the screens cannot be read as a result list; then the search is not an answer."""


@dataclass(frozen=True, slots=True)
class Placed:
    """One position of one search, matched. `box` is its best sighting on screen `screen`."""

    rank: int
    verdict: Verdict
    photo: str | None
    candidates: tuple[str, ...]
    evidence: Mapping[str, float]
    screen: int
    box: Box


@dataclass(frozen=True, slots=True)
class Coverage:
    """How the searches of one trial ended. `invalid` counts final outcomes by reason, `retries` all further tries by reason."""

    letter: str
    album: str
    planned: int
    answered: int
    first_try_answered: int
    invalid: Mapping[str, int]
    not_run: int
    retries: Mapping[str, int]

    @property
    def complete(self) -> bool:
        """True when every planned search has an answer."""
        return self.answered == self.planned
