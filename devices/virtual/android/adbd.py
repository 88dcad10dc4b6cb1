"""The phone's end of the ADB transport over TCP: packets, authorisation, streams.

    host            CNXN ──▶  AUTH or CNXN (banner)
                    OPEN ──▶  OKAY, then WRTE/OKAY both ways, CLSE        accepted service
                    OPEN ──▶  CLSE with local id 0                        refused service

A packet is a 24-byte little-endian header (command, arg0, arg1, length, checksum, command ^ 0xffffffff) and its payload. From
version 0x01000001 on, checksums are not verified. Each stream has one WRTE in flight per direction; OKAY acknowledges it.
Source: AOSP packages/modules/adb/protocol.txt and adb.cpp.
"""

import asyncio
import contextlib
import logging
import os
import socket
import struct
from collections.abc import Awaitable
from typing import Protocol

from devices.virtual.android.wire import Wire
from devices.virtual.cable import Cable

CNXN, OPEN, OKAY, CLSE, WRTE, AUTH = 0x4E584E43, 0x4E45504F, 0x59414B4F, 0x45534C43, 0x45545257, 0x48545541
VERSION = 0x01000001
MAX_PAYLOAD = 1 << 20  # what adbd of Android 9+ offers
AUTH_TOKEN, AUTH_SIGNATURE, AUTH_PUBLIC_KEY = 1, 2, 3
SMALL_PAYLOAD = 1 << 16
"""Bytes up to which copying a payload behind its header costs less than waking the host twice."""
HEADER = struct.Struct("<6I")
UNREAD_LIMIT = 4 << 20
"""Bytes a service may leave unread before the host's next WRTE is left unacknowledged."""

log = logging.getLogger(__name__)


class Device(Protocol):
    """What the transport serves."""

    wire: Wire

    def banner(self) -> bytes:
        """The CNXN payload: `device::` and the properties and features that the host is told."""

    def open_service(self, name: str, stream: "Stream") -> Awaitable[None] | None:
        """The work of a service, or None to refuse it."""


class Stream:
    """One ADB stream as a service sees it: a pipe of bytes that either side may close."""

    def __init__(self, connection: "Connection", local: int, remote: int) -> None:
        self.local = local
        self.remote = remote
        self._connection = connection
        self._unread = bytearray()
        self._arrived = asyncio.Event()
        self._acknowledged = asyncio.Event()
        self._acknowledged.set()
        self._closed = asyncio.Event()
        self._owes_okay = False

    @property
    def closed(self) -> bool:
        """True when either side has closed it."""
        return self._closed.is_set()

    async def write(self, data: bytes | bytearray | memoryview) -> None:
        """All of `data` is on its way to the host. Raises ConnectionError when the stream is closed."""
        view = memoryview(data)
        for start in range(0, len(view), self._connection.max_payload):
            await self._acknowledged.wait()
            if self.closed:
                raise ConnectionResetError("the host closed the stream")
            self._acknowledged.clear()
            await self._connection.send(WRTE, self.local, self.remote, view[start : start + self._connection.max_payload])

    async def read(self, limit: int = 1 << 16) -> bytes:
        """What has arrived, at least one byte; b"" at the end."""
        while not self._unread:
            if self.closed:
                return b""
            self._arrived.clear()
            await self._arrived.wait()
        return await self._take(min(limit, len(self._unread)))

    async def read_exactly(self, count: int) -> bytes:
        """`count` bytes. Raises ConnectionError when the stream ends before."""
        while len(self._unread) < count:
            if self.closed:
                raise ConnectionResetError("the host closed the stream")
            await self._acknowledge()
            self._arrived.clear()
            await self._arrived.wait()
        return await self._take(count)

    async def _take(self, count: int) -> bytes:
        taken = bytes(memoryview(self._unread)[:count])
        del self._unread[:count]
        if len(self._unread) < UNREAD_LIMIT:
            await self._acknowledge()
        return taken

    async def _acknowledge(self) -> None:
        if self._owes_okay and not self.closed:
            self._owes_okay = False
            await self._connection.send(OKAY, self.local, self.remote)

    async def wait_closed(self) -> None:
        """Returns when the stream is closed, as a process notices that its terminal went away."""
        await self._closed.wait()

    async def close(self) -> None:
        """The stream is closed on both sides."""
        if not self.closed:
            self.end()
            await self._connection.send(CLSE, self.local, self.remote)

    def end(self) -> None:
        """The host closed it, or the connection is gone: readers and writers wake."""
        self._closed.set()
        self._arrived.set()
        self._acknowledged.set()

    async def receive(self, data: bytes) -> None:
        """A WRTE from the host."""
        self._unread += data
        self._arrived.set()
        self._owes_okay = True
        if len(self._unread) < UNREAD_LIMIT:
            await self._acknowledge()

    def acknowledge(self) -> None:
        """An OKAY from the host: the next WRTE may go."""
        self._acknowledged.set()


class Connection:
    """One host connected to the phone."""

    def __init__(self, device: Device, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.max_payload = 4096
        self._device = device
        self._reader = reader
        self._writer = writer
        self._streams: dict[int, Stream] = {}
        self._services: set[asyncio.Task[None]] = set()
        self._last_id = 0
        self._token = os.urandom(20)
        self._online = False

    async def run(self) -> None:
        """Serves until the connection ends, however it ends."""
        try:
            while True:
                command, arg0, arg1, length, _, magic = HEADER.unpack(await self._reader.readexactly(HEADER.size))
                if magic != command ^ 0xFFFFFFFF or length > MAX_PAYLOAD:
                    return  # not ADB: a real adbd hangs up as well
                payload = await self._reader.readexactly(length) if length else b""
                await self._device.wire.pass_through()
                await self._handle(command, arg0, arg1, payload)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            self.abort()

    def abort(self) -> None:
        """Cuts the connection at once; what was running in it is told."""
        for stream in self._streams.values():
            stream.end()
        for service in self._services:
            service.cancel()
        self._writer.transport.abort()

    async def send(self, command: int, arg0: int, arg1: int, payload: bytes | memoryview = b"") -> None:
        """One packet is queued for the host; waits while the queue is full."""
        await self._device.wire.pass_through()
        header = HEADER.pack(command, arg0, arg1, len(payload), 0, command ^ 0xFFFFFFFF)
        if len(payload) <= SMALL_PAYLOAD:
            self._writer.write(header + payload)
        else:
            self._writer.write(header)
            self._writer.write(payload)
        if self._writer.transport.get_write_buffer_size() > MAX_PAYLOAD:
            await self._writer.drain()

    async def _handle(self, command: int, arg0: int, arg1: int, payload: bytes) -> None:
        if command == CNXN:
            self.max_payload = min(arg1, MAX_PAYLOAD)
            await self._greet()
        elif command == AUTH:
            await self._authorise(arg0)
        elif not self._online:
            return
        elif command == OPEN:
            self._open(payload.rstrip(b"\0").decode("utf-8", "surrogateescape"), remote=arg0)
        elif (stream := self._streams.get(arg1)) is None:
            if command == WRTE:
                await self.send(CLSE, 0, arg0)
        elif command == WRTE:
            await stream.receive(payload)
        elif command == OKAY:
            stream.acknowledge()
        elif command == CLSE:
            del self._streams[arg1]
            stream.end()

    async def _greet(self) -> None:
        if self._device.wire.authorised:
            self._online = True
            await self.send(CNXN, VERSION, MAX_PAYLOAD, self._device.banner())
        else:
            await self.send(AUTH, AUTH_TOKEN, 0, self._token)

    async def _authorise(self, kind: int) -> None:
        if kind == AUTH_PUBLIC_KEY:  # the phone now shows the dialog, and the host waits
            await self._device.wire.allowed.wait()
        await self._greet()

    def _open(self, service: str, remote: int) -> None:
        self._last_id += 1
        stream = self._streams[self._last_id] = Stream(self, self._last_id, remote)
        task = asyncio.create_task(self._serve(service, stream), name=f"adbd {service[:40]}")
        self._services.add(task)
        task.add_done_callback(self._services.discard)

    async def _serve(self, service: str, stream: Stream) -> None:
        work = self._device.open_service(service, stream)
        if work is None:
            self._streams.pop(stream.local, None)
            await self.send(CLSE, 0, stream.remote)
            return
        try:
            await self.send(OKAY, stream.local, stream.remote)
            await work
        except ConnectionError:
            pass
        except Exception:
            log.exception("virtual phone: service %r failed", service)
        finally:
            with contextlib.suppress(ConnectionError):
                await stream.close()
            self._streams.pop(stream.local, None)


class AdbServer:
    """What answers at a phone's cable."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._connections: set[Connection] = set()
        self.cable = Cable(self._accept, self.cut, 8 << 20)

    def cut(self) -> None:
        """Connections are cut; new ones are accepted."""
        for connection in tuple(self._connections):
            connection.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Without TCP_NODELAY each small answer waits 40 ms for the host's delayed acknowledgement.
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = Connection(self._device, reader, writer)
        self._connections.add(connection)
        try:
            # asyncio of Python 3.11 prints a traceback for a connection that is cancelled when its loop ends.
            with contextlib.suppress(asyncio.CancelledError):
                await connection.run()
        finally:
            self._connections.discard(connection)
