"""usbmuxd for one phone: who is attached, pair records, and connections to the phone's own ports.

Each packet is a header of four little-endian words (length, version 1, type 8 = plist, tag) and a property list. After a
successful Connect, the connection belongs to the phone's service.
"""

import asyncio
import contextlib
import plistlib
import struct
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from devices.virtual.cable import Cable

if TYPE_CHECKING:
    from devices.virtual.ios.phone import IPhone

Service = Callable[["IPhone", asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

_HEADER = struct.Struct("<IIII")
_PLIST = 8
_LONGEST = 1 << 22
OK, BAD_DEVICE, REFUSED = 0, 2, 3
_DEVICE_ID = 1
BUID = "00000000-0000-0000-0000-VIRTUALHOST0"


class Usbmuxd:
    """The daemon on the host, as far as it concerns one phone."""

    def __init__(self, phone: "IPhone", services: Mapping[int, Service]) -> None:
        """`services`: what listens on the phone, by port."""
        self._phone, self._services = phone, services
        self._writers: set[asyncio.StreamWriter] = set()
        self.cable = Cable(self._serve, self.cut, _LONGEST)

    def cut(self) -> None:
        """Connections that are open break."""
        for writer in list(self._writers):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, struct.error, plistlib.InvalidFileException):
                await self._talk(reader, writer)
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            length, _version, _kind, tag = _HEADER.unpack(await reader.readexactly(_HEADER.size))
            asked = plistlib.loads(await reader.readexactly(min(length, _LONGEST) - _HEADER.size))
            service = self._connected(asked)
            answer = {"MessageType": "Result", "Number": OK} if service else self._answer(asked)
            body = plistlib.dumps(answer)
            writer.write(_HEADER.pack(_HEADER.size + len(body), 1, _PLIST, tag) + body)
            if asked.get("MessageType") == "Listen":
                body = plistlib.dumps(self._attached())
                writer.write(_HEADER.pack(_HEADER.size + len(body), 1, _PLIST, 0) + body)
            await writer.drain()
            if service:
                await service(self._phone, reader, writer)
                return

    def _connected(self, asked: dict[str, Any]) -> Service | None:
        """The service that a Connect reaches."""
        if asked.get("MessageType") != "Connect" or asked.get("DeviceID") != _DEVICE_ID:
            return None
        port = struct.unpack(">H", struct.pack("<H", asked["PortNumber"]))[0]  # it comes in network byte order
        return self._services.get(port) if self._phone.serves(port) else None

    def _answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        kind, number = asked.get("MessageType"), OK
        if kind == "ReadBUID":
            return {"BUID": BUID}
        if kind == "ListDevices":
            return {"DeviceList": [self._attached()]}
        if kind == "ReadPairRecord" and self._phone.pair_record:
            return {"PairRecordData": self._phone.pair_record}
        if kind == "SavePairRecord":
            self._phone.pair_record = asked["PairRecordData"]
        elif kind == "DeletePairRecord":
            self._phone.pair_record = b""
        elif kind == "Connect" and asked.get("DeviceID") == _DEVICE_ID:
            number = REFUSED
        elif kind != "Listen":
            number = BAD_DEVICE
        return {"MessageType": "Result", "Number": number}

    def _attached(self) -> dict[str, Any]:
        udid = self._phone.make.plate.udid
        told = {
            "ConnectionSpeed": 480000000,
            "ConnectionType": "USB",
            "DeviceID": _DEVICE_ID,
            "LocationID": 0x100000,
            "ProductID": 0x12A8,
            "SerialNumber": udid.replace("-", ""),
            "UDID": udid,
        }
        return {"MessageType": "Attached", "DeviceID": _DEVICE_ID, "Properties": told}
