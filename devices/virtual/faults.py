"""What a test can make go wrong with a phone of any platform, by name; each platform adds its own.

    drop seconds=…          the cable is out            reboot · system_update · gallery_update version=…
    battery percent=… plugged=…                         temperature celsius=…    (null: the phone does not tell)
    clock seconds=…         wrong by so much

`after_query=N` lets N searches pass first. What the phone does not know is the gallery's to know.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from devices.virtual.hardware import Battery, Clock


class Ailing(Protocol):
    """A phone that something can go wrong with."""

    battery: Battery
    clock: Clock
    faults: Any
    """A record of what is wrong with the phone itself, each platform's own."""

    def drop(self, away_s: float) -> None:
        """The cable is out for `away_s`; the phone runs on."""

    def reboot(self) -> None:
        """The phone restarts."""

    def update_system(self) -> None:
        """Another build, and a restart."""

    def update_gallery(self, version: str) -> None:
        """Another version of the gallery is installed; it is not running any more."""


Options = Mapping[str, Any]
Fault = Callable[[Ailing, Options], None]


def setting(name: str, key: str, usual: float) -> Fault:
    """Sets `name` in the phone's record of faults to what the option `key` says, else to `usual`, whose type it has."""

    def begin(phone: Ailing, options: Options) -> None:
        setattr(phone.faults, name, type(usual)(options.get(key, usual)))

    return begin


def screenshot(*kinds: str) -> Fault:
    """Screenshots are of the `kind` that the option says, one of `kinds`; "" for good ones."""

    def begin(phone: Ailing, options: Options) -> None:
        kind = str(options["kind"])
        if kind and kind not in kinds:
            raise ValueError(f"screenshot kind {kind}: there are {', '.join(kinds)}")
        phone.faults.screenshot = kind

    return begin


def _battery(phone: Ailing, options: Options) -> None:
    if "percent" in options:
        percent = options["percent"]
        phone.battery.percent = None if percent is None else int(percent)
    phone.battery.plugged = bool(options.get("plugged", phone.battery.plugged))


def _temperature(phone: Ailing, options: Options) -> None:
    celsius = options["celsius"]
    phone.battery.temperature_c = None if celsius is None else float(celsius)


def _clock(phone: Ailing, options: Options) -> None:
    phone.clock.wrong_by_s = float(options["seconds"])


OF_ANY_PHONE: Mapping[str, Fault] = {
    "battery": _battery,
    "clock": _clock,
    "drop": lambda phone, options: phone.drop(float(options.get("seconds", 5))),
    "gallery_update": lambda phone, options: phone.update_gallery(str(options["version"])),
    "reboot": lambda phone, _options: phone.reboot(),
    "system_update": lambda phone, _options: phone.update_system(),
    "temperature": _temperature,
}
