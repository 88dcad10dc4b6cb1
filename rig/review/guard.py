"""Who may talk to the review page: a browser on this host that was given the token, and only from the page itself.

/enter/<token>   sets the cookie, once per browser     everything else needs the cookie
POST             needs this page's origin, JSON, and the key that only the page can read
Host             must be this server's own, or another name could be pointed at the loopback
"""

import hmac
import secrets

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

KEY_HEADER = "X-Review-Key"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """The secrets of one session, and the checks that every request goes through."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(32)
        self.key = secrets.token_urlsafe(32)
        self._cookie = secrets.token_urlsafe(32)

    def make_middleware(self) -> Middleware:
        """The checks, as aiohttp wants them."""

        @web.middleware
        async def checked(request: web.Request, handler: Handler) -> web.StreamResponse:
            self._check(request)
            return await handler(request)

        return checked

    async def enter(self, request: web.Request) -> web.Response:
        """The right token is exchanged for the cookie; the page is next."""
        if not hmac.compare_digest(request.match_info["token"].encode(), self.token.encode()):
            raise web.HTTPForbidden(text="This is not the address that rig review printed.\n")
        response = web.Response(status=303, headers={"Location": "/"})
        response.set_cookie(_cookie_name(request), self._cookie, httponly=True, samesite="Strict", path="/")
        return response

    def _check(self, request: web.Request) -> None:
        port = _port(request)
        if request.headers.get("Host", "") not in {f"127.0.0.1:{port}", f"localhost:{port}"}:
            raise web.HTTPForbidden(text="This server is known by 127.0.0.1 only.\n")
        if request.headers.get("Sec-Fetch-Site", "none") not in {"none", "same-origin"}:
            raise web.HTTPForbidden(text="Open the address itself, not a link on another page.\n")
        if request.path.startswith("/enter/"):
            return
        shown = request.cookies.get(_cookie_name(request), "")
        if not hmac.compare_digest(shown.encode(), self._cookie.encode()):
            raise web.HTTPForbidden(text="Open the whole address that rig review printed; it holds the token.\n")
        if request.method not in {"GET", "HEAD"}:
            self._check_post(request)

    def _check_post(self, request: web.Request) -> None:
        if request.headers.get("Origin") != f"http://{request.headers['Host']}":
            raise web.HTTPForbidden(text="Only the review page may post here.\n")
        if request.content_type != "application/json":
            raise web.HTTPUnsupportedMediaType(text="Only JSON is taken here.\n")
        if not hmac.compare_digest(request.headers.get(KEY_HEADER, "").encode(), self.key.encode()):
            raise web.HTTPForbidden(text="The key of this session is missing; load the page again.\n")


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Every answer, errors too, carries the page's policy; a picture says itself how long it may be kept."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)


def _port(request: web.Request) -> int:
    name = request.transport.get_extra_info("sockname") if request.transport else None
    return int(name[1]) if name else 0


def _cookie_name(request: web.Request) -> str:
    """Cookies do not know ports: two annotators' servers on one host each need a name of their own."""
    return f"review_{_port(request)}"
