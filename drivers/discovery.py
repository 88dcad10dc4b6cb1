"""What is attached to this host and which tools there are to reach it. Only looks: no server is started, no phone is touched.

adb's phones are asked of servers that run already: the rig's own, and the user's, which keeps USB phones from the rig's.
"""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace

from drivers.android.link import Client
from drivers.android.server import client_version, find_adb, private_port, version_on
from drivers.android.transport import ALLOW, BY_HAND, parse_devices
from drivers.harmony.hdc import Hdc, find_hdc
from drivers.interface import DriverError
from drivers.ios.mux import Line
from drivers.ios.services import Address

USERS_ADB_PORT = 5037
_LOOK_S = 10.0
_OFFLINE = "plug it in again; if it stays so, turn USB debugging off and on, and look for other adb servers"
_READY = frozenset({"device", "Connected", "attached"})


@dataclass(frozen=True, slots=True)
class Attached:
    """One phone as its platform's tool lists it."""

    platform: str
    address: str
    """What a lab file says to mean exactly this phone."""
    serial: str
    state: str
    about: str
    """What tells it from another of the same serial: USB path, product, the server that lists it."""
    next_step: str
    """What a person has to do before it can be used; "" when it can."""

    @property
    def ready(self) -> bool:
        """True when it can be used now."""
        return self.state in _READY and not self.next_step


@dataclass(frozen=True, slots=True)
class Tool:
    """A program on this host, or why it cannot be used."""

    name: str
    path: str
    """"" when there is none."""
    version: str
    fault: str = ""
    """Why it cannot be used, in words; "" when it can or is not there."""


def attached_phones() -> tuple[Attached, ...]:
    """Every phone that some tool of this host lists, in any state. A platform whose tool is missing lists none."""
    return with_addresses((*_android(), *_harmony(), *_ios()))


def with_addresses(phones: Sequence[Attached]) -> tuple[Attached, ...]:
    """Phones that share a serial are told apart by their USB path, which becomes their address."""
    serials = [(phone.platform, phone.serial) for phone in phones]
    named = []
    for phone in phones:
        path = re.match(r"usb:\S+", phone.about)
        if serials.count((phone.platform, phone.serial)) > 1 and path is not None:
            shared = f'shares its serial with another phone: write address = "{path[0]}" in the lab file'
            phone = replace(phone, address=path[0], about=f"{phone.about} ({shared})")
        named.append(phone)
    return tuple(named)


def adb_tool() -> Tool:
    """The adb that the rig uses. Its fault names a server on the rig's port that does not fit it."""
    try:
        path = find_adb()
        version = client_version(path)
        server = version_on(private_port())
    except DriverError as error:
        return Tool("adb", "", "", str(error))
    told = f"1.0.{version}"
    if server is not None and server != version:
        fault = (
            f"the adb server on port {private_port()} has version 1.0.{server}, {path} has {told}; "
            "set ANDROID_ADB_SERVER_PORT to a free port"
        )
        return Tool("adb", str(path), told, fault)
    return Tool("adb", str(path), told)


def users_adb() -> str:
    """What the adb server on adb's own port means for the rig; "" when none runs there."""
    try:
        version = version_on(USERS_ADB_PORT)
    except DriverError as error:
        return str(error)
    if version is None or private_port() == USERS_ADB_PORT:
        return ""
    return f"another adb server (1.0.{version}) runs on port {USERS_ADB_PORT}: USB phones that it holds are not the rig's"


def rigs_adb() -> str:
    """Whether the rig's own server runs, in words. Raises DriverError when its port is held by another program."""
    version = version_on(private_port())
    state = "not running; it starts with the first phone" if version is None else f"1.0.{version} runs"
    return f"port {private_port()}: {state}"


def find_tool(name: str, version_words: Sequence[str], given: str = "") -> Tool:
    """A program on PATH (or at `given`) and the first line of what it says of its version."""
    path = shutil.which(given or name)
    if path is None:
        return Tool(name, "", "")
    try:
        done = subprocess.run(
            [path, *version_words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_LOOK_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Tool(name, path, "", f"{path} does not run: {error}")
    said = done.stdout.decode("utf-8", "replace").strip().splitlines()
    return Tool(name, path, said[0][:80] if said else "")


def _android() -> list[Attached]:
    found: dict[tuple[str, str], Attached] = {}
    for port in dict.fromkeys((private_port(), USERS_ADB_PORT)):
        for phone in parse_devices(_adb_listing(port)):
            about = " ".join(filter(None, (phone.usb_path, phone.about, f"adb server {port}")))
            step = "" if phone.state == "device" else BY_HAND.get(phone.state, _OFFLINE)
            known = Attached("android", phone.serial, phone.serial, phone.state, about, step)
            # Both servers list a phone that only one of them may use: the one that can is meant.
            place = (phone.serial, phone.usb_path)
            if place not in found or (known.ready and not found[place].ready):
                found[place] = known
    return list(found.values())


def _adb_listing(port: int) -> str:
    """`adb devices -l` of the server on a port; "" when none runs there."""
    try:
        if version_on(port) is None:
            return ""
        client = Client(port)
        with client.within(_LOOK_S, f"adb devices on port {port}"), client.make_connection() as link:
            link.send_command("host:devices-l")
            link.check_okay()
            return str(link.read_string_block())
    except DriverError:
        return ""


def _harmony() -> list[Attached]:
    try:
        listed = Hdc(find_hdc("")).run(["list", "targets", "-v"], _LOOK_S)
    except DriverError:
        return []
    rows = [line.split("\t") for line in listed.splitlines()]
    return [_harmony_phone(row[0].strip(), row[2], row[3]) for row in rows if len(row) >= 5]


def _harmony_phone(key: str, kind: str, state: str) -> Attached:
    step = ""
    if state == "Unauthorized":
        step = ALLOW
    elif state != "Connected":
        step = f"is {state}: look at the cable and at USB debugging in its developer options"
    return Attached("harmony", key, key, state, kind, step)


def _ios() -> list[Attached]:
    try:
        line = Line(Address.parse(""), _LOOK_S)
    except DriverError:
        return []
    try:
        return [Attached("ios", udid, udid, "attached", f"usbmuxd {number}", "") for udid, number in line.devices().items()]
    except DriverError:
        return []
    finally:
        line.close()
