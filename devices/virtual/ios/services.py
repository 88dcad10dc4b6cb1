"""What listens on the phone: lockdownd, the services that it starts, and WebDriverAgent."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from devices.virtual.ios.afc import serve_afc
from devices.virtual.ios.house_arrest import serve_house_arrest
from devices.virtual.ios.lockdownd import LOCKDOWN_PORT, lockdown
from devices.virtual.ios.plists import read_plist, send_plist
from devices.virtual.ios.usbmuxd import Service
from devices.virtual.ios.wda.server import HTTP_PORT, MJPEG_PORT, serve_mjpeg, serve_wda

if TYPE_CHECKING:
    from devices.virtual.ios.phone import IPhone

_ALREADY_CONFIGURED = 14002
_ERASE_AFTER_S = 0.1
"""Between its promise to erase itself and the end of the cable."""


async def serve_diagnostics(phone: "IPhone", reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The battery's gauge, and a restart."""
    while True:
        asked = await read_plist(reader)
        match asked.get("Request"):
            case "IORegistry":
                told: dict[str, Any] = {"Diagnostics": {"IORegistry": _gauge(phone)}}
            case "Restart":
                phone.reboot()
                told = {}
            case "Goodbye":
                await send_plist(writer, {"Status": "Success"})
                return
            case _:
                await send_plist(writer, {"Status": "UnknownRequest"})
                continue
        await send_plist(writer, {"Status": "Success"} | told)


def _gauge(phone: "IPhone") -> dict[str, Any]:
    """IOPMPowerSource: Temperature in hundredths of a degree."""
    battery = phone.battery
    told: dict[str, Any] = {"IsCharging": battery.plugged, "ExternalConnected": battery.plugged, "MaxCapacity": 100}
    if battery.percent is not None:
        told["CurrentCapacity"] = battery.percent
    if battery.temperature_c is not None:
        told["Temperature"] = round(battery.temperature_c * 100)
    return told


async def serve_profiles(phone: "IPhone", reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """MCInstall: the cloud configuration, which can be set once after an erase, and the erase itself."""
    while True:
        asked = await read_plist(reader)
        kind = asked.get("RequestType")
        if kind == "EraseDevice" and phone.make.can_reset and not phone.apple_id:
            await send_plist(writer, {"Status": "Acknowledged"})
            await asyncio.sleep(_ERASE_AFTER_S)
            phone.erase()
            return
        if kind == "SetCloudConfiguration" and phone.supervised:
            error = {"ErrorCode": _ALREADY_CONFIGURED, "USEnglishDescription": "A cloud configuration is already present"}
            await send_plist(writer, {"Status": "Error", "ErrorChain": [error]})
        elif kind in ("Flush", "HelloHostIdentifier", "GetProfileList", "GetCloudConfiguration", "SetCloudConfiguration"):
            phone.supervised = phone.supervised or kind == "SetCloudConfiguration"
            await send_plist(writer, {"Status": "Acknowledged"} | _configuration(phone, str(kind)))
        else:
            error = {"ErrorCode": 4001, "USEnglishDescription": f"{kind} is not allowed on this phone"}
            await send_plist(writer, {"Status": "Error", "ErrorChain": [error]})


def _configuration(phone: "IPhone", kind: str) -> dict[str, Any]:
    if kind == "GetCloudConfiguration":
        return {"CloudConfiguration": {"IsSupervised": phone.supervised, "AllowPairing": True}}
    if kind == "GetProfileList":
        return {"OrderedIdentifiers": [], "ProfileManifest": {}, "ProfileMetadata": {}}
    return {}


async def serve_apps(phone: "IPhone", reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """installation_proxy: the apps that were installed by somebody, and the gallery's version."""
    while True:
        asked = await read_plist(reader)
        wanted = (asked.get("ClientOptions") or {}).get("BundleIDs")
        apps = [_app(bundle, version, "User") for bundle, version in sorted(phone.apps.items())]
        apps.append(_app(phone.gallery.package, phone.gallery_version, "System"))
        kind = (asked.get("ClientOptions") or {}).get("ApplicationType", "Any")
        apps = [app for app in apps if kind in ("Any", app["ApplicationType"])]
        if asked.get("Command") == "Lookup":
            found = {app["CFBundleIdentifier"]: app for app in apps if not wanted or app["CFBundleIdentifier"] in wanted}
            await send_plist(writer, {"Status": "Complete", "LookupResult": found})
        else:
            await send_plist(writer, {"Status": "BrowsingApplications", "CurrentList": apps, "CurrentAmount": len(apps)})
            await send_plist(writer, {"Status": "Complete"})


def _app(bundle: str, version: str, kind: str) -> dict[str, Any]:
    return {
        "CFBundleIdentifier": bundle,
        "CFBundleShortVersionString": version,
        "CFBundleVersion": version,
        "CFBundleDisplayName": bundle.rpartition(".")[2],
        "ApplicationType": kind,
        "Path": f"/private/var/containers/Bundle/Application/{bundle}.app",
    }


async def serve_syslog(phone: "IPhone", _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Lines of the log, of which only the indexer's are of interest."""
    while True:
        signals = phone.gallery.index_signals()
        stamp = phone.clock.now().strftime("%b %d %H:%M:%S")
        line = f"{stamp} {phone.name} mediaanalysisd[412] <Notice>: cpu {signals.cpu_s:.1f} s, working {int(signals.working)}\n"
        writer.write(line.encode() + b"\0")
        await writer.drain()
        await asyncio.sleep(0.5)


_STARTED: Mapping[str, Service] = {
    "com.apple.afc": serve_afc,
    "com.apple.mobile.house_arrest": serve_house_arrest,
    "com.apple.mobile.diagnostics_relay": serve_diagnostics,
    "com.apple.mobile.MCInstall": serve_profiles,
    "com.apple.mobile.installation_proxy": serve_apps,
    "com.apple.syslog_relay": serve_syslog,
}
_FIRST_PORT = 49152
_PORTS = {name: _FIRST_PORT + number for number, name in enumerate(_STARTED)}

REGISTRY: Mapping[int, Service] = {
    LOCKDOWN_PORT: lockdown(_PORTS),
    HTTP_PORT: serve_wda,
    MJPEG_PORT: serve_mjpeg,
    **{_PORTS[name]: service for name, service in _STARTED.items()},
}
"""By the phone's port."""
