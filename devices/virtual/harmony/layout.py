"""The screen as uitest tells it: a root, below it one node a window, below those the components."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from devices.virtual.interface import Box, Node, Role

TYPES: Mapping[Role, str] = {
    Role.WINDOW: "root",
    Role.GROUP: "Column",
    Role.LIST: "Grid",
    Role.TEXT: "Text",
    Role.BUTTON: "Button",
    Role.IMAGE: "Image",
    Role.FIELD: "TextInput",
    Role.SPINNER: "LoadingProgress",
    Role.DIALOG: "Dialog",
    Role.KEYBOARD: "Keyboard",
}


@dataclass(frozen=True, slots=True)
class Component:
    """A component with the window that it belongs to."""

    node: Node
    bundle: str

    def attributes(self) -> dict[str, str]:
        """As in a layout dump: every value a string."""
        node = self.node
        bounds = "[{},{}][{},{}]".format(*node.box)
        flags = {
            "checkable": False,
            "checked": False,
            "clickable": node.clickable,
            "enabled": node.enabled,
            "focused": node.focused,
            "longClickable": False,
            "scrollable": node.scrollable,
            "selected": node.selected,
        }
        return {
            "accessibilityId": "",
            "bounds": bounds,
            "origBounds": bounds,
            "description": node.label,
            "hint": node.hint,
            "id": node.name,
            "key": node.name,
            "originalText": node.text,
            "text": node.text,
            "type": node.kind or TYPES[node.role],
            **{name: str(value).lower() for name, value in flags.items()},
        }


def windows(root: Node) -> tuple[Node, ...]:
    """The windows from the bottom up: the app in front, and each part of the screen that another bundle draws."""
    own = [node for node in root.children if (node.package or root.package) == root.package]
    others = [node for node in root.children if (node.package or root.package) != root.package]
    front = Node(Role.WINDOW, root.box, package=root.package, children=own)
    return (front, *(Node(Role.WINDOW, node.box, package=node.package, children=[node]) for node in others))


def components(root: Node) -> Iterator[Component]:
    """Every component on the screen, in the order of a dump."""
    for window in windows(root):
        yield from (Component(node, window.package) for node in window.walk())


def layout(root: Node) -> dict[str, Any]:
    """What `captureLayout` answers."""
    whole: Box = root.box
    top = Component(Node(Role.WINDOW, whole), "").attributes()
    return {"attributes": {**top, "type": ""}, "children": [_window(window) for window in windows(root)]}


def _window(window: Node) -> dict[str, Any]:
    told = _element(window, window.package)
    told["attributes"] |= {"bundleName": window.package, "abilityName": "", "pagePath": ""}
    return told


def _element(node: Node, bundle: str) -> dict[str, Any]:
    return {
        "attributes": Component(node, bundle).attributes(),
        "children": [_element(child, bundle) for child in node.children],
    }
