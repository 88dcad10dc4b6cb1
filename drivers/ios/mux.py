"""A connection to usbmuxd, and through it to a port of a phone. usbmuxd's packets are

a header of four little-endian words (length, version 1, type 8 = property list, tag) and a property list.
"""

import plistlib
import socket
import struct
from collections.abc import Mapping
from typing import Any

from drivers.interface import PhoneLost
from drivers.ios.services import Address

_HEADER = struct.Struct("<IIII")
_LENGTH = struct.Struct(">I")
_PLIST = 8
_LONGEST = 1 << 26
_LABEL = {"ClientVersionString": "gallery-rig", "ProgName": "gallery-rig", "kLibUSBMuxVersion": 3}


class Line:
    """One connection; after `connect` it leads to the phone's port."""

    def __init__(self, address: Address, seconds: float) -> None:
        self._text = address.text
        try:
            self.socket = _dial(address.usbmuxd, seconds)
        except OSError as error:
            raise PhoneLost(f"{address.text}: usbmuxd does not answer at {address.usbmuxd}: {error}") from error

    def devices(self) -> dict[str, int]:
        """UDIDs of the attached phones and usbmuxd's numbers for them; phones in the network are none."""
        found = {}
        for entry in self.ask({"MessageType": "ListDevices"}).get("DeviceList", ()):
            told = entry["Properties"]
            if told.get("ConnectionType", "USB") == "USB":
                found[str(told.get("UDID") or told["SerialNumber"])] = int(told["DeviceID"])
        return found

    def connect(self, device: int, port: int) -> bool:
        """True when the phone's port is reached."""
        asked = {"MessageType": "Connect", "DeviceID": device, "PortNumber": socket.htons(port)}
        return bool(self.ask(asked).get("Number") == 0)

    def ask(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """usbmuxd's answer. Raises PhoneLost."""
        body = plistlib.dumps({**_LABEL, **asked})
        self.send(_HEADER.pack(_HEADER.size + len(body), 1, _PLIST, 1) + body)
        length = _HEADER.unpack(self.receive(_HEADER.size))[0]
        return dict(plistlib.loads(self.receive(length - _HEADER.size)))

    def tell(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """A service's answer: four bytes of length, big-endian, then a property list. Raises PhoneLost."""
        self.send_plist(asked)
        return self.receive_plist()

    def send_plist(self, asked: Mapping[str, Any]) -> None:
        """A property list for a service."""
        body = plistlib.dumps(dict(asked))
        self.send(_LENGTH.pack(len(body)) + body)

    def receive_plist(self) -> dict[str, Any]:
        """A service's property list."""
        return dict(plistlib.loads(self.receive(_LENGTH.unpack(self.receive(_LENGTH.size))[0])))

    def send(self, data: bytes) -> None:
        """All of it is on its way. Raises PhoneLost."""
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise PhoneLost(f"{self._text}: the connection broke: {error or type(error).__name__}") from error

    def receive(self, count: int) -> bytes:
        """Exactly so many bytes. Raises PhoneLost."""
        if count > _LONGEST:
            raise PhoneLost(f"{self._text}: a packet of {count} bytes cannot be meant")
        parts, left = [], count
        while left:
            try:
                part = self.socket.recv(min(left, 1 << 20))
            except OSError as error:
                raise PhoneLost(f"{self._text}: no answer: {error or type(error).__name__}") from error
            if not part:
                raise PhoneLost(f"{self._text}: the phone ended the connection")
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        """The connection has ended."""
        self.socket.close()


def _dial(where: str, seconds: float) -> socket.socket:
    if where.startswith("/"):
        line = socket.socket(socket.AF_UNIX)
        try:
            line.settimeout(seconds)
            line.connect(where)
        except OSError:
            line.close()
            raise
        return line
    host, _, port = where.rpartition(":")
    line = socket.create_connection((host or "127.0.0.1", int(port)), seconds)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return line
