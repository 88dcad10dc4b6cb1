"""The methods of u2.jar that hosts call: look at the tree, touch, type. Signatures are those of its JSON-RPC.

Gestures take as long as they do on a phone (5 ms a step), because a client relies on that.
"""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Mapping
from itertools import pairwise
from typing import Any

from devices.virtual.android.hierarchy import View, as_view, hierarchy_xml
from devices.virtual.android.keys import key_name
from devices.virtual.android.phone import AndroidPhone
from devices.virtual.android.selectors import as_selector, find

STEP_S = 0.005
"""UiAutomator injects a move each 5 ms."""
POLL_S = 0.05
SCROLL_SHARE = 0.8
"""UiScrollable drags over the view less a dead zone of 10 % at either end."""
FLING_STEPS = 5
MOST_SCROLLS = 100
DENSITY = 420 / 160
"""Pixels per dp at the density that `wm density` tells."""

Told = Mapping[str, Any]
"""A selector as the client sent it."""


class NotFound(Exception):
    """UiObjectNotFoundException: no view fits the selector."""


class UiDriver:
    """One running uiautomator: holds the configuration and the finger that is down."""

    def __init__(self, phone: AndroidPhone) -> None:
        self._phone = phone
        self._configuration: dict[str, int] = {
            "actionAcknowledgmentTimeout": 3000,
            "keyInjectionDelay": 0,
            "scrollAcknowledgmentTimeout": 200,
            "waitForIdleTimeout": 10000,
            "waitForSelectorTimeout": 10000,
        }
        self._touch: tuple[float, float, float] | None = None
        self._last: tuple[float, float] = (0.0, 0.0)
        self.methods: Mapping[str, Callable[..., Awaitable[Any]]] = {
            "clearInputText": self.clear_input_text,
            "clearLastToast": self.nothing,
            "clearTextField": self.clear_text_field,
            "click": self.click,
            "count": self.count,
            "deviceInfo": self.device_info,
            "drag": self.drag,
            "dumpWindowHierarchy": self.dump_window_hierarchy,
            "exist": self.exist,
            "flingBackward": self.fling_backward,
            "flingForward": self.fling_forward,
            "freezeRotation": self.nothing,
            "getClipboard": self.get_clipboard,
            "getConfigurator": self.get_configurator,
            "getLastToast": self.nothing,
            "getText": self.get_text,
            "injectInputEvent": self.inject_input_event,
            "longClick": self.click,
            "objInfo": self.obj_info,
            "objInfoOfAllInstances": self.obj_info_of_all_instances,
            "pasteClipboard": self.paste_clipboard,
            "pressKey": self.press_key,
            "pressKeyCode": self.press_key,
            "scrollBackward": self.scroll_backward,
            "scrollForward": self.scroll_forward,
            "scrollTo": self.scroll_to,
            "scrollToBeginning": self.scroll_to_beginning,
            "scrollToEnd": self.scroll_to_end,
            "setClipboard": self.set_clipboard,
            "setConfigurator": self.set_configurator,
            "setOrientation": self.nothing,
            "setText": self.set_text,
            "sleep": self.sleep,
            "swipe": self.swipe,
            "swipePoints": self.swipe_points,
            "takeScreenshot": self.take_screenshot,
            "waitForExists": self.wait_for_exists,
            "waitForIdle": self.nothing,
            "waitUntilGone": self.wait_until_gone,
            "wakeUp": self.wake_up,
        }

    def _find(self, told: Told) -> list[View]:
        return find(as_view(self._phone.gallery.tree()), as_selector(told))

    def _one(self, told: Told) -> View:
        found = self._find(told)
        if not found:
            raise NotFound(f"UiSelector[{told}]")
        return found[0]

    async def nothing(self, *_params: Any) -> None:
        """Accepted, and there is nothing to do on this phone."""

    # Looking.

    async def device_info(self) -> dict[str, Any]:
        """`d.info`"""
        width, height = self._phone.gallery.size
        return {
            "currentPackageName": self._phone.gallery.front_package(),
            "displayHeight": height,
            "displayRotation": 0,
            "displaySizeDpX": round(width / DENSITY),
            "displaySizeDpY": round(height / DENSITY),
            "displayWidth": width,
            "naturalOrientation": True,
            "productName": self._phone.props["ro.product.name"],
            "screenOn": self._phone.gallery.screen_on,
            "sdkInt": self._phone.make.plate.sdk,
        }

    async def take_screenshot(self, _scale: float, quality: int) -> str | None:
        """JPEG in base64; the scale is ignored, as u2.jar does. None on a phone that can take none."""
        if self._phone.faults.screenshot == "none":
            return None
        # u2.jar breaks the lines, which no decoder needs and which would take half of the encoding's time.
        return base64.b64encode(await self._phone.camera.jpeg(self._phone.frame(), quality)).decode()

    async def dump_window_hierarchy(self, _compressed: bool = False, max_depth: int = 50, _active: bool = False) -> str:
        """The tree as XML."""
        return hierarchy_xml(self._phone.gallery.tree(), max_depth)

    async def exist(self, told: Told) -> bool:
        """True when a view fits."""
        return bool(self._find(told))

    async def count(self, told: Told) -> int:
        """How many views fit."""
        return len(self._find(told))

    async def obj_info(self, told: Told) -> dict[str, Any]:
        """The first view that fits."""
        return _info(self._one(told))

    async def obj_info_of_all_instances(self, told: Told) -> list[dict[str, Any]]:
        """Every view that fits."""
        return [_info(view) for view in self._find(told)]

    async def wait_for_exists(self, told: Told, timeout_ms: int) -> bool:
        """True as soon as a view fits; False after the time."""
        return await self._wait(lambda: bool(self._find(told)), timeout_ms)

    async def wait_until_gone(self, told: Told, timeout_ms: int) -> bool:
        """True as soon as no view fits; False after the time."""
        return await self._wait(lambda: not self._find(told), timeout_ms)

    async def _wait(self, holds: Callable[[], bool], timeout_ms: int) -> bool:
        end = asyncio.get_running_loop().time() + timeout_ms / 1000
        while not holds():
            if asyncio.get_running_loop().time() >= end:
                return False
            await asyncio.sleep(POLL_S)
        return True

    # Touching.

    async def click(self, *params: Any) -> bool:
        """click(x, y), click(x, y, ms), click(selector), longClick(selector)"""
        if isinstance(params[0], Mapping):
            x, y = self._one(params[0]).center
        else:
            x, y = float(params[0]), float(params[1])
        if len(params) == 3:
            await asyncio.sleep(params[2] / 1000)
        self._phone.gallery.tap(x, y)
        return True

    async def swipe(self, x0: float, y0: float, x1: float, y1: float, steps: int) -> bool:
        """A drag of `steps` moves."""
        duration_s = steps * STEP_S
        await asyncio.sleep(duration_s)
        self._phone.gallery.drag(x0, y0, x1, y1, duration_s)
        return True

    async def drag(self, x0: float, y0: float, x1: float, y1: float, steps: int) -> bool:
        """As `swipe`, beginning with a long press."""
        return await self.swipe(x0, y0, x1, y1, steps)

    async def swipe_points(self, points: list[int], steps: int) -> bool:
        """A drag through points x0, y0, x1, y1 …, `steps` moves each."""
        places = list(zip(points[::2], points[1::2], strict=True))
        for (x0, y0), (x1, y1) in pairwise(places):
            await self.swipe(x0, y0, x1, y1, steps)
        return True

    async def inject_input_event(self, action: int, x: float, y: float, _meta: int = 0) -> bool:
        """A finger that goes down (0), moves (2) and goes up (1)."""
        now = asyncio.get_running_loop().time()
        if action == 0:
            self._touch, self._last = (x, y, now), (x, y)
        elif action == 2:
            self._last = (x, y)
        elif self._touch is not None:
            x0, y0, began = self._touch
            self._touch = None
            if max(abs(self._last[0] - x0), abs(self._last[1] - y0)) < 24:  # touch slop: 8 dp
                self._phone.gallery.tap(x, y)
            else:
                self._phone.gallery.drag(x0, y0, *self._last, now - began)
        return True

    async def press_key(self, key: str | int, _meta: int = 0) -> bool:
        """pressKey(name), pressKeyCode(code, meta)"""
        name = key_name(key)
        if name is None:
            self._phone.unhandled.append(f"key {key}")
            return False
        self._phone.gallery.key(name)
        return True

    async def wake_up(self) -> bool:
        """The screen is on."""
        self._phone.gallery.key("wake")
        return True

    async def sleep(self) -> bool:
        """The screen is off."""
        self._phone.gallery.key("sleep")
        return True

    # Scrolling.

    async def scroll_forward(self, told: Told, vertical: bool, steps: int) -> bool:
        """One drag over the view; True when it can go on."""
        return await self._scroll(told, vertical, steps, forward=True)

    async def scroll_backward(self, told: Told, vertical: bool, steps: int) -> bool:
        """One drag back over the view; True when it can go on."""
        return await self._scroll(told, vertical, steps, forward=False)

    async def fling_forward(self, told: Told, vertical: bool) -> bool:
        """A fast drag."""
        return await self._scroll(told, vertical, FLING_STEPS, forward=True)

    async def fling_backward(self, told: Told, vertical: bool) -> bool:
        """A fast drag back."""
        return await self._scroll(told, vertical, FLING_STEPS, forward=False)

    async def scroll_to_beginning(self, told: Told, vertical: bool, most: int = MOST_SCROLLS, steps: int = 55) -> bool:
        """Scrolls back until nothing moves."""
        return await self._scroll_all(told, vertical, most, steps, forward=False)

    async def scroll_to_end(self, told: Told, vertical: bool, most: int = MOST_SCROLLS, steps: int = 55) -> bool:
        """Scrolls on until nothing moves."""
        return await self._scroll_all(told, vertical, most, steps, forward=True)

    async def scroll_to(self, told: Told, wanted: Told, vertical: bool) -> bool:
        """Scrolls on until `wanted` is there; False at the end."""
        while not self._find(wanted):
            if not await self._scroll(told, vertical, 55, forward=True):
                return bool(self._find(wanted))
        return True

    async def _scroll_all(self, told: Told, vertical: bool, most: int, steps: int, *, forward: bool) -> bool:
        for _ in range(most):
            if not await self._scroll(told, vertical, steps, forward=forward):
                return True
        return False

    async def _scroll(self, told: Told, vertical: bool, steps: int, *, forward: bool) -> bool:
        view = self._one(told)
        left, top, right, bottom = view.bounds
        x, y = view.center
        reach = ((bottom - top) if vertical else (right - left)) * SCROLL_SHARE / 2 * (1 if forward else -1)
        before = self._phone.gallery.tree()
        if vertical:
            await self.swipe(x, y + reach, x, y - reach, steps)
        else:
            await self.swipe(x + reach, y, x - reach, y, steps)
        return self._phone.gallery.tree() != before

    # Typing.

    async def set_text(self, told: Told, text: str) -> bool:
        """Clicks the view and replaces its text by ACTION_SET_TEXT; False for a view that cannot be edited."""
        view = self._one(told)
        if not view.node.editable:
            return False
        self._phone.gallery.tap(*view.center)
        return self._phone.gallery.set_text(text)

    async def clear_text_field(self, told: Told) -> bool:
        """The view's text is empty."""
        return await self.set_text(told, "")

    async def get_text(self, told: Told) -> str:
        """The view's text, exact."""
        return self._one(told).node.text

    async def clear_input_text(self) -> bool:
        """The focused field is empty."""
        return self._phone.gallery.set_text("")

    async def set_clipboard(self, _label: str | None, text: str) -> None:
        """The clipboard holds `text`."""
        self._phone.clipboard = text

    async def get_clipboard(self) -> str | None:
        """The clipboard's text."""
        return self._phone.clipboard or None

    async def paste_clipboard(self) -> bool:
        """The clipboard's text is added to the focused field's."""
        fields = [view for view in as_view(self._phone.gallery.tree()).walk() if view.node.focused and view.node.editable]
        return bool(fields) and self._phone.gallery.set_text(fields[0].node.text + self._phone.clipboard)

    # Configuration.

    async def get_configurator(self) -> dict[str, int]:
        """Timeouts in ms."""
        return dict(self._configuration)

    async def set_configurator(self, wanted: Mapping[str, int]) -> dict[str, int]:
        """Timeouts in ms are set; returns all of them."""
        self._configuration |= {name: int(value) for name, value in wanted.items() if name in self._configuration}
        return dict(self._configuration)


def _info(view: View) -> dict[str, Any]:
    node = view.node
    bounds = dict(zip(("left", "top", "right", "bottom"), view.bounds, strict=True))
    return {
        "bounds": bounds,
        "visibleBounds": bounds,
        "checkable": False,
        "checked": False,
        "childCount": len(view.children),
        "className": view.class_name,
        "clickable": node.clickable,
        "contentDescription": node.label,
        "enabled": node.enabled,
        "focusable": node.editable or node.clickable,
        "focused": node.focused,
        "longClickable": node.editable,
        "packageName": view.package,
        "resourceName": view.resource_id or None,
        "scrollable": node.scrollable,
        "selected": node.selected,
        "text": node.text,
    }
