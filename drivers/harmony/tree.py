"""The component tree of one moment, read from uitest's layout. Pure: no phone.

    (root) attributes, children
      window: its attributes name the bundle      one a window: application, keyboard, system
        component …

Older versions name no bundle at a window: what stands below is taken for a part of the one above.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from drivers.screens.tree import Element, Tree

_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")


def parse_layout(told: Any) -> Tree:
    """Reads what `captureLayout` answers. Raises ValueError for anything else."""
    if not isinstance(told, Mapping) or "attributes" not in told:
        raise ValueError("the layout has no root")
    elements: list[Element] = []
    stack = [(child, 0, -1) for child in reversed(_children(told))]
    while stack:
        node, depth, parent = stack.pop()
        here = len(elements)
        above = elements[parent] if parent >= 0 else None
        elements.append(_element(node, above, here, depth, parent))
        stack += [(child, depth + 1, here) for child in reversed(_children(node))]
    return Tree(tuple(elements))


def _children(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    children = node.get("children") or []
    return [child for child in children if isinstance(child, Mapping)]


def _element(node: Mapping[str, Any], above: Element | None, here: int, depth: int, parent: int) -> Element:
    told = node.get("attributes") or {}
    bundle = str(told.get("bundleName") or "") or (above.package if above is not None else "")
    same = above is not None and above.package == bundle
    bounds = _BOUNDS.fullmatch(str(told.get("bounds", "")))
    left, top, right, bottom = (int(number) for number in bounds.groups()) if bounds else (0, 0, 0, 0)
    return Element(
        id=str(told.get("id") or told.get("key") or ""),
        id_package="",
        text=str(told.get("text") or ""),
        label=str(told.get("description") or ""),
        kind=str(told.get("type") or ""),
        package=bundle,
        box=(left, top, right, bottom),
        clickable=told.get("clickable") == "true",
        scrollable=told.get("scrollable") == "true",
        focused=told.get("focused") == "true",
        window=above.window if above is not None and same else here,
        depth=depth,
        parent=parent,
    )


def as_dumped(text: str) -> str:
    """What a layout shows for `text`."""
    return unicodedata.normalize("NFC", text)
