"""The `sync:` service: STAT, LIST, SEND, RECV of version 1 and STA2, LST2 of version 2.

Each request is four letters, a little-endian length and a path. As in AOSP's file_sync_service.cpp, SEND unlinks an existing
file before it writes the new one, drains what the host still sends after a failure, and removes the half-written file.
"""

import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol

from devices.virtual.android.adbd import Stream
from devices.virtual.android.files import PhoneFiles

CHUNK = 1 << 16  # SYNC_DATA_MAX
MEDIA_RW = 1023
"""The owner that Android shows for shared storage."""


class Transfer(Protocol):
    """What may go wrong with a file that is being pushed; asked once a file and once a chunk."""

    def cut_after(self, path: str) -> int | None:
        """After how many bytes the cable falls out; None: not at all."""

    def loses(self, path: str) -> bool:
        """True when the phone says OKAY and does not keep the file."""


class SyncService:
    """One `sync:` stream."""

    def __init__(self, files: PhoneFiles, stream: Stream, transfer: Transfer, unplug: Callable[[], None]) -> None:
        self._files = files
        self._stream = stream
        self._transfer = transfer
        self._unplug = unplug

    async def run(self) -> None:
        """Serves requests until QUIT or a request that is not known."""
        requests = {
            b"STAT": self._stat,
            b"STA2": self._stat2,
            b"LST2": self._lstat2,
            b"LIST": self._list,
            b"SEND": self._receive,
            b"RECV": self._send,
        }
        while True:
            request, length = await self._head()
            if request == b"QUIT":
                return
            path = os.fsdecode(await self._stream.read_exactly(length))
            if request not in requests:
                await self._fail(f"unknown command {request!r}")
                return
            await requests[request](path)

    async def _head(self) -> tuple[bytes, int]:
        head = await self._stream.read_exactly(8)
        return head[:4], int.from_bytes(head[4:], "little")

    async def _fail(self, message: str) -> None:
        text = message.encode()
        await self._stream.write(b"FAIL" + struct.pack("<I", len(text)) + text)

    async def _stat(self, path: str) -> None:
        try:
            found = self._files.host(path).lstat()
        except OSError:
            await self._stream.write(b"STAT" + bytes(12))
            return
        fields = struct.pack("<III", found.st_mode, found.st_size & 0xFFFFFFFF, int(found.st_mtime))
        await self._stream.write(b"STAT" + fields)

    async def _stat2(self, path: str) -> None:
        await self._answer_stat2(b"STA2", path, follow=True)

    async def _lstat2(self, path: str) -> None:
        await self._answer_stat2(b"LST2", path, follow=False)

    async def _answer_stat2(self, request: bytes, path: str, *, follow: bool) -> None:
        layout = struct.Struct("<IQQIIIIQqqq")
        try:
            found = self._files.host(path).stat(follow_symlinks=follow)
        except OSError as error:
            await self._stream.write(request + layout.pack(error.errno or 0, *([0] * 10)))
            return
        times = (int(found.st_atime), int(found.st_mtime), int(found.st_ctime))
        owner = (MEDIA_RW, MEDIA_RW)
        fields = layout.pack(0, found.st_dev, found.st_ino, found.st_mode, found.st_nlink, *owner, found.st_size, *times)
        await self._stream.write(request + fields)

    async def _list(self, path: str) -> None:
        folder = self._files.host(path)
        answer = bytearray()
        for name in [".", "..", *sorted(entry.name for entry in folder.iterdir())] if folder.is_dir() else []:
            found = (folder / name).lstat()
            raw = os.fsencode(name)
            fields = (found.st_mode, found.st_size & 0xFFFFFFFF, int(found.st_mtime), len(raw))
            answer += b"DENT" + struct.pack("<4I", *fields) + raw
        await self._stream.write(answer + b"DONE" + bytes(16))

    async def _send(self, path: str) -> None:
        try:
            file = self._files.host(path).open("rb")
        except OSError as error:
            await self._fail(f"open failed: {error.strerror}")
            return
        with file:
            while chunk := file.read(CHUNK):
                await self._stream.write(b"DATA" + struct.pack("<I", len(chunk)) + chunk)
        await self._stream.write(b"DONE" + bytes(4))

    async def _receive(self, spec: str) -> None:
        path, _, _mode = spec.rpartition(",")
        target = self._files.host(path)
        try:
            file = self._create(target)
        except OSError as error:
            await self._refuse(f"couldn't create file: {error.strerror}")
            return
        with file:
            try:
                mtime = await self._fill(file, self._transfer.cut_after(path))
            except OSError as error:
                if isinstance(error, ConnectionError):
                    raise
                self._files.remove(target)
                await self._refuse(f"write failed: {error.strerror}")
                return
        os.utime(target, (mtime, mtime))
        if self._transfer.loses(path):
            self._files.remove(target)
        await self._stream.write(b"OKAY" + bytes(4))

    def _create(self, target: Path) -> BinaryIO:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_file():
            self._files.remove(target)
        return target.open("wb", buffering=0)

    async def _fill(self, file: BinaryIO, cut_after: int | None) -> int:
        """The file's bytes are written; returns the mtime (s since 1970) that ends them."""
        written = 0
        while True:
            kind, value = await self._head()
            if kind == b"DONE":
                return value
            chunk = await self._stream.read_exactly(value)
            if cut_after is not None and written + len(chunk) > cut_after:
                file.write(chunk[: cut_after - written])
                self._files.count_again()
                self._unplug()
                raise ConnectionResetError("the cable fell out")
            self._files.take(len(chunk))
            file.write(chunk)
            written += len(chunk)

    async def _refuse(self, message: str) -> None:
        """Says FAIL, then reads away what the host sends until it notices."""
        await self._fail(message)
        while True:
            kind, value = await self._head()
            if kind != b"DATA":
                return
            await self._stream.read_exactly(value)
