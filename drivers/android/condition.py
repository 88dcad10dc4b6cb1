"""Who the phone is and how it is: read in one round trip each, parsed without guessing.

A reading the phone does not give is None. Nothing here wakes the screen.
"""

import re
from time import time

from drivers.android.transport import Transport
from drivers.interface import Health, Identity, PhoneLost
from drivers.phone import Pin
from drivers.readings import parse_free, parse_temperature

_NULL = ("", "null")


PIN_COMMAND = "getprop ro.serialno; getprop ro.build.fingerprint"


def read_pin(phone: Transport) -> Pin:
    """Who answers now. Raises PhoneLost."""
    return parse_pin(phone.text(PIN_COMMAND), phone.address)


def parse_pin(text: str, address: str) -> Pin:
    """The two lines of PIN_COMMAND. Raises PhoneLost when the phone gives fewer."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if len(lines) != 2 or not all(lines):
        raise PhoneLost(f"{address}: the phone did not say who it is: {text[:100]!r}")
    return Pin(address, *lines)


def read_identity(phone: Transport, package: str) -> Identity:
    """Who answers now, on this connection."""
    serial, build, model, release, sdk, locale, boot, gallery, qemu, hardware = phone.texts(
        [
            "getprop ro.serialno",
            "getprop ro.build.fingerprint",
            "getprop ro.product.model",
            "getprop ro.build.version.release",
            "getprop ro.build.version.sdk",
            "getprop persist.sys.locale; settings get system system_locales; getprop ro.product.locale",
            "settings get global boot_count",
            f"dumpsys package {package}",
            "getprop ro.boot.qemu; getprop ro.kernel.qemu",
            "getprop ro.hardware",
        ]
    )
    pin = parse_pin(f"{serial}\n{build}", phone.address)
    return Identity(
        serial=pin.serial,
        model=model,
        build=pin.build,
        os_version=f"Android {release} (API {sdk})",
        gallery_package=package,
        gallery_version=parse_version(gallery),
        locale=next((line.strip() for line in locale.splitlines() if line.strip() not in _NULL), ""),
        boot_count="" if boot in _NULL else boot,
        virtual="1" in qemu.split() or hardware in ("virtual", "ranchu", "goldfish", "cutf_cvm"),
    )


def parse_version(dumped: str) -> str:
    """`versionName (versionCode)` of the first package in a `dumpsys package`; "" when it is not installed."""
    name = re.search(r"versionName=(\S+)", dumped)
    code = re.search(r"versionCode=(\d+)", dumped)
    if name is None:
        return ""
    return f"{name[1]} ({code[1]})" if code else name[1]


SETTINGS_READ = (
    ("system", "accelerometer_rotation"),
    ("system", "user_rotation"),
    ("system", "screen_off_timeout"),
    ("global", "window_animation_scale"),
    ("global", "transition_animation_scale"),
    ("global", "animator_duration_scale"),
    ("global", "stay_on_while_plugged_in"),
    ("global", "zen_mode"),
    ("global", "heads_up_notifications_enabled"),
    ("global", "auto_time"),
    ("global", "low_power"),
    ("secure", "default_input_method"),
    ("system", "font_scale"),
)
"""What matters for a search or for dates, read with every health check."""


def read_health(phone: Transport) -> Health:
    """The phone's condition now."""
    before = time()
    battery, power, window, disk, clock, zone, *settings = phone.texts(
        [
            "dumpsys battery",
            "dumpsys power",
            "dumpsys window",
            "df -k /data",
            "date +%s",
            "getprop persist.sys.timezone",
            *(f"settings get {space} {key}" for space, key in SETTINGS_READ),
        ]
    )
    host = (before + time()) / 2
    return Health(
        battery_percent=_percent(battery),
        temperature_c=parse_temperature(battery),
        charging=parse_charging(battery),
        free_bytes=parse_free(disk),
        clock_skew_s=int(clock) - host if clock.isdigit() else None,
        locked=parse_locked(window),
        screen_on=parse_awake(power),
        timezone=zone or None,
        settings={f"{space}/{key}": value for (space, key), value in zip(SETTINGS_READ, settings, strict=True)},
    )


def _percent(battery: str) -> int | None:
    found = re.search(r"^\s*level: (\d+)\s*$", battery, re.MULTILINE)
    scale = re.search(r"^\s*scale: (\d+)\s*$", battery, re.MULTILINE)
    if found is None:
        return None
    full = int(scale[1]) if scale and int(scale[1]) else 100
    percent = round(100 * int(found[1]) / full)
    return percent if 0 <= percent <= 100 else None


def parse_charging(battery: str) -> bool | None:
    """True when any source feeds the phone; None when the dump names no source."""
    sources = re.findall(r"^\s*(?:AC|USB|Wireless|Dock) powered: (true|false)\s*$", battery, re.MULTILINE)
    return "true" in sources if sources else None


def parse_locked(window: str) -> bool | None:
    """True when the lock screen shows. Android names the flag differently from version to version."""
    flags = re.findall(
        r"\b(?:mShowingLockscreen|mDreamingLockscreen|isKeyguardShowing|KeyguardShowing|showing)=(true|false)", window
    )
    return "true" in flags if flags else None


def parse_awake(power: str) -> bool | None:
    """True when the screen is on."""
    found = re.search(r"mWakefulness=(\w+)", power)
    if found is not None:
        return found[1] == "Awake"
    state = re.search(r"Display Power: state=(\w+)", power)
    return state[1] == "ON" if state else None


def parse_focus(window: str) -> str:
    """The package with the focus in a `dumpsys window`; "" when none has."""
    found = re.search(r"mCurrentFocus=Window\{\S+ \S+ ([\w.]+)(?:/|\})", window)
    return found[1] if found else ""
