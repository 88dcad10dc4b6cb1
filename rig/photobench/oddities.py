"""What is odd about a released file: told to the operator, never repaired in silence."""

from dataclasses import dataclass
from enum import StrEnum


class OddityKind(StrEnum):
    """What kind of oddity; stable names for scripts."""

    SAME_TEXT = "same-text"
    """Several queries of an album share a text, so that a submission's key is ambiguous."""
    COUNT = "count"
    """ground_truth_count is not the length of ground_truth."""
    REPEATED_NAME = "repeated-name"
    NO_TRUTH = "no-ground-truth"
    ALBUM_GUESSED = "album-guessed"
    MISSING_PHOTO = "missing-photo"
    CASE = "case"
    """A name differs from the photo's in case or Unicode composition only."""
    AMBIGUOUS_NAME = "ambiguous-name"
    SAME_BYTES = "same-bytes"
    """The named photo is a copy of one that was kept."""
    NICKNAME = "nickname"
    """A nickname belongs to several people."""


@dataclass(frozen=True, slots=True)
class Oddity:
    """One odd thing, about one query, photo or album."""

    kind: OddityKind
    about: str
    detail: str
