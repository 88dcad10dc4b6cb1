"""What a test can make go wrong with a HarmonyOS phone, by name. What the phone does not know is the gallery's to know.

    drop seconds=…          the cable is out            hang                     connected, never answers
    slow seconds=…          each answer of uitest waits reboot · system_update · gallery_update version=…
    battery percent=… plugged=…                         temperature celsius=…    (null: the phone does not tell)
    free_space bytes=…      almost full                 clock seconds=…          wrong by so much
    timezone name=…
    uitest_killed           its daemon dies             uitest_garbage count=…   answers that are not JSON
    uitest_half count=…     answers that break off      uitest_fragments bytes=… answers in small pieces
    blank_start count=…     a white page after a cold start
    screenshot kind=black|crlf|text|truncated|none
    push_cut files=…        the transfer is cut         push_lost count=…        said to be there, and not kept

`after_query=N` lets N searches pass first.
"""

from collections.abc import Callable, Mapping
from typing import Any

from devices.virtual.harmony.phone import HarmonyPhone

Fault = Callable[[HarmonyPhone, Mapping[str, Any]], None]
SCREENSHOT_KINDS = ("", "black", "crlf", "text", "truncated", "none")


def _drop(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    phone.drop(float(options.get("seconds", 5)))


def _hang(phone: HarmonyPhone, _options: Mapping[str, Any]) -> None:
    phone.flowing.clear()


def _slow(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    phone.troubles.delay_s = float(options.get("seconds", 0.2))


def _reboot(phone: HarmonyPhone, _options: Mapping[str, Any]) -> None:
    phone.reboot()


def _system_update(phone: HarmonyPhone, _options: Mapping[str, Any]) -> None:
    phone.update_system()


def _gallery_update(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    phone.update_gallery(str(options["version"]))


def _battery(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    if "percent" in options:
        percent = options["percent"]
        phone.battery.percent = None if percent is None else int(percent)
    phone.battery.plugged = bool(options.get("plugged", phone.battery.plugged))


def _temperature(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    celsius = options["celsius"]
    phone.battery.temperature_c = None if celsius is None else float(celsius)


def _free_space(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    phone.files.capacity_bytes = phone.files.used_bytes + int(options["bytes"])


def _clock(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    phone.clock.wrong_by_s = float(options["seconds"])


def _timezone(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    phone.parameters["persist.time.timezone"] = phone.clock.timezone = str(options["name"])


def _uitest_killed(phone: HarmonyPhone, _options: Mapping[str, Any]) -> None:
    phone.kill_uitest()


def _uitest_garbage(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    phone.troubles.garbage = int(options.get("count", 1))


def _uitest_half(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    phone.troubles.half = int(options.get("count", 1))


def _uitest_fragments(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    phone.troubles.fragment = int(options.get("bytes", 1000))


def _blank_start(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    phone.troubles.blank_starts = int(options.get("count", 1))


def _screenshot(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    kind = str(options["kind"])
    if kind not in SCREENSHOT_KINDS:
        raise ValueError(f"screenshot kind {kind}: there are {', '.join(SCREENSHOT_KINDS[1:])}")
    phone.troubles.screenshot = kind


def _push_cut(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    phone.troubles.cut_after_files = int(options.get("files", 1))


def _push_lost(phone: HarmonyPhone, options: Mapping[str, Any]) -> None:
    phone.troubles.lost_files = int(options.get("count", 1))


FAULTS: Mapping[str, Fault] = {
    "battery": _battery,
    "blank_start": _blank_start,
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
    "uitest_fragments": _uitest_fragments,
    "uitest_garbage": _uitest_garbage,
    "uitest_half": _uitest_half,
    "uitest_killed": _uitest_killed,
}
