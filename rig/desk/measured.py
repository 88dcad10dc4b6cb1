"""What was measured with the calibration album: plain values, and what of them forbids a sweep."""

import unicodedata
from dataclasses import asdict, dataclass
from typing import Any

from drivers.interface import Ending
from rig.seeing import CAPPED


@dataclass(frozen=True, slots=True)
class Scroll:
    """How far the list moved between two screens, by the marks that both show."""

    distance_px: float
    sideways_px: float
    unsteady_px: float
    """Largest minus smallest distance of one movement; the pixels of one list move together, so more than 2 is drift."""


@dataclass(frozen=True, slots=True)
class Searched:
    """One query of the calibration album, measured. Counts are of thumbnails, each position of the list once."""

    query: str
    ending: str
    """How the list ended, or why it is no answer."""
    seconds: float
    shown: int
    """Different marks seen on the screens."""
    missed: int
    """Marks on the screens that no cell of the rig holds."""
    right: int
    wrong: int
    undecided: int
    unread: int
    """Positions whose own mark cannot be read: a badge lies over it, or it is no photo of the album."""
    scrolls: tuple[Scroll, ...]

    @property
    def answered(self) -> bool:
        """True when the search is an answer."""
        return self.ending in (*Ending, CAPPED)


@dataclass(frozen=True, slots=True)
class Typed:
    """One awkward text, as the field held it after one try."""

    text: str
    found: str

    @property
    def same(self) -> bool:
        """True when it is the text, letter by letter after NFC."""
        return unicodedata.normalize("NFC", self.text) == unicodedata.normalize("NFC", self.found)


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything that was measured with the album."""

    photos: int
    searches: tuple[Searched, ...]
    texts: tuple[Typed, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """What forbids a sweep: wrong matches, missed cells, spoilt texts, no answer. Undecided thumbnails do not."""
        found = [f"{search.query!r}: {search.ending}" for search in self.searches if not search.answered]
        wrong, missed = sum(search.wrong for search in self.searches), sum(search.missed for search in self.searches)
        found += [f"{wrong} thumbnails were matched to a wrong photo"] if wrong else []
        found += [f"{missed} thumbnails on the screens were not seen as cells"] if missed else []
        found += [f"typed {typed.text!r}, the field held {typed.found!r}" for typed in self.texts if not typed.same]
        if not any(search.shown for search in self.searches):
            found.append("no photo of the album was found; give it more time (--wait), or --query TEXT that finds it")
        return tuple(found)


def measured_told(measured: Measured) -> dict[str, Any]:
    """As plain data."""
    return {**asdict(measured), "texts": [{**asdict(typed), "same": typed.same} for typed in measured.texts]}
