"""What a test can make go wrong with an Android phone, by name. What the phone does not know is the gallery's to know.

    drop seconds=…          the cable is out            hang                     connected, never answers
    slow seconds=…          each packet waits           unauthorized / allow     the host's key
    reboot · system_update                              gallery_update version=…
    battery percent=… plugged=…                         temperature celsius=…    (null: the phone does not tell)
    free_space bytes=…      almost full                 clock seconds=…          wrong by so much
    account name=…          somebody is logged in       timezone name=…
    ui_server_killed        uiautomator dies once       automation_broken        and does not come back
    screenshot kind=black|crlf|text|truncated|none
    push_cut bytes=…        the next file is cut        push_lost count=…        OKAY, and not kept

`after_query=N` lets N searches pass first.
"""

from collections.abc import Callable, Mapping
from typing import Any

from devices.virtual.android.phone import AndroidPhone

Fault = Callable[[AndroidPhone, Mapping[str, Any]], None]
SCREENSHOT_KINDS = ("", "black", "crlf", "text", "truncated", "none")


def _drop(phone: AndroidPhone, options: Mapping[str, Any]) -> None:
    phone.drop(float(options.get("seconds", 5)))


def _hang(phone: AndroidPhone, _options: Mapping[str, Any]) -> None:
    phone.wire.flowing.clear()


def _slow(phone: AndroidPhone, options: Mapping[str, Any]) -> None:
    phone.wire.delay_s = float(options.get("seconds", 0.2))


def _unauthorized(phone: AndroidPhone, _options: Mapping[str, Any]) -> None:
    phone.wire.forbid()
    phone.adb.cut()


def _allow(phone: AndroidPhone, _options: Mapping[str, Any]) -> None:
    phone.wire.allow()


def _reboot(phone: AndroidPhone, _options: Mapping[str, Any]) -> None:
    phone.reboot()


def _system_update(phone: AndroidPhone, _options: Mapping[str, Any]) -> None:
    phone.update_system()


def _gallery_update(phone: AndroidPhone, options: Mapping[str, Any]) -> None:
    phone.update_gallery(str(options["version"]))


def _battery(phone: AndroidPhone, options: Mapping[str, Any]) -> None:
    if "percent" in options:
        percent = options["percent"]
        phone.battery.percent = None if percent is None else int(percent)
    phone.battery.plugged = bool(options.get("plugged", phone.battery.plugged))


def _temperature(phone: AndroidPhone, options: Mapping[str, Any]) -> None:
    celsius = options["celsius"]
    phone.battery.temperature_c = None if celsius is None else float(celsius)


def _free_space(phone: AndroidPhone, options: Mapping[str, Any]) -> None:
    phone.files.capacity_bytes = phone.files.used_bytes + int(options["bytes"])


def _clock(phone: AndroidPhone, options: Mapping[str, Any]) -> None:
    phone.clock.wrong_by_s = float(options["seconds"])


def _timezone(phone: AndroidPhone, options: Mapping[str, Any]) -> None:
    phone.props["persist.sys.timezone"] = phone.clock.timezone = str(options["name"])


def _account(phone: AndroidPhone, options: Mapping[str, Any]) -> None:
    phone.accounts.append(str(options.get("name", "somebody@example.com")))


def _ui_server_killed(phone: AndroidPhone, _options: Mapping[str, Any]) -> None:
    phone.kill_ui_server()


def _automation_broken(phone: AndroidPhone, _options: Mapping[str, Any]) -> None:
    phone.faults.automation_broken = True


def _screenshot(phone: AndroidPhone, options: Mapping[str, Any]) -> None:
    kind = str(options["kind"])
    if kind not in SCREENSHOT_KINDS:
        raise ValueError(f"screenshot kind {kind}: there are {', '.join(SCREENSHOT_KINDS[1:])}")
    phone.faults.screenshot = kind


def _push_cut(phone: AndroidPhone, options: Mapping[str, Any]) -> None:
    phone.faults.cut_push_after = int(options.get("bytes", 1000))


def _push_lost(phone: AndroidPhone, options: Mapping[str, Any]) -> None:
    phone.faults.lost_pushes = int(options.get("count", 1))


FAULTS: Mapping[str, Fault] = {
    "account": _account,
    "allow": _allow,
    "automation_broken": _automation_broken,
    "battery": _battery,
    "clock": _clock,
    "drop": _drop,
    "free_space": _free_space,
    "gallery_update": _gallery_update,
    "hang": _hang,
    "push_cut": _push_cut,
    "push_lost": _push_lost,
    "reboot": _reboot,
    "screenshot": _screenshot,
    "slow": _slow,
    "system_update": _system_update,
    "temperature": _temperature,
    "timezone": _timezone,
    "ui_server_killed": _ui_server_killed,
    "unauthorized": _unauthorized,
}


def end_all(phone: AndroidPhone) -> None:
    """The phone is well: connected, allowed, charged, cool, on time, with its whole storage and no account."""
    phone.wire.flowing.set()
    phone.wire.delay_s = 0.0
    phone.wire.allow()
    phone.heal()
