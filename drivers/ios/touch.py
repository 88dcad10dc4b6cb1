"""An iPhone for the steps of a search: WebDriverAgent for the screen, lockdownd for who it is."""

import unicodedata
from collections.abc import Callable
from contextlib import suppress
from time import sleep
from typing import NoReturn

from drivers.interface import Invalid, PhoneLost, SearchFailed
from drivers.ios.agent import LAUNCH_S, SOURCE_S, CallTimedOut, Refused, UiAgent
from drivers.ios.states import SPRINGBOARD, Surroundings, classify
from drivers.ios.tree import parse_source, quoted
from drivers.profile import GalleryProfile
from drivers.screens.hands import NotFound, Until
from drivers.screens.picture import BrokenPicture, jpeg_size, png_size
from drivers.screens.states import State
from drivers.screens.tree import Element, Tree

_BANNER = "name == 'NotificationShortLookView'"
_SPEED_PT_S = 900  # slow enough to be followed, fast enough that a touch is not taken for a long press
_PRESS_S = 0.02
_HOLD_S = 0.25  # at rest before the finger leaves, so that nothing flings
_BANNER_S = 8.0  # a banner goes after 5 s
_PACE_S = 0.1
_WAKE_S = 0.3  # the lock screen goes after the call has returned
_BACK_IDS = "name == 'BackButton' OR (type == 'XCUIElementTypeButton' AND label IN {'Back', '返回'})"


class IosTouch:
    """Implements `drivers.screens.hands.Touch`."""

    def __init__(
        self, agent: UiAgent, profile: GalleryProfile, same_phone: Callable[[], None], reconnect: Callable[[], None]
    ) -> None:
        """`same_phone` raises WrongPhone, `reconnect` PhoneLost when the phone stays away."""
        self.agent, self._profile, self._same_phone, self._reconnect = agent, profile, same_phone, reconnect
        self._around = Surroundings("")
        self._scale: float | None = None
        self._streams: bool | None = None
        """Whether frames of the agent's stream can be compared with its screenshots; None until that was tried."""

    def dump(self) -> Tree:
        """As in the protocol."""
        front = str(self.agent.ask("/wda/activeAppInfo").get("bundleId", ""))
        locked = front == SPRINGBOARD and bool(self.agent.get("/wda/locked"))
        path = "/source?format=json&excluded_attributes=visible,accessible"
        try:
            source = self.agent.ask(path, SOURCE_S)
        except Refused as error:
            self._around = Surroundings(front, locked)
            if "stale" in error.name or "unknown" in error.name:
                return Tree(())  # the page moved under the snapshot
            raise PhoneLost(f"the UI tree cannot be read: {error}") from error
        self._around = Surroundings(front, locked)
        return parse_source(source, front, self.scale())

    def classify(self, tree: Tree) -> State:
        """As in the protocol."""
        return classify(tree, self._around, self._profile)

    def scale(self) -> float:
        """Pixels a point."""
        if self._scale is None:
            self._scale = float(self.agent.ask("/wda/screen")["scale"])
        return self._scale

    def glance(self) -> bytes:
        """As in the protocol: a frame of the stream, as long as it is as large as a screenshot."""
        if self._streams:
            try:
                return self.agent.frame()
            except BrokenPicture:
                self._streams = False
        return self.agent.screenshot()

    def photograph(self) -> bytes:
        """As in the protocol. Raises SearchFailed for a notification that stays over the screen: no app's tree tells of it."""
        until = Until.after(min(_BANNER_S, self._profile.patience.results_s))
        png = self.agent.screenshot()
        while self._banner():
            if until.over:
                raise SearchFailed(Invalid.NOTIFICATION, "a notification lies over the screen", png)
            sleep(_PACE_S)
            png = self.agent.screenshot()
        if self._streams is None:
            try:
                self._streams = jpeg_size(self.agent.frame()) == png_size(png)
            except BrokenPicture:
                self._streams = False
        return png

    def tap(self, element: Element) -> None:
        """At the centre of its frame: since iOS 26 tiles claim that they cannot be hit."""
        self.tap_at(*element.centre)

    def tap_at(self, x: int, y: int) -> None:
        """As in the protocol."""
        self.agent.do("/wda/tap", {"x": x / self.scale(), "y": y / self.scale()})

    def drag(self, x: int, y_from: int, y_to: int) -> None:
        """As in the protocol."""
        ends = {"fromX": x, "toX": x, "fromY": y_from, "toY": y_to}
        body = {key: value / self.scale() for key, value in ends.items()}
        body |= {"pressDuration": _PRESS_S, "velocity": _SPEED_PT_S, "holdDuration": _HOLD_S}
        self.agent.do("/wda/pressAndDragWithVelocity", body)

    def back(self) -> None:
        """The page's own button; iOS has no key for it. Without one the gallery is started anew."""
        found = self.agent.find(_BACK_IDS)
        if found:
            rect = self.agent.ask(f"/element/{found[0]}/rect")
            self.agent.do("/wda/tap", {"x": rect["x"] + rect["width"] / 2, "y": rect["y"] + rect["height"] / 2})
        else:
            self.launch(fresh=True)

    def enter(self) -> None:
        """As in the protocol. WebDriver's own key codes are typed as letters (iphone-use#45)."""
        try:
            self.agent.do("/wda/keys", {"value": ["\n"]})
        except Refused as error:
            raise NotFound(str(error)) from error

    def close_keyboard(self) -> None:
        """As in the protocol."""
        with suppress(Refused):
            self.agent.do("/wda/keyboard/dismiss")

    def keyboard_is_shown(self) -> bool:
        """As in the protocol: on iOS it is in the tree."""
        return bool(self.agent.find("type == 'XCUIElementTypeKeyboard'"))

    def set_text(self, field: Element, text: str, attempt: int) -> None:
        """As in the protocol. After the first attempt the field is touched before, and letters go one by one."""
        try:
            name = self._element(field)
            self.agent.do(f"/element/{name}/clear")
            if not text:
                return
            if attempt == 0:
                self.agent.do(f"/element/{name}/value", {"value": text}, SOURCE_S)
            else:
                self.tap(field)
                self.agent.do("/wda/keys", {"value": list(text)}, SOURCE_S)
        except Refused as error:
            raise NotFound(str(error)) from error

    def read_text(self, field: Element) -> str:
        """As in the protocol."""
        try:
            return str(self.agent.ask(f"/element/{self._element(field)}/attribute/value") or "")
        except Refused as error:
            raise NotFound(str(error)) from error

    def as_dumped(self, text: str) -> str:
        """As in the protocol."""
        return unicodedata.normalize("NFC", text)

    def launch(self, *, fresh: bool) -> str:
        """As in the protocol."""
        package = self._profile.package
        try:
            if fresh:
                self.agent.do("/wda/apps/terminate", {"bundleId": package}, LAUNCH_S)
            self.agent.do("/wda/apps/launch", {"bundleId": package, "shouldWaitForQuiescence": False}, LAUNCH_S)
        except Refused as error:
            return str(error)
        return ""

    def unlock(self) -> None:
        """As in the protocol."""
        with suppress(Refused):
            self.agent.post("/wda/unlock")
        sleep(_WAKE_S)

    def check_phone(self) -> bool:
        """As in the protocol. A locked iPhone is unlocked; one that stays locked is named by what it shows."""
        self._same_phone()
        if self.agent.get("/wda/locked"):
            self.unlock()
        return True

    def recover(self, lost: PhoneLost) -> NoReturn:
        """As in the protocol."""
        self.agent.end()
        self._reconnect()
        self._same_phone()
        reason = Invalid.TIMEOUT if isinstance(lost, CallTimedOut) else Invalid.CONNECTION
        raise SearchFailed(reason, str(lost)) from lost

    def _element(self, field: Element) -> str:
        """Its id in the agent, found anew each time: ids do not survive the screen. Raises NotFound."""
        wanted = f"type == 'XCUIElementType{field.kind}'"
        if field.id and field.id != field.label:
            wanted += f" AND name == {quoted(field.id)}"
        found = self.agent.find(wanted)
        if not found:
            raise NotFound(f"no {field.kind} {field.id} is on the screen")
        return found[0]

    def _banner(self) -> bool:
        """True while SpringBoard shows a notification over the app."""
        self.agent.do("/appium/settings", {"settings": {"defaultActiveApplication": SPRINGBOARD}})
        try:
            return bool(self.agent.find(_BANNER))
        except Refused:
            return False
        finally:
            self.agent.do("/appium/settings", {"settings": {"defaultActiveApplication": "auto"}})
