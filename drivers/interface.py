"""The contract of every driver: few verbs, said in *what*, never in *how*.

    open → identify → health → reset → push → verify_import → index_signals … search … → restore → close

One thread owns a driver from `open_driver` to `close`. Every call has its own deadline inside the driver.
Foreign exceptions never leave a driver: they come out as `DriverError` or `SearchFailed`, `from` their cause.

**A failed look is never an empty answer.** `search` returns `Ending.NO_RESULTS` only on the gallery's own sign that nothing was
found; every other state without a grid raises `SearchFailed` with its reason.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:  # the tree's own file speaks in the boxes defined here
    from drivers.screens.tree import Tree

Box = tuple[int, int, int, int]
"""(left, top, right, bottom) in pixels, half-open."""

Progress = Callable[[int, int], None]
"""Called with (done, total) as a long verb proceeds."""


class DriverError(Exception):
    """This phone cannot go on; it is parked with this as its first cause. The message names the next step."""


class PhoneLost(DriverError):
    """The phone or its connection went away and may come back: infrastructure, worth retrying."""


class NeedsPerson(DriverError):
    """Only a person could do this, and there is nobody to ask. Nothing was done to the phone."""


class WrongPhone(DriverError):
    """Another phone answers at this address. Nothing seen since the last good identity may be scored."""


class Invalid(StrEnum):
    """Why a search that was tried is not an answer."""

    STILL_LOADING = "still_loading"
    STALE_RESULTS = "stale_results"
    INPUT_MISMATCH = "input_mismatch"
    DIALOG = "dialog"
    PERMISSION = "permission"
    LOCKED = "locked"
    BLACK_FRAME = "black_frame"
    BROKEN_IMAGE = "broken_image"
    INDEXING = "indexing"
    NOT_RESPONDING = "not_responding"
    KEYBOARD_OVER_GRID = "keyboard_over_grid"
    NOTIFICATION = "notification"
    SUGGESTIONS_ONLY = "suggestions_only"
    UNKNOWN_SCREEN = "unknown_screen"
    WRONG_APP = "wrong_app"
    SCROLL_LOST = "scroll_lost"
    TIMEOUT = "timeout"
    CONNECTION = "connection"


class SearchFailed(Exception):
    """This search is not an answer: recorded as `invalid:<reason>`, retried as infrastructure, never scored."""

    def __init__(self, reason: Invalid, detail: str, screenshot: bytes | None = None) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.screenshot = screenshot
        """What was on the screen, PNG, when it could be had."""


class NotOpened(Exception):
    """A result was not shown in full; the results are on the screen as before, and the search goes on."""


class Ending(StrEnum):
    """How the gallery's result list ended."""

    NO_RESULTS = "no_results"
    """The gallery itself said that it found nothing."""
    END_PROVEN = "end_proven"
    """Scrolling on changes nothing, twice, or the gallery shows its end marker."""
    END_UNPROVEN = "end_unproven"
    """The driver could not go on and cannot prove that this was the end."""


class Ask(StrEnum):
    """What the reader of the screens asks next. (Enough is said by closing the generator.)"""

    ON = "on"
    """Scroll on, keeping at least one row of overlap."""
    BACK = "back"
    """The last screen does not overlap the one before: scroll back by half a screen and show again."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who answers at this address, read on the same channel as everything else."""

    serial: str
    """ro.serialno, UDID or hdc connect key: what the *phone* says, not what it was addressed by."""
    model: str
    build: str
    """Build fingerprint: two equal ones run the same firmware."""
    os_version: str
    gallery_package: str
    gallery_version: str
    locale: str
    boot_count: str
    """Changes when the phone restarts (a boot count or boot id); "" where the platform tells none."""
    virtual: bool = False
    """True when the phone itself says that it is made of software (a build property), as emulators do."""


@dataclass(frozen=True, slots=True)
class Health:
    """The phone's condition; a reading the phone does not give is None, never a default."""

    battery_percent: int | None
    temperature_c: float | None
    charging: bool | None
    free_bytes: int | None
    clock_skew_s: float | None
    """Phone clock minus host clock."""
    locked: bool | None
    screen_on: bool | None
    timezone: str | None
    settings: Mapping[str, str] = field(default_factory=dict)
    """What matters for a search (rotation, animation scale, do-not-disturb, autocorrect, keyboard …), as read."""


@dataclass(frozen=True, slots=True)
class Sign:
    """One independent sign that a reset happened, with what was read before and after."""

    name: str
    before: str
    after: str
    holds: bool


@dataclass(frozen=True, slots=True)
class ResetProof:
    """How the phone was reset. `factory` is False for a soft clean, which is never called a factory reset."""

    strategy: str
    factory: bool
    signs: tuple[Sign, ...]

    @property
    def proven(self) -> bool:
        """True when at least three independent signs hold and none contradicts."""
        return sum(sign.holds for sign in self.signs) >= 3 and all(sign.holds for sign in self.signs)


@dataclass(frozen=True, slots=True)
class PushItem:
    """One file to push: where it lies here, its name on the phone, and what must be found there."""

    path: Path
    device_name: str
    size_bytes: int
    sha256: str
    taken_at: datetime | None


@dataclass(frozen=True, slots=True)
class ImportFault:
    """One file that did not arrive as it should."""

    device_name: str
    fault: str
    """missing, size, hash, undecodable, date, extra …"""
    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What of the album is on the phone, as the phone's own library sees it."""

    expected: int
    found: int
    faults: tuple[ImportFault, ...]

    @property
    def complete(self) -> bool:
        """True when every file is there with the right bytes and nothing else is."""
        return self.expected == self.found and not self.faults


@dataclass(frozen=True, slots=True)
class Screen:
    """One settled screen of results, as captured."""

    png: bytes
    """Lossless PNG, decoded once by the driver to prove that it is whole."""
    viewport: Box
    """Where results scroll, without bars, keyboard and navigation."""
    cells: tuple[Box, ...] | None
    """Result cells by the UI tree, visible part, reading order; None when the tree offers none."""
    labels: tuple[str, ...] | None = None
    """Accessibility labels of `cells`, same length; None with them or where the gallery gives none."""
    sections: tuple[tuple[int, str], ...] = ()
    """(top px, title) of the section headers seen on this screen, top to bottom."""


Operator = Callable[[str, Sequence[str]], None]
"""Told (phone, checklist) when a person has to act; returns at once, the driver goes on when the phone comes back."""


@runtime_checkable
class PhotoOpener(Protocol):
    """What some drivers can do besides: show one result in full, for a reader that cannot tell it by its thumbnail."""

    def open_result(self, box: Box) -> Screen:
        """The photo in the cell `box` of the screen yielded last, in full; the results are shown again afterwards.

        Only between two screens of a search that is going on. Raises NotOpened; SearchFailed when the results are not where
        they were, which ends the search; PhoneLost.
        """


@dataclass(frozen=True, slots=True)
class Sight:
    """One moment of the screen as a profile meets it."""

    png: bytes
    tree: "Tree"
    shown: str
    """What the driver takes it for: a word of its own table, and the detail."""


@runtime_checkable
class Inspectable(Protocol):
    """What some drivers can do besides: show how a profile fits its gallery, page by page. Changes no photo and no setting."""

    def show_gallery(self) -> Iterator[Sight]:
        """Starts the gallery anew; each dialog of the profile before it is answered, and at last the first page.

        Raises SearchFailed, PhoneLost, as do the others.
        """

    def show_search_page(self) -> Sight:
        """The search page, its field empty or as the gallery left it."""

    def enter(self, text: str) -> str:
        """Types `text` into the field of the search page; returns what the field holds then."""

    def inspect(self) -> Sight:
        """What is on the screen now; also between two screens of a search that is going on."""


class GalleryDriver(Protocol):
    """A phone's gallery, driven from outside as a person would."""

    def identify(self) -> Identity:
        """Who answers now. Raises PhoneLost."""

    def health(self) -> Health:
        """The phone's condition now."""

    def prepare(self) -> Mapping[str, str]:
        """Settings for searching are set (rotation, animation, stay awake, do-not-disturb); returns those it replaced."""

    def restore(self, settings: Mapping[str, str]) -> None:
        """The settings that `prepare` returned are in force again."""

    def reset(self) -> ResetProof:
        """The phone is as from the factory, or DriverError. The caller has confirmed that it may be erased."""

    def push(self, items: Sequence[PushItem], progress: Progress) -> None:
        """Every item is on the phone and known to its media library; resumes what was begun."""

    def verify_import(self, items: Sequence[PushItem]) -> ImportReport:
        """Compares the phone's library with `items` by name, size and hash."""

    def index_signals(self) -> Mapping[str, str]:
        """Passive signals of on-device indexing (CPU time of the gallery's processes, jobs …). Never wakes the screen."""

    def search(self, text: str) -> Generator[Screen, Ask | None, Ending]:
        """Types `text` into the gallery's own search and yields settled screens from the top; returns how the list ended.

        The first screen is the top of the results. Each `send(Ask)` yields the next. Closing the generator is how the
        reader says that it has enough. Raises SearchFailed for every state that is neither results nor the gallery's
        own "nothing found", PhoneLost when the phone is gone.
        """

    def close(self) -> None:
        """Connections are closed; the phone's state is left as it is."""
