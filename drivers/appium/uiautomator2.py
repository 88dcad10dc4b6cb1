"""An Android phone's hands and eyes through Appium's UiAutomator2 driver: what `drivers.android` does with uiautomator2.

The server on the phone is another one (appium-uiautomator2-server), its tree has the same attributes with the class as the tag,
and shows emoji as they are. Windows beside the one in front (dialogs of the system, keyboard) are there only on request.
"""

import base64
import binascii
import json
import unicodedata
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

from appium import webdriver
from appium.webdriver.common.appiumby import AppiumBy

from drivers.android import link
from drivers.android.tree import parse_tree
from drivers.appium.session import CALL_S, Declined, NoElement, NoPicture, Session, SessionDown, TimedOut
from drivers.screens.picture import BrokenPicture, whole_png
from drivers.screens.tree import Element, Tree

T = TypeVar("T")

SETTINGS = {
    "enableMultiWindows": True,
    "waitForIdleTimeout": 100,  # ms. Stillness is told from frames; 10 s would pass on every animated page
    "waitForSelectorTimeout": 0,
    "ignoreUnimportantViews": False,
}
_DUMP_S = 15.0  # a page that moves keeps the accessibility tree waiting
_SHOT_S = 15.0
_KEYS = {"home": 3, "back": 4, "enter": 66, "paste": 279}  # android.view.KeyEvent.KEYCODE_*
_MOVES = 6
_MOVE_MS = 120
_REST_MS = 150  # longer than the 100 ms that a fling is computed from


class UiAutomator2:
    """Implements `drivers.android.touch.UiAutomation`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def dump(self) -> Tree:
        """The UI tree now; an empty one when the phone gives none."""
        xml = self._call(lambda driver: driver.page_source, "read the UI tree", _DUMP_S)
        if not xml:
            return Tree(())
        try:
            return parse_tree(xml)
        except ValueError as error:
            raise link.AutomationDown(f"{self._session.address}: {error}") from error

    def glance(self) -> bytes:
        """As `photograph`: Appium's screenshots are all PNG."""
        return self.photograph()

    def photograph(self) -> bytes:
        """A PNG of the screen. Raises BrokenPicture."""
        try:
            encoded = self._call(lambda driver: driver.get_screenshot_as_base64(), "take a screenshot", _SHOT_S)
            return whole_png(base64.b64decode(encoded or ""))
        except NoPicture as error:
            raise BrokenPicture(str(error)) from error
        except (binascii.Error, TypeError) as error:
            raise BrokenPicture(f"the screenshot is not base64: {error}") from error

    def set_text(self, field: Element, text: str) -> None:
        """ACTION_SET_TEXT: any Unicode, past every keyboard. Raises NotFound."""
        found = self._find(field)
        if text:
            self._run("replaceElementValue", {"elementId": found.id, "text": text})
        else:
            self._call(lambda _driver: found.clear(), "clear a field")

    def paste_text(self, field: Element, text: str) -> None:
        """Through the clipboard, for fields that refuse ACTION_SET_TEXT. Raises NotFound."""
        self.set_text(field, "")
        self.tap(field)
        content = base64.b64encode(text.encode()).decode()
        self._run("setClipboard", {"content": content, "contentType": "plaintext", "label": "query"})
        self.press("paste")

    def read_text(self, field: Element) -> str:
        """The exact text of a field. Raises NotFound."""
        found = self._find(field)
        return str(self._call(lambda _driver: found.text, "read a field") or "")

    def tap(self, element: Element) -> None:
        """A touch in its middle."""
        self.tap_at(*element.centre)

    def tap_at(self, x: int, y: int) -> None:
        """A touch at (x, y) px."""
        self._run("clickGesture", {"x": x, "y": y})

    def press(self, key: str) -> None:
        """back, home, enter, paste."""
        self._run("pressKey", {"keycode": _KEYS[key]})

    def drag(self, x: int, y_from: int, y_to: int) -> None:
        """A drag that ends at rest, so that nothing flings: Android computes a fling from the last 100 ms of the touch."""
        way = [round(y_from + (y_to - y_from) * step / _MOVES) for step in range(1, _MOVES + 1)]
        steps: list[dict[str, Any]] = [_move(x, y_from, 0), {"type": "pointerDown", "button": 0}]
        steps += [_move(x, y, _MOVE_MS // _MOVES) for y in way]
        steps += [{"type": "pause", "duration": _REST_MS}, {"type": "pointerUp", "button": 0}]
        finger = {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": steps}
        self._call(lambda driver: driver.execute("actions", {"actions": [finger]}), "drag")

    def as_dumped(self, text: str) -> str:
        """What a dump shows for `text`: itself, composed."""
        return unicodedata.normalize("NFC", text)

    def stop(self) -> None:
        """The session is ended; the next call opens another."""
        self._session.close()

    def _find(self, element: Element) -> Any:
        """The element by its resource id, else by its class, as the server knows it."""
        asked = f"new UiSelector().packageName({json.dumps(element.package)})"
        if element.id:
            # Compose's test tags stand in dumps without a package.
            name = f"{element.id_package}:id/{element.id}" if element.id_package else element.id
            asked += f".resourceId({json.dumps(name)})"
        else:
            asked += f".className({json.dumps(f'android.widget.{element.kind}')})"
        return self._call(lambda driver: driver.find_element(AppiumBy.ANDROID_UIAUTOMATOR, asked), "find a field")

    def _call(self, work: Callable[[webdriver.Remote], T], doing: str, seconds: float = CALL_S) -> T:
        with self._as_of_android():
            return self._session.call(work, doing, seconds)

    def _run(self, script: str, arguments: dict[str, Any]) -> Any:
        with self._as_of_android():
            return self._session.run(script, arguments)

    @contextmanager
    def _as_of_android(self) -> Generator[None]:
        """Errors in the words of the Android driver's link, whose steps tell them apart."""
        try:
            yield
        except NoElement as error:
            raise link.NotFound(str(error)) from error
        except TimedOut as error:
            raise link.CallTimedOut(str(error)) from error
        except SessionDown as error:
            raise link.AutomationDown(str(error)) from error
        except Declined as error:
            self._session.close()  # "UiAutomation not connected!" and its kind: only a new server helps
            raise link.AutomationDown(str(error)) from error


def _move(x: int, y: int, duration_ms: int) -> dict[str, Any]:
    return {"type": "pointerMove", "duration": duration_ms, "x": x, "y": y, "origin": "viewport"}
