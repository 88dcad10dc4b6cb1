"""lockdownd: who the phone is, which hosts it trusts, and the way to its services.

Without a session it tells who it is and pairs; with one it starts services. Sessions are not encrypted: `EnableSessionSSL`
is False, which clients have to respect.
"""

import asyncio
import uuid
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from devices.virtual.ios.plists import read_plist, send_plist
from devices.virtual.ios.usbmuxd import Service

if TYPE_CHECKING:
    from devices.virtual.ios.phone import IPhone

LOCKDOWN_PORT = 62078
_ACTIVATION_S = 0.2
"""Between pairing and activation by the lab's management; a real phone takes minutes."""


def lockdown(ports: Mapping[str, int]) -> Service:
    """The service that starts those of `ports`."""

    async def serve(phone: "IPhone", reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session = Session(phone, ports)
        while True:
            asked = await read_plist(reader)
            if phone.faults.hangs:
                await asyncio.Event().wait()
            await send_plist(writer, {"Request": asked.get("Request", "")} | session.answer(asked))

    return serve


class Session:
    """One connection to lockdownd."""

    def __init__(self, phone: "IPhone", ports: Mapping[str, int]) -> None:
        self._phone, self._ports = phone, ports
        self._trusted = False

    def answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """What it says to one request."""
        work = _WORK.get(str(asked.get("Request")))
        return work(self, asked) if work is not None else {"Error": "InvalidRequest"}

    def _type(self, _asked: Mapping[str, Any]) -> dict[str, Any]:
        return {"Type": "com.apple.mobile.lockdown"}

    def _unpair(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        self._phone.hosts.discard(_host(asked))
        return {}

    def _validate(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        return {} if _host(asked) in self._phone.hosts else {"Error": "InvalidHostID"}

    def _stop(self, _asked: Mapping[str, Any]) -> dict[str, Any]:
        self._trusted = False
        return {}

    def _value(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        values = self._domain(str(asked.get("Domain") or ""))
        key = asked.get("Key")
        told = {name: asked[name] for name in ("Domain", "Key") if asked.get(name)}
        if not key:
            return told | {"Value": values}
        return told | ({"Value": values[key]} if key in values else {"Error": "MissingValue"})

    def _domain(self, domain: str) -> dict[str, Any]:
        phone, battery = self._phone, self._phone.battery
        locale = phone.make.plate.locale
        known = {} if battery.percent is None else {"BatteryCurrentCapacity": battery.percent}
        domains: dict[str, dict[str, Any]] = {
            "": phone.values,
            "com.apple.mobile.battery": {"BatteryIsCharging": battery.plugged, "ExternalConnected": battery.plugged} | known,
            "com.apple.disk_usage": {"TotalDataAvailable": phone.free_bytes, "TotalDiskCapacity": phone.capacity_bytes},
            "com.apple.international": {
                "Language": "zh-Hans-CN" if locale.startswith("zh") else locale,
                "Locale": locale.replace("-", "_"),
            },
            "com.apple.fmip": {"IsAssociated": bool(phone.apple_id)},
            "com.apple.purplebuddy": {"SetupDone": phone.activated},
        }
        return domains.get(domain, {})

    def _pair(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        if self._phone.asks_for_trust:
            return {"Error": "PairingDialogResponsePending"}
        self._phone.hosts.add(_host(asked))
        if not self._phone.activated:
            self._phone.errands.run(self._activate())
        return {"EscrowBag": b"virtual escrow"}

    async def _activate(self) -> None:
        await asyncio.sleep(_ACTIVATION_S)
        self._phone.activate()

    def _start(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        if asked.get("HostID") not in self._phone.hosts:
            return {"Error": "InvalidHostID"}
        self._trusted = True
        return {"SessionID": str(uuid.uuid4()).upper(), "EnableSessionSSL": False}

    def _service(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        name = str(asked.get("Service", ""))
        if not self._trusted:
            return {"Error": "SessionInactive"}
        if name not in self._ports:
            return {"Error": "InvalidService"}
        return {"Service": name, "Port": self._ports[name]}


def _host(asked: Mapping[str, Any]) -> str:
    return str((asked.get("PairRecord") or {}).get("HostID", ""))


_WORK: Mapping[str, Callable[[Session, Mapping[str, Any]], dict[str, Any]]] = {
    "QueryType": Session._type,
    "GetValue": Session._value,
    "Pair": Session._pair,
    "Unpair": Session._unpair,
    "ValidatePair": Session._validate,
    "StartSession": Session._start,
    "StopSession": Session._stop,
    "StartService": Session._service,
}
