"""uiautomator2 selectors: a JSON object of criteria that all have to hold, with children and siblings below it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from devices.virtual.android.hierarchy import View
from devices.virtual.interface import Node

TEXTS: Mapping[str, Callable[[View], str]] = {
    "text": lambda view: view.node.text,
    "className": lambda view: view.class_name,
    "description": lambda view: view.node.label,
    "packageName": lambda view: view.package,
    "resourceId": lambda view: view.resource_id,
}
FLAGS: Mapping[str, Callable[[Node], bool]] = {
    "checkable": lambda _: False,
    "checked": lambda _: False,
    "clickable": lambda node: node.clickable,
    "longClickable": lambda node: node.editable,
    "scrollable": lambda node: node.scrollable,
    "enabled": lambda node: node.enabled,
    "focusable": lambda node: node.editable or node.clickable,
    "focused": lambda node: node.focused,
    "selected": lambda node: node.selected,
}
COMPARISONS: Mapping[str, Callable[[str, str], bool]] = {
    "": lambda value, wanted: value == wanted,
    "Contains": lambda value, wanted: wanted.lower() in value.lower(),
    "StartsWith": lambda value, wanted: value.lower().startswith(wanted.lower()),
    "Matches": lambda value, wanted: re.fullmatch(wanted, value, re.DOTALL) is not None,
}


@dataclass(frozen=True, slots=True)
class Selector:
    """Criteria, which of the found views is meant (None: any), and what is looked for relative to it."""

    criteria: Mapping[str, Any]
    instance: int | None
    relations: Sequence[tuple[str, "Selector"]] = field(default=())


def as_selector(told: Mapping[str, Any]) -> Selector:
    """The selector that uiautomator2 sent. Raises ValueError for a criterion that u2.jar does not know."""
    criteria = {name: value for name, value in told.items() if name in KNOWN}
    unknown = set(told) - set(KNOWN) - {"mask", "instance", "childOrSibling", "childOrSiblingSelector"}
    if unknown:
        raise ValueError(f"unknown selector fields: {sorted(unknown)}")
    below = zip(told.get("childOrSibling", ()), told.get("childOrSiblingSelector", ()), strict=True)
    return Selector(criteria, told.get("instance"), tuple((how, as_selector(other)) for how, other in below))


KNOWN = (*FLAGS, "index", *(name + suffix for name in TEXTS for suffix in COMPARISONS))


def find(root: View, selector: Selector) -> list[View]:
    """The views that a selector names, in tree order."""
    found = _chosen([view for view in root.walk() if _fits(view, selector.criteria)], selector.instance)
    for how, other in selector.relations:
        found = _related(root, found, how, other)
    return found


def _chosen(views: list[View], instance: int | None) -> list[View]:
    return views if instance is None else views[instance : instance + 1]


def _related(root: View, found: list[View], how: str, other: Selector) -> list[View]:
    if how == "child":
        near = [view for one in found for view in one.walk()[1:]]
    else:
        parents = [view for view in root.walk() if any(child is one for child in view.children for one in found)]
        near = [child for parent in parents for child in parent.children if all(child is not one for one in found)]
    return _chosen([view for view in near if _fits(view, other.criteria)], other.instance)


def _fits(view: View, criteria: Mapping[str, Any]) -> bool:
    return all(_holds(view, name, wanted) for name, wanted in criteria.items())


def _holds(view: View, name: str, wanted: Any) -> bool:
    if name in FLAGS:
        return FLAGS[name](view.node) == bool(wanted)
    if name == "index":
        return view.index == int(wanted)
    for suffix in ("Contains", "StartsWith", "Matches", ""):
        if name.endswith(suffix) and name.removesuffix(suffix) in TEXTS:
            return bool(COMPARISONS[suffix](TEXTS[name.removesuffix(suffix)](view), str(wanted)))
    return False
