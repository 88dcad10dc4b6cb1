"""AFC, the file service: a client of the operations that an import needs."""

import struct
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from drivers.interface import DriverError
from drivers.ios.mux import Line

_MAGIC = b"CFA6LPAA"
_HEADER = struct.Struct("<8sQQQQ")
_U64 = struct.Struct("<Q")
_STATUS, _READ_DIR, _REMOVE, _MAKE_DIR, _INFO = 0x01, 0x03, 0x08, 0x09, 0x0A
_OPEN, _READ, _WRITE, _CLOSE, _RENAME, _REMOVE_ALL = 0x0D, 0x0F, 0x10, 0x14, 0x18, 0x22
_READ_ONLY, _WRITE_ONLY = 1, 3
_BLOCK = 1 << 20
_NOT_FOUND = 8
_WORDS = {7: "invalid argument", 8: "not found", 9: "is a folder", 10: "permission denied", 16: "exists", 18: "no space left"}


class AfcError(Exception):
    """The phone refused an operation; `status` is AFC's number."""

    def __init__(self, status: int, what: str) -> None:
        super().__init__(f"{what}: {_WORDS.get(status, f'AFC error {status}')}")
        self.status = status

    @property
    def is_missing(self) -> bool:
        """True when there is no such file."""
        return self.status == _NOT_FOUND


class Afc:
    """Files behind one connection. Raises AfcError, PhoneLost."""

    def __init__(self, line: Line) -> None:
        self._line, self._number = line, 0

    def listing(self, folder: str) -> list[str]:
        """Names without . and .."""
        names = self._ask(_READ_DIR, folder.encode() + b"\0", folder).split(b"\0")
        return [name.decode() for name in names if name not in (b"", b".", b"..")]

    def size(self, path: str) -> int:
        """Bytes of a file."""
        words = self._ask(_INFO, path.encode() + b"\0", path).split(b"\0")
        return int(dict(zip(words[::2], words[1::2], strict=False))[b"st_size"])

    def read(self, path: str) -> bytes:
        """A whole file."""
        parts = []
        with self._opened(path, _READ_ONLY) as handle:
            while part := self._ask(_READ, struct.pack("<QQ", handle, _BLOCK), path):
                parts.append(part)
        return b"".join(parts)

    def write(self, path: str, source: Path | bytes) -> None:
        """The file is there, whole: it is written under another name and renamed."""
        part = f"{path.rpartition('/')[0]}/.part"  # its own name may be as long as names can be
        with self._opened(part, _WRITE_ONLY) as handle:
            for block in _blocks(source):
                self._ask(_WRITE, _U64.pack(handle), path, payload=block)
        self._ask(_RENAME, part.encode() + b"\0" + path.encode() + b"\0", path)

    def make_folder(self, folder: str) -> None:
        """The folder is there, with those above it."""
        self._ask(_MAKE_DIR, folder.encode() + b"\0", folder)

    def remove(self, path: str) -> None:
        """Nothing is there."""
        try:
            self._ask(_REMOVE_ALL, path.encode() + b"\0", path)
        except AfcError as error:
            if not error.is_missing:
                raise

    @contextmanager
    def _opened(self, path: str, mode: int) -> Generator[int]:
        handle = _U64.unpack(self._ask(_OPEN, _U64.pack(mode) + path.encode() + b"\0", path))[0]
        try:
            yield handle
        finally:
            with suppress(AfcError, DriverError):
                self._ask(_CLOSE, _U64.pack(handle), path)

    def _ask(self, operation: int, head: bytes, what: str, payload: bytes = b"") -> bytes:
        self._number += 1
        inner = _HEADER.size + len(head)
        self._line.send(_HEADER.pack(_MAGIC, inner + len(payload), inner, self._number, operation) + head + payload)
        _, whole, _, _, kind = _HEADER.unpack(self._line.receive(_HEADER.size))
        body = self._line.receive(whole - _HEADER.size)
        if kind == _STATUS:
            status = _U64.unpack_from(body)[0]
            if status:
                raise AfcError(status, what)
            return b""
        return body


def _blocks(source: Path | bytes) -> Generator[bytes]:
    if isinstance(source, bytes):
        yield source
        return
    with source.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block
