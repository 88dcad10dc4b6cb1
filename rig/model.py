"""The nouns of the lab: frozen values that every part of the engine speaks in.

Album ─ Photo            what is pushed
Query                    what is asked, per language, with its right answer
Phone                    whom it is asked of, by letter
Answer ─ Result          what was found on the screens of one search, in order
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path

Box = tuple[int, int, int, int]
"""(left, top, right, bottom) in pixels, half-open."""


class Language(StrEnum):
    """A query's language. Part of what a search is: tables never mix them."""

    ZH = "zh"
    EN = "en"


class SourceType(StrEnum):
    """Which sources a query needs: Visual, Metadata, Face (paper, section 4)."""

    V = "V"
    M = "M"
    F = "F"
    VM = "VM"
    VF = "VF"
    MF = "MF"
    VMF = "VMF"


class Depth(StrEnum):
    """Reasoning depth of one semantic dimension of a query (paper, Table 8)."""

    FACT = "fact"
    COGNITIVE = "cognitive"


class Verdict(StrEnum):
    """What matching says of one thumbnail."""

    MATCHED = "matched"
    AMBIGUOUS = "ambiguous"
    STRANGER = "stranger"


class Outcome(StrEnum):
    """How one search of one query ended. Only ANSWERED is ever scored."""

    ANSWERED = "answered"
    INVALID = "invalid"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True)
class Photo:
    """One usable photo of an album.

    `id` is its POSIX path relative to the album's root and is what queries and scores name; `device_name` is its
    file name on the phone, unique in the album after casefold and NFC.
    """

    id: str
    path: Path
    device_name: str
    size_bytes: int
    sha256: str
    width_px: int
    height_px: int
    format: str
    taken_at: datetime | None
    """Capture time from EXIF; aware when EXIF gives an offset or GPS time, naive otherwise, None without EXIF time."""
    latitude_deg: float | None
    longitude_deg: float | None


@dataclass(frozen=True, slots=True)
class Unusable:
    """A file of the album's folder that cannot be used, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Album:
    """A folder of photos as it is pushed; `digest` is a sha256 over (id, sha256) of its photos in id order."""

    name: str
    root: Path
    photos: tuple[Photo, ...]
    unusable: tuple[Unusable, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Query:
    """What is typed, per language, and the ids of the photos that answer it."""

    id: str
    album: str
    text: Mapping[Language, str]
    source_type: SourceType
    relevant: frozenset[str]
    dimensions: Mapping[str, Depth] = field(default_factory=dict)
    truth_known: bool = True
    """False when the right answer is not given (a test split): such a query can be asked and exported, never scored."""

    @property
    def is_rejection(self) -> bool:
        """True when the right answer is known to be "nothing" (a zero-ground-truth query)."""
        return self.truth_known and not self.relevant


@dataclass(frozen=True, slots=True)
class Phone:
    """One phone of the lab. `name` is the operator's; `address` and `options` say how its driver reaches it."""

    name: str
    platform: str
    address: str
    profile: str
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """One position of a result list. `photo` is set when matched; `candidates` are what it may be otherwise."""

    rank: int
    """0-based position in reading order."""
    verdict: Verdict
    photo: str | None
    candidates: tuple[str, ...] = ()
    evidence: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one search of one query returned, as far as it is known."""

    query: str
    language: Language
    outcome: Outcome
    results: tuple[Result, ...]
    reason: str | None = None
    """Why it is invalid; None when it is not."""
    attempts: int = 1
    end_proven: bool = True
    capped: bool = False
    """True when the list was cut at the protocol's maximum and may go on."""
