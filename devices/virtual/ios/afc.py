"""AFC: the file service. A packet is a magic word, two lengths, a number and an operation, all little-endian, and its data.

What cannot be a file of the host (names that are too long) is refused; nothing outside the served folder is ever reached.
"""

import asyncio
import os
import shutil
import struct
from collections.abc import Callable, Mapping
from enum import IntEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from devices.virtual.ios.phone import IPhone

_MAGIC = b"CFA6LPAA"
_HEADER = struct.Struct("<8sQQQQ")
_U64 = struct.Struct("<Q")
_LONGEST = 1 << 26
_BLOCK = 4096


class Op(IntEnum):
    """Operations."""

    STATUS = 0x01
    DATA = 0x02
    READ_DIR = 0x03
    REMOVE_PATH = 0x08
    MAKE_DIR = 0x09
    GET_FILE_INFO = 0x0A
    GET_DEVICE_INFO = 0x0B
    FILE_OPEN = 0x0D
    FILE_OPEN_RESULT = 0x0E
    READ = 0x0F
    WRITE = 0x10
    SEEK = 0x11
    TELL = 0x12
    TELL_RESULT = 0x13
    CLOSE = 0x14
    RENAME = 0x18
    SET_TIME = 0x1E
    REMOVE_ALL = 0x22


class Status(IntEnum):
    """Results."""

    OK = 0
    UNKNOWN = 1
    INVALID = 7
    NOT_FOUND = 8
    IS_DIRECTORY = 9
    DENIED = 10
    EXISTS = 16
    NO_SPACE = 18
    NOT_SUPPORTED = 15


_MODES = {1: "rb", 2: "r+b", 3: "wb", 4: "w+b", 5: "ab", 6: "a+b"}
_WRITES = 2


_REFUSALS = {
    FileNotFoundError: Status.NOT_FOUND,
    IsADirectoryError: Status.IS_DIRECTORY,
    FileExistsError: Status.EXISTS,
}


class AfcError(Exception):
    """An operation that was refused."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.name)
        self.status = status


async def serve_afc(phone: "IPhone", reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The media folder."""
    await serve_folder(phone, phone.media, reader, writer)


async def serve_folder(phone: "IPhone", root: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Any folder of the phone, until the client closes."""
    session = AfcSession(phone, root)
    try:
        while True:
            magic, whole, head, number, operation = _HEADER.unpack(await reader.readexactly(_HEADER.size))
            if magic != _MAGIC or not _HEADER.size <= head <= whole <= _LONGEST:
                return
            data = await reader.readexactly(whole - _HEADER.size)
            kind, body = session.answer(operation, data[: head - _HEADER.size], data[head - _HEADER.size :])
            size = _HEADER.size + len(body)
            inner = size if kind is not Op.DATA else _HEADER.size
            writer.write(_HEADER.pack(_MAGIC, size, inner, number, kind) + body)
            await writer.drain()
    finally:
        session.close()


class AfcSession:
    """One connection, with the files that it has open."""

    def __init__(self, phone: "IPhone", root: Path) -> None:
        self._phone, self._root = phone, root
        self._open: dict[int, IO[bytes]] = {}
        self._last = 0

    def answer(self, operation: int, head: bytes, payload: bytes) -> tuple[Op, bytes]:
        """The kind and the data of the answer."""
        work = _WORK.get(operation)
        if work is None:
            return _status(Status.NOT_SUPPORTED)
        try:
            return work(self, head, payload)
        except AfcError as error:
            return _status(error.status)
        except (OSError, ValueError, struct.error) as error:
            return _status(next((status for kind, status in _REFUSALS.items() if isinstance(error, kind)), Status.INVALID))

    def close(self) -> None:
        """Files that were left open are closed."""
        for file in self._open.values():
            file.close()

    def _read_dir(self, head: bytes, _payload: bytes) -> tuple[Op, bytes]:
        names = [".", "..", *sorted(entry.name for entry in self._path(head).iterdir())]
        return Op.DATA, b"".join(os.fsencode(name) + b"\0" for name in names)

    def _file_info(self, head: bytes, _payload: bytes) -> tuple[Op, bytes]:
        stat = self._path(head).stat()
        folder = self._path(head).is_dir()
        told = {
            "st_size": stat.st_size,
            "st_blocks": -(-stat.st_size // _BLOCK),
            "st_nlink": stat.st_nlink,
            "st_ifmt": "S_IFDIR" if folder else "S_IFREG",
            "st_mtime": stat.st_mtime_ns,
            "st_birthtime": stat.st_mtime_ns,
        }
        return Op.DATA, _pairs(told)

    def _device_info(self, _head: bytes, _payload: bytes) -> tuple[Op, bytes]:
        phone = self._phone
        told = {"Model": phone.values["ProductType"], "FSTotalBytes": phone.capacity_bytes, "FSFreeBytes": phone.free_bytes}
        return Op.DATA, _pairs(told | {"FSBlockSize": _BLOCK})

    def _make_dir(self, head: bytes, _payload: bytes) -> tuple[Op, bytes]:
        self._path(head).mkdir(parents=True, exist_ok=True)
        return _status(Status.OK)

    def _remove(self, head: bytes, _payload: bytes) -> tuple[Op, bytes]:
        path = self._path(head)
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink()
        return _status(Status.OK)

    def _remove_all(self, head: bytes, _payload: bytes) -> tuple[Op, bytes]:
        path = self._path(head)
        if path == self._root:
            raise AfcError(Status.DENIED)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
        return _status(Status.OK)

    def _rename(self, head: bytes, _payload: bytes) -> tuple[Op, bytes]:
        source, target = head.split(b"\0")[:2]
        self._path(source).rename(self._path(target))
        return _status(Status.OK)

    def _set_time(self, head: bytes, _payload: bytes) -> tuple[Op, bytes]:
        (moment,) = _U64.unpack_from(head)
        os.utime(self._path(head[_U64.size :]), ns=(moment, moment))
        return _status(Status.OK)

    def _file_open(self, head: bytes, _payload: bytes) -> tuple[Op, bytes]:
        (mode,) = _U64.unpack_from(head)
        path = self._path(head[_U64.size :])
        if mode >= _WRITES and self._phone.free_bytes <= 0:
            raise AfcError(Status.NO_SPACE)
        self._last += 1
        self._open[self._last] = path.open(_MODES[mode])
        return Op.FILE_OPEN_RESULT, _U64.pack(self._last)

    def _read(self, head: bytes, _payload: bytes) -> tuple[Op, bytes]:
        handle, count = struct.unpack_from("<QQ", head)
        return Op.DATA, self._file(handle).read(min(count, _LONGEST))

    def _write(self, head: bytes, payload: bytes) -> tuple[Op, bytes]:
        file, cut = self._file(_U64.unpack_from(head)[0]), self._phone.faults.cut_push_after
        if cut is not None:
            self._phone.faults.cut_push_after = None
            file.write(payload[:cut])
            file.flush()
            self._phone.drop(1.0)
            return _status(Status.UNKNOWN)
        file.write(payload)
        return _status(Status.OK)

    def _seek(self, head: bytes, _payload: bytes) -> tuple[Op, bytes]:
        handle, whence, offset = struct.unpack_from("<QQq", head)
        self._file(handle).seek(offset, whence)
        return _status(Status.OK)

    def _tell(self, head: bytes, _payload: bytes) -> tuple[Op, bytes]:
        return Op.TELL_RESULT, _U64.pack(self._file(_U64.unpack_from(head)[0]).tell())

    def _file_close(self, head: bytes, _payload: bytes) -> tuple[Op, bytes]:
        handle = _U64.unpack_from(head)[0]
        self._file(handle).close()
        del self._open[handle]
        return _status(Status.OK)

    def _file(self, handle: int) -> IO[bytes]:
        if handle not in self._open:
            raise AfcError(Status.INVALID)
        return self._open[handle]

    def _path(self, raw: bytes) -> Path:
        """The file of the host; `..` leads nowhere."""
        parts = [part for part in os.fsdecode(raw.split(b"\0")[0]).split("/") if part not in ("", ".")]
        if ".." in parts:
            raise AfcError(Status.DENIED)
        return self._root.joinpath(*parts)


def _status(status: Status) -> tuple[Op, bytes]:
    return Op.STATUS, _U64.pack(status)


def _pairs(told: Mapping[str, object]) -> bytes:
    return b"".join(f"{key}\0{value}\0".encode() for key, value in told.items())


_WORK: dict[int, Callable[[AfcSession, bytes, bytes], tuple[Op, bytes]]] = {
    Op.READ_DIR: AfcSession._read_dir,
    Op.REMOVE_PATH: AfcSession._remove,
    Op.MAKE_DIR: AfcSession._make_dir,
    Op.GET_FILE_INFO: AfcSession._file_info,
    Op.GET_DEVICE_INFO: AfcSession._device_info,
    Op.FILE_OPEN: AfcSession._file_open,
    Op.READ: AfcSession._read,
    Op.WRITE: AfcSession._write,
    Op.SEEK: AfcSession._seek,
    Op.TELL: AfcSession._tell,
    Op.CLOSE: AfcSession._file_close,
    Op.RENAME: AfcSession._rename,
    Op.SET_TIME: AfcSession._set_time,
    Op.REMOVE_ALL: AfcSession._remove_all,
}
