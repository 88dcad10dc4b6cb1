"""The verbs of the contract, each handed to the file that knows it."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from time import monotonic, sleep
from typing import TypeVar

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
from drivers.ios import album, condition, reset, signals
from drivers.ios.agent import Agent, UiAgent
from drivers.ios.services import Address, Services, open_services
from drivers.ios.touch import IosTouch
from drivers.profile import GalleryProfile
from drivers.screens import inspecting
from drivers.screens.hands import Hands
from drivers.screens.search import Searcher

T = TypeVar("T")

_RECONNECT_S = 30.0
_PACE_S = 0.2
_PORTS = (8100, 9100)


class IosDriver:
    """One iPhone's gallery, over WebDriverAgent and lockdownd."""

    def __init__(
        self,
        services: Services,
        agent: UiAgent,
        profile: GalleryProfile,
        options: Mapping[str, str],
        operator: Operator | None = None,
    ) -> None:
        self._services, self._agent, self._profile, self._options = services, agent, profile, dict(options)
        self._operator = operator
        self._scale = deadline_scale(options)
        self._pin = condition.read_pin(services)
        self._searcher: Searcher | None = None

    def identify(self) -> Identity:
        """As in the contract. Raises WrongPhone when it is not the phone that was opened."""
        found = self._retried(lambda: condition.read_identity(self._services, self._profile.package))
        if found.serial != self._pin.udid:
            raise WrongPhone(f"expected phone {self._pin.udid}, found {found.serial}; check the cables")
        return found

    def health(self) -> Health:
        """As in the contract."""
        return self._retried(lambda: condition.read_health(self._services, self._agent))

    def prepare(self) -> Mapping[str, str]:
        """As in the contract."""
        return self._retried(lambda: condition.prepare(self._agent))

    def restore(self, settings: Mapping[str, str]) -> None:
        """As in the contract. The screen is dark afterwards: an iPhone indexes in no other state."""
        self._retried(lambda: condition.lock(self._agent))

    def reset(self) -> ResetProof:
        """As in the contract."""
        self._forget_screen()
        plan = reset.Plan(
            names=tuple(self._options.get("reset", "").replace(",", " ").split()),
            pace_s=_PACE_S if self.identify().virtual else 2.0,
            operator=self._operator,
            importer=album.importer(self._profile),
        )
        return reset.reset(self._services, self._agent, plan)

    def push(self, items: Sequence[PushItem], progress: Progress) -> None:
        """As in the contract."""
        self._retried(lambda: self._album().push(items, progress))

    def verify_import(self, items: Sequence[PushItem]) -> ImportReport:
        """As in the contract. The screen is dark afterwards."""
        report = self._retried(lambda: self._album().verify(items))
        self._retried(lambda: condition.lock(self._agent))
        return report

    def index_signals(self) -> Mapping[str, str]:
        """As in the contract. A screen that is on keeps the phone from indexing: it is turned off."""

        def read() -> Mapping[str, str]:
            condition.lock(self._agent)
            return signals.read_signals(self._services)

        return self._retried(read)

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
        self._forget_screen()
        self._services.close()

    def expect(self, udid: str) -> None:
        """A UDID that the lab file gives has to be this phone's. Raises WrongPhone."""
        if udid and udid != self._pin.udid:
            raise WrongPhone(f"the lab file says phone {udid}, found {self._pin.udid}; check the cables")

    def _searching(self) -> Searcher:
        if self._searcher is None:
            touch = IosTouch(self._agent, self._profile, self._same_phone, self._reconnect)
            self._searcher = Searcher(Hands(touch, self._profile))
        return self._searcher

    def _album(self) -> album.Album:
        touch = IosTouch(self._agent, self._profile, self._same_phone, self._reconnect)
        return album.Album(self._services, touch, album.importer(self._profile), self._options.get("import", "importer"))

    def _same_phone(self) -> None:
        found = condition.read_pin(self._services)
        if found != self._pin:
            raise WrongPhone(
                f"expected phone {self._pin.udid} with {self._pin.build}, found {found.udid} with {found.build}; "
                "check the cables and `rig devices`"
            )

    def _reconnect(self) -> None:
        """The phone and its agent answer again. Raises PhoneLost."""
        until = monotonic() + _RECONNECT_S * self._scale
        while True:
            try:
                self._same_phone()
                self._agent.get("/status", 3.0)
            except PhoneLost:
                if monotonic() > until:
                    raise
                sleep(_PACE_S)
            else:
                return

    def _forget_screen(self) -> None:
        self._agent.end()
        self._searcher = None

    def _retried(self, work: Callable[[], T]) -> T:
        """One repetition on a fresh connection: every verb but `reset` and `search` may be done twice. Raises PhoneLost."""
        try:
            return work()
        except PhoneLost:
            self._forget_screen()
            self._reconnect()
            return work()


def open_driver(
    address: str, profile: GalleryProfile, options: Mapping[str, str], operator: Operator | None = None
) -> IosDriver:
    """A driver connected to the phone at `address` (UDID, HOST:PORT of a usbmuxd with one phone, UDID@HOST:PORT). Options:

    services         usbmux (our own client) or pymobiledevice3 (its command); what fits when it is not given
    serial           the UDID that has to answer there
    wda_port, mjpeg_port   the phone's own ports of WebDriverAgent, 8100 and 9100 when not given
    import           importer (the app of devices/ios_importer) or operator (camera import, checked afterwards)
    reset            ways to reset that may be used, in this order: erase, operator, soft
    deadline_scale   multiplies the deadline of every call, 1 when it is not given
    """
    faults = profile.faults()
    if faults:
        raise DriverError(f"profile {profile.name} cannot be used: {'; '.join(faults)}")
    scale = deadline_scale(options)
    services = open_services(Address.parse(address), options.get("services", ""), scale)
    try:
        services.pair()
        agent = Agent(address, services.forward, scale, _ports(options))
        driver = IosDriver(services, agent, profile, options, operator)
        driver.expect(options.get("serial", ""))
    except BaseException:
        services.close()
        raise
    return driver


def deadline_scale(options: Mapping[str, str]) -> float:
    """What every deadline is multiplied by. Raises DriverError."""
    try:
        scale = float(options.get("deadline_scale", "1"))
    except ValueError:
        scale = 0.0
    if scale <= 0:
        raise DriverError(f"option deadline_scale is {options['deadline_scale']!r}: expected a number above 0")
    return scale


def _ports(options: Mapping[str, str]) -> tuple[int, int]:
    told = [options.get(name, str(usual)) for name, usual in zip(("wda_port", "mjpeg_port"), _PORTS, strict=True)]
    if not all(port.isdigit() for port in told):
        raise DriverError(f"options wda_port and mjpeg_port are {' and '.join(told)}: expected port numbers")
    return int(told[0]), int(told[1])
