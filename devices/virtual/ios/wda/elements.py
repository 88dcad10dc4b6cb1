"""The accessibility tree as XCUITest tells it: types, names, labels, values and frames in whole points."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

from devices.virtual.interface import Node, Role

TYPE = "XCUIElementType"
SPRINGBOARD = "com.apple.springboard"
_TYPES = {
    Role.WINDOW: "Window",
    Role.GROUP: "Other",
    Role.LIST: "ScrollView",
    Role.TEXT: "StaticText",
    Role.BUTTON: "Button",
    Role.IMAGE: "Image",
    Role.FIELD: "TextField",
    Role.SPINNER: "ActivityIndicator",
    Role.DIALOG: "Other",
    Role.KEYBOARD: "Keyboard",
}
_NOTIFICATION = "NotificationShortLookView"

Rect = tuple[int, int, int, int]
"""(x, y, width, height) in points."""


@dataclass(slots=True)
class XElement:
    """One element. Comparing two of them by `sign` tells whether they are the same one at two moments."""

    type: str
    name: str
    label: str
    value: str | None
    rect: Rect
    hittable: bool = True
    enabled: bool = True
    focused: bool = False
    selected: bool = False
    is_field: bool = False
    children: "list[XElement]" = field(default_factory=list)

    @property
    def sign(self) -> tuple[str, str, str]:
        """What stays of an element while the screen moves; a field's text is none of it."""
        return self.type, self.name, "" if self.is_field else self.label

    @property
    def centre(self) -> tuple[float, float]:
        """(x, y) points."""
        x, y, width, height = self.rect
        return x + width / 2, y + height / 2

    def walk(self) -> "Iterator[XElement]":
        """This element and all below it, depth first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def attribute(self, key: str) -> Any:
        """As predicates and `attribute/KEY` name them. Raises KeyError."""
        key = key.removeprefix("wd")
        key = key[:1].lower() + key[1:]
        name = self.name or None
        told = {
            "type": TYPE + self.type,
            "className": TYPE + self.type,
            "name": name or self.label or None,
            "rawIdentifier": name,
            "label": self.label or None,
            "value": self.value,
            "rect": dict(zip(("x", "y", "width", "height"), self.rect, strict=True)),
            "visible": self.hittable,
            "displayed": self.hittable,
            "hittable": self.hittable,
            "enabled": self.enabled,
            "focused": self.focused,
            "hasFocus": self.focused,
            "selected": self.selected,
            "accessible": not self.children,
            "accessibilityContainer": bool(self.children),
        }
        return told[key]

    def as_json(self, excluded: frozenset[str] = frozenset()) -> dict[str, Any]:
        """As `GET /source?format=json`."""
        told: dict[str, Any] = {
            "isEnabled": "1" if self.enabled else "0",
            "isVisible": "1" if self.hittable else "0",
            "frame": f"{{{{{self.rect[0]}, {self.rect[1]}}}, {{{self.rect[2]}, {self.rect[3]}}}}}",
            "rect": self.attribute("rect"),
            "value": self.value,
            "label": self.label or None,
            "type": self.type,
            "name": self.attribute("name"),
            "rawIdentifier": self.name or None,
        }
        if "visible" in excluded:
            del told["isVisible"]
        if self.children:
            told["children"] = [child.as_json(excluded) for child in self.children]
        return told

    def as_xml(self, index: int = 0) -> ElementTree.Element:
        """As `GET /source`, without its head."""
        told = {"type": TYPE + self.type, "enabled": _word(self.enabled), "visible": _word(self.hittable)}
        told |= {key: value for key in ("name", "label", "value") if (value := self.attribute(key)) is not None}
        told |= {key: str(value) for key, value in self.attribute("rect").items()}
        node = ElementTree.Element(TYPE + self.type, told | {"index": str(index)})
        node.extend(child.as_xml(place) for place, child in enumerate(self.children))
        return node


def _word(value: bool) -> str:
    return "true" if value else "false"


def app_tree(root: Node, package: str, scale: float, tiles_hittable: bool) -> XElement:
    """The tree of the app `package`: what belongs to others (banners, alerts of the system) is not in it.

    `tiles_hittable` is False for systems whose photo tiles claim that they cannot be hit (seen since iOS 26).
    """
    return _application(root, scale, tiles_hittable, [node for node in root.children if _belongs(node, package)])


def springboard_tree(root: Node, scale: float) -> XElement:
    """What SpringBoard shows: home screen, lock screen, alerts and banners."""
    own = [node for node in root.children if node.package == SPRINGBOARD]
    return _application(root, scale, True, own)


def _belongs(node: Node, package: str) -> bool:
    return node.package == package or node.role is Role.KEYBOARD


def _application(root: Node, scale: float, tiles_hittable: bool, nodes: list[Node]) -> XElement:
    rect = _rect(root, scale)
    children = [_element(node, scale, tiles_hittable) for node in nodes]
    window = XElement("Window", "", "", None, rect, children=children)
    return XElement("Application", "", _title(children), None, rect, children=[window])


def _title(children: list[XElement]) -> str:
    return next((child.label for child in children if child.type == "StaticText"), "")


def _element(node: Node, scale: float, tiles_hittable: bool) -> XElement:
    kind = node.kind or _TYPES[node.role]
    name = node.name
    if node.role is Role.DIALOG and node.package == SPRINGBOARD:
        kind = "Alert"
    elif node.package == SPRINGBOARD and name == "expanded":
        name = _NOTIFICATION
    field_like = node.role is Role.FIELD
    label = node.label or ("" if field_like else node.text)
    if kind == "Alert":
        label = next((child.text for child in node.children if child.role is Role.TEXT), "")
    return XElement(
        type=kind,
        name=name,
        label=label,
        value=node.text if field_like else None,
        rect=_rect(node, scale),
        hittable=tiles_hittable or not name.startswith("PXGGridLayout-Info"),
        enabled=node.enabled,
        focused=node.focused,
        selected=node.selected,
        is_field=field_like,
        children=[_element(child, scale, tiles_hittable) for child in node.children],
    )


def _rect(node: Node, scale: float) -> Rect:
    """The smallest whole points around the box, as CGRectIntegral gives them."""
    left, top = math.floor(node.box[0] / scale), math.floor(node.box[1] / scale)
    return left, top, math.ceil(node.box[2] / scale) - left, math.ceil(node.box[3] / scale) - top
