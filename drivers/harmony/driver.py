"""The verbs of the contract, each handed to the file that knows it."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from drivers.harmony import album, condition, reset, settings
from drivers.harmony.hdc import Hdc, find_hdc
from drivers.harmony.phone import Phone
from drivers.harmony.signals import read_signals
from drivers.harmony.touch import HarmonyTouch
from drivers.harmony.uitest import UiTest
from drivers.interface import (
    Ask,
    Box,
    DriverError,
    Ending,
    Health,
    Identity,
    ImportReport,
    Operator,
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
from drivers.screens.hands import Hands
from drivers.screens.search import Searcher

T = TypeVar("T")

_SETTLE_S = 60.0  # a phone that was just set up is still busy installing and updating itself
_SOFT_SETTLE_S = 0.5  # one made of software is not


class HarmonyDriver:
    """One HarmonyOS phone's gallery, over hdc and uitest."""

    def __init__(
        self,
        phone: Phone,
        profile: GalleryProfile,
        options: Mapping[str, str] | None = None,
        operator: Operator | None = None,
    ) -> None:
        self._phone = phone
        self._profile = profile
        self._options = dict(options or {})
        self._operator = operator
        agent = self._options.get("agent", "")
        self._ui = UiTest(phone, Path(agent) if agent else None)
        self._api = condition.read_api(phone)
        self._pin = self._pinned()
        self._expect(self._pin)
        self._searcher: Searcher | None = None

    def identify(self) -> Identity:
        """As in the contract. Raises WrongPhone when it is not the phone that was opened."""
        found = self._retried(lambda: condition.read_identity(self._phone, self._profile.package))
        if found.serial != self._pin.serial:
            raise self._wrong(found.serial)
        return found

    def health(self) -> Health:
        """As in the contract."""
        return self._retried(lambda: condition.read_health(self._phone))

    def prepare(self) -> Mapping[str, str]:
        """As in the contract."""
        return self._retried(lambda: settings.prepare(self._phone))

    def restore(self, settings_before: Mapping[str, str]) -> None:
        """As in the contract."""
        self._retried(lambda: settings.restore(self._phone, settings_before))

    def reset(self) -> ResetProof:
        """As in the contract."""
        self._forget_screen()
        virtual = self.identify().virtual
        plan = reset.Plan(
            library=album.library_folder(self._api),
            bundles=self._profile.watch or (self._profile.package,),
            settle_s=float(self._options.get("reset_settle_s", _SOFT_SETTLE_S if virtual else _SETTLE_S)),
            pace_s=0.2 if virtual else 2.0,
            mdm=self._options.get("mdm", ""),
            names=tuple(self._options.get("reset", "").replace(",", " ").split()),
            needs_a_person=not virtual,
            operator=self._operator,
        )
        proof = reset.reset(self._phone, plan)
        self.identify()
        return proof

    def push(self, items: Sequence[PushItem], progress: Progress) -> None:
        """As in the contract."""
        self._retried(lambda: album.push(self._phone, items, progress, self._api))

    def verify_import(self, items: Sequence[PushItem]) -> ImportReport:
        """As in the contract."""
        return self._retried(lambda: album.verify(self._phone, items, self._api))

    def index_signals(self) -> Mapping[str, str]:
        """As in the contract."""
        bundles = self._profile.watch or (self._profile.package,)
        return self._retried(lambda: read_signals(self._phone, bundles, album.library_folder(self._api)))

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
        self._ui.stop()

    def _searching(self) -> Searcher:
        if self._searcher is None:
            touch = HarmonyTouch(self._phone, self._ui, self._profile, self._pin, self._api)
            self._searcher = Searcher(Hands(touch, self._profile))
        return self._searcher

    def _pinned(self) -> condition.Pin:
        return condition.parse_pin(self._phone.texts(condition.PIN_LINES))

    def _expect(self, found: condition.Pin) -> None:
        """A serial number given in the lab file has to be this phone's."""
        wanted = self._options.get("serial", "")
        if wanted and wanted != found.serial:
            raise WrongPhone(f"{self._phone.address}: the lab file says phone {wanted}, found {found.serial}; check the cables")

    def _wrong(self, serial: str) -> WrongPhone:
        return WrongPhone(f"{self._phone.address}: expected phone {self._pin.serial}, found {serial}; check the cables")

    def _forget_screen(self) -> None:
        self._ui.stop()
        self._searcher = None

    def _retried(self, work: Callable[[], T]) -> T:
        """One repetition on a fresh connection: every verb but `reset` and `search` may be done twice. Raises PhoneLost."""
        try:
            return work()
        except PhoneLost:
            self._forget_screen()
            self._phone.reconnect()
            found = self._pinned()
            if found.serial != self._pin.serial:
                raise self._wrong(found.serial) from None
            return work()


def open_driver(
    address: str, profile: GalleryProfile, options: Mapping[str, str], operator: Operator | None = None
) -> HarmonyDriver:
    """A driver connected to the phone at `address` (connect key, or HOST:PORT of a phone on the network). Options:

    hdc              path of the hdc command, else the one on PATH
    server           HOST:PORT of the hdc server to use instead of this computer's own
    serial           the phone that has to answer there
    agent            path of uitest's extension library for hosts, which is put on the phone (comes with Huawei's test tools)
    mdm              BUNDLE/ABILITY of the lab's management app that may reset the phone
    reset            ways to reset that may be used, in this order: mdm, operator, soft
    reset_settle_s   how long a phone that was reset is left alone before it is used
    deadline_scale   multiplies the deadline of every call, 1 when it is not given
    """
    faults = profile.faults()
    if not profile.activity:
        faults = (*faults, "activity: hdc needs the ability that opens the gallery")
    if faults:
        raise DriverError(f"profile {profile.name} cannot be used: {'; '.join(faults)}")
    phone = Phone(Hdc(find_hdc(options.get("hdc", "")), options.get("server", ""), _scale(options)), address)
    phone.connect()
    return HarmonyDriver(phone, profile, options, operator)


def _scale(options: Mapping[str, str]) -> float:
    try:
        scale = float(options.get("deadline_scale", "1"))
    except ValueError:
        scale = 0.0
    if scale <= 0:
        raise DriverError(f"option deadline_scale is {options['deadline_scale']!r}: expected a number above 0")
    return scale
