"""What a UI tree says the phone is doing. Pure: the whole table of "this is not an answer" lives here.

Order matters: what lies over the gallery is named before what the gallery shows.

    not responding > lock > permission > other app > dialog > indexing > failed > spinner > results > nothing > suggestions
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from drivers.android.tree import Element, Tree, find, find_all, inside
from drivers.interface import Box, Invalid
from drivers.profile import Candidates, Consequence, Dialog, GalleryProfile

SYSTEM_UI = "com.android.systemui"
_PERMISSION = re.compile(
    r"com\.(google\.)?android\.permissioncontroller|com\.(google\.)?android\.packageinstaller|com\.lbe\.security\.miui"
)
_KEYBOARD = re.compile(r"(?i).*(inputmethod|keyboard|\.ime\b|latinime|honeyboard|sogou|iflytek|gboard).*")
_ANR_IDS = {"aerr_wait", "aerr_close", "aerr_app_info", "aerr_restart", "aerr_mute", "aerr_report"}
_ANR_TEXT = re.compile(r".*(isn.t responding|keeps stopping|has stopped|无响应|没有响应|屡次停止运行|已停止运行).*", re.DOTALL)
# Ids of AOSP's keyguard, which every maker's lock screen keeps parts of.
_LOCK_IDS = re.compile(
    r"keyguard_.*|lock_icon(_view)?|lockscreen_.*|lock_screen_.*|emergency_call_button|pinEntry|lockPatternView|passwordEntry"
)
_HEADS_UP_IDS = re.compile(r"heads_up.*|status_bar_latest_event_content|expandableNotificationRow|notification_heads_up.*")
_DIALOG_IDS = {"alertTitle", "parentPanel", "button1", "button2", "button3", "design_bottom_sheet"}
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
    passing: bool = False
    """True for a state that may go by itself: it is waited for before the search is given up."""


def classify(tree: Tree, profile: GalleryProfile, keyboard_package: str = "") -> State:
    """Names the state of the screen. `keyboard_package` is the phone's input method, where it is known."""
    keyboard = _keyboard(tree, keyboard_package)
    known = _known_dialog(tree, profile)
    if known is not None:
        return known
    over = _over_the_gallery(tree, profile, keyboard_package)
    if over is not None:
        return over
    return _gallery(tree, profile, keyboard)


def known_dialog(tree: Tree, profile: GalleryProfile) -> Dialog | None:
    """The dialog of the profile that is on the screen."""
    for dialog in profile.dialogs:
        if _first(tree, dialog.sign, profile.package):
            return dialog
    return None


def _known_dialog(tree: Tree, profile: GalleryProfile) -> State | None:
    dialog = known_dialog(tree, profile)
    if dialog is None:
        return None
    if dialog.consequence is Consequence.INVALID:
        return State(Shown.INVALID, f"{dialog.name} is on the screen", Invalid(dialog.reason))
    return State(Shown.KNOWN_DIALOG, dialog.name, dialog=dialog)


def _over_the_gallery(tree: Tree, profile: GalleryProfile, keyboard_package: str) -> State | None:
    """What stands before the gallery, the gravest first."""
    if not tree.elements:
        return State(Shown.INVALID, "the UI tree is empty", Invalid.UNKNOWN_SCREEN, passing=True)
    system = _from_the_system(tree)
    if system is not None:
        return system
    apps = [root for root in tree.roots() if root.package != SYSTEM_UI and not _is_keyboard(root, keyboard_package)]
    if not any(root.package == profile.package for root in apps):
        front = ", ".join(sorted({root.package for root in apps})) or SYSTEM_UI
        return State(Shown.INVALID, f"{front} is in front instead of {profile.package}", Invalid.WRONG_APP)
    return _unknown_dialog(tree, apps)


def _from_the_system(tree: Tree) -> State | None:
    """What Android itself lays over an app."""
    if any(element.id in _ANR_IDS or _ANR_TEXT.fullmatch(element.text) for element in tree.elements if element.area):
        return State(Shown.INVALID, "an app is not responding", Invalid.NOT_RESPONDING)
    system = [element for element in tree.elements if element.package == SYSTEM_UI and element.area]
    if any(_LOCK_IDS.fullmatch(element.id) for element in system):
        return State(Shown.INVALID, "the phone is locked", Invalid.LOCKED)
    if any(_PERMISSION.fullmatch(root.package) for root in tree.roots()):
        return State(Shown.INVALID, "the phone asks for a permission", Invalid.PERMISSION)
    if any(_HEADS_UP_IDS.fullmatch(element.id) or _is_amid(element, tree.size()[1]) for element in system):
        return State(Shown.INVALID, "a notification lies over the screen", Invalid.NOTIFICATION, passing=True)
    return None


def _is_amid(element: Element, height: int) -> bool:
    """True for words of the system away from its bars: a notification, a volume panel, whatever a maker adds."""
    worded = bool(element.text or element.label)
    return worded and element.box[3] > 0.1 * height and element.box[1] < 0.9 * height


def _unknown_dialog(tree: Tree, apps: list[Element]) -> State | None:
    """A window smaller than the screen, or the parts of a standard dialog: nobody has said how to answer it."""
    width, height = tree.size()
    for root in apps:
        covers = root.box[2] - root.box[0] >= width * 0.98 and root.box[3] - root.box[1] >= height * 0.8
        parts = {element.id for element in tree.window(root) if element.area} & _DIALOG_IDS
        if not covers or parts:
            texts = [element.text for element in tree.window(root) if element.text]
            return State(Shown.INVALID, f"a dialog nobody knows: {' / '.join(texts)[:200] or root.package}", Invalid.DIALOG)
    return None


def _gallery(tree: Tree, profile: GalleryProfile, keyboard: Box | None) -> State:
    """What the gallery itself shows."""
    elements, package = profile.elements, profile.package
    field = find(tree, elements.field, package)
    results = _results(tree, profile)
    cells = _cells(tree, profile, results)
    indexing = find(tree, elements.indexing, package) or _says_indexing(tree, package)
    if indexing is not None:
        return State(Shown.INVALID, f"the gallery is still indexing: {indexing.text!r}", Invalid.INDEXING, field=field)
    retry = find(tree, elements.retry, package)
    if retry is not None:
        return State(Shown.INVALID, f"the gallery's own search failed: {retry.text!r}", Invalid.UNKNOWN_SCREEN, field=field)
    spinner = _spinner(tree, profile)
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
    return State(shown, field=field, cells=cells, results=results, keyboard=keyboard)


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


def _spinner(tree: Tree, profile: GalleryProfile) -> Element | None:
    """A spinner of the profile, or any progress wheel of the gallery."""
    named = find(tree, profile.elements.spinner, profile.package)
    if named is not None:
        return named
    return next((e for e in tree.elements if e.kind == "ProgressBar" and e.package == profile.package and e.area), None)


def _says_indexing(tree: Tree, package: str) -> Element | None:
    """A text in the gallery's words for "not complete yet"; a field that holds the query is no such text."""
    return next(
        (
            element
            for element in tree.elements
            if element.package == package
            and element.area
            and element.kind != "EditText"
            and element.text
            and _SAYS_INDEXING.fullmatch(element.text)
        ),
        None,
    )


def _is_keyboard(root: Element, keyboard_package: str) -> bool:
    return root.package == keyboard_package or _KEYBOARD.fullmatch(root.package) is not None


def _keyboard(tree: Tree, keyboard_package: str) -> Box | None:
    """Where the keyboard lies, when its window is in the tree."""
    boxes = [root.box for root in tree.roots() if _is_keyboard(root, keyboard_package) and root.area]
    return boxes[0] if boxes else None


def _first(tree: Tree, candidates: Candidates, package: str) -> Element | None:
    return find(tree, candidates, package)
