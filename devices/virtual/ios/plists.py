"""Property lists on a stream, as lockdownd and most of its services send them: four bytes of length, big-endian, then XML."""

import asyncio
import plistlib
import struct
from typing import Any

_LENGTH = struct.Struct(">I")
_LONGEST = 1 << 24


async def read_plist(reader: asyncio.StreamReader) -> dict[str, Any]:
    """The next one. Raises IncompleteReadError at the end of the stream."""
    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    told = plistlib.loads(await reader.readexactly(min(length, _LONGEST)))
    return told if isinstance(told, dict) else {"List": told}


async def send_plist(writer: asyncio.StreamWriter, value: Any) -> None:
    """One is on its way."""
    body = plistlib.dumps(value)
    writer.write(_LENGTH.pack(len(body)) + body)
    await writer.drain()
