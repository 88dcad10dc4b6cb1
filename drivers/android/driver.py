"""The verbs of the contract, each handed to the file that knows it."""

from collections.abc import Mapping, Sequence
from time import sleep

from drivers.android import album, condition, reset, settings
from drivers.android.automation import Automation
from drivers.android.server import running_server
from drivers.android.signals import read_signals
from drivers.android.touch import AndroidTouch, UiAutomation
from drivers.android.transport import Transport
from drivers.interface import Health, Identity, ImportReport, Operator, PhoneLost, Progress, PushItem, ResetProof
from drivers.options import deadline_scale, read_port, ways_to_reset
from drivers.phone import PhoneDriver
from drivers.profile import GalleryProfile

_SERVER_S = 1.0  # an adb server that died and was just started has not found its phones yet
_SETTLE_S = 60.0  # a phone that was just set up is still busy installing and updating itself
_SOFT_SETTLE_S = 1.0  # one made of software is not


class AndroidPhone:
    """One Android phone's gallery, over adb and uiautomator2; a `PlatformPhone`."""

    def __init__(
        self,
        phone: Transport,
        automation: UiAutomation,
        profile: GalleryProfile,
        options: Mapping[str, str],
        operator: Operator | None = None,
    ) -> None:
        self._phone, self._ui, self._profile, self._options = phone, automation, profile, dict(options)
        self._operator = operator
        self._watched = profile.watch or (profile.package,)
        self.pin = condition.read_pin(phone)

    def identify(self) -> Identity:
        """As in the contract."""
        return condition.read_identity(self._phone, self._profile.package)

    def health(self) -> Health:
        """As in the contract."""
        return condition.read_health(self._phone)

    def prepare(self) -> Mapping[str, str]:
        """As in the contract."""
        return settings.prepare(self._phone)

    def restore(self, settings_before: Mapping[str, str]) -> None:
        """As in the contract. The screen is dark afterwards: many galleries index in no other state."""
        settings.restore(self._phone, settings_before)
        settings.darken(self._phone)

    def reset(self, *, virtual: bool) -> ResetProof:
        """As in the contract."""
        plan = reset.Plan(
            settle_s=float(self._options.get("reset_settle_s", _SOFT_SETTLE_S if virtual else _SETTLE_S)),
            pace_s=0.2 if virtual else 2.0,
            packages=self._watched,
            names=ways_to_reset(self._options),
            operator=self._operator,
        )
        return reset.reset(self._phone, plan)

    def push(self, items: Sequence[PushItem], progress: Progress) -> None:
        """As in the contract."""
        album.push(self._phone, items, progress)

    def verify_import(self, items: Sequence[PushItem]) -> ImportReport:
        """As in the contract. The screen is dark afterwards."""
        report = album.verify(self._phone, items)
        settings.darken(self._phone)
        return report

    def index_signals(self) -> Mapping[str, str]:
        """As in the contract."""
        return read_signals(self._phone, self._watched)

    def touch(self) -> AndroidTouch:
        """Screen and shell."""
        method = self._phone.text("settings get secure default_input_method")
        return AndroidTouch(self._phone, self._ui, self._profile, self.pin, keyboard=method.partition("/")[0])

    def leave_screen(self) -> None:
        """The automation is ended."""
        self._ui.stop()

    def reconnect(self) -> None:
        """The phone of the pin answers; its firmware may have changed."""
        self._phone.reconnect()
        self.pin.require_serial(condition.read_pin(self._phone).serial)

    def close(self) -> None:
        """The adb server keeps its connection for the next."""
        self._ui.stop()


def open_driver(
    address: str, profile: GalleryProfile, options: Mapping[str, str], operator: Operator | None = None
) -> PhoneDriver:
    """A driver connected to the phone at `address` (serial, host:port or usb:path). Options:

    serial           the phone that has to answer there
    adb_port         port of the adb server to use instead of the rig's own
    deadline_scale   multiplies the deadline of every call, 1 when it is not given
    reset            ways to reset that may be used, in this order: testharness, operator-trade-in, operator, soft
    reset_settle_s   how long a phone that was reset is left alone before it is used
    """
    phone = open_transport(address, options)
    return PhoneDriver(AndroidPhone(phone, Automation(phone), profile, options, operator), profile, options)


def open_transport(address: str, options: Mapping[str, str]) -> Transport:
    """The phone at `address`, connected, behind the adb server that the options name. Raises DriverError, PhoneLost."""
    phone = Transport(running_server(read_port(options, "adb_port")), address, deadline_scale(options))
    try:
        phone.connect()
    except PhoneLost:
        sleep(_SERVER_S)
        phone.connect()
    return phone
