"""WebDriverAgent on one phone, through facebook-wda, under the rig's own deadlines.

Used of the library: its client and its requests. Not used, for what it does unasked: its callbacks (a lost session is made
anew without settings, its repetition forgets the deadline), `tap` (hides the error behind a removed route), keyword selectors
(`visible=False` never matches, quotes are not escaped), usbmux URLs (their timeout is ignored: openatx/wdapy#13).
"""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, Protocol

import wda
from wda.exceptions import WDAError, WDAInvalidSessionIdError, WDARequestError
from wda.usbmux.exceptions import HTTPError

from drivers.interface import DriverError, PhoneLost
from drivers.screens.picture import BrokenPicture, jpeg_to_png, whole_png

CALL_S = 10.0
SOURCE_S = 20.0  # kAXErrorIPCTimeout alone is 15 s (appium#14546)
SHOT_S = 25.0  # the agent itself gives up after 20 s
LAUNCH_S = 40.0
_FRAME_S = 5.0
_FRAME_BYTES = 1 << 24
SETTINGS: Mapping[str, Any] = {
    "shouldUseCompactResponses": True,
    "snapshotMaxDepth": 60,  # deeper trees end in kAXErrorIllegalArgument (WDA#542)
    "waitForIdleTimeout": 0,  # Photos never idles while thumbnails load (appium#14357)
    "animationCoolOffTimeout": 0,
    "reduceMotion": True,
    "screenshotQuality": 3,  # lossless
    "keyboardAutocorrection": 0,
    "keyboardPrediction": 0,
    "respectSystemAlerts": True,
    "mjpegServerScreenshotQuality": 100,
    "mjpegScalingFactor": 100,
}
"""Asked for with every session: a new one has forgotten them."""
OLDEST = (16, 8)
"""Accessibility snapshots are bounded since this version (appium/WebDriverAgent#1214)."""


class _Closing(HTTPConnection):
    """facebook-wda opens a connection for each call and leaves it to the garbage collector: it is closed there."""

    def __del__(self) -> None:
        self.close()


wda.usbmux.HTTPConnection = _Closing


class CallTimedOut(PhoneLost):
    """A call did not end in its time."""


class SessionLost(PhoneLost):
    """The agent has forgotten the session: what was on the screen may be anything."""


class Refused(Exception):
    """The agent answered, and what it said is an error: its W3C name and its message."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name


class UiAgent(Protocol):
    """What works the screen of an iPhone: WebDriverAgent itself, or Appium before it. All raise PhoneLost and its kinds."""

    def get(self, path: str, seconds: float = CALL_S) -> Any:
        """Of the agent itself, without a session."""

    def post(self, path: str, body: Mapping[str, Any] | None = None, seconds: float = CALL_S) -> Any:
        """To the agent itself, without a session."""

    def ask(self, path: str, seconds: float = CALL_S) -> Any:
        """Of the session. Raises Refused."""

    def do(self, path: str, body: Mapping[str, Any] | None = None, seconds: float = CALL_S) -> Any:
        """To the session. Raises Refused."""

    def find(self, predicate: str) -> list[str]:
        """Ids of the elements that fit, in the order of the tree."""

    def screenshot(self) -> bytes:
        """A PNG. Raises BrokenPicture."""

    def frame(self) -> bytes:
        """A JPEG, quicker than a screenshot. Raises BrokenPicture where there is none."""

    def end(self) -> None:
        """The session is forgotten; the next call makes a new one."""


class Agent:
    """One session with WebDriverAgent. One thread uses it."""

    def __init__(self, address: str, reach: Callable[[int], str], scale: float, ports: tuple[int, int]) -> None:
        """`address` is the phone's, for messages; `reach(port)` gives `host:port` of a forward to a port of the phone.

        `scale` multiplies every deadline; `ports` are the phone's own of the agent and of its pictures.
        """
        self._address, self._reach, self._scale, self._ports = address, reach, scale, ports
        self._client: Any = None

    def get(self, path: str, seconds: float = CALL_S) -> Any:
        """Of the agent itself, without a session."""
        return self._call("GET", path, None, seconds, session=False)

    def post(self, path: str, body: Mapping[str, Any] | None = None, seconds: float = CALL_S) -> Any:
        """To the agent itself, without a session."""
        return self._call("POST", path, dict(body or {}), seconds, session=False)

    def ask(self, path: str, seconds: float = CALL_S) -> Any:
        """Of the session."""
        return self._call("GET", path, None, seconds, session=True)

    def do(self, path: str, body: Mapping[str, Any] | None = None, seconds: float = CALL_S) -> Any:
        """To the session. Raises Refused, CallTimedOut, SessionLost, PhoneLost."""
        return self._call("POST", path, dict(body or {}), seconds, session=True)

    def find(self, predicate: str) -> list[str]:
        """Ids of the elements that fit, in the order of the tree."""
        found = self.do("/elements", {"using": "predicate string", "value": predicate}, SOURCE_S)
        return [str(element["ELEMENT"]) for element in found]

    def screenshot(self) -> bytes:
        """A PNG. The agent's own; a frame of its stream when it gives none (WDA#569). Raises BrokenPicture."""
        try:
            return whole_png(base64.b64decode(self.get("/screenshot", SHOT_S) or ""))
        except (Refused, BrokenPicture, binascii.Error) as error:
            try:
                return jpeg_to_png(self.frame())
            except BrokenPicture as second:
                raise BrokenPicture(f"{error}; nor a frame of the stream: {second}") from error

    def frame(self) -> bytes:
        """One JPEG of the stream. Raises BrokenPicture."""
        line = HTTPConnection(self._reach(self._ports[1]), timeout=_FRAME_S * self._scale)
        try:
            line.request("GET", "/")
            return _first_frame(line.getresponse())
        except (OSError, HTTPException, ValueError) as error:
            raise BrokenPicture(f"the stream gives no frame: {error or type(error).__name__}") from error
        finally:
            line.close()

    def end(self) -> None:
        """The session is forgotten here; the next call makes a new one."""
        self._client = None

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None, seconds: float, *, session: bool) -> Any:
        client = self._opened() if session else self._bare()
        return self._said(client, method, path, body, seconds, session=session)

    def _said(
        self, client: Any, method: str, path: str, body: Mapping[str, Any] | None, seconds: float, *, session: bool
    ) -> Any:
        doing = f"{self._address}: {method} {path.partition('?')[0]}"
        try:
            return client.http.fetch(method, path, body, with_session=session, timeout=seconds * self._scale).value
        except WDAInvalidSessionIdError as error:
            self.end()
            raise SessionLost(f"{doing}: the agent has lost its session") from error
        except WDARequestError as error:
            told = error.value if isinstance(error.value, dict) else {"error": str(error.value)}
            raise Refused(str(told.get("error", "")), str(told.get("message", ""))[:300]) from error
        except (HTTPError, WDAError, OSError, json.JSONDecodeError) as error:
            self.end()
            cause = error.args[0] if error.args else error
            if isinstance(cause, TimeoutError):
                raise CallTimedOut(f"{doing}: no answer in {seconds * self._scale:.0f} s") from error
            raise PhoneLost(f"{doing}: {type(cause).__name__}: {cause}"[:300]) from error

    def _bare(self) -> Any:
        client = wda.Client(f"http://{self._reach(self._ports[0])}")
        client.unregister_callback()
        return client

    def _opened(self) -> Any:
        if self._client is None:
            client = self._bare()
            self._new_enough(client)
            body = {"capabilities": {"alwaysMatch": {"shouldWaitForQuiescence": False}}}
            told = self._said(client, "POST", "/session", body, LAUNCH_S, session=False)
            client.session_id = told["sessionId"]
            self._said(client, "POST", "/appium/settings", {"settings": dict(SETTINGS)}, CALL_S, session=True)
            self._client = client
        return self._client

    def _new_enough(self, client: Any) -> None:
        status = self._said(client, "GET", "/status", None, CALL_S, session=False)
        version = str(status.get("build", {}).get("version", ""))
        numbers = tuple(int(part) if part.isdigit() else 0 for part in version.split(".")[:2])
        if numbers < OLDEST:
            wanted = ".".join(str(part) for part in OLDEST)
            raise DriverError(
                f"{self._address}: WebDriverAgent {version or 'of unknown version'} is too old: install {wanted} or newer"
            )


def _first_frame(answer: HTTPResponse) -> bytes:
    """The first part of `multipart/x-mixed-replace`; each part has its length. Raises ValueError, OSError."""
    while True:
        name, _, value = answer.readline(1000).decode("latin-1").partition(":")
        if name.lower() == "content-length":
            answer.readline(1000)
            return answer.read(min(int(value), _FRAME_BYTES))
        if not name:
            raise ValueError("it ended")
