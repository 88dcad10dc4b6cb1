"""Who the phone is and how it is: read in one round trip each, parsed without guessing.

A reading the phone does not give is None. Nothing here wakes the screen.
"""

import json
import re
from collections.abc import Sequence
from time import time

from drivers.harmony.phone import Phone
from drivers.interface import Health, Identity, PhoneLost
from drivers.phone import Pin
from drivers.readings import parse_free, parse_temperature

_FAILED = re.compile(r"^Get parameter .*fail.*", re.IGNORECASE)


PIN_LINES = ("param get ohos.boot.sn", "bm get --udid", "param get const.product.software.version")


def read_pin(phone: Phone) -> Pin:
    """Who answers now. Raises PhoneLost."""
    return parse_pin(phone.texts(PIN_LINES), phone.address)


def parse_pin(said: Sequence[str], address: str) -> Pin:
    """The answers to PIN_LINES; a phone that keeps its serial number to itself is known by its UDID. Raises PhoneLost."""
    number, udid, build = (value(text) for text in said)
    serial = number or (udid.split()[-1] if udid else "")
    if not serial or not build:
        raise PhoneLost(f"{address}: the phone did not say who it is: {list(said)!r}")
    return Pin(address, serial, build)


def value(text: str) -> str:
    """What a `param get` tells; "" when the phone has no such parameter."""
    return "" if _FAILED.match(text) or "error" in text.lower() else text.strip()


def read_identity(phone: Phone, bundle: str) -> Identity:
    """Who answers now, on this connection."""
    *pinned, model, os_name, api, locale, first_locale, boot, hardware, gallery = phone.texts(
        [
            *PIN_LINES,
            "param get const.product.model",
            "param get const.ohos.fullname",
            "param get const.ohos.apiversion",
            "param get persist.global.locale",
            "param get const.global.locale",
            "cat /proc/sys/kernel/random/boot_id",
            "param get const.product.hardwareversion",
            f"bm dump -n {bundle}",
        ]
    )
    pin = parse_pin(pinned, phone.address)
    return Identity(
        serial=pin.serial,
        model=value(model),
        build=pin.build,
        os_version=f"{value(os_name)} (API {value(api)})",
        gallery_package=bundle,
        gallery_version=parse_version(gallery),
        locale=value(locale) or value(first_locale),
        boot_count=boot if re.fullmatch(r"[0-9a-f-]{36}", boot) else "",
        virtual="virtual" in value(hardware).lower() or value(model).lower() == "emulator",
    )


def parse_version(dumped: str) -> str:
    """`versionName (versionCode)` in a `bm dump -n`, JSON below a line with the bundle's name; "" when it is not installed."""
    _, brace, rest = dumped.partition("{")
    try:
        told = json.loads(brace + rest)
    except ValueError:
        return ""
    about = told.get("applicationInfo") or {}
    name = told.get("versionName") or about.get("versionName") or ""
    code = told.get("versionCode") or about.get("versionCode")
    return f"{name} ({code})" if name and code else str(name)


def read_api(phone: Phone) -> int:
    """The API level. Raises PhoneLost when the phone does not tell it."""
    said = phone.text("param get const.ohos.apiversion")
    if not said.isdigit():
        raise PhoneLost(f"{phone.address}: the phone does not tell its API level: {said[:100]!r}")
    return int(said)


_POWER = "hidumper -s PowerManagerService -a -s"


def read_health(phone: Phone) -> Health:
    """The phone's condition now."""
    before = time()
    battery, power, lock, disk, clock, zone = phone.texts(
        [
            "hidumper -s BatteryService -a -i",
            _POWER,
            "hidumper -s ScreenlockService -a -all",
            "df -k /data",
            "date +%s",
            "param get persist.time.timezone",
        ],
        seconds=30,
    )
    host = (before + time()) / 2
    timeout = parse_timeout(power)
    return Health(
        battery_percent=_percent(battery),
        temperature_c=parse_temperature(battery),
        charging=_charging(battery),
        free_bytes=parse_free(disk),
        clock_skew_s=int(clock) - host if clock.isdigit() else None,
        locked=_flag(lock, "screenLocked"),
        screen_on=_awake(power),
        timezone=value(zone) or None,
        settings={} if timeout is None else {"screen_off_timeout_ms": str(timeout)},
    )


def read_timeout(phone: Phone) -> int | None:
    """Milliseconds until the screen goes dark; None where the phone does not tell."""
    return parse_timeout(phone.text(_POWER))


def parse_timeout(power: str) -> int | None:
    """`ScreenOffTime: Timeout=30000ms` of the power service."""
    found = re.search(r"ScreenOffTime:\s*Timeout=(\d+)ms", power)
    return int(found[1]) if found else None


def _percent(battery: str) -> int | None:
    found = re.search(r"^\s*capacity: (\d+)\s*$", battery, re.MULTILINE)
    return int(found[1]) if found and int(found[1]) <= 100 else None


def _charging(battery: str) -> bool | None:
    """True when something is plugged in (1 mains, 2 USB, 3 wireless); None when the service does not say."""
    found = re.search(r"^\s*pluggedType: (\d+)\s*$", battery, re.MULTILINE)
    return None if found is None else found[1] in ("1", "2", "3")


def _awake(power: str) -> bool | None:
    found = re.search(r"Current State: (\w+)", power)
    return None if found is None else found[1] == "AWAKE"


def _flag(dumped: str, name: str) -> bool | None:
    found = re.search(rf"\b{name}\s+(true|false)\b", dumped)
    return None if found is None else found[1] == "true"
