"""Who the phone is and how it is, from lockdownd, its battery's gauge and WebDriverAgent. What is not given is None."""

from collections.abc import Mapping
from time import time
from typing import Any

from drivers.interface import Health, Identity, PhoneLost
from drivers.ios.agent import SETTINGS, Refused, UiAgent
from drivers.ios.services import Services
from drivers.phone import Pin

VIRTUAL = "VirtualPhone"
"""How a phone made of software begins its ProductType; real ones begin with iPhone."""
_LIVE = ("keyboardAutocorrection", "keyboardPrediction", "reduceMotion", "respectSystemAlerts", "waitForIdleTimeout")


def read_pin(services: Services, address: str) -> Pin:
    """Who is attached now. Raises PhoneLost, WrongPhone."""
    values = services.values()
    return Pin(address, services.udid(), f"{values.get('ProductVersion', '')} {values.get('BuildVersion', '')}".strip())


def read_identity(services: Services, package: str) -> Identity:
    """Who answers now."""
    values, language = services.values(), services.values("com.apple.international")
    udid = str(values.get("UniqueDeviceID") or services.udid())
    product = str(values.get("ProductType", ""))
    version, build = str(values.get("ProductVersion", "")), str(values.get("BuildVersion", ""))
    if not build:
        raise PhoneLost(f"phone {udid} did not say which build it runs")
    return Identity(
        serial=udid,
        model=product,
        build=f"{version} {build}",
        os_version=f"iOS {version} ({build})",
        gallery_package=package,
        gallery_version=services.app_version(package) or version,  # Photos is part of the system
        locale=str(language.get("Locale") or language.get("Language") or "").replace("_", "-"),
        boot_count=str(values.get("BootSessionID", "")),
        virtual=product.startswith(VIRTUAL),
    )


def read_health(services: Services, agent: UiAgent) -> Health:
    """Its condition now. Does not wake the screen, whose state iOS does not tell."""
    values, skew_s = services.values(), read_skew(services)
    gauge, disk = services.gauge(), services.values("com.apple.disk_usage")
    free = disk.get("TotalDataAvailable")
    return Health(
        battery_percent=percent(gauge),
        temperature_c=temperature(gauge),
        charging=bool(gauge["ExternalConnected"]) if "ExternalConnected" in gauge else None,
        free_bytes=int(free) if isinstance(free, int) else None,
        clock_skew_s=skew_s,
        locked=bool(agent.get("/wda/locked")),
        screen_on=None,
        timezone=str(values["TimeZone"]) if values.get("TimeZone") else None,
        settings=_settings(agent),
    )


def read_skew(services: Services) -> float | None:
    """Phone's clock minus this computer's, which is taken as it was when the phone's was read: some moment of the call."""
    before = time()
    clock = services.clock()
    return None if clock is None else clock - min(max(clock, before), time())


def percent(gauge: Mapping[str, Any]) -> int | None:
    """Charge of the battery."""
    now, full = gauge.get("CurrentCapacity"), gauge.get("MaxCapacity") or 100
    return round(100 * now / full) if isinstance(now, int) and 0 <= now <= full else None


def temperature(gauge: Mapping[str, Any]) -> float | None:
    """Degrees; 0 and below mean that the gauge has no reading, not that the phone is cold."""
    told = gauge.get("Temperature")
    return told / 100 if isinstance(told, int) and told > 0 else None


def prepare(agent: UiAgent) -> Mapping[str, str]:
    """The agent's settings are those of a search. They are the session's own and end with it, so nothing is owed."""
    try:
        if agent.get("/wda/locked"):
            agent.post("/wda/unlock")
        agent.do("/appium/settings", {"settings": dict(SETTINGS)})
    except Refused as error:
        raise PhoneLost(f"WebDriverAgent refuses its settings: {error}") from error
    return {}


def lock(agent: UiAgent) -> None:
    """The screen is dark: Photos indexes only then."""
    try:
        if not agent.get("/wda/locked"):
            agent.post("/wda/lock")
    except Refused as error:
        raise PhoneLost(f"the phone cannot be locked: {error}") from error


def _settings(agent: UiAgent) -> dict[str, str]:
    """What matters for a search, as the agent has it."""
    told = agent.ask("/appium/settings")
    return {key: str(told[key]) for key in _LIVE if key in told}
