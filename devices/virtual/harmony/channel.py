"""The hdc server's channel for one phone: what the `hdc` command speaks with its server (seen in xdevice's client).

    server: BE32 44, "OHOS HDC" in 12 bytes, 32 bytes      client: BE32 268, banner, connect key in 256 bytes
    client: BE32 length, command and NUL                   server: BE32 length, output … until it hangs up

The server knows this phone by its serial number, and by the address that it was reached at, as a phone on the network.
"""

import asyncio
import contextlib
import struct

from devices.virtual.cable import HOST, Cable
from devices.virtual.harmony.commands import COMMANDS
from devices.virtual.harmony.phone import HarmonyPhone
from devices.virtual.harmony.shell import Shell
from devices.virtual.harmony.transfer import CableOut, transfer
from devices.virtual.harmony.uitest import UiServer

BANNER = b"OHOS HDC"
VERSION = "Ver: 3.1.0e"
LENGTH = struct.Struct(">I")
LONGEST = 1 << 20
REMOTE_PORTS = ("tcp:8012",)
CUT_AWAY_S = 0.3
NOT_FOUND = "[Fail][E001005] Device not found or connected\n"


class Channel:
    """Serves a phone at its cable; unplugged, it keeps neither a connection nor a forward."""

    def __init__(self, phone: HarmonyPhone) -> None:
        self._phone = phone
        self._links: set[asyncio.StreamWriter] = set()
        self._forwards: dict[str, tuple[str, asyncio.Server]] = {}
        self._uitest = UiServer(phone)
        self.cable = Cable(self._serve, self._cut, LONGEST)

    def _cut(self) -> None:
        """Everything that went over the cable ends."""
        for _, server in self._forwards.values():
            server.close()
        self._forwards.clear()
        for writer in [*self._links, *self._phone.processes.connections]:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._links.add(writer)
        try:
            await self._phone.flowing.wait()
            writer.write(struct.pack(">I12s32s", 44, BANNER, VERSION.encode()))
            head = await reader.readexactly(LENGTH.size + 268)
            key = head[LENGTH.size + 12 :].rstrip(b"\0").decode()
            (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
            if length <= LONGEST:
                command = (await reader.readexactly(length)).rstrip(b"\0").decode("utf-8", "surrogateescape")
                await self._answer(command, key, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._links.discard(writer)
            writer.close()

    async def _answer(self, command: str, key: str, writer: asyncio.StreamWriter) -> None:
        said = await self.command(command, key)
        await self._phone.flowing.wait()
        writer.write(LENGTH.pack(len(said)) + said)
        with contextlib.suppress(ConnectionError):
            await writer.drain()

    async def command(self, command: str, key: str) -> bytes:
        """What hdc prints for a command; those for a phone are refused when `key` names another."""
        own = self._of_the_server(command)
        if own is not None:
            return own.encode()
        if key not in ("", self._phone.make.serial, self.cable.address):
            return NOT_FOUND.encode()
        if command.startswith("shell "):
            return await Shell(self._phone, COMMANDS).run(command.removeprefix("shell "))
        return (await self._of_the_phone(command)).encode()

    def _of_the_server(self, command: str) -> str | None:
        """The answer to a command that is not for a phone."""
        serial = self._phone.make.serial
        if command.startswith("list targets"):
            return f"{serial}\t\tUSB\tConnected\tlocalhost\thdc\n" if "-v" in command else serial + "\n"
        if command.startswith("tconn "):
            return "Connect OK\n"
        return f"Client version:{VERSION}, server version:{VERSION}\n" if command == "checkserver" else None

    async def _of_the_phone(self, command: str) -> str:
        if command.startswith("file "):
            try:
                return transfer(self._phone, command)
            except CableOut:
                self._phone.drop(CUT_AWAY_S)
                return ""
        if command.startswith("fport "):
            return await self._forward(command.split()[1:])
        if command == "target boot":
            self._phone.reboot()
            return ""
        self._phone.unhandled.append(f"hdc {command}")
        return "[Fail]Unknown command...\n"

    async def _forward(self, words: list[str]) -> str:
        """`fport LOCAL REMOTE`, `fport ls`, `fport rm LOCAL REMOTE`"""
        if words == ["ls"]:
            lines = [
                f"{self._phone.make.serial}    {local} {remote}    [Forward]\n" for local, (remote, _) in self._forwards.items()
            ]
            return "".join(lines) or "[Empty]\n"
        if words[:1] == ["rm"]:
            _, server = self._forwards.pop("".join(words[1:2]), ("", None))
            if server is None:
                return "[Fail]Remove forward ruler failed, ruler is not exist\n"
            server.close()
            return f"Remove forward ruler success, ruler:{' '.join(words[1:])}\n"
        if len(words) != 2 or words[1] not in REMOTE_PORTS or not words[0].startswith("tcp:"):
            return "[Fail]Incorrect forward command\n"
        try:
            server = await asyncio.start_server(self._uitest.serve, HOST, int(words[0].removeprefix("tcp:")), limit=LONGEST)
        except OSError:
            return f"[Fail]TCP Port listen failed at {words[0].removeprefix('tcp:')}\n"
        self._forwards[words[0]] = (words[1], server)
        return "Forwardport result:OK\n"


def attach(phone: HarmonyPhone) -> Cable:
    """A cable at whose end the phone answers hdc."""
    return Channel(phone).cable
