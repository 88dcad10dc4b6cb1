"""uitest's daemon on tcp:8012: one JSON object a line asked, one answered; screen captures as a stream of JPEGs."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from devices.virtual.harmony.layout import Component, components, layout
from devices.virtual.harmony.phone import HarmonyPhone
from devices.virtual.interface import Node

Answer = Mapping[str, Any]

KEYS = {1: "home", 2: "back", 18: "power", 2054: "enter"}
"""@ohos.multimodalInput.keyCode → the key of `VirtualScreen.key`."""
DELETE = 2055
FLING_MS_AT_REST = 100
TIME_UNIT = 65536
"""A point of a gesture carries how long the finger takes to the next one: x + 65536 × milliseconds."""
MOST_TYPED = 200
"""uitest types longer texts, and those with letters no key has, through the clipboard."""
NO_DAEMON = {"code": 17000001, "message": "uitest daemon is not running"}
NO_COMPONENT = {"code": 17000004, "message": "Component lost/UI object is not found"}


class Refused(Exception):
    """The call cannot be done; `args[0]` is the exception of the answer."""


class UiServer:
    """Answers connections of one phone."""

    def __init__(self, phone: HarmonyPhone) -> None:
        self._phone = phone
        self._objects: dict[str, Any] = {}
        self._counts: dict[str, int] = {}
        self._calls: Mapping[str, Callable[[str, Sequence[Any]], Awaitable[Any]]] = {
            "Component.clearText": self._clear_text,
            "Component.click": self._click_component,
            "Component.getText": self._get_text,
            "Component.inputText": self._input_text,
            "Driver.click": self._click,
            "Driver.create": self._create,
            "Driver.findComponent": self._find,
            "Driver.findComponents": self._find_all,
            "Driver.getDisplayRotation": self._rotation,
            "Driver.getDisplaySize": self._size,
            "Driver.injectMultiPointerAction": self._gesture,
            "Driver.pressBack": self._back,
            "Driver.setDisplayRotation": self._rotate,
            "Driver.setDisplayRotationEnabled": self._let_rotate,
            "Driver.swipe": self._swipe,
            "Driver.triggerKey": self._key,
            "Driver.wakeUpDisplay": self._wake,
            "PointerMatrix.create": self._matrix,
            "PointerMatrix.setPoint": self._set_point,
        }

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of a host, until it hangs up or the daemon dies."""
        running = self._phone.processes
        if not running.uitest_pid:
            writer.close()
            return
        running.connections.add(writer)
        try:
            while line := await reader.readline():
                await self._phone.flowing.wait()
                if not await self._respond(line, writer):
                    break
        except (ConnectionError, ValueError):
            pass
        finally:
            running.connections.discard(writer)
            writer.close()

    async def _respond(self, line: bytes, writer: asyncio.StreamWriter) -> bool:
        """Answers one request; False when the connection ends with it."""
        asked = json.loads(line)
        faults = self._phone.faults
        await asyncio.sleep(faults.delay_s)
        told = json.dumps(await self._answer(asked), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        if faults.garbage:
            faults.garbage -= 1
            told = b"\x00\xff}{" + told[: len(told) // 3] + b"\n"
        if faults.half:
            faults.half -= 1
            writer.write(told[: len(told) // 2])
            return False
        step = faults.fragment or len(told)
        for start in range(0, len(told), step):
            writer.write(told[start : start + step])
            await writer.drain()
        if asked.get("params", {}).get("api") == "startCaptureScreen":
            writer.write(await self._phone.camera.jpeg(self._phone.frame(), 95))
            await writer.drain()
        return True

    async def _answer(self, asked: Answer) -> Answer:
        told = asked.get("params") or {}
        api = str(told.get("api"))
        if not self._phone.processes.uitest_pid:
            return {"exception": NO_DAEMON}
        if asked.get("method") == "Captures":
            return {"result": self._layout() if api == "captureLayout" else "true"}
        arguments = list(told.get("args") or ())
        try:
            return {"result": await self._result(api, str(told.get("this")), arguments)}
        except Refused as refused:
            return {"exception": refused.args[0]}
        except (TypeError, ValueError, KeyError, IndexError) as error:
            return {"exception": {"code": 401, "message": f"(PreProcessing: APiCallInfoChecker)Check arg failed: {error}"}}

    async def _result(self, api: str, this: str, arguments: Sequence[Any]) -> Any:
        if api.startswith("On."):
            return self._selector(this, api.removeprefix("On."), arguments)
        if api not in self._calls:
            self._phone.unhandled.append(f"uitest {api}")
            raise Refused({"code": 401, "message": f"(PreProcessing: APiCallInfoChecker)Illegal api {api}"})
        return await self._calls[api](this, arguments)

    def _layout(self) -> dict[str, Any]:
        return layout(self._tree())

    def _tree(self) -> Node:
        tree = self._phone.gallery.tree()
        if self._phone.is_blank:
            tree.children = [node for node in tree.children if node.package not in ("", self._phone.make.bundle)]
        return tree

    def _new(self, kind: str, value: Any) -> str:
        number = self._counts.get(kind, 0)
        self._counts[kind] = number + 1
        self._objects[f"{kind}#{number}"] = value
        return f"{kind}#{number}"

    # Selectors and components

    def _selector(self, this: str, criterion: str, arguments: Sequence[Any]) -> str:
        """A selector that asks what `this` does, and one thing more."""
        asked = dict(self._objects.get(this, {}))
        asked[criterion] = arguments[0] if arguments else True
        return self._new("On", asked)

    def _matching(self, selector: str) -> list[Component]:
        asked = self._objects[selector]
        return [
            component
            for component in components(self._tree())
            if all(_fits(component.attributes(), name, value) for name, value in asked.items())
        ]

    def _component(self, this: str) -> Component:
        """The component as it is now: the same place in the tree by id, type and order."""
        selector, number = self._objects[this]
        found = self._matching(selector)
        if number >= len(found):
            raise Refused(NO_COMPONENT)
        component: Component = found[number]
        return component

    async def _create(self, _this: str, _arguments: Sequence[Any]) -> str:
        return "Driver#0"

    async def _find(self, _this: str, arguments: Sequence[Any]) -> str | None:
        return self._new("Component", (arguments[0], 0)) if self._matching(arguments[0]) else None

    async def _find_all(self, _this: str, arguments: Sequence[Any]) -> list[str]:
        return [self._new("Component", (arguments[0], number)) for number in range(len(self._matching(arguments[0])))]

    async def _get_text(self, this: str, _arguments: Sequence[Any]) -> str:
        return self._component(this).node.text

    async def _click_component(self, this: str, _arguments: Sequence[Any]) -> None:
        self._tap(self._component(this))

    async def _clear_text(self, this: str, _arguments: Sequence[Any]) -> None:
        self._focus(this)
        self._phone.gallery.set_text("")

    async def _input_text(self, this: str, arguments: Sequence[Any]) -> None:
        """Replaces what stands there: typed when keys can type it, else, or when asked to, pasted."""
        text, mode = str(arguments[0]), arguments[1] if len(arguments) > 1 else {}
        self._focus(this)
        pastes = bool(mode.get("paste")) and self._phone.make.api >= 20
        if pastes or not text.isascii() or len(text) > MOST_TYPED:
            self._phone.gallery.set_text(text)
        else:
            self._phone.gallery.set_text("")
            self._phone.gallery.type_text(text, composing=self._phone.make.locale.startswith("zh"))

    def _focus(self, this: str) -> None:
        """uitest taps a field before it types, even one that has the focus: the keyboard opens."""
        self._tap(self._component(this))

    def _tap(self, component: Component) -> None:
        left, top, right, bottom = component.node.box
        self._phone.gallery.tap((left + right) / 2, (top + bottom) / 2)

    # The whole screen

    async def _size(self, _this: str, _arguments: Sequence[Any]) -> dict[str, int]:
        width, height = self._phone.gallery.size
        return {"x": width, "y": height}

    async def _rotation(self, _this: str, _arguments: Sequence[Any]) -> int:
        return self._phone.processes.rotation

    async def _rotate(self, _this: str, arguments: Sequence[Any]) -> None:
        self._phone.processes.rotation = int(arguments[0])

    async def _let_rotate(self, _this: str, arguments: Sequence[Any]) -> None:
        self._phone.processes.rotation_enabled = bool(arguments[0])

    async def _wake(self, _this: str, _arguments: Sequence[Any]) -> None:
        if not self._phone.gallery.screen_on:
            self._phone.gallery.key("wake")

    async def _click(self, _this: str, arguments: Sequence[Any]) -> None:
        x, y = arguments
        self._phone.gallery.tap(float(x), float(y))

    async def _back(self, _this: str, _arguments: Sequence[Any]) -> None:
        self._phone.gallery.key("back")

    async def _key(self, _this: str, arguments: Sequence[Any]) -> None:
        if arguments[0] == DELETE:
            self._phone.gallery.type_text("\b", composing=False)
        elif arguments[0] in KEYS:
            self._phone.gallery.key(KEYS[arguments[0]])

    async def _swipe(self, _this: str, arguments: Sequence[Any]) -> None:
        """`swipe(x0, y0, x1, y1, speed px/s)`: let go while moving, so that it flings when it is quick."""
        x0, y0, x1, y1 = (float(value) for value in arguments[:4])
        speed = float(arguments[4]) if len(arguments) > 4 else 600.0
        seconds = (abs(x1 - x0) + abs(y1 - y0)) / speed
        await asyncio.sleep(seconds)
        self._phone.gallery.drag(x0, y0, x1, y1, seconds)

    async def _matrix(self, _this: str, arguments: Sequence[Any]) -> str:
        fingers, steps = (int(value) for value in arguments)
        if fingers != 1:
            raise Refused({"code": 401, "message": "one finger only"})
        return self._new("PointerMatrix", [(0, 0)] * steps)

    async def _set_point(self, this: str, arguments: Sequence[Any]) -> None:
        _, step, point = arguments
        self._objects[this][int(step)] = (int(point["x"]), int(point["y"]))

    async def _gesture(self, _this: str, arguments: Sequence[Any]) -> bool:
        """The finger goes through the points; where it rests at the end, nothing flings."""
        points = self._objects[arguments[0]]
        places = [(x % TIME_UNIT, y) for x, y in points]
        waits = [x // TIME_UNIT for x, _ in points]
        await asyncio.sleep(sum(waits) / 1000)
        rest = next((number for number, place in enumerate(places) if place == places[-1]), len(places) - 1)
        rests = sum(waits[rest:-1]) >= FLING_MS_AT_REST
        seconds = 1.0 if rests else sum(waits) / 1000 or 0.05
        self._phone.gallery.drag(*places[0], *places[-1], seconds)
        return True


def _fits(attributes: Mapping[str, str], name: str, value: Any) -> bool:
    wanted = str(value).lower() if isinstance(value, bool) else str(value)
    return attributes.get(name) == wanted
