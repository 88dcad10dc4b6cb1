"""appium-uiautomator2-server (10.x) on the phone's port 6790: WebDriver over HTTP, as Appium's driver proxies it.

It runs inside `am instrument` (commands/instrumentation.py). Its tree shows only the window in front until the setting
`enableMultiWindows` is on, and a text stands in it as XML 1.0 allows it, emoji included.
"""

import asyncio
import base64
import json
import re
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from devices.virtual.android.adbd import Stream
from devices.virtual.android.gestures import DENSITY, UiDriver
from devices.virtual.android.hierarchy import View, as_view, source_xml
from devices.virtual.android.phone import AndroidPhone
from devices.virtual.android.selectors import as_selector, find

PORT = 6790
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key of an element's id in every WebDriver answer (W3C WebDriver, 12.1)."""
PASTE = 279  # KeyEvent.KEYCODE_PASTE
HEADER_LIMIT = 1 << 16
_STRATEGIES = {"id": "resourceId", "class name": "className", "accessibility id": "description"}
_CRITERION = re.compile(r'\.(\w+)\(("(?:[^"\\]|\\.)*"|true|false|\d+)\)')
_NOT_CONNECTED = "UiAutomation not connected!"

Told = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Found:
    """An element that was handed out: the criteria it was found by and which of the found it is."""

    criteria: Told
    index: int


class Refused(Exception):
    """A WebDriver error: its code (W3C WebDriver, 6.6), its HTTP status and what is said."""

    def __init__(self, code: str, status: int, message: str) -> None:
        super().__init__(message)
        self.code, self.status, self.message = code, status, message


class WebDriverServer:
    """Serves until the instrumentation that holds it ends."""

    def __init__(self, phone: AndroidPhone) -> None:
        self._phone = phone
        self._ui = UiDriver(phone)
        self._session = ""
        self._elements: dict[str, Found] = {}
        self._settings: dict[str, Any] = {"enableMultiWindows": False, "waitForIdleTimeout": 10000}
        self._routes: tuple[tuple[re.Pattern[str], Callable[..., Awaitable[Any]]], ...] = tuple(
            (re.compile(pattern), work)
            for pattern, work in (
                ("GET /status", self.status),
                ("GET /sessions", self.sessions),
                ("POST /session", self.begin),
                ("DELETE (?:/|/session/:id)", self.end),
                ("GET /session/:id", self.capabilities),
                ("GET /session/:id/appium/device/info", self.device_info),
                ("GET /session/:id/appium/device/pixel_ratio", self.pixel_ratio),
                ("GET /session/:id/appium/device/system_bars", self.system_bars),
                ("GET /session/:id/window/(?:current/size|rect)", self.window),
                ("GET /session/:id/appium/settings", self.settings),
                ("POST /session/:id/appium/settings", self.change_settings),
                ("POST /session/:id/timeouts(?:/implicit_wait)?", self.nothing),
                ("GET /session/:id/source", self.source),
                ("GET /session/:id/screenshot", self.screenshot),
                ("POST /session/:id/element", self.find_one),
                ("POST /session/:id/elements", self.find_all),
                ("GET /session/:id/element/active", self.active),
                ("POST /session/:id/element/([^/]+)/click", self.click),
                ("POST /session/:id/element/([^/]+)/value", self.type_value),
                ("POST /session/:id/element/([^/]+)/clear", self.empty),
                ("GET /session/:id/element/([^/]+)/text", self.text),
                ("GET /session/:id/element/([^/]+)/rect", self.rectangle),
                ("POST /session/:id/appium/gestures/click", self.tap),
                ("POST /session/:id/actions", self.actions),
                ("POST /session/:id/back", self.back),
                ("POST /session/:id/appium/device/press_keycode", self.press),
                ("POST /session/:id/appium/device/get_clipboard", self.get_clipboard),
                ("POST /session/:id/appium/device/set_clipboard", self.set_clipboard),
            )
        )

    async def serve(self, stream: Stream) -> None:
        """Answers the requests of a connection, one after the other."""
        unread = bytearray()
        while (request := await _read_request(stream, unread)) is not None:
            method, path, body = request
            try:
                status, value = 200, await self._answer(method, path, body)
            except Refused as refused:
                status, value = refused.status, {"error": refused.code, "message": refused.message, "stacktrace": ""}
            told = json.dumps({"sessionId": self._session or None, "value": value}).encode()
            head = (
                f"HTTP/1.1 {status} -\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: {len(told)}\r\n\r\n"
            )
            await stream.write(head.encode() + told)
            if method == "DELETE" and status == 200:
                self._phone.kill_ui_server()  # the instrumentation ends with its session

    async def _answer(self, method: str, path: str, body: Told) -> Any:
        asked = re.sub(r"^/session/[^/]+", "/session/:id", path)
        if "/:id" in asked and self._session not in path.split("/"):
            raise Refused("invalid session id", 404, f"no session {path}; the session is {self._session or 'none'}")
        for pattern, work in self._routes:
            found = pattern.fullmatch(f"{method} {asked}")
            if found:
                return await work(body, *found.groups())
        self._phone.unhandled.append(f"webdriver {method} {path} {json.dumps(body)[:200]}")
        raise Refused("unknown command", 404, f"{method} {path}")

    def _tree(self) -> View:
        if self._phone.faults.automation_broken:
            raise Refused("unknown error", 500, _NOT_CONNECTED)
        return as_view(self._phone.gallery.tree())

    async def nothing(self, _body: Told) -> None:
        """Accepted, and there is nothing to do on this phone."""

    # The session.

    async def status(self, _body: Told) -> Told:
        """The server is there."""
        return {"ready": True, "message": "UiAutomator2 Server is ready to accept commands"}

    async def sessions(self, _body: Told) -> list[Told]:
        """The one session, when there is one."""
        return [{"id": self._session, "capabilities": {}}] if self._session else []

    async def begin(self, _body: Told) -> Told:
        """A session, in place of the one before."""
        self._session = str(uuid.uuid4())
        self._elements.clear()
        return {"sessionId": self._session, "capabilities": {}}

    async def end(self, _body: Told) -> None:
        """No session."""
        self._session = ""

    async def capabilities(self, _body: Told) -> Told:
        """What the session can do."""
        return {"platformName": "Android"}

    async def settings(self, _body: Told) -> Told:
        """All settings."""
        return dict(self._settings)

    async def change_settings(self, body: Told) -> Told:
        """Some settings."""
        self._settings |= body.get("settings", {})
        return dict(self._settings)

    # Looking.

    async def device_info(self, _body: Told) -> Told:
        """`mobile: deviceInfo`"""
        props, (width, height) = self._phone.props, self._phone.gallery.size
        return {
            "androidId": self._phone.settings.get("secure", "android_id"),
            "apiVersion": str(self._phone.make.plate.sdk),
            "brand": props["ro.product.brand"],
            "displayDensity": round(DENSITY * 160),
            "locale": self._phone.make.plate.locale.replace("-", "_"),
            "manufacturer": props["ro.product.manufacturer"],
            "model": props["ro.product.model"],
            "platformVersion": props["ro.build.version.release"],
            "realDisplaySize": f"{width}x{height}",
            "timeZone": self._phone.clock.timezone,
        }

    async def pixel_ratio(self, _body: Told) -> float:
        """Pixels per dp."""
        return DENSITY

    async def system_bars(self, _body: Told) -> Told:
        """The height of the status bar in px: 24 dp."""
        return {"statusBar": round(24 * DENSITY)}

    async def window(self, _body: Told) -> Told:
        """The size of the screen in px."""
        width, height = self._phone.gallery.size
        return {"x": 0, "y": 0, "width": width, "height": height}

    async def source(self, _body: Told) -> str:
        """The tree as XML."""
        return source_xml(self._tree(), "" if self._settings["enableMultiWindows"] else self._phone.gallery.front_package())

    async def screenshot(self, _body: Told) -> str:
        """A PNG in base64."""
        kind = self._phone.faults.screenshot
        if kind == "none":
            raise Refused("unable to capture screen", 500, "Failed to take a screenshot")
        png = await self._phone.camera.png(self._phone.frame())
        return base64.b64encode(png[: len(png) // 2] if kind == "truncated" else png).decode()

    # Elements.

    async def find_one(self, body: Told) -> Told:
        """The first element that fits."""
        found = await self.find_all(body)
        if not found:
            raise Refused("no such element", 404, f"An element could not be located: {body.get('selector')}")
        return found[0]

    async def find_all(self, body: Told) -> list[Told]:
        """Every element that fits."""
        criteria = _criteria(str(body.get("strategy")), str(body.get("selector")))
        count = len(find(self._tree(), as_selector(criteria)))
        return [self._hand_out(Found(criteria, index)) for index in range(count)]

    async def active(self, _body: Told) -> Told:
        """The element with the focus."""
        if not find(self._tree(), as_selector({"focused": True})):
            raise Refused("no such element", 404, "no element has the focus")
        return self._hand_out(Found({"focused": True}, 0))

    def _hand_out(self, found: Found) -> Told:
        name = str(uuid.uuid4())
        self._elements[name] = found
        return {ELEMENT: name, "ELEMENT": name}

    def _view(self, name: str) -> View:
        found = self._elements.get(name)
        views = find(self._tree(), as_selector(found.criteria)) if found else []
        if found is None or found.index >= len(views):
            raise Refused("stale element reference", 404, "The element is not on the screen any more")
        return views[found.index]

    async def click(self, _body: Told, name: str) -> None:
        """A touch in its middle."""
        self._phone.gallery.tap(*self._view(name).center)

    async def type_value(self, body: Told, name: str) -> None:
        """`text` is added to the element's text by ACTION_SET_TEXT, or stands in its place with `replace`."""
        before = "" if body.get("replace") else self._view(name).node.text
        self._set(name, before + str(body.get("text", "")))

    async def empty(self, _body: Told, name: str) -> None:
        """The element's text is empty."""
        self._set(name, "")

    def _set(self, name: str, text: str) -> None:
        view = self._view(name)
        # ACTION_SET_TEXT needs no focus; a virtual screen has one field that can be set, the focused one.
        self._phone.gallery.tap(*view.center)
        if not view.node.editable or not self._phone.gallery.set_text(text):
            raise Refused("invalid element state", 400, f"Cannot set the element to '{text}'. Did you interact with it?")

    async def text(self, _body: Told, name: str) -> str:
        """The element's text, exact."""
        return self._view(name).node.text

    async def rectangle(self, _body: Told, name: str) -> Told:
        """Where the element is, in px."""
        left, top, right, bottom = self._view(name).bounds
        return {"x": left, "y": top, "width": right - left, "height": bottom - top}

    # Touching and typing.

    async def tap(self, body: Told) -> None:
        """`mobile: clickGesture` at a place in px."""
        place = body.get("offset") or {}
        self._phone.gallery.tap(float(place["x"]), float(place["y"]))

    async def actions(self, body: Told) -> None:
        """W3C actions of one finger, as long as they say."""
        for source in body.get("actions", ()):
            if source.get("type") != "pointer":
                raise Refused("invalid argument", 400, f"actions of type {source.get('type')} are not known here")
            x = y = 0.0
            down = False
            for step in source.get("actions", ()):
                await asyncio.sleep(step.get("duration", 0) / 1000)
                if step["type"] == "pointerMove":
                    x, y = float(step["x"]), float(step["y"])
                down = step["type"] == "pointerDown" or (down and step["type"] != "pointerUp")
                action = {"pointerDown": 0, "pointerUp": 1}.get(step["type"], 2)
                if down or action == 1:
                    await self._ui.inject_input_event(action, x, y)

    async def back(self, _body: Told) -> None:
        """The back key."""
        await self._ui.press_key("back")

    async def press(self, body: Told) -> None:
        """A key by its code."""
        code = int(body["keycode"])
        if code == PASTE:
            await self._ui.paste_clipboard()
        else:
            await self._ui.press_key(code)

    async def get_clipboard(self, _body: Told) -> str:
        """The clipboard's text in base64."""
        return base64.b64encode(self._phone.clipboard.encode()).decode()

    async def set_clipboard(self, body: Told) -> None:
        """The clipboard holds a text that comes in base64."""
        self._phone.clipboard = base64.b64decode(str(body["content"])).decode()


def _criteria(strategy: str, selector: str) -> Told:
    """The selector as uiautomator has it. Raises Refused for one that is not known here."""
    if strategy in _STRATEGIES:
        return {_STRATEGIES[strategy]: selector}
    asked = selector.removeprefix("new UiSelector()")
    if strategy == "-android uiautomator" and asked and not _CRITERION.sub("", asked):
        return {name: json.loads(value) for name, value in _CRITERION.findall(asked)}
    raise Refused("invalid selector", 400, f"{strategy}: {selector}")


async def _read_request(stream: Stream, unread: bytearray) -> tuple[str, str, Told] | None:
    """(method, path, body); None when the host hung up or did not speak HTTP. What came too much stays in `unread`."""
    while b"\r\n\r\n" not in unread:
        chunk = await stream.read()
        if not chunk or len(unread) > HEADER_LIMIT:
            return None
        unread += chunk
    head, _, rest = bytes(unread).partition(b"\r\n\r\n")
    length = re.search(rb"(?i)^content-length: *(\d+)", head, re.MULTILINE)
    size = int(length[1]) if length else 0
    if len(rest) < size:
        rest += await stream.read_exactly(size - len(rest))
    unread[:] = rest[size:]
    method, path, *_ = head.split(b"\r\n")[0].decode("latin-1").split(" ")
    told = json.loads(rest[:size]) if size else {}
    return method, path, told if isinstance(told, dict) else {}
