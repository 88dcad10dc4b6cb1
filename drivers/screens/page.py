"""From a UI tree and a picture to a `Screen`: where results scroll, which cells are visible, in which order. Pure."""

from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from drivers.interface import Box, Screen
from drivers.profile import GalleryProfile
from drivers.screens.picture import Gray
from drivers.screens.states import State
from drivers.screens.tree import Element, Tree, find, find_all, inside

_SLIVER_PX = 4  # less of a cell than this is an edge, not a picture


@dataclass(frozen=True, slots=True)
class Look:
    """One settled moment: the tree, what it means, and the picture taken with it."""

    tree: Tree
    state: State
    png: bytes
    frame: Gray
    viewport: Box


def viewport(tree: Tree, state: State, profile: GalleryProfile) -> Box:
    """Where results scroll: their container, without what lies over it at the top or bottom."""
    width, height = tree.size()
    box = state.results.box if state.results is not None else (0, 0, width, height)
    over = list(state.bars)
    over += [bar.box for bar in find_all(tree, profile.elements.bars, profile.package)]
    if state.field is not None:
        over.append(state.field.box)
    if state.keyboard is not None:
        over.append(state.keyboard)
    for bar in over:
        box = _without(box, bar)
    return box


def screen(look: Look, profile: GalleryProfile) -> Screen:
    """What the reader of the screens gets."""
    cells = [(box, cell) for cell in look.state.cells if (box := _visible(cell.box, look.viewport))]
    order = reading_order([box for box, _ in cells])
    boxes = tuple(cells[index][0] for index in order)
    labels = tuple(_label(look.tree, cells[index][1]) for index in order)
    offered = bool(profile.elements.cell)
    return Screen(
        png=look.png,
        viewport=look.viewport,
        cells=boxes if offered else None,
        labels=labels if offered and any(labels) else None,
        sections=_sections(look, profile),
    )


def reading_order(boxes: list[Box]) -> list[int]:
    """Indices row by row, each from left to right. Tops that differ by less than a quarter of a cell share a row."""
    by_top = sorted(range(len(boxes)), key=lambda index: (boxes[index][1], boxes[index][0]))
    rows: list[list[int]] = []
    for index in by_top:
        _, top, _, bottom = boxes[index]
        head = boxes[rows[-1][0]] if rows else None
        if head is not None and top - head[1] < 0.25 * max(bottom - top, head[3] - head[1]):
            rows[-1].append(index)
        else:
            rows.append([index])
    return [index for row in rows for index in sorted(row, key=lambda entry: boxes[entry][0])]


def row_pitch(cells: tuple[Element, ...]) -> float | None:
    """Pixels from the top of one row to the next; None with fewer than two whole rows."""
    tops = sorted({cell.box[1] for cell in cells})
    steps = [after - before for before, after in pairwise(tops) if after - before > _SLIVER_PX]
    return float(median(steps)) if steps else None


def scroll_distance(height: int, pitch: float | None) -> int:
    """How far to drag, in px, so that two rows and a little stay visible: one row has to, and drags are not exact."""
    if pitch is None:
        return round(0.45 * height)
    rows = height / pitch
    kept = 2.1 if rows >= 4 else rows / 2
    return max(round(0.3 * pitch), round(height - kept * pitch))


def _visible(box: Box, frame: Box) -> Box | None:
    seen = inside(box, frame)
    return seen if seen and seen[2] - seen[0] >= _SLIVER_PX and seen[3] - seen[1] >= _SLIVER_PX else None


def _label(tree: Tree, cell: Element) -> str:
    """Its own label, else that of the first element within it that has one."""
    if cell.label:
        return cell.label
    within = (e for e in tree.elements if e.window == cell.window and e.depth > cell.depth and inside(e.box, cell.box) == e.box)
    return next((element.label for element in within if element.label), "")


def _sections(look: Look, profile: GalleryProfile) -> tuple[tuple[int, str], ...]:
    titles = find_all(look.tree, profile.elements.section, profile.package)
    seen = [(title.box[1], title.text or title.label) for title in titles if inside(title.box, look.viewport)]
    return tuple(sorted(seen))


def _without(box: Box, bar: Box) -> Box:
    """`box` without the part a full-width bar takes from its top or bottom; other overlaps change nothing."""
    seen = inside(bar, box)
    if seen is None or seen[2] - seen[0] < 0.5 * (box[2] - box[0]):
        return box
    left, top, right, bottom = box
    if seen[3] - top <= bottom - seen[1]:
        return (left, min(seen[3], bottom), right, bottom) if seen[3] < bottom else box
    return (left, top, right, seen[1]) if seen[1] > top else box


def view_all(look: Look, profile: GalleryProfile) -> Element | None:
    """The element that shows the rest of a group of results."""
    return find(look.tree, profile.elements.view_all, profile.package)


def at_end_marker(look: Look, profile: GalleryProfile) -> bool:
    """True when the gallery itself shows that its list ends here."""
    marker = find(look.tree, profile.elements.end_marker, profile.package)
    return marker is not None and inside(marker.box, look.viewport) == marker.box
