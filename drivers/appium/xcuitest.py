"""WebDriverAgent behind Appium's XCUITest driver: what `drivers.ios.agent.Agent` is without it.

Appium knows the routes of WebDriver itself; the agent's own (`/wda/…`) have `mobile:` commands there, and two are asked for in
other words: the tree in JSON, and elements by a predicate. The stream of pictures is not used.
"""

import base64
import binascii
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from drivers.appium.session import Declined, NoElement, NoPicture, Session, SessionDown, TimedOut
from drivers.ios.agent import CALL_S, SHOT_S, SOURCE_S, CallTimedOut, Refused, SessionLost
from drivers.screens.picture import BrokenPicture, whole_png

# Route of WebDriverAgent → the command, what it is always told, what its arguments are called (none named: all as they are).
_COMMANDS: Mapping[str, tuple[str, Mapping[str, Any], Mapping[str, str]]] = {
    "/wda/activeAppInfo": ("activeAppInfo", {}, {}),
    "/wda/screen": ("deviceScreenInfo", {}, {}),
    "/wda/locked": ("isLocked", {}, {}),
    "/wda/lock": ("lock", {}, {}),
    "/wda/unlock": ("unlock", {}, {}),
    "/wda/tap": ("tap", {}, {}),
    "/wda/pressAndDragWithVelocity": ("dragFromToWithVelocity", {}, {}),
    "/wda/keyboard/dismiss": ("hideKeyboard", {}, {}),
    "/wda/apps/launch": ("launchApp", {}, {"bundleId": "bundleId"}),
    "/wda/apps/terminate": ("terminateApp", {}, {"bundleId": "bundleId"}),
    "/wda/alert/buttons": ("alert", {"action": "getButtons"}, {}),
    "/alert/accept": ("alert", {"action": "accept"}, {"name": "buttonLabel"}),
}


class AppiumAgent:
    """One session. One thread uses it."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get(self, path: str, seconds: float = CALL_S) -> Any:
        """Of the agent; its own status is Appium's to ask, so whether it answers is told by another route."""
        return self.ask("/wda/locked" if path == "/status" else path, seconds)

    def post(self, path: str, body: Mapping[str, Any] | None = None, seconds: float = CALL_S) -> Any:
        """To the agent."""
        return self.do(path, body, seconds)

    def ask(self, path: str, seconds: float = CALL_S) -> Any:
        """Of the session. Raises Refused, CallTimedOut, SessionLost, PhoneLost."""
        return self._call("GET", path, {}, seconds)

    def do(self, path: str, body: Mapping[str, Any] | None = None, seconds: float = CALL_S) -> Any:
        """To the session. Raises as `ask`."""
        return self._call("POST", path, dict(body or {}), seconds)

    def _call(self, method: str, path: str, body: dict[str, Any], seconds: float) -> Any:
        route, _, query = path.partition("?")
        with _as_of_ios():
            if route == "/source":
                return self._session.run("source", _source(query), seconds)
            if route == "/wda/keys":
                return self._type("".join(body["value"]), seconds)
            if route in _COMMANDS:
                script, more, names = _COMMANDS[route]
                told = {names.get(name, name): value for name, value in body.items() if name in names or not names}
                return self._session.run(script, {**told, **more}, seconds)
            if method == "POST" and route.endswith("/value"):
                body = {"text": body["value"]}  # WebDriver's word for it
            return self._session.request(method, path, body, seconds)

    def _type(self, text: str, seconds: float) -> None:
        """Into the element that has the focus."""
        active = self._session.request("GET", "/element/active")
        self._session.request("POST", f"/element/{_id(active)}/value", {"text": text}, seconds)

    def find(self, predicate: str) -> list[str]:
        """Ids of the elements that fit, in the order of the tree."""
        found = self.do("/elements", {"using": "-ios predicate string", "value": predicate}, SOURCE_S)
        return [_id(element) for element in found]

    def screenshot(self) -> bytes:
        """A PNG. Raises BrokenPicture."""
        try:
            return whole_png(base64.b64decode(self.ask("/screenshot", SHOT_S) or ""))
        except (Refused, binascii.Error) as error:
            raise BrokenPicture(str(error)) from error

    def frame(self) -> bytes:
        """Never: the stream is the agent's own, on a port that Appium does not lead to."""
        raise BrokenPicture("there is no stream through Appium")

    def end(self) -> None:
        """The session is ended; the next call opens another."""
        self._session.close()


def _id(element: Any) -> str:
    """The id of an element, however the client library tells it."""
    return str(element["ELEMENT"] if isinstance(element, Mapping) else element.id)


def _source(query: str) -> dict[str, str]:
    wanted = dict(part.split("=", 1) for part in query.split("&") if part)
    return {"format": wanted.get("format", "xml"), "excludedAttributes": wanted.get("excluded_attributes", "")}


@contextmanager
def _as_of_ios() -> Generator[None]:
    """Errors in the words of the iOS driver's agent, whose steps tell them apart."""
    try:
        yield
    except NoElement as error:
        raise Refused("no such element", str(error)) from error
    except (Declined, NoPicture) as error:
        raise Refused(getattr(error, "name", "unable to capture screen"), str(error)) from error
    except TimedOut as error:
        raise CallTimedOut(str(error)) from error
    except SessionDown as error:
        raise SessionLost(str(error)) from error
