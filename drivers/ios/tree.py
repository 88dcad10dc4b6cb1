"""The UI tree read from WebDriverAgent's JSON. Pure: no phone.

Its frames are whole points around the true ones (CGRectIntegral), so boxes may be one point too large on each side.
`isVisible` is never asked for: it is slow, and wrong for Photos' tiles since iOS 26.
"""

from collections.abc import Mapping
from typing import Any

from drivers.screens.tree import Element, Tree

FIELDS = frozenset({"TextField", "TextView", "SearchField", "SecureTextField"})


def parse_source(source: Mapping[str, Any], package: str, scale: float) -> Tree:
    """Reads `GET /source?format=json`; `scale` is pixels a point, `package` the bundle it was asked of."""
    elements: list[Element] = []
    stack: list[tuple[Mapping[str, Any], int, int]] = [(source, 0, -1)]
    while stack:
        node, depth, parent = stack.pop()
        here = len(elements)
        elements.append(_element(node, package, scale, depth, parent))
        stack += [(child, depth + 1, here) for child in reversed(node.get("children") or ())]
    return Tree(tuple(elements))


def _element(node: Mapping[str, Any], package: str, scale: float, depth: int, parent: int) -> Element:
    rect = node.get("rect") or {}
    x, y, width, height = (float(rect.get(key) or 0) for key in ("x", "y", "width", "height"))
    kind = str(node.get("type") or "").removeprefix("XCUIElementType")
    label = str(node.get("label") or "")
    value = node.get("value")
    return Element(
        id=str(node.get("rawIdentifier") or node.get("name") or ""),
        id_package="",
        text=str(value) if value is not None and kind in FIELDS else label,
        label=label,
        kind=kind,
        package=package,
        box=(round(x * scale), round(y * scale), round((x + width) * scale), round((y + height) * scale)),
        clickable=kind in ("Button", "Image", "Cell"),
        scrollable=kind in ("ScrollView", "CollectionView", "Table"),
        focused=False,
        window=0,
        depth=depth,
        parent=parent,
    )


def quoted(text: str) -> str:
    """`text` as a string in a predicate."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
