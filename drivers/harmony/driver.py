"""The verbs of the contract, each handed to the file that knows it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from drivers.harmony import album, condition, reset, settings
from drivers.harmony.hdc import Hdc, find_hdc
from drivers.harmony.phone import Phone
from drivers.harmony.signals import read_signals
from drivers.harmony.touch import HarmonyTouch
from drivers.harmony.uitest import UiTest
from drivers.interface import DriverError, Health, Identity, ImportReport, Operator, Progress, PushItem, ResetProof
from drivers.options import deadline_scale, ways_to_reset
from drivers.phone import PhoneDriver
from drivers.profile import GalleryProfile

_SETTLE_S = 60.0  # a phone that was just set up is still busy installing and updating itself
_SOFT_SETTLE_S = 0.5  # one made of software is not


class HarmonyPhone:
    """One HarmonyOS phone's gallery, over hdc and uitest; a `PlatformPhone`."""

    def __init__(
        self, phone: Phone, profile: GalleryProfile, options: Mapping[str, str], operator: Operator | None = None
    ) -> None:
        self._phone, self._profile, self._options = phone, profile, dict(options)
        self._operator = operator
        self._watched = profile.watch or (profile.package,)
        agent = self._options.get("agent", "")
        self._ui = UiTest(phone, Path(agent) if agent else None)
        self._api = condition.read_api(phone)
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
        """As in the contract. The screen is dark afterwards."""
        settings.restore(self._phone, settings_before)
        settings.darken(self._phone)

    def reset(self, *, virtual: bool) -> ResetProof:
        """As in the contract."""
        plan = reset.Plan(
            library=album.library_folder(self._api),
            bundles=self._watched,
            settle_s=float(self._options.get("reset_settle_s", _SOFT_SETTLE_S if virtual else _SETTLE_S)),
            pace_s=0.2 if virtual else 2.0,
            mdm=self._options.get("mdm", ""),
            names=ways_to_reset(self._options),
            needs_a_person=not virtual,
            operator=self._operator,
        )
        return reset.reset(self._phone, plan)

    def push(self, items: Sequence[PushItem], progress: Progress) -> None:
        """As in the contract."""
        album.push(self._phone, items, progress, self._api)

    def verify_import(self, items: Sequence[PushItem]) -> ImportReport:
        """As in the contract. The screen is dark afterwards."""
        report = album.verify(self._phone, items, self._api)
        settings.darken(self._phone)
        return report

    def index_signals(self) -> Mapping[str, str]:
        """As in the contract."""
        return read_signals(self._phone, self._watched, album.library_folder(self._api))

    def touch(self) -> HarmonyTouch:
        """Screen and shell."""
        return HarmonyTouch(self._phone, self._ui, self._profile, self.pin, self._api)

    def leave_screen(self) -> None:
        """uitest is ended."""
        self._ui.stop()

    def reconnect(self) -> None:
        """The phone of the pin answers; its firmware may have changed."""
        self._phone.reconnect()
        self.pin.require_serial(condition.read_pin(self._phone).serial)

    def close(self) -> None:
        """hdc's server keeps its connection for the next."""
        self._ui.stop()


def open_driver(
    address: str, profile: GalleryProfile, options: Mapping[str, str], operator: Operator | None = None
) -> PhoneDriver:
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
    if not profile.activity:
        raise DriverError(f"profile {profile.name} cannot be used: activity: hdc needs the ability that opens the gallery")
    phone = Phone(Hdc(find_hdc(options.get("hdc", "")), options.get("server", ""), deadline_scale(options)), address)
    phone.connect()
    return PhoneDriver(HarmonyPhone(phone, profile, options, operator), profile, options)
