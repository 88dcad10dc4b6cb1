"""The UI tree of one moment, and selectors tried on it. Each platform reads its own dumps into it. Pure: no phone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from drivers.interface import Box
from drivers.profile import Candidates, Selector


@dataclass(frozen=True, slots=True)
class Element:
    """One node. `window` and `depth` say where it sits; `parent` is an index into `Tree.elements`, -1 for none."""

    id: str
    """Resource id without its package (Android), identifier (iOS), id (HarmonyOS)."""
    id_package: str
    """The package part of a resource id: `android` for the system's own; "" on other platforms."""
    text: str
    label: str
    kind: str
    package: str
    box: Box
    clickable: bool
    scrollable: bool
    focused: bool
    window: int
    """The index of its window's root."""
    depth: int
    parent: int

    @property
    def centre(self) -> tuple[int, int]:
        """(x, y) px."""
        return (self.box[0] + self.box[2]) // 2, (self.box[1] + self.box[3]) // 2

    @property
    def area(self) -> int:
        """px², 0 when it is not visible."""
        return max(0, self.box[2] - self.box[0]) * max(0, self.box[3] - self.box[1])


@dataclass(frozen=True, slots=True)
class Tree:
    """All elements, depth first; windows in the order of the dump."""

    elements: tuple[Element, ...]

    def roots(self) -> tuple[Element, ...]:
        """The root element of each window."""
        return tuple(element for index, element in enumerate(self.elements) if element.window == index)

    def window(self, root: Element) -> Iterator[Element]:
        """All elements of a window."""
        return (element for element in self.elements if element.window == root.window)

    def size(self) -> tuple[int, int]:
        """(width, height) px of the largest window."""
        roots = self.roots()
        return max((root.box[2] for root in roots), default=0), max((root.box[3] for root in roots), default=0)


def fits(selector: Selector, element: Element, package: str) -> bool:
    """True when everything the selector names fits; without a package of its own it means the gallery's."""
    if element.package != (selector.package or package):
        return False
    return (
        selector.id in ("", element.id)
        and selector.text in ("", element.text.strip())
        and selector.label in ("", element.label.strip())
        and selector.kind in ("", element.kind)
        and (not selector.text_matches or re.fullmatch(selector.text_matches, element.text.strip()) is not None)
        and (not selector.label_matches or re.fullmatch(selector.label_matches, element.label.strip()) is not None)
    )


def find_all(tree: Tree, candidates: Candidates, package: str) -> tuple[Element, ...]:
    """The visible elements of the first candidate that fits any, in tree order."""
    for selector in candidates:
        found = tuple(element for element in tree.elements if element.area and fits(selector, element, package))
        if found:
            return found
    return ()


def find(tree: Tree, candidates: Candidates, package: str) -> Element | None:
    """The first visible element of the first candidate that fits any."""
    return next(iter(find_all(tree, candidates, package)), None)


def inside(box: Box, frame: Box) -> Box | None:
    """The part of `box` within `frame`; None when there is none."""
    left, top = max(box[0], frame[0]), max(box[1], frame[1])
    right, bottom = min(box[2], frame[2]), min(box[3], frame[3])
    return (left, top, right, bottom) if left < right and top < bottom else None
