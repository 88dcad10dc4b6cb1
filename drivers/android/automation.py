"""The phone's hands and eyes: uiautomator2's server, called under the rig's own deadlines.

Used of the library: starting its server on the phone and calling it. Not used: `screenshot()` (an all-black image when it
fails), `send_keys` (installs a keyboard unasked), `dump_hierarchy` (retries an empty screen for seconds), `shell`.
"""

import base64
import binascii
import re
from contextlib import suppress
from time import monotonic
from typing import Any

import uiautomator2
from uiautomator2 import Device
from uiautomator2.exceptions import RPCError

from drivers.android.link import AutomationDown, CallTimedOut
from drivers.android.transport import Transport
from drivers.android.tree import as_dumped, parse_tree
from drivers.interface import DriverError, PhoneLost
from drivers.screens.hands import wait_until
from drivers.screens.picture import BrokenPicture, whole_png
from drivers.screens.tree import Element, Tree

_SERVER_CLASS = re.compile(r"\b(com\.wetest\.uia2\.Main|com\.github\.uiautomator)\b")
_START_S = 45.0  # the library waits 30 s for its server; pushing its 8 MB jar comes before
_CALL_S = 10.0
_DUMP_S = 15.0  # a page that moves keeps the accessibility tree waiting
_SHOT_S = 15.0
_DEPTH = 50  # the library's own default
_DOWN, _UP, _MOVE = 0, 1, 2  # android.view.MotionEvent.ACTION_*
_MOVES = 6
_MOVE_S = 0.12
_REST_S = 0.15  # longer than the 100 ms that a fling is computed from


class Automation:
    """uiautomator2's server on one phone. Started on first use, and again after the connection changed."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._device: Device | None = None

    def call(self, method: str, *parameters: Any, seconds: float = _CALL_S) -> Any:
        """One call of the server. Raises NotFound, CallTimedOut, AutomationDown, PhoneLost.

        The library restarts its server once by itself; when the connection broke under it (RemoteDisconnected,
        ConnectionReset: its #1120) it does not, so that is done here.
        """
        device = self._started()
        try:
            with self._transport.client.within(seconds, f"{self._transport.address}: {method}"):
                return device.jsonrpc_call(method, list(parameters), seconds)
        except (CallTimedOut, AutomationDown):
            self.stop()
            raise

    def dump(self) -> Tree:
        """The UI tree now; an empty one when the phone gives none."""
        xml = self.call("dumpWindowHierarchy", False, _DEPTH, seconds=_DUMP_S)
        if not xml:
            return Tree(())
        try:
            return parse_tree(xml)
        except ValueError as error:
            raise AutomationDown(f"{self._transport.address}: {error}") from error

    def glance(self) -> bytes:
        """A JPEG of the screen, quick, to tell whether it moves. Raises BrokenPicture when the phone gives none."""
        encoded = self.call("takeScreenshot", 1, 100, seconds=_SHOT_S)
        if not encoded:
            raise BrokenPicture("the phone gave no screenshot")
        try:
            return base64.b64decode(encoded)
        except (binascii.Error, TypeError, ValueError) as error:
            raise BrokenPicture(f"the screenshot is not base64: {error}") from error

    def photograph(self) -> bytes:
        """A PNG of the screen for the record. Raises BrokenPicture."""
        return whole_png(self._transport.exec_out("screencap -p", _SHOT_S))

    def set_text(self, field: Element, text: str) -> None:
        """ACTION_SET_TEXT: any Unicode, past every keyboard."""
        self.call("setText", self._selector(field), text)

    def paste_text(self, field: Element, text: str) -> None:
        """Through the clipboard, for fields that refuse ACTION_SET_TEXT."""
        self.call("clearTextField", self._selector(field))
        self.tap(field)
        self.call("setClipboard", "query", text)
        self.call("pasteClipboard")

    def read_text(self, field: Element) -> str:
        """The exact text of a field; the tree shows emoji as full stops."""
        return str(self.call("getText", self._selector(field)) or "")

    def tap(self, element: Element) -> None:
        """A touch in its middle."""
        self.tap_at(*element.centre)

    def tap_at(self, x: int, y: int) -> None:
        """A touch at (x, y) px."""
        self.call("click", x, y)

    def press(self, key: str) -> None:
        """back, home, enter."""
        self.call("pressKey", key)

    def drag(self, x: int, y_from: int, y_to: int) -> None:
        """A drag that ends at rest, so that nothing flings: Android computes a fling from the last 100 ms of the touch."""
        began = monotonic()
        self._touch(_DOWN, x, y_from)
        for step in range(1, _MOVES + 1):
            wait_until(began + _MOVE_S * step / _MOVES)
            self._touch(_MOVE, x, round(y_from + (y_to - y_from) * step / _MOVES))
        wait_until(began + _MOVE_S + _REST_S)
        self._touch(_UP, x, y_to)

    def as_dumped(self, text: str) -> str:
        """What a dump shows for `text`."""
        return as_dumped(text)

    def stop(self) -> None:
        """The server on the phone is ended and forgotten; the next call starts it anew."""
        device, self._device = self._device, None
        if device is not None:
            with suppress(PhoneLost, DriverError), self._transport.client.within(5.0, "stop"):
                device.stop_uiautomator(wait=False)

    def _touch(self, action: int, x: int, y: int) -> None:
        self.call("injectInputEvent", action, x, y, 0)

    def _started(self) -> Device:
        if self._device is None:
            try:
                self._device = self._start()
            except AutomationDown as down:
                # "UiAutomationService … already registered": one of an earlier rig still holds the phone's accessibility.
                if "AlreadyRegistered" not in str(down):
                    raise
                self._end_leftovers()
                self._device = self._start()
        return self._device

    def _start(self) -> Device:
        with self._transport.client.within(_START_S, f"{self._transport.address}: start uiautomator2"):
            device = uiautomator2.Device(self._transport.device())
            _keep_idle_short(device)
            return device

    def _end_leftovers(self) -> None:
        """Servers of earlier rigs on the phone have ended, each by its pid."""
        for pid in leftover_pids(self._transport.text("ps -A -o PID,ARGS")):
            self._transport.text(f"kill {pid}")

    def _selector(self, element: Element) -> dict[str, Any]:
        """Names one element to the server: by its resource id, else by its class."""
        device = self._started()
        asked = {"packageName": element.package}
        if element.id:
            # Compose's test tags stand in dumps without a package.
            asked["resourceId"] = f"{element.id_package}:id/{element.id}" if element.id_package else element.id
        else:
            asked["className"] = _full_class(element.kind)
        return dict(device(**asked).selector)


def leftover_pids(processes: str) -> tuple[int, ...]:
    """Pids of uiautomator servers in a `ps -A -o PID,ARGS`."""
    found = (re.match(r"\s*(\d+) +(.*)", line) for line in processes.splitlines())
    return tuple(int(line[1]) for line in found if line and _SERVER_CLASS.search(line[2]))


def _full_class(kind: str) -> str:
    return f"android.widget.{kind}"


def _keep_idle_short(device: Device) -> None:
    """Dumps do not wait for a quiet event queue. A server without these settings is left as it is."""
    with suppress(RPCError):
        settings = device.jsonrpc_call("getConfigurator", [], _CALL_S)
        if isinstance(settings, dict):
            device.jsonrpc_call("setConfigurator", [{**settings, **_IDLE}], _CALL_S)


# Milliseconds. Stillness is told from frames, not from the event queue: its own 10 s would pass on every animated page.
_IDLE = {"waitForIdleTimeout": 100, "waitForSelectorTimeout": 0}
