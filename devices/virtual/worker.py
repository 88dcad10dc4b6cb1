"""The process of one virtual phone, started by the lab: `python -m devices.virtual.worker`.

It reads JSON lines from standard input, the first of which describes the phone, and answers each with one JSON line. When
standard input ends, the lab is gone, and so is the phone.
"""

import asyncio
import json
import logging
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from devices.virtual.description import LabError, PhoneDescription
from devices.virtual.platforms import phone_factory
from devices.virtual.service import PhoneService


async def serve_phone() -> None:
    """Serves the phone until standard input ends."""
    requests = asyncio.StreamReader(limit=1 << 22)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(requests), sys.stdin)
    first = await requests.readline()
    if not first:
        return
    told = json.loads(first)
    description = PhoneDescription(**told["phone"])
    try:
        phone = await phone_factory(description.platform)(description, Path(told["folder"]), told["port"])
    except (LabError, OSError) as error:
        _say({"error": f"phone {description.name}: {error}"})
        return
    _say({"address": phone.address})
    while line := await requests.readline():
        _say(await answer(phone, json.loads(line)))
    phone.unplug()


async def answer(phone: PhoneService[Any], asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the phone says to one request; `error` when it cannot do it."""
    try:
        return await _do(phone, asked) or {"ok": True}
    except LabError as error:
        return {"error": str(error)}
    except (OSError, ValueError, KeyError, TypeError) as error:
        return {"error": f"{asked}: {type(error).__name__}: {error}"}


async def _do(phone: PhoneService[Any], asked: Mapping[str, Any]) -> Mapping[str, Any] | None:
    match asked.get("do"):
        case "status":
            return phone.status()
        case "shown":
            return phone.shown()
        case "fault":
            phone.fault(str(asked["name"]), dict(asked.get("options", {})))
        case "clear":
            phone.clear()
        case "unplug":
            phone.unplug()
        case "plug":
            await phone.plug(int(asked["port"]))
        case other:
            raise LabError(f"a phone cannot do {other!r}")
    return None


def _say(answered: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(answered) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of the terminal; the lab ends its phones itself
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(serve_phone())
