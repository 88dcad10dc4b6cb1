"""The UI tree of one moment, read from uiautomator's XML. Pure: no phone.

    hierarchy
      node (root of a window) …   one root a window: application, dialog, keyboard, status bar

A window is also where the package changes on the way down, for dumps that hang all windows below one node.
"""

import re
import unicodedata
from xml.etree import ElementTree

from drivers.screens.tree import Element, Tree

_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")


def parse_tree(xml: str) -> Tree:
    """Reads `dumpWindowHierarchy`. Raises ValueError for text that is not such XML."""
    try:
        root = ElementTree.fromstring(xml)  # noqa: S314 - expat resolves no external entities; entity bombs are refused by its own limit
    except ElementTree.ParseError as error:
        raise ValueError(f"the UI tree is not XML: {error}") from error
    elements: list[Element] = []
    stack = [(node, 0, -1) for node in reversed(root)]
    while stack:
        node, depth, parent = stack.pop()
        here = len(elements)
        above = elements[parent] if parent >= 0 else None
        same = above is not None and above.package == node.get("package", "")
        elements.append(_element(node, above.window if above is not None and same else here, depth, parent))
        stack += [(child, depth + 1, here) for child in reversed(node)]
    return Tree(tuple(elements))


def _element(node: ElementTree.Element, window: int, depth: int, parent: int) -> Element:
    bounds = _BOUNDS.fullmatch(node.get("bounds", ""))
    left, top, right, bottom = (int(number) for number in bounds.groups()) if bounds else (0, 0, 0, 0)
    package, _, name = node.get("resource-id", "").rpartition(":id/")
    return Element(
        id=name,
        id_package=package,
        text=node.get("text", ""),
        label=node.get("content-desc", ""),
        kind=node.get("class", "").rpartition(".")[2],
        package=node.get("package", ""),
        box=(left, top, right, bottom),
        clickable=node.get("clickable") == "true",
        scrollable=node.get("scrollable") == "true",
        focused=node.get("focused") == "true",
        window=window,
        depth=depth,
        parent=parent,
    )


def as_dumped(text: str) -> str:
    """What a dump shows for `text`: NFC, and each half of a surrogate pair replaced by a full stop."""
    return "".join(".." if ord(letter) > 0xFFFF else letter for letter in unicodedata.normalize("NFC", text))
