"""WebDriverAgent's two ports: HTTP on 8100, a stream of JPEGs on 9100. Works over any pair of streams."""

import asyncio
import contextlib
import inspect
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from devices.virtual.ios.wda.errors import WdaError
from devices.virtual.ios.wda.routes import Request, answer

if TYPE_CHECKING:
    from devices.virtual.ios.phone import IPhone

HTTP_PORT, MJPEG_PORT = 8100, 9100
_LONGEST_BODY = 1 << 24
_WORDS = {200: "OK", 400: "Bad Request", 404: "Not Found", 408: "Request Timeout", 500: "Internal Server Error"}


async def serve_wda(phone: "IPhone", reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Requests are answered until the client closes; a phone that hangs answers none."""
    while True:
        line = await reader.readline()
        if not line.strip():
            return
        request = await _request(line, reader)
        while phone.faults.wda_hangs or phone.faults.hangs:
            await asyncio.sleep(0.05)
        if phone.faults.slow_s:
            await asyncio.sleep(phone.faults.slow_s)
        status, value = await _answered(phone, request)
        body = json.dumps({"value": value, "sessionId": phone.wda_session or None}, ensure_ascii=False).encode()
        head = f"HTTP/1.1 {status} {_WORDS[status]}\r\nContent-Type: application/json;charset=UTF-8\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()


async def _request(line: bytes, reader: asyncio.StreamReader) -> Request:
    method, target, _version = line.decode("latin-1").split(" ", 2)
    length = 0
    while (header := (await reader.readline()).decode("latin-1").strip()) != "":
        name, _, value = header.partition(":")
        if name.lower() == "content-length":
            length = min(int(value), _LONGEST_BODY)
    raw = await reader.readexactly(length) if length else b""
    parts = urlsplit(target)
    path = "/" + "/".join(piece for piece in unquote(parts.path).split("/") if piece)
    query = {key: values[0] for key, values in parse_qs(parts.query).items()}
    try:
        body = json.loads(raw) if raw else {}
    except ValueError:
        body = {}
    return Request(method, path, query, body if isinstance(body, dict) else {})


async def _answered(phone: "IPhone", request: Request) -> tuple[int, Any]:
    try:
        value = answer(phone, request)
        return 200, await value if inspect.isawaitable(value) else value
    except WdaError as error:
        return error.status, {"error": error.error, "message": str(error), "traceback": ""}
    except (KeyError, TypeError, ValueError) as error:
        return 400, {"error": "invalid argument", "message": f"{type(error).__name__}: {error}", "traceback": ""}


async def serve_mjpeg(phone: "IPhone", _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """JPEGs of the screen, one after the other, until the client closes."""
    writer.write(b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=--BoundaryString\r\n\r\n")
    with contextlib.suppress(ConnectionError):
        while not phone.faults.hangs:
            quality = max(1, min(int(phone.wda_settings["mjpegServerScreenshotQuality"]), 100))
            picture = await phone.camera.jpeg(phone.gallery.frame(), quality)
            head = f"--BoundaryString\r\nContent-type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n"
            writer.write(head.encode() + picture + b"\r\n\r\n")
            await writer.drain()
            await asyncio.sleep(1 / float(phone.wda_settings["mjpegServerFramerate"]))
