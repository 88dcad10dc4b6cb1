"""One phone behind the adb server: found by its address, spoken to by its transport id, so that no other can answer.

Two phones may carry one serial number: a bare serial that names two is refused, and their USB paths tell them apart.
"""

import re
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import adbutils

from drivers.android.link import Client, _Link
from drivers.android.server import AdbServer, running_server
from drivers.interface import DriverError, PhoneLost
from drivers.waiting import tries

SHELL_S = 15.0
"""Most shell commands of a healthy phone end in a second; dumpsys of a loaded one may take several."""
_CONNECT_S = 10.0
_MARK = "@@rig@@"


@dataclass(frozen=True, slots=True)
class Attached:
    """One line of `adb devices -l`."""

    serial: str
    state: str
    usb_path: str
    transport: int
    about: str


@dataclass(frozen=True, slots=True)
class Ran:
    """What a shell command on the phone gave."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """Its output, as text."""
        return self.out.decode("utf-8", "replace")


def parse_devices(listing: str) -> tuple[Attached, ...]:
    """The phones of a `host:devices-l` answer."""
    found = []
    for line in listing.splitlines():
        words = line.split()
        if len(words) < 2:
            continue
        tags = dict(word.split(":", 1) for word in words[2:] if ":" in word)
        usb = next((word for word in words[2:] if word.startswith("usb:")), "")
        # adb before 1.0.41 and other systems print the path without "usb:", e.g. "1-2.3".
        usb = usb or next((f"usb:{word}" for word in words[2:] if re.fullmatch(r"\d+-[\d.]+", word)), "")
        about = " ".join(f"{key}:{tags[key]}" for key in ("product", "model", "device") if key in tags)
        found.append(Attached(words[0], words[1], usb, int(tags.get("transport_id", "0")), about))
    return tuple(found)


def choose(address: str, attached: Sequence[Attached]) -> Attached:
    """The one phone that `address` (serial, host:port or usb:path) names. Raises PhoneLost for none, DriverError for two."""
    named = [phone for phone in attached if address in (phone.serial, phone.usb_path)]
    if len(named) > 1:
        listed = "; ".join(f"{phone.usb_path or 'no USB path'} {phone.about}" for phone in named)
        raise DriverError(f"{address} names {len(named)} phones ({listed}); give the USB path as the address instead")
    if not named:
        seen = ", ".join(phone.serial for phone in attached) or "none"
        raise PhoneLost(f"{address} is not attached (attached: {seen}); check cable, network, USB debugging, other adb servers")
    return named[0]


ALLOW = "unlock the phone and allow USB debugging from this computer (always)"
BY_HAND = {
    "unauthorized": ALLOW,
    "authorizing": ALLOW,
    "no": "this user may not open the USB device: add udev rules for Android (no permissions)",
    "bootloader": "the phone is in its bootloader: start it",
    "recovery": "the phone is in recovery: start it",
    "sideload": "the phone is in recovery: start it",
    "rescue": "the phone is in rescue mode: start it",
}
"""What a person has to do about a phone in this state of `adb devices`; one in any other state may come back by itself."""


class Transport:
    """The connection to one phone. Survives its coming and going by `reconnect`."""

    def __init__(self, server: AdbServer, address: str, deadline_scale: float = 1.0) -> None:
        self.server = server
        self.address = address
        self.client = Client(server.port, deadline_scale)
        self._transport = 0

    @property
    def is_network(self) -> bool:
        """True for host:port addresses, which adb has to be told to connect to."""
        return re.fullmatch(r".+:\d+", self.address) is not None and not self.address.startswith("usb:")

    def attached(self) -> tuple[Attached, ...]:
        """Every phone the rig's adb server sees, in any state."""
        with self.client.within(_CONNECT_S, "adb devices"), self.client.make_connection() as link:
            link.send_command("host:devices-l")
            link.check_okay()
            return parse_devices(link.read_string_block())

    def connect(self) -> None:
        """The phone answers in state `device`. Raises PhoneLost, or DriverError with the next step for a person."""
        if self.is_network and self._state() != "device":
            self._dial()
        phone = choose(self.address, self.attached())
        if phone.state in BY_HAND:
            raise DriverError(f"{self.address} is {phone.state}: {BY_HAND[phone.state]}")
        if phone.state != "device":
            raise PhoneLost(f"{self.address} is {phone.state}: expected state device")
        self._transport = phone.transport

    def reconnect(self, attempts: int = 4) -> None:
        """The phone answers again, on a fresh connection, or PhoneLost. A phone that asks for a person is not asked again."""
        for attempt in tries(attempts):
            with attempt:
                running_server(self.server.port)  # it may be the server that is gone, and all its phones with it
                if self.is_network:
                    self._dial()
                self.connect()
                self.shell("true", seconds=_CONNECT_S)

    def device(self) -> adbutils.AdbDevice:
        """This phone for libraries that want adbutils' own object; valid until the connection changes."""
        return adbutils.AdbDevice(self.client, serial=self.address, transport_id=self._transport)

    def shell(self, command: str, seconds: float = SHELL_S) -> Ran:
        """Runs one command line in the phone's shell; its exit code is kept. Raises PhoneLost, CallTimedOut."""
        raw = self._service(f"shell,v2,raw:{command}", seconds, f"{self.address}: shell {command[:60]!r}")
        return _unpack(raw, command)

    def text(self, command: str, seconds: float = SHELL_S) -> str:
        """What a command prints, stripped, whatever its exit code."""
        return self.shell(command, seconds).text.strip()

    def texts(self, commands: Sequence[str], seconds: float = SHELL_S) -> list[str]:
        """What several commands print, in one round trip."""
        line = f"; echo '{_MARK}'; ".join(f"{command} 2>/dev/null" for command in commands)
        parts = [part.strip() for part in self.shell(line, seconds).text.split(_MARK)]
        if len(parts) != len(commands):
            raise PhoneLost(f"{self.address}: {len(parts)} of {len(commands)} answers came back")
        return parts

    def exec_out(self, command: str, seconds: float = SHELL_S) -> bytes:
        """The bytes that a command prints, untouched by any terminal."""
        return self._service(f"exec:{command}", seconds, f"{self.address}: {command[:60]!r}")

    def push_folder(self, folder: Path, target: str, seconds: float) -> None:
        """Every file of `folder` is in the phone's `target` folder with its mtime; those already there are skipped.

        `folder/.` into a folder that exists: without the dot, the second push would nest the folder in itself.
        """
        command = self.server.command("-t", str(self._transport), "push", "--sync", f"{folder}/.", target)
        try:
            done = subprocess.run(command, env=self.server.environment, capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired as error:
            raise PhoneLost(f"{self.address}: adb push did not end in {seconds:.0f} s") from error
        except OSError as error:
            raise DriverError(f"{self.address}: adb push could not start: {error}") from error
        if done.returncode:
            said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
            raise PhoneLost(f"{self.address}: adb push failed: {said[-300:]}")

    def _service(self, name: str, seconds: float, doing: str) -> bytes:
        with self.client.within(seconds, doing):
            link = self._open(name)
            try:
                return b"".join(iter(lambda: link.conn.recv(1 << 16), b""))
            finally:
                # Not link.close(): it sleeps 10 ms for servers that are long gone.
                link.conn.close()

    def _open(self, name: str) -> _Link:
        link: _Link = self.client.make_connection()
        try:
            link.send_command(f"host:transport-id:{self._transport}")
            link.check_okay()
            link.send_command(name)
            link.check_okay()
        except BaseException:
            link.conn.close()
            raise
        return link

    def _state(self) -> str:
        return next((phone.state for phone in self.attached() if phone.serial == self.address), "absent")

    def _dial(self) -> None:
        """`adb connect` after `adb disconnect`: adb says "already connected" to a connection that is long dead."""
        with self.client.within(_CONNECT_S * 2, f"{self.address}: adb connect"):
            self.client.disconnect(self.address)
            said = self.client.connect(self.address)
        if "connected to" not in said and "authenticate" not in said:
            raise PhoneLost(f"{self.address}: {said}")


def _unpack(raw: bytes, command: str) -> Ran:
    """Splits shell protocol v2: packets of (id, little-endian length, data); 1 is out, 2 is err, 3 ends with the exit code."""
    parts: dict[int, list[bytes]] = {1: [], 2: [], 3: []}
    at = 0
    while at + 5 <= len(raw):
        kind, length = struct.unpack_from("<BI", raw, at)
        parts.setdefault(kind, []).append(raw[at + 5 : at + 5 + length])
        at += 5 + length
    if not parts[3] or not parts[3][0]:
        raise PhoneLost(f"shell {command[:60]!r}: the connection ended before the command did")
    return Ran(parts[3][0][0], b"".join(parts[1]), b"".join(parts[2]))
