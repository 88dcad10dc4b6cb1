"""From elements to what is told of them: the accessibility tree, the element under a finger, the cells truly seen."""

from collections.abc import Iterator

from devices.virtual.gallery.elements import Do, Element, area, contains, flatten, intersect, is_empty
from devices.virtual.interface import Box, Node, Role


def tree(elements: tuple[Element, ...], size: tuple[int, int], package: str, *, hint_as_text: bool) -> Node:
    """The accessibility tree. Boxes are cut to what can be seen; what cannot be seen is not in it.

    `hint_as_text`: an empty field's text is its hint, as Android and iOS tell it.
    """
    whole = (0, 0, *size)
    root = Node(Role.WINDOW, whole, package=package)
    root.children = list(_nodes(elements, whole, package, hint_as_text=hint_as_text))
    return root


def _nodes(elements: tuple[Element, ...], clip: Box, package: str, *, hint_as_text: bool) -> Iterator[Node]:
    for element in elements:
        box = intersect(element.box, clip)
        if is_empty(box) or not element.in_tree:
            continue
        own = element.package or package
        text = element.hint if hint_as_text and element.editable and not element.text else element.text
        yield Node(
            role=element.role,
            box=box,
            name=element.name,
            text=text,
            label=element.label,
            package=own,
            kind=element.kind,
            hint=element.hint,
            clickable=element.do not in (None, Do.NOTHING),
            scrollable=element.scrollable,
            focused=element.focused,
            editable=element.editable,
            selected=element.selected,
            children=list(_nodes(element.children, box, own, hint_as_text=hint_as_text)),
        )


def hit(elements: tuple[Element, ...], size: tuple[int, int], x: float, y: float) -> Element | None:
    """The uppermost element that takes a tap there."""
    drawn = list(flatten(elements, (0, 0, *size)))
    return next((element for element, box in reversed(drawn) if element.do is not None and contains(box, x, y)), None)


def cells_seen(elements: tuple[Element, ...], size: tuple[int, int]) -> Iterator[tuple[Element, float]]:
    """Every cell whose thumbnail is drawn, with the share of it that nothing covers."""
    drawn = list(flatten(elements, (0, 0, *size)))
    for place, (element, box) in enumerate(drawn):
        picture = element.paint.picture
        if picture is None or picture.photo is None or picture.whole or is_empty(box):
            continue
        covered = max((area(intersect(box, over)) for above, over in drawn[place + 1 :] if _covers(above)), default=0)
        yield element, (area(box) - covered) / area(element.box)


def _covers(element: Element) -> bool:
    return element.paint.fill is not None or element.paint.dims
