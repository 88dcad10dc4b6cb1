"""What a UI tree says the gallery is doing. Pure. What a platform lays over a gallery, its own driver names first.

known dialog > (the platform's own table) > indexing > failed > spinner > results > nothing > suggestions
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from drivers.interface import Box, Invalid
from drivers.profile import Candidates, Consequence, Dialog, GalleryProfile
from drivers.screens.tree import Element, Tree, find, find_all, inside

_SAYS_INDEXING = re.compile(
    r"(?i)(.*\b(indexing|still organi[sz]ing)\b.*|.*(正在(建立)?索引|索引中|正在分析(照片|图片)|正在整理(照片|图片)).*)"
)


class Shown(StrEnum):
    """What is on the screen."""

    RESULTS = "results"
    NO_RESULTS = "no_results"
    SPINNER = "spinner"
    SUGGESTIONS = "suggestions"
    SEARCH_PAGE = "search_page"
    """The search field is there and nothing else that is known."""
    GALLERY = "gallery"
    """The gallery is in front, without its search field."""
    KNOWN_DIALOG = "known_dialog"
    INVALID = "invalid"
    """Something that makes an answer impossible; `State.invalid` says what."""


@dataclass(frozen=True, slots=True)
class State:
    """What is shown, and the elements that say so."""

    shown: Shown
    detail: str = ""
    invalid: Invalid | None = None
    dialog: Dialog | None = None
    field: Element | None = None
    cells: tuple[Element, ...] = ()
    results: Element | None = None
    keyboard: Box | None = None
    bars: tuple[Box, ...] = ()
    """The system's bars: results below them are out of sight."""
    passing: bool = False
    """True for a state that may go by itself: it is waited for before the search is given up."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """How a platform calls the elements that every gallery may have."""

    spinners: frozenset[str]
    fields: frozenset[str]


def known_dialog(tree: Tree, profile: GalleryProfile) -> Dialog | None:
    """The dialog of the profile that is on the screen."""
    for dialog in profile.dialogs:
        if _first(tree, dialog.sign, profile.package):
            return dialog
    return None


def known_dialog_state(tree: Tree, profile: GalleryProfile) -> State | None:
    """The state that a dialog of the profile makes; None when none is on the screen."""
    dialog = known_dialog(tree, profile)
    if dialog is None:
        return None
    if dialog.consequence is Consequence.INVALID:
        return State(Shown.INVALID, f"{dialog.name} is on the screen", Invalid(dialog.reason))
    return State(Shown.KNOWN_DIALOG, dialog.name, dialog=dialog)


def gallery_state(tree: Tree, profile: GalleryProfile, kinds: Kinds) -> State:
    """What the gallery itself shows, when nothing lies over it."""
    elements, package = profile.elements, profile.package
    field = find(tree, elements.field, package)
    results = _results(tree, profile)
    cells = _cells(tree, profile, results)
    indexing = find(tree, elements.indexing, package) or _says_indexing(tree, package, kinds)
    if indexing is not None:
        return State(Shown.INVALID, f"the gallery is still indexing: {indexing.text!r}", Invalid.INDEXING, field=field)
    retry = find(tree, elements.retry, package)
    if retry is not None:
        return State(Shown.INVALID, f"the gallery's own search failed: {retry.text!r}", Invalid.UNKNOWN_SCREEN, field=field)
    spinner = _spinner(tree, profile, kinds)
    nothing = find(tree, elements.no_results, package)
    suggestions = find(tree, elements.suggestions, package)
    if spinner is not None:
        shown = Shown.SPINNER
    elif cells:
        shown = Shown.RESULTS
    elif nothing is not None:
        shown = Shown.NO_RESULTS
    elif suggestions is not None:
        shown = Shown.SUGGESTIONS
    elif results is not None and not elements.cell:
        shown = Shown.RESULTS  # drawn without accessible cells: pixels have to tell
    else:
        shown = Shown.GALLERY if field is None else Shown.SEARCH_PAGE
    return State(shown, field=field, cells=cells, results=results)


def _results(tree: Tree, profile: GalleryProfile) -> Element | None:
    """The largest container that fits."""
    return max(find_all(tree, profile.elements.results, profile.package), key=lambda element: element.area, default=None)


def _cells(tree: Tree, profile: GalleryProfile, results: Element | None) -> tuple[Element, ...]:
    """Result cells inside the results container, in reading order."""
    if results is None:
        return ()
    found = find_all(tree, profile.elements.cell, profile.package)
    within = [cell for cell in found if cell.window == results.window and inside(cell.box, results.box)]
    return tuple(sorted(within, key=lambda cell: (cell.box[1], cell.box[0])))


def _spinner(tree: Tree, profile: GalleryProfile, kinds: Kinds) -> Element | None:
    """A spinner of the profile, or any progress wheel of the gallery."""
    named = find(tree, profile.elements.spinner, profile.package)
    if named is not None:
        return named
    return next((e for e in tree.elements if e.kind in kinds.spinners and e.package == profile.package and e.area), None)


def _says_indexing(tree: Tree, package: str, kinds: Kinds) -> Element | None:
    """A text in the gallery's words for "not complete yet"; a field that holds the query is no such text."""
    return next(
        (
            element
            for element in tree.elements
            if element.package == package
            and element.area
            and element.kind not in kinds.fields
            and _SAYS_INDEXING.fullmatch(element.text or element.label)
        ),
        None,
    )


def _first(tree: Tree, candidates: Candidates, package: str) -> Element | None:
    return find(tree, candidates, package)
