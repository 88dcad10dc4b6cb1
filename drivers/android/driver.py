"""The verbs of the contract, each handed to the file that knows it."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import TypeVar

from drivers.android import album, condition, reset, settings
from drivers.android.automation import Automation
from drivers.android.server import running_server
from drivers.android.signals import read_signals
from drivers.android.touch import AndroidTouch, UiAutomation
from drivers.android.transport import Transport
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
_SOFT_SETTLE_S = 1.0  # one made of software is not


class AndroidDriver:
    """One Android phone's gallery, over adb and uiautomator2."""

    def __init__(
        self,
        phone: Transport,
        profile: GalleryProfile,
        options: Mapping[str, str] | None = None,
        operator: Operator | None = None,
        *,
        automation: UiAutomation,
    ) -> None:
        self._phone = phone
        self._profile = profile
        self._options = dict(options or {})
        self._operator = operator
        self._ui = automation
        self._pin = condition.parse_pin(phone.text(condition.PIN_COMMAND))
        self._expect(self._pin)
        self._searcher: Searcher | None = None

    def identify(self) -> Identity:
        """As in the contract. Raises WrongPhone when it is not the phone that was opened."""
        found = self._retried(lambda: condition.read_identity(self._phone, self._profile.package))
        if found.serial != self._pin.serial:
            raise WrongPhone(
                f"{self._phone.address}: expected phone {self._pin.serial}, found {found.serial}; check the cables"
            )
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
        settle_s = float(self._options.get("reset_settle_s", _SOFT_SETTLE_S if virtual else _SETTLE_S))
        plan = reset.Plan(
            settle_s,
            pace_s=0.2 if virtual else 2.0,
            packages=self._profile.watch or (self._profile.package,),
            names=tuple(self._options.get("reset", "").replace(",", " ").split()),
            operator=self._operator,
        )
        return reset.reset(self._phone, plan)

    def push(self, items: Sequence[PushItem], progress: Progress) -> None:
        """As in the contract."""
        self._retried(lambda: album.push(self._phone, items, progress))

    def verify_import(self, items: Sequence[PushItem]) -> ImportReport:
        """As in the contract."""
        return self._retried(lambda: album.verify(self._phone, items))

    def index_signals(self) -> Mapping[str, str]:
        """As in the contract."""
        packages = self._profile.watch or (self._profile.package,)
        return self._retried(lambda: read_signals(self._phone, packages))

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
            method = self._retried(lambda: self._phone.text("settings get secure default_input_method"))
            touch = AndroidTouch(self._phone, self._ui, self._profile, self._pin, keyboard=method.partition("/")[0])
            self._searcher = Searcher(Hands(touch, self._profile))
        return self._searcher

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
            found = condition.parse_pin(self._phone.text(condition.PIN_COMMAND))
            if found.serial != self._pin.serial:
                raise self._wrong(found.serial) from None
            return work()


def open_driver(
    address: str, profile: GalleryProfile, options: Mapping[str, str], operator: Operator | None = None
) -> AndroidDriver:
    """A driver connected to the phone at `address` (serial, host:port or usb:path). Options:

    serial           the phone that has to answer there
    adb_port         port of the adb server to use instead of the rig's own
    deadline_scale   multiplies the deadline of every call, 1 when it is not given
    reset            ways to reset that may be used, in this order: testharness, operator-trade-in, operator, soft
    reset_settle_s   how long a phone that was reset is left alone before it is used
    """
    refuse_faulty(profile)
    phone = open_transport(address, options)
    return AndroidDriver(phone, profile, options, operator, automation=Automation(phone))


def open_transport(address: str, options: Mapping[str, str]) -> Transport:
    """The phone at `address`, connected, behind the adb server that the options name. Raises DriverError, PhoneLost."""
    port = options.get("adb_port", "")
    if port and not port.isdigit():
        raise DriverError(f"option adb_port is {port!r}: expected a port number")
    phone = Transport(running_server(int(port) if port else None), address, deadline_scale(options))
    phone.connect()
    return phone


def refuse_faulty(profile: GalleryProfile) -> None:
    """Raises DriverError for a profile that cannot be used."""
    faults = profile.faults()
    if faults:
        raise DriverError(f"profile {profile.name} cannot be used: {'; '.join(faults)}")


def deadline_scale(options: Mapping[str, str]) -> float:
    """What every deadline is multiplied by. Raises DriverError."""
    try:
        scale = float(options.get("deadline_scale", "1"))
    except ValueError:
        scale = 0.0
    if scale <= 0:
        raise DriverError(f"option deadline_scale is {options['deadline_scale']!r}: expected a number above 0")
    return scale
