"""What a native gallery looks like from outside: pure data, read from `devices/*.toml` by the rig.

An identifier is never trusted because it stands here: each candidate says how sure it is, candidates are tried in order, and a
text in the phone's language stands behind an id. One profile serves every driver of its platform.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum


class Certainty(StrEnum):
    """Where an identifier is known from."""

    SEEN = "C"
    """Seen in a dump, test or working code against the real app."""
    DECOMPILED = "D"
    """Read in a decompiled package: exact for that version only."""
    RULES = "R"
    """Only in rules that a community keeps."""
    GUESS = "G"
    """Nobody has seen it; a first idea for calibration."""


class Submit(StrEnum):
    """How a typed query becomes a search."""

    ENTER = "enter"
    BUTTON = "button"
    """The element `submit` is tapped."""
    NONE = "none"
    """Results appear while typing."""


class Consequence(StrEnum):
    """What follows from a dialog that is on the screen."""

    DISMISS = "dismiss"
    """It is answered with its safe answer and the search goes on."""
    INVALID = "invalid"
    """The search is not an answer: a person has to decide."""


@dataclass(frozen=True, slots=True)
class Selector:
    """One way to recognise an element: everything that is given must fit; an empty string asks nothing."""

    id: str = ""
    """Resource id without its package (Android), identifier (iOS), id (HarmonyOS)."""
    text: str = ""
    text_matches: str = ""
    """Regular expression that fits the whole text."""
    label: str = ""
    """Content description or accessibility label."""
    label_matches: str = ""
    kind: str = ""
    """Last part of the class or element type: `EditText`, `XCUIElementTypeImage`, `SearchField`."""
    package: str = ""
    """Package the element belongs to; empty means the gallery's own or the system's."""
    language: str = ""
    """The UI language its text is in (`zh`, `en`); empty where it holds in every language."""
    sure: Certainty = Certainty.GUESS
    source: str = ""
    """Where it is known from."""

    @property
    def is_empty(self) -> bool:
        """True when it would fit every element."""
        return not (self.id or self.text or self.text_matches or self.label or self.label_matches or self.kind)


Candidates = tuple[Selector, ...]
"""Ways to find one element, best first."""


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of a gallery that a search needs; empty where the gallery has none or nobody knows."""

    search_entry: Candidates = ()
    """What opens the search page from the gallery's first page."""
    field: Candidates = ()
    """The text field of the search page."""
    clear: Candidates = ()
    submit: Candidates = ()
    cancel: Candidates = ()
    results: Candidates = ()
    """The container that scrolls and holds the result cells."""
    cell: Candidates = ()
    """A result cell; empty for galleries drawn without accessible cells."""
    section: Candidates = ()
    """The title of a group of results."""
    bars: Candidates = ()
    """Bars that lie over the results container, at its top or bottom."""
    view_all: Candidates = ()
    no_results: Candidates = ()
    """The gallery's own sign that it found nothing."""
    spinner: Candidates = ()
    suggestions: Candidates = ()
    indexing: Candidates = ()
    """A text that says results are not complete yet."""
    end_marker: Candidates = ()
    retry: Candidates = ()
    """A "try again" that stands where results should: the search itself failed."""
    viewer: Candidates = ()
    """A photo opened in full."""


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog, sheet or prompt that is known to come, and what to do about it."""

    name: str
    sign: Candidates
    """Any of these on the screen means that it is there."""
    press: Candidates = ()
    """Its safe answer, best first; empty with `Consequence.DISMISS` means the back key."""
    consequence: Consequence = Consequence.DISMISS
    reason: str = "dialog"
    """The `Invalid` reason when `consequence` is INVALID."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a gallery may take, in seconds."""

    results_s: float = 20.0
    """From submitting to settled results; server-side galleries need more."""
    still_s: float = 0.15
    """Two equal frames this far apart are settled (longer than one animation frame at 10 Hz)."""
    launch_s: float = 15.0
    same_results_s: float = 0.7
    """How long a grid equal to the previous query's is given to change before it is put to the proof."""


@dataclass(frozen=True, slots=True)
class GalleryProfile:
    """Everything a driver is told about one gallery."""

    name: str
    title: str
    platform: str
    """android, ios or harmony."""
    package: str
    """Package, bundle identifier or bundle name."""
    elements: Elements
    activity: str = ""
    """Activity (Android) or ability (HarmonyOS) that opens the gallery; empty means its launcher entry."""
    submit: Submit = Submit.ENTER
    keyboard_stays: bool = False
    """True when the keyboard stays open over the results."""
    dialogs: tuple[Dialog, ...] = ()
    watch: tuple[str, ...] = ()
    """Packages whose CPU time tells of indexing, the gallery's own first."""
    patience: Patience = Patience()
    options: Mapping[str, str] = field(default_factory=dict)
    """What only one platform's driver understands."""

    def faults(self) -> tuple[str, ...]:
        """What is wrong with this profile, in sentences; empty when it can be used."""
        return tuple(_faults(self))


def _faults(profile: GalleryProfile) -> list[str]:
    found: list[str] = []
    if not profile.package:
        found.append("package: is empty")
    for name in ("field", "no_results"):
        if not getattr(profile.elements, name):
            found.append(f"elements.{name}: at least one candidate is needed")
    if profile.submit is Submit.BUTTON and not profile.elements.submit:
        found.append("elements.submit: submit = 'button' needs at least one candidate")
    for entry in fields(profile.elements):
        found += _selector_faults(f"elements.{entry.name}", getattr(profile.elements, entry.name))
    for dialog in profile.dialogs:
        if not dialog.sign:
            found.append(f"dialogs.{dialog.name}: has no sign to know it by")
        found += _selector_faults(f"dialogs.{dialog.name}", dialog.sign + dialog.press)
    return found


def _selector_faults(where: str, candidates: Candidates) -> list[str]:
    found = []
    for number, selector in enumerate(candidates):
        if selector.is_empty:
            found.append(f"{where}[{number}]: would fit every element")
        for pattern in (selector.text_matches, selector.label_matches):
            try:
                re.compile(pattern)
            except re.error as error:
                found.append(f"{where}[{number}]: {pattern!r} is no regular expression: {error}")
    return found
