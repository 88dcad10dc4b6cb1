"""What a test can make go wrong with an iPhone, by name. What the phone does not know is the gallery's to know.

    drop seconds=…          the cable is out            hang                     attached, nothing answers
    wda_hang                only WebDriverAgent         slow seconds=…           each call of it waits
    wda_session_lost        its session is gone         wda_killed               its runner has ended
    reboot · system_update                              gallery_update version=…
    untrusted / trusted     "Trust this computer?"      apple_id                 somebody is signed in
    battery percent=… plugged=…                         temperature celsius=…    (null: the phone does not tell)
    free_space bytes=…      almost full                 clock seconds=…          wrong by so much
    screenshot kind=black|text|truncated|none|empty
    push_cut bytes=…        the next file is cut        push_lost count=…        imported, and not there
    asset_refused count=…   the photo library refuses

`after_query=N` lets N searches pass first.
"""

from collections.abc import Callable, Mapping
from typing import Any

from devices.virtual.ios.phone import WDA_RUNNER, IPhone

Fault = Callable[[IPhone, Mapping[str, Any]], None]
SCREENSHOT_KINDS = ("", "black", "text", "truncated", "none", "empty")


def _wda_killed(phone: IPhone, _options: Mapping[str, Any]) -> None:
    phone.apps.pop(WDA_RUNNER, None)
    phone.wda_session = ""
    phone.mux.cut()


def _wda_session_lost(phone: IPhone, _options: Mapping[str, Any]) -> None:
    phone.wda_session = ""


def _untrusted(phone: IPhone, _options: Mapping[str, Any]) -> None:
    phone.hosts.clear()
    phone.asks_for_trust = True


def _trusted(phone: IPhone, _options: Mapping[str, Any]) -> None:
    phone.asks_for_trust = False


def _gallery_update(phone: IPhone, options: Mapping[str, Any]) -> None:
    phone.gallery_version = str(options["version"])
    phone.gallery.stop(phone.gallery.package)


def _battery(phone: IPhone, options: Mapping[str, Any]) -> None:
    if "percent" in options:
        percent = options["percent"]
        phone.battery.percent = None if percent is None else int(percent)
    phone.battery.plugged = bool(options.get("plugged", phone.battery.plugged))


def _temperature(phone: IPhone, options: Mapping[str, Any]) -> None:
    celsius = options["celsius"]
    phone.battery.temperature_c = None if celsius is None else float(celsius)


def _free_space(phone: IPhone, options: Mapping[str, Any]) -> None:
    phone.capacity_bytes = phone.used_bytes + int(options["bytes"])


def _clock(phone: IPhone, options: Mapping[str, Any]) -> None:
    phone.clock.wrong_by_s = float(options["seconds"])


def _apple_id(phone: IPhone, options: Mapping[str, Any]) -> None:
    phone.apple_id = str(options.get("name", "somebody@example.com"))


def _screenshot(phone: IPhone, options: Mapping[str, Any]) -> None:
    kind = str(options["kind"])
    if kind not in SCREENSHOT_KINDS:
        raise ValueError(f"screenshot kind {kind}: there are {', '.join(SCREENSHOT_KINDS[1:])}")
    phone.faults.screenshot = kind


def _set(name: str, key: str, usual: float) -> Fault:
    def begin(phone: IPhone, options: Mapping[str, Any]) -> None:
        setattr(phone.faults, name, type(usual)(options.get(key, usual)))

    return begin


FAULTS: Mapping[str, Fault] = {
    "apple_id": _apple_id,
    "asset_refused": _set("broken_assets", "count", 1),
    "battery": _battery,
    "clock": _clock,
    "drop": lambda phone, options: phone.drop(float(options.get("seconds", 5))),
    "free_space": _free_space,
    "gallery_update": _gallery_update,
    "hang": _set("hangs", "on", True),
    "push_cut": _set("cut_push_after", "bytes", 1000),
    "push_lost": _set("lost_imports", "count", 1),
    "reboot": lambda phone, _options: phone.reboot(),
    "screenshot": _screenshot,
    "slow": _set("slow_s", "seconds", 0.2),
    "system_update": lambda phone, _options: phone.update_system(),
    "temperature": _temperature,
    "trusted": _trusted,
    "untrusted": _untrusted,
    "wda_hang": _set("wda_hangs", "on", True),
    "wda_killed": _wda_killed,
    "wda_session_lost": _wda_session_lost,
}


def end_all(phone: IPhone) -> None:
    """The phone is well: trusted, charged, cool, on time, with its whole storage and its apps."""
    phone.asks_for_trust = False
    phone.heal()
    if phone.activated:
        phone.activate()
