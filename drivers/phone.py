"""The contract over any platform's phone: one phone throughout, calls repeated on a fresh connection, searches on its screen.

PhoneDriver ┬ verbs ──▶ PlatformPhone      android, ios, harmony: each in its own words, once and unchecked
            └ search ─▶ drivers.screens ─▶ Touch
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from drivers.interface import (
    Ask,
    Box,
    DriverError,
    Ending,
    Health,
    Identity,
    ImportReport,
    PhoneLost,
    Progress,
    PushItem,
    ResetProof,
    Screen,
    Sight,
    WrongPhone,
)
from drivers.profile import GalleryProfile
from drivers.screens import inspecting
from drivers.screens.hands import Hands, Touch
from drivers.screens.search import Searcher

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pin:
    """What must stay the same as long as a driver is open."""

    address: str
    serial: str
    build: str

    def require(self, found: "Pin") -> None:
        """Raises WrongPhone for another phone, and for this one with other firmware."""
        if found != self:
            raise WrongPhone(
                f"{self.address}: expected phone {self.serial} with {self.build}, found {found.serial} with {found.build}; "
                "check the cables and `rig devices`"
            )

    def require_serial(self, serial: str) -> None:
        """Raises WrongPhone for another phone."""
        if serial != self.serial:
            raise WrongPhone(f"{self.address}: expected phone {self.serial}, found {serial}; check the cables")


class PlatformPhone(Protocol):
    """A phone as its platform reaches it: the contract's verbs, each done once. All raise PhoneLost."""

    @property
    def pin(self) -> Pin:
        """Who answered when it was opened."""

    def identify(self) -> Identity:
        """As in the contract."""

    def health(self) -> Health:
        """As in the contract."""

    def prepare(self) -> Mapping[str, str]:
        """As in the contract."""

    def restore(self, settings: Mapping[str, str]) -> None:
        """As in the contract."""

    def reset(self, *, virtual: bool) -> ResetProof:
        """As in the contract; a phone made of software is waited for at its own pace."""

    def push(self, items: Sequence[PushItem], progress: Progress) -> None:
        """As in the contract."""

    def verify_import(self, items: Sequence[PushItem]) -> ImportReport:
        """As in the contract."""

    def index_signals(self) -> Mapping[str, str]:
        """As in the contract."""

    def touch(self) -> Touch:
        """What a search works the screen with."""

    def leave_screen(self) -> None:
        """What works the screen is ended; the next call starts it anew."""

    def reconnect(self) -> None:
        """The phone of the pin answers on a fresh connection. Raises WrongPhone for another, PhoneLost when none does."""

    def close(self) -> None:
        """Connections are closed."""


class PhoneDriver:
    """Implements `GalleryDriver`, `Inspectable` and `PhotoOpener`."""

    def __init__(self, phone: PlatformPhone, profile: GalleryProfile, options: Mapping[str, str]) -> None:
        """Raises WrongPhone when the option `serial` names another phone."""
        wanted, pin = options.get("serial", ""), phone.pin
        if wanted and wanted != pin.serial:
            raise WrongPhone(f"{pin.address}: the lab file says phone {wanted}, found {pin.serial}; check the cables")
        self._phone = phone
        self._profile = profile
        self._searcher: Searcher | None = None

    def identify(self) -> Identity:
        """As in the contract. Raises WrongPhone when it is not the phone that was opened."""
        found = self._retried(self._phone.identify)
        self._phone.pin.require_serial(found.serial)
        return found

    def health(self) -> Health:
        """As in the contract."""
        return self._retried(self._phone.health)

    def prepare(self) -> Mapping[str, str]:
        """As in the contract."""
        return self._retried(self._phone.prepare)

    def restore(self, settings: Mapping[str, str]) -> None:
        """As in the contract."""
        self._retried(lambda: self._phone.restore(settings))

    def reset(self) -> ResetProof:
        """As in the contract. Raises WrongPhone when another phone came back."""
        self._leave_screen()
        proof = self._phone.reset(virtual=self.identify().virtual)
        self.identify()
        return proof

    def push(self, items: Sequence[PushItem], progress: Progress) -> None:
        """As in the contract."""
        self._retried(lambda: self._phone.push(items, progress))

    def verify_import(self, items: Sequence[PushItem]) -> ImportReport:
        """As in the contract."""
        return self._retried(lambda: self._phone.verify_import(items))

    def index_signals(self) -> Mapping[str, str]:
        """As in the contract."""
        return self._retried(self._phone.index_signals)

    def search(self, text: str) -> Generator[Screen, Ask | None, Ending]:
        """As in the contract."""
        return self._searching().search(text)

    def show_gallery(self) -> Iterator[Sight]:
        """As in `Inspectable`."""
        return inspecting.show_gallery(self._searching().hands)

    def show_search_page(self) -> Sight:
        """As in `Inspectable`."""
        return inspecting.show_search_page(self._searching().hands)

    def enter(self, text: str) -> str:
        """As in `Inspectable`."""
        return inspecting.enter(self._searching().hands, text)

    def inspect(self) -> Sight:
        """As in `Inspectable`."""
        return inspecting.sight(self._searching().hands)

    def open_result(self, box: Box) -> Screen:
        """As in `PhotoOpener`."""
        if self._searcher is None:
            raise DriverError("no search is going on")
        return self._searcher.open_result(box)

    def close(self) -> None:
        """As in the contract."""
        self._phone.close()

    def _searching(self) -> Searcher:
        if self._searcher is None:
            self._searcher = Searcher(Hands(self._retried(self._phone.touch), self._profile))
        return self._searcher

    def _leave_screen(self) -> None:
        self._phone.leave_screen()
        self._searcher = None

    def _retried(self, work: Callable[[], T]) -> T:
        """One repetition on a fresh connection: every verb but `reset` and `search` may be done twice. Raises PhoneLost."""
        try:
            return work()
        except PhoneLost:
            self._leave_screen()
            self._phone.reconnect()
            return work()
