"""u2.jar's server (0.4.x) on the phone's port 9008: `GET /ping` and JSON-RPC at `POST /jsonrpc/0`, one request a connection."""

import json
import re
from typing import Any

from devices.virtual.android.adbd import Stream
from devices.virtual.android.gestures import NotFound, UiDriver
from devices.virtual.android.phone import AndroidPhone

HEADER_LIMIT = 1 << 16
NOT_CONNECTED = {
    "code": -32001,
    "message": "java.lang.IllegalStateException",
    "data": "java.lang.IllegalStateException: UiAutomation not connected!\n\tat android.app.UiAutomation",
}
METHOD_NOT_FOUND, INVALID_PARAMS, SERVER_ERROR = -32601, -32602, -32001


class UiServer:
    """Serves until the process that holds it ends."""

    def __init__(self, phone: AndroidPhone) -> None:
        self._phone = phone
        self._driver = UiDriver(phone)

    async def serve(self, stream: Stream) -> None:
        """Answers the one request of a connection."""
        request = await _read_request(stream)
        if request is None:
            return
        path, body = request
        kind, answer = "text/plain", b"Not Found!!!"
        if path == "/ping":
            answer = b"pong"
        elif path == "/jsonrpc/0":
            kind, answer = "application/json", await self._answer(body)
        head = f"HTTP/1.1 200 OK \r\nContent-Type: {kind}\r\nConnection: close\r\nContent-Length: {len(answer)}\r\n\r\n"
        await stream.write(head.encode() + answer)

    async def _answer(self, body: bytes) -> bytes:
        asked = json.loads(body)
        told: dict[str, Any] = {"jsonrpc": "2.0", "id": asked.get("id")}
        if self._phone.faults.automation_broken:
            told["error"] = NOT_CONNECTED
        else:
            told |= await self._call(str(asked.get("method")), list(asked.get("params") or ()))
        return json.dumps(told).encode()

    async def _call(self, method: str, params: list[Any]) -> dict[str, Any]:
        work = self._driver.methods.get(method)
        if work is None:
            self._phone.unhandled.append(f"jsonrpc {method}")
            return {"error": {"code": METHOD_NOT_FOUND, "message": f"method {method} not found"}}
        try:
            return {"result": await work(*params)}
        except NotFound as error:
            message = "androidx.test.uiautomator.UiObjectNotFoundException"
            return {"error": {"code": SERVER_ERROR, "message": message, "data": str(error)}}
        except (TypeError, ValueError) as error:
            return {"error": {"code": INVALID_PARAMS, "message": f"java.lang.IllegalArgumentException: {error}", "data": ""}}


async def _read_request(stream: Stream) -> tuple[str, bytes] | None:
    """(path, body); None when the host hung up or did not speak HTTP."""
    read = bytearray()
    while b"\r\n\r\n" not in read:
        chunk = await stream.read()
        if not chunk or len(read) > HEADER_LIMIT:
            return None
        read += chunk
    head, _, body = bytes(read).partition(b"\r\n\r\n")
    words = head.split(b"\r\n")[0].decode("latin-1").split(" ")
    length = re.search(rb"(?i)^content-length: *(\d+)", head, re.MULTILINE)
    missing = (int(length[1]) if length else 0) - len(body)
    if missing > 0:
        body += await stream.read_exactly(missing)
    return (words[1] if len(words) > 1 else "", body)
