"""The review page's server: loopback only, one annotator, ends by itself.

    GET  /            the page            GET  /api/now        the next open question
    GET  /picture/…   by opaque name      GET  /api/at/PLACE   the question at a place of this annotator's order
    POST /api/judge   {place, choice, candidate?}     POST /api/undo     POST /api/finish

What the page is shown is decided in `rig.review.desk`, and who may ask in `rig.review.guard`; here is how it is carried.
"""

import asyncio
import contextlib
import json
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from matching.model import UnreadableImage
from rig.disk import DiskFull
from rig.errors import InfrastructureDown, RigError
from rig.review.desk import Desk
from rig.review.guard import add_headers

HOST = "127.0.0.1"
IDLE_S = 3600.0
"""Without a request for this long the server ends: a lunch is shorter, a night is longer. Nothing is lost by it."""
BODY_BYTES = 4096
"""A judgement has under 100."""
KEEP_PICTURE = "private, max-age=600"
"""Long enough for the next question's pictures, fetched ahead, to be there when it comes; their names end with the server."""
PAGE = Path(__file__).parent / "page"
FILES = {
    "": ("index.html", "text/html"),
    "icon.svg": ("icon.svg", "image/svg+xml"),
    "review.css": ("review.css", "text/css"),
    "review.js": ("review.js", "text/javascript"),
    "words.js": ("words.js", "text/javascript"),
}
"""The only files served by name."""


def make_app(desk: Desk) -> web.Application:
    """The application, with every request guarded."""

    async def api_now(_request: web.Request) -> web.Response:
        return web.json_response(desk.show(desk.session.next_open()))

    async def api_at(request: web.Request) -> web.Response:
        return web.json_response(desk.show(_place(desk, int(request.match_info["place"]))))

    async def api_judge(request: web.Request) -> web.Response:
        sent = await _sent(request)
        place = _place(desk, sent.get("place"))
        try:
            desk.session.judge(place, desk.read_said(place, sent))
        except DiskFull as error:
            raise web.HTTPInsufficientStorage(text=f"{error}\n") from error
        except RigError as error:
            raise web.HTTPBadRequest(text=f"{error}\n") from error
        return web.json_response(desk.show(desk.session.next_open(place)))

    async def api_undo(_request: web.Request) -> web.Response:
        place = desk.session.undo()
        return web.json_response(desk.show(desk.session.next_open() if place is None else place))

    async def api_finish(_request: web.Request) -> web.Response:
        desk.stop.set()
        return web.json_response({"done": desk.session.progress.done})

    async def picture(request: web.Request) -> web.Response:
        try:
            data = await asyncio.to_thread(desk.pictures.jpeg, request.match_info["name"])
        except UnreadableImage as error:
            raise web.HTTPNotFound(text="This picture cannot be read.\n") from error
        if data is None:
            raise web.HTTPNotFound(text="There is no such picture.\n")
        return web.Response(body=data, content_type="image/jpeg", headers={"Cache-Control": KEEP_PICTURE})

    app = web.Application(middlewares=[_noting(desk), desk.guard.make_middleware()], client_max_size=BODY_BYTES)
    app.on_response_prepare.append(add_headers)
    app.router.add_get("/enter/{token}", desk.guard.enter)
    for name, (file, kind) in FILES.items():
        app.router.add_get(f"/{name}", _file(PAGE / file, kind))
    app.router.add_get("/picture/{name:[0-9a-f]{32}}", picture)
    app.router.add_get("/api/now", api_now)
    app.router.add_get(r"/api/at/{place:\d{1,7}}", api_at)
    app.router.add_post("/api/judge", api_judge)
    app.router.add_post("/api/undo", api_undo)
    app.router.add_post("/api/finish", api_finish)
    return app


def serve(desk: Desk, *, port: int, idle_s: float = IDLE_S, ready: Callable[[str], None]) -> str:
    """Serves until somebody finishes, the process is told to end, or nobody asks for `idle_s`; returns which it was.

    `ready` is called with the address that opens the page. Raises RigError when the port is taken.
    """
    return asyncio.run(_serve(desk, port, idle_s, ready))


async def _serve(desk: Desk, port: int, idle_s: float, ready: Callable[[str], None]) -> str:
    loop = asyncio.get_running_loop()
    told: list[str] = []

    def end(why: str) -> None:
        told.append(why)
        desk.stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end, signal.Signals(number).name)
    runner = web.AppRunner(make_app(desk), access_log=None, shutdown_timeout=2.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, HOST, port)
        try:
            await site.start()
        except OSError as error:
            raise InfrastructureDown(
                f"review: port {port} of {HOST} cannot be used ({error.strerror}); give another with --port"
            ) from error
        ready(f"http://{HOST}:{runner.addresses[0][1]}/enter/{desk.guard.token}")
        return await _until_ended(desk, idle_s, told)
    finally:
        await runner.cleanup()


async def _until_ended(desk: Desk, idle_s: float, told: list[str]) -> str:
    while not desk.stop.is_set():
        left = desk.asked_at + idle_s - time.monotonic()
        if left <= 0:
            return "idle"
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(desk.stop.wait(), left)
    return told[0] if told else "finished"


def _noting(desk: Desk) -> Middleware:
    @web.middleware
    async def noted(request: web.Request, handler: Handler) -> web.StreamResponse:
        desk.asked_at = time.monotonic()
        return await handler(request)

    return noted


def _file(path: Path, kind: str) -> Handler:
    text = path.read_text(encoding="utf-8")

    async def served(_request: web.Request) -> web.Response:
        return web.Response(text=text, content_type=kind, charset="utf-8")

    return served


async def _sent(request: web.Request) -> Mapping[str, Any]:
    try:
        sent = json.loads(await request.text())
    except ValueError as error:
        raise web.HTTPBadRequest(text="That is no JSON.\n") from error
    if not isinstance(sent, dict):
        raise web.HTTPBadRequest(text="A JSON object is expected.\n")
    return sent


def _place(desk: Desk, sent: object) -> int:
    if type(sent) is not int or not 0 <= sent < len(desk.session.questions):
        raise web.HTTPNotFound(text="There is no such question.\n")
    return sent
