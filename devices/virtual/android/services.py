"""Which ADB services a virtual phone has, by the name that the host opens them with."""

import struct
from collections.abc import Awaitable
from functools import partial

from devices.virtual.android.adbd import Stream
from devices.virtual.android.call import Session
from devices.virtual.android.commands import COMMANDS
from devices.virtual.android.phone import AndroidPhone
from devices.virtual.android.shell import Shell, Streams
from devices.virtual.android.sync import SyncService

STDIN, STDOUT, STDERR, EXIT, CLOSE_STDIN = range(5)
PACKET = struct.Struct("<BI")
"""Shell protocol version 2: which of the above, and how many bytes follow."""


def open_service(phone: AndroidPhone, name: str, stream: Stream) -> Awaitable[None] | None:
    """The work of a service, or None to refuse it."""
    kind, _, argument = name.partition(":")
    base, *options = kind.split(",")
    if base in ("shell", "exec"):
        return _shell(phone, stream, argument, packets="v2" in options)
    if base == "sync":
        return SyncService(phone.files, stream, phone.transfer, partial(phone.drop, phone.make.boot_s)).run()
    if base == "tcp":
        service = phone.tcp_services.get(int(argument) if argument.isdigit() else 0)
        return service(stream) if service else None
    if base == "reboot":
        return _reboot(phone)
    if base == "root":
        return stream.write(b"adbd cannot run as root in production builds\n")
    return None


async def _reboot(phone: AndroidPhone) -> None:
    phone.reboot()


async def _shell(phone: AndroidPhone, stream: Stream, script: str, *, packets: bool) -> None:
    """One command line, or an interactive shell when there is none."""
    end = _PacketEnd(stream) if packets else _RawEnd(stream)
    shell = Shell(phone, COMMANDS, Session())
    streams = Streams(end, end.out, end.err)
    if script:
        code = await shell.run(script, streams)
    else:
        code = await _interactive(phone, shell, streams)
    await end.exit(code)


async def _interactive(phone: AndroidPhone, shell: Shell, streams: Streams) -> int:
    """Reads lines as a terminal sends them, echoing what is typed, until `exit` or Ctrl-D."""
    code = 0
    prompt = f"{phone.props['ro.product.device']}:/ $ ".encode()

    async def out(data: bytes) -> None:
        await streams.out(data.replace(b"\n", b"\r\n"))

    line = bytearray()
    await streams.out(prompt)
    while not shell.exited and (typed := await streams.stdin.read(1)) and typed != b"\x04":
        if typed in (b"\r", b"\n"):
            await streams.out(b"\r\n")
            code = await shell.run(line.decode("utf-8", "replace"), Streams(streams.stdin, out, out))
            line.clear()
            await streams.out(prompt)
        elif typed == b"\x7f":
            await streams.out(b"\b \b" if line else b"")
            del line[-1:]
        else:
            line += typed
            await streams.out(typed)
    return code


class _RawEnd:
    """Output and errors in one stream; there is no exit code."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    async def read(self, limit: int) -> bytes:
        return await self._stream.read(limit)

    async def wait_closed(self) -> None:
        await self._stream.wait_closed()

    async def out(self, data: bytes) -> None:
        await self._stream.write(data)

    async def err(self, data: bytes) -> None:
        await self._stream.write(data)

    async def exit(self, code: int) -> None:
        """Version 1 has no way to say it."""


class _PacketEnd:
    """Shell protocol version 2: input, output, errors and the exit code are told apart."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._typed = bytearray()
        self._ended = False

    async def read(self, limit: int) -> bytes:
        while not self._typed and not self._ended:
            head = await self._stream.read(1)
            if not head:
                self._ended = True
                break
            kind, length = PACKET.unpack(head + await self._stream.read_exactly(PACKET.size - 1))
            data = await self._stream.read_exactly(length) if length else b""
            if kind == STDIN:
                self._typed += data
            self._ended = kind == CLOSE_STDIN
        taken = bytes(self._typed[:limit])
        del self._typed[:limit]
        return taken

    async def wait_closed(self) -> None:
        await self._stream.wait_closed()

    async def out(self, data: bytes) -> None:
        if data:
            await self._stream.write(PACKET.pack(STDOUT, len(data)) + data)

    async def err(self, data: bytes) -> None:
        if data:
            await self._stream.write(PACKET.pack(STDERR, len(data)) + data)

    async def exit(self, code: int) -> None:
        await self._stream.write(PACKET.pack(EXIT, 1) + bytes([code & 0xFF]))
