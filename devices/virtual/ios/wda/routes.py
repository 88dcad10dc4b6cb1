"""Paths of WebDriverAgent and what they do. With and without `/session/ID` before them, as the real one."""

import base64
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from devices.virtual.interface import Node, Role
from devices.virtual.ios.importer import IMPORTER
from devices.virtual.ios.wda import errors
from devices.virtual.ios.wda.elements import SPRINGBOARD, XElement, app_tree, springboard_tree
from devices.virtual.ios.wda.query import find

if TYPE_CHECKING:
    from devices.virtual.ios.phone import IPhone

VERSION = "16.12.9"
W3C_KEY = "element-6066-11e4-a52e-4f735466cecf"
_ELEMENT = re.compile(r"(?:/wda)?/element/([0-9A-Fa-f-]{36})/(.+)")
_SESSION = re.compile(r"/session/([^/]+)(/.*)?")
_HITTABLE_UNTIL = 26
"""From this iOS on, tiles of Photos claim not to be hittable (three public test suites)."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request; `path` without doubled or trailing slashes."""

    method: str
    path: str
    query: Mapping[str, str]
    body: dict[str, Any]


def answer(phone: "IPhone", request: Request) -> Any:
    """The value of the answer, or what gives it when awaited. Raises WdaError."""
    session = _SESSION.fullmatch(request.path)
    if session is not None:
        if not phone.wda_session or session[1] != phone.wda_session:
            raise errors.invalid_session()
        path = session[2] or "/"
    else:
        path = request.path
    agent = Agent(phone)
    route = _ROUTES.get((request.method, path))
    if route is not None:
        return route(agent, request)
    if path.startswith("/alert/") or path == "/wda/alert/buttons":
        return agent.alert(request.method, path, request.body)
    element = _ELEMENT.fullmatch(path)
    if element is not None:
        return agent.element(request.method, element[1], element[2], request)
    raise errors.unknown_command(path)


class Agent:
    """What WebDriverAgent does on one phone."""

    def __init__(self, phone: "IPhone") -> None:
        self.phone = phone
        self.scale: float = phone.gallery.skin.screen.scale

    # What it sees

    def tree(self) -> XElement:
        """The tree of the application that it takes for the active one."""
        phone, active = self.phone, self.active()
        root = self._nodes()
        if active == SPRINGBOARD:
            return springboard_tree(root, self.scale)
        hittable = int(phone.make.plate.ios.partition(".")[0]) < _HITTABLE_UNTIL
        return app_tree(root, active, self.scale, hittable)

    def active(self) -> str:
        """Its bundle, as the settings have it decided."""
        settings = self.phone.wda_settings
        if settings["defaultActiveApplication"] not in ("auto", ""):
            return str(settings["defaultActiveApplication"])
        if settings["respectSystemAlerts"] and self.phone.alert() is not None:
            return SPRINGBOARD
        return self.phone.front

    def _nodes(self) -> Node:
        """Everything on the screen; the importer's own page is a line of text."""
        phone = self.phone
        root = phone.gallery.tree()
        if phone.importer.in_front and not phone.locked:
            width, height = phone.gallery.size
            line = Node(Role.TEXT, (0, height // 3, width, height // 2), text="Importer", package=IMPORTER)
            root = Node(Role.WINDOW, root.box, package=IMPORTER, children=[line])
            alert = phone.alert()
            root.children += [alert] if alert is not None else []
        return root

    def find(self, body: Mapping[str, Any], below: XElement | None = None) -> list[XElement]:
        """Elements as a body with `using` and `value` asks for them."""
        return find(below or self.tree(), str(body["using"]), str(body["value"]))

    def told(self, element: XElement) -> dict[str, str]:
        """An element's id under both keys; the id is a function of what it is, so that it can be found again."""
        name = str(uuid.uuid5(uuid.NAMESPACE_OID, repr((*element.sign, element.rect)))).upper()
        self.phone.wda_elements[name] = (element.sign, element.rect)
        return {"ELEMENT": name, W3C_KEY: name}

    def known(self, name: str) -> XElement:
        """The element of an id, where it is now. Raises WdaError."""
        kept = self.phone.wda_elements.get(name)
        if kept is None:
            raise errors.no_such_element(f"{name}: it has expired from the internal cache")
        same = [element for element in self.tree().walk() if element.sign == kept[0]]
        if not same:
            raise errors.stale_element()
        return next((element for element in same if element.rect == kept[1]), same[0])

    async def screenshot(self) -> str:
        """A PNG in base64, or what a fault makes of it."""
        fault = self.phone.faults.screenshot
        if fault == "none":
            raise errors.WdaError(408, "timeout", "Cannot take a screenshot within 20000 ms")
        frame = self.phone.gallery.frame()
        png = await self.phone.camera.png(frame * 0 if fault == "black" else frame)
        broken = {"truncated": png[: len(png) // 2], "text": b"no screenshot today", "empty": b""}
        return base64.b64encode(broken.get(fault, png)).decode()

    def source(self, query: Mapping[str, str]) -> Any:
        """The tree in one of the formats."""
        kind = query.get("format", "xml")
        tree = self.tree()
        if kind == "json":
            return tree.as_json(frozenset(query.get("excluded_attributes", "").split(",")))
        if kind == "description":
            return "\n".join(f"{element.type} {element.name or element.label}" for element in tree.walk())
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(tree.as_xml(), encoding="unicode")

    # What it does

    def tap(self, x: float, y: float) -> None:
        """A touch at a point."""
        if self.phone.importer.alert_open:
            self._tap_alert(x, y)
        elif not self.phone.importer.in_front:
            self.phone.gallery.tap(x * self.scale, y * self.scale)

    def _tap_alert(self, x: float, y: float) -> None:
        alert = self.phone.alert()
        buttons = [node for node in alert.children if node.role is Role.BUTTON] if alert is not None else []
        for index, button in enumerate(buttons):
            left, top, right, bottom = (edge / self.scale for edge in button.box)
            if left <= x < right and top <= y < bottom:
                self.phone.importer.answer(index)

    def drag(self, body: Mapping[str, Any]) -> None:
        """From one point to another; a hold at the end keeps it from flinging."""
        start, end = (float(body["fromX"]), float(body["fromY"])), (float(body["toX"]), float(body["toY"]))
        distance = abs(end[1] - start[1]) + abs(end[0] - start[0])
        seconds = distance / float(body["velocity"]) if float(body.get("velocity", 0)) > 0 else float(body.get("duration", 0.5))
        seconds += float(body.get("holdDuration", 0.0))
        points = [value * self.scale for value in (*start, *end)]
        self.phone.gallery.drag(points[0], points[1], points[2], points[3], seconds)

    def swipe(self, body: Mapping[str, Any]) -> None:
        """Half a screen in a direction."""
        width, height = (value / self.scale for value in self.phone.gallery.size)
        ends = {"up": (0.75, 0.25), "down": (0.25, 0.75)}.get(str(body.get("direction")))
        if ends is not None:
            x = width / 2
            self.drag({"fromX": x, "toX": x, "fromY": height * ends[0], "toY": height * ends[1], "velocity": 800})

    def actions(self, body: Mapping[str, Any]) -> None:
        """W3C actions of one finger: a tap or a drag, with its pauses."""
        for source in body.get("actions", ()):
            points: list[tuple[float, float]] = []
            held_ms = 0.0
            for action in source.get("actions", ()):
                if action["type"] == "pointerMove":
                    points.append(self._point(action))
                held_ms += float(action.get("duration", 0))
            if len(points) == 1:
                self.tap(*points[0])
            elif points:
                ends = dict(zip(("fromX", "fromY", "toX", "toY"), (*points[0], *points[-1]), strict=True))
                self.drag({**ends, "duration": held_ms / 1000})

    def _point(self, action: Mapping[str, Any]) -> tuple[float, float]:
        x, y, origin = float(action.get("x", 0)), float(action.get("y", 0)), action.get("origin", "viewport")
        if isinstance(origin, dict):
            centre = self.known(str(origin.get(W3C_KEY) or origin.get("ELEMENT"))).centre
            return x + centre[0], y + centre[1]
        return x, y

    def keys(self, text: str) -> None:
        """Typed into the field with the focus."""
        if not self.phone.gallery.type_text(text, composing=False):
            raise errors.keyboard_missing()

    def lock(self) -> None:
        """The screen goes dark."""
        self.phone.gallery.key("sleep")

    def unlock(self) -> None:
        """The screen comes on, the keyguard goes: the phone has no passcode."""
        gallery = self.phone.gallery
        gallery.key("wake")
        if gallery.locked:
            width, height = gallery.size
            gallery.drag(width / 2, height * 0.9, width / 2, height * 0.2, 0.3)

    def new_session(self, body: Mapping[str, Any]) -> Any:
        """A session; its settings are WebDriverAgent's own again."""
        from devices.virtual.ios.phone import WDA_SETTINGS

        wanted: dict[str, Any] = {}
        capabilities = body.get("capabilities") or {}
        for part in (capabilities.get("alwaysMatch") or {}, *(capabilities.get("firstMatch") or [])[:1]):
            wanted |= part
        self.phone.wda_session = str(uuid.uuid4()).upper()
        self.phone.wda_settings = dict(WDA_SETTINGS)
        self.phone.wda_elements.clear()
        if wanted.get("bundleId"):
            self.launch(str(wanted["bundleId"]))
        return {"sessionId": self.phone.wda_session, "capabilities": self.session()["capabilities"]}

    def session(self) -> dict[str, Any]:
        """What is told of the session."""
        told = {"device": "iphone", "sdkVersion": self.phone.make.plate.ios, "CFBundleIdentifier": self.phone.front}
        return {"sessionId": self.phone.wda_session, "capabilities": told | {"browserName": self.phone.gallery.skin.name}}

    def end_session(self) -> None:
        """There is none."""
        self.phone.wda_session = ""
        self.phone.wda_elements.clear()

    def launch(self, bundle: str) -> None:
        """An app comes to the front. Raises WdaError."""
        if self.phone.locked:
            raise errors.WdaError(500, "unknown error", "the phone is locked: an app cannot be launched")
        if not self.phone.launch(bundle):
            raise errors.WdaError(500, "unknown error", f"{bundle} is not installed")

    def terminate(self, bundle: str) -> bool:
        """Whether it ran."""
        ran = self.phone.front == bundle
        self.phone.stop_app(bundle)
        return ran

    def alert(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        """The open alert's text, buttons and answers. Raises WdaError."""
        alert = self.phone.alert()
        if alert is None:
            raise errors.no_such_alert()
        texts = [node.text for node in alert.children if node.role is Role.TEXT and node.text]
        buttons = [node for node in alert.children if node.role is Role.BUTTON]
        if method == "GET":
            return "\n".join(texts) if path == "/alert/text" else [button.text for button in buttons]
        name = str(body.get("name", ""))
        chosen = [button for button in buttons if button.text == name] if name else buttons[-1:]
        if path == "/alert/dismiss" and not name:
            chosen = buttons[:1]
        if not chosen:
            raise errors.invalid_argument(f"the alert has no button {name!r}")
        box = chosen[0].box
        self.tap((box[0] + box[2]) / 2 / self.scale, (box[1] + box[3]) / 2 / self.scale)
        return None

    def element(self, method: str, name: str, verb: str, request: Request) -> Any:
        """What is asked of one element. Raises WdaError."""
        element, body = self.known(name), request.body
        if method == "GET":
            return self._told_of(element, verb)
        match verb:
            case "click" | "tap" | "touchAndHold":
                if verb == "click" and not element.hittable:
                    raise errors.WdaError(400, "element not interactable", "the element has no hit point: {-1, -1}")
                self.tap(*element.centre)
            case "clear":
                self._focus(element)
                self.phone.gallery.set_text("")
            case "value":
                self._focus(element)
                value = body.get("value", body.get("text", ""))
                self.keys("".join(value) if isinstance(value, list) else str(value))
            case "swipe" | "scroll":
                self.swipe(body)
            case "element" | "elements":
                found = self.find(body, element)
                if verb == "elements":
                    return [self.told(one) for one in found]
                if not found:
                    raise errors.no_such_element(f"{body}")
                return self.told(found[0])
            case _:
                raise errors.unknown_command(f"/element/{name}/{verb}")
        return None

    def _focus(self, element: XElement) -> None:
        """On iOS focus and keyboard go together: a search takes both away, and typing touches the field first."""
        if element.is_field and not (element.focused and self.phone.gallery.keyboard_shown):
            self.tap(*element.centre)

    def _told_of(self, element: XElement, verb: str) -> Any:
        match verb:
            case "rect":
                return element.attribute("rect")
            case "text":
                return element.value if element.value is not None else element.label
            case "name":
                return element.attribute("type")
            case "enabled" | "displayed" | "selected" | "accessible" | "accessibilityContainer":
                return element.attribute(verb)
        if not verb.startswith("attribute/"):
            raise errors.unknown_command(f"/element/…/{verb}")
        try:
            value = element.attribute(verb.removeprefix("attribute/"))
        except KeyError as error:
            raise errors.invalid_argument(f"no attribute {verb.removeprefix('attribute/')}") from error
        return ("true" if value else "false") if isinstance(value, bool) else value

    def one(self, body: Mapping[str, Any]) -> dict[str, str]:
        """The first element that fits. Raises WdaError."""
        found = self.find(body)
        if not found:
            raise errors.no_such_element(f"{body.get('using')}, value {body.get('value')!r}")
        return self.told(found[0])

    def focused(self) -> dict[str, str]:
        """The field with the focus. Raises WdaError."""
        found = [element for element in self.tree().walk() if element.focused]
        if not found:
            raise errors.no_such_element("focus")
        return self.told(found[0])

    def window(self) -> dict[str, int]:
        """The screen's size in points."""
        width, height = self.phone.gallery.size
        return {"width": round(width / self.scale), "height": round(height / self.scale)}

    def press(self, name: str) -> None:
        """A button of the case."""
        if name.lower() == "home":
            self.phone.launch(SPRINGBOARD)

    def dismiss_keyboard(self) -> None:
        """As a tap on its own key for that."""
        if self.phone.gallery.keyboard_shown:
            self.phone.gallery.key("back")

    def change_settings(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """All settings, with these changed."""
        self.phone.wda_settings |= settings
        return self.phone.wda_settings

    def status(self) -> dict[str, Any]:
        """What it tells without a session."""
        ios = self.phone.make.plate.ios
        return {
            "ready": True,
            "message": "WebDriverAgent is ready to accept commands",
            "state": "success",
            "os": {"name": "iOS", "version": ios, "sdkVersion": ios},
            "ios": {"ip": "127.0.0.1"},
            "build": {"productBundleIdentifier": "com.facebook.WebDriverAgentRunner", "version": VERSION},
            "device": "iphone",
        }

    def device_info(self) -> dict[str, Any]:
        """What UIDevice tells; `uuid` is the vendor's identifier, not the UDID."""
        plate = self.phone.make.plate
        return {
            "currentLocale": plate.locale.replace("-", "_"),
            "timeZone": self.phone.clock.timezone,
            "name": "iPhone",
            "model": "iPhone",
            "uuid": "00000000-0000-0000-0000-000000000001",
            "userInterfaceIdiom": 0,
            "userInterfaceStyle": "light",
            "isSimulator": False,
            "thermalState": 2 if (self.phone.battery.temperature_c or 0) >= 45 else 0,
        }

    def battery(self) -> dict[str, Any]:
        """UIDevice's battery: level 0…1 or -1, state 2 while it charges."""
        battery = self.phone.battery
        level = -1.0 if battery.percent is None else battery.percent / 100
        return {"level": level, "state": 2 if battery.plugged else 1}

    def app_state(self, bundle: str) -> int:
        """4 in front, 1 not running."""
        return 4 if self.phone.front == bundle else 1

    def active_app(self) -> dict[str, Any]:
        """The active application."""
        return {"pid": 321, "bundleId": self.active(), "name": "", "processArguments": {"env": {}, "args": []}}


Route = Callable[[Agent, Request], Any]


def _done(_agent: Agent, _request: Request) -> None:
    """Accepted, and of no consequence here."""


_ROUTES: Mapping[tuple[str, str], Route] = {
    ("GET", "/"): lambda agent, _: agent.session(),
    ("DELETE", "/"): lambda agent, _: agent.end_session(),
    ("GET", "/status"): lambda agent, _: agent.status(),
    ("GET", "/wda/healthcheck"): _done,
    ("POST", "/session"): lambda agent, request: agent.new_session(request.body),
    ("GET", "/screenshot"): lambda agent, _: agent.screenshot(),
    ("GET", "/source"): lambda agent, request: agent.source(request.query),
    ("GET", "/wda/accessibleSource"): lambda agent, _: agent.tree().as_json(),
    ("GET", "/wda/activeAppInfo"): lambda agent, _: agent.active_app(),
    ("GET", "/wda/apps/list"): lambda agent, _: [{"pid": 321, "bundleId": agent.phone.front}],
    ("GET", "/wda/locked"): lambda agent, _: agent.phone.locked,
    ("POST", "/wda/lock"): lambda agent, _: agent.lock(),
    ("POST", "/wda/unlock"): lambda agent, _: agent.unlock(),
    ("POST", "/wda/homescreen"): lambda agent, _: agent.press("home"),
    ("POST", "/wda/pressButton"): lambda agent, request: agent.press(str(request.body["name"])),
    ("POST", "/wda/deactivateApp"): _done,
    ("POST", "/wda/keyboard/dismiss"): lambda agent, _: agent.dismiss_keyboard(),
    ("POST", "/timeouts"): _done,
    ("GET", "/wda/screen"): lambda agent, _: {"scale": agent.scale, "screenSize": agent.window()},
    ("GET", "/window/size"): lambda agent, _: agent.window(),
    ("GET", "/window/rect"): lambda agent, _: {"x": 0, "y": 0} | agent.window(),
    ("GET", "/orientation"): lambda _agent, _: "PORTRAIT",
    ("POST", "/orientation"): _done,
    ("GET", "/wda/batteryInfo"): lambda agent, _: agent.battery(),
    ("GET", "/wda/device/info"): lambda agent, _: agent.device_info(),
    ("GET", "/appium/settings"): lambda agent, _: agent.phone.wda_settings,
    ("POST", "/appium/settings"): lambda agent, request: agent.change_settings(request.body.get("settings") or {}),
    ("POST", "/wda/apps/launch"): lambda agent, request: agent.launch(str(request.body["bundleId"])),
    ("POST", "/wda/apps/activate"): lambda agent, request: agent.launch(str(request.body["bundleId"])),
    ("POST", "/wda/apps/terminate"): lambda agent, request: agent.terminate(str(request.body["bundleId"])),
    ("POST", "/wda/apps/state"): lambda agent, request: agent.app_state(str(request.body["bundleId"])),
    ("POST", "/elements"): lambda agent, request: [agent.told(one) for one in agent.find(request.body)],
    ("POST", "/element"): lambda agent, request: agent.one(request.body),
    ("GET", "/element/active"): lambda agent, _: agent.focused(),
    ("POST", "/wda/keys"): lambda agent, request: agent.keys("".join(request.body["value"])),
    ("POST", "/wda/tap"): lambda agent, request: agent.tap(float(request.body["x"]), float(request.body["y"])),
    ("POST", "/wda/doubleTap"): lambda agent, request: agent.tap(float(request.body["x"]), float(request.body["y"])),
    ("POST", "/wda/touchAndHold"): lambda agent, request: agent.tap(float(request.body["x"]), float(request.body["y"])),
    ("POST", "/wda/dragfromtoforduration"): lambda agent, request: agent.drag(request.body),
    ("POST", "/wda/pressAndDragWithVelocity"): lambda agent, request: agent.drag(request.body),
    ("POST", "/wda/swipe"): lambda agent, request: agent.swipe(request.body),
    ("POST", "/actions"): lambda agent, request: agent.actions(request.body),
}
