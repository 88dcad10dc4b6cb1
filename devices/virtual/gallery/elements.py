"""What a screen is made of: elements that are drawn *and* told to the accessibility tree, so that the two never disagree."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from devices.virtual.interface import Box, Role

Colour = tuple[int, int, int]


class Do(StrEnum):
    """What a tap on an element does. `Element.index` says which, where there are several."""

    NOTHING = "nothing"
    """Swallows the tap."""
    LAUNCH = "launch"
    OPEN_HOME = "open_home"
    OPEN_SEARCH = "open_search"
    FOCUS_FIELD = "focus_field"
    CLEAR_FIELD = "clear_field"
    LEAVE_SEARCH = "leave_search"
    SUBMIT = "submit"
    PICK_SUGGESTION = "pick_suggestion"
    VIEW_ALL = "view_all"
    OPEN_PHOTO = "open_photo"
    BACK = "back"
    ANSWER_DIALOG = "answer_dialog"
    DISMISS_FAULT = "dismiss_fault"


@dataclass(frozen=True, slots=True)
class Picture:
    """A photo to be drawn into an element: `photo` is its row id, None for a grey placeholder."""

    photo: int | None
    video: bool = False
    heart: bool = False
    whole: bool = False
    """True when the whole photo is shown (viewer), False for a cropped square."""


@dataclass(frozen=True, slots=True)
class Paint:
    """How an element is drawn. Nothing is drawn for what is None, 0 or empty."""

    fill: Colour | None = None
    radius_px: int = 0
    outline: Colour | None = None
    ink: Colour = (0, 0, 0)
    text_px: int = 0
    bold: bool = False
    centred: bool = False
    pad_px: int = 0
    """From the left edge to the text."""
    icon: str = ""
    turn: int = 0
    """Step of a spinner's rotation."""
    picture: Picture | None = None
    dims: bool = False
    """True for a scrim: what is below it is drawn at half brightness."""


PLAIN = Paint()


@dataclass(frozen=True, slots=True)
class Element:
    """One thing on the screen. `drawn` replaces `text` on the screen where the two differ (a hint, a label in the picture)."""

    role: Role
    box: Box
    name: str = ""
    text: str = ""
    label: str = ""
    hint: str = ""
    kind: str = ""
    package: str = ""
    drawn: str | None = None
    paint: Paint = PLAIN
    do: Do | None = None
    index: int = 0
    scrollable: bool = False
    focused: bool = False
    editable: bool = False
    selected: bool = False
    in_tree: bool = True
    children: tuple["Element", ...] = ()
    """Drawn after, and clipped to, this element; in the tree below it."""


def flatten(elements: tuple[Element, ...], clip: Box) -> Iterator[tuple[Element, Box]]:
    """Every element in drawing order with the part of its box that can be seen."""
    for element in elements:
        visible = intersect(element.box, clip)
        yield element, visible
        yield from flatten(element.children, visible)


def intersect(a: Box, b: Box) -> Box:
    """The common part; empty boxes have right <= left or bottom <= top."""
    return max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])


def is_empty(box: Box) -> bool:
    """True when nothing of it can be seen."""
    return box[2] <= box[0] or box[3] <= box[1]


def area(box: Box) -> int:
    """Square pixels; 0 for an empty box."""
    return 0 if is_empty(box) else (box[2] - box[0]) * (box[3] - box[1])


def contains(box: Box, x: float, y: float) -> bool:
    """True when the point lies in the box."""
    return box[0] <= x < box[2] and box[1] <= y < box[3]
