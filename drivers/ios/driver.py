"""The verbs of the contract, each handed to the file that knows it."""

from collections.abc import Callable, Mapping, Sequence
from time import monotonic, sleep

from drivers.interface import Health, Identity, ImportReport, Operator, PhoneLost, Progress, PushItem, ResetProof
from drivers.ios import album, condition, reset, signals
from drivers.ios.agent import Agent, UiAgent
from drivers.ios.services import Address, Services, open_services
from drivers.ios.touch import IosTouch
from drivers.options import deadline_scale, read_port, ways_to_reset
from drivers.phone import PhoneDriver
from drivers.profile import GalleryProfile

_RECONNECT_S = 30.0
_PACE_S = 0.2
AGENT_PORT = 8100
_STREAM_PORT = 9100


class IosPhone:
    """One iPhone's gallery, over WebDriverAgent and lockdownd; a `PlatformPhone`."""

    def __init__(
        self,
        address: str,
        services: Services,
        agent: UiAgent,
        profile: GalleryProfile,
        options: Mapping[str, str],
        *,
        operator: Operator | None,
    ) -> None:
        self._services, self._agent, self._profile, self._options = services, agent, profile, dict(options)
        self._address, self._operator = address, operator
        self._scale = deadline_scale(options)
        self.pin = condition.read_pin(services, address)

    def identify(self) -> Identity:
        """As in the contract."""
        return condition.read_identity(self._services, self._profile.package)

    def health(self) -> Health:
        """As in the contract."""
        return condition.read_health(self._services, self._agent)

    def prepare(self) -> Mapping[str, str]:
        """As in the contract."""
        return condition.prepare(self._agent)

    def restore(self, settings: Mapping[str, str]) -> None:
        """As in the contract. The screen is dark afterwards: an iPhone indexes in no other state."""
        condition.lock(self._agent)

    def reset(self, *, virtual: bool) -> ResetProof:
        """As in the contract."""
        plan = reset.Plan(
            names=ways_to_reset(self._options),
            pace_s=_PACE_S if virtual else 2.0,
            operator=self._operator,
            importer=album.importer(self._profile),
        )
        return reset.reset(self._services, self._agent, plan)

    def push(self, items: Sequence[PushItem], progress: Progress) -> None:
        """As in the contract."""
        self._album().push(items, progress)

    def verify_import(self, items: Sequence[PushItem]) -> ImportReport:
        """As in the contract. The screen is dark afterwards."""
        report = self._album().verify(items)
        condition.lock(self._agent)
        return report

    def index_signals(self) -> Mapping[str, str]:
        """As in the contract. A screen that is on keeps the phone from indexing: it is turned off."""
        condition.lock(self._agent)
        return signals.read_signals(self._services)

    def touch(self) -> IosTouch:
        """Screen and services."""
        return IosTouch(self._agent, self._profile, self._require_pinned, self.reconnect)

    def leave_screen(self) -> None:
        """The agent's session is ended."""
        self._agent.end()

    def reconnect(self) -> None:
        """The phone of the pin and its agent answer; the firmware is the same, too."""
        until = monotonic() + _RECONNECT_S * self._scale
        while True:
            try:
                self._require_pinned()
                self._agent.get("/status", 3.0)
            except PhoneLost:
                if monotonic() > until:
                    raise
                sleep(_PACE_S)
            else:
                return

    def close(self) -> None:
        """Agent and services are left."""
        self._agent.end()
        self._services.close()

    def _album(self) -> album.Album:
        route = self._options.get("import", "importer")
        return album.Album(self._services, self.touch(), album.importer(self._profile), route)

    def _require_pinned(self) -> None:
        self.pin.require(condition.read_pin(self._services, self._address))


def open_driver(
    address: str, profile: GalleryProfile, options: Mapping[str, str], operator: Operator | None = None
) -> PhoneDriver:
    """A driver connected to the phone at `address` (UDID, HOST:PORT of a usbmuxd with one phone, UDID@HOST:PORT). Options:

    services         usbmux (our own client) or pymobiledevice3 (its command); what fits when it is not given
    serial           the UDID that has to answer there
    wda_port, mjpeg_port   the phone's own ports of WebDriverAgent, 8100 and 9100 when not given
    import           importer (the app of devices/ios_importer) or operator (camera import, checked afterwards)
    reset            ways to reset that may be used, in this order: erase, operator, soft
    deadline_scale   multiplies the deadline of every call, 1 when it is not given
    """
    ports = (read_port(options, "wda_port") or AGENT_PORT, read_port(options, "mjpeg_port") or _STREAM_PORT)

    def agent_of(services: Services) -> Agent:
        return Agent(address, services.forward, deadline_scale(options), ports)

    return drive(address, profile, options, operator, agent_of)


def drive(
    address: str,
    profile: GalleryProfile,
    options: Mapping[str, str],
    operator: Operator | None,
    agent_of: Callable[[Services], UiAgent],
) -> PhoneDriver:
    """A driver of the iPhone at `address`, paired with this host, whose screen `agent_of` its services works."""
    services = open_services(Address.parse(address), options.get("services", ""), deadline_scale(options))
    try:
        services.pair()
        return PhoneDriver(
            IosPhone(address, services, agent_of(services), profile, options, operator=operator), profile, options
        )
    except BaseException:
        services.close()
        raise
