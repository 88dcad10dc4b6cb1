"""What a UI tree says the phone is doing. Pure: the whole table of "this is not an answer" lives here.

Order matters: what lies over the gallery is named before what the gallery shows.

    not responding > lock > permission > other app > dialog > indexing > failed > spinner > results > nothing > suggestions
"""

import re
from dataclasses import replace

from drivers.interface import Box, Invalid
from drivers.profile import GalleryProfile
from drivers.screens.states import Kinds, Shown, State, gallery_state, known_dialog_state
from drivers.screens.tree import Element, Tree

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
_BAR_IDS = {"statusBarBackground", "navigationBarBackground"}
_KINDS = Kinds(spinners=frozenset({"ProgressBar"}), fields=frozenset({"EditText"}))


def classify(tree: Tree, profile: GalleryProfile, keyboard_package: str = "") -> State:
    """Names the state of the screen. `keyboard_package` is the phone's input method, where it is known."""
    known = known_dialog_state(tree, profile)
    if known is not None:
        return known
    over = _over_the_gallery(tree, profile, keyboard_package)
    if over is not None:
        return over
    shown = gallery_state(tree, profile, _KINDS)
    return replace(shown, keyboard=_keyboard(tree, keyboard_package), bars=_bars(tree))


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


def _is_keyboard(root: Element, keyboard_package: str) -> bool:
    return root.package == keyboard_package or _KEYBOARD.fullmatch(root.package) is not None


def _keyboard(tree: Tree, keyboard_package: str) -> Box | None:
    """Where the keyboard lies, when its window is in the tree."""
    boxes = [root.box for root in tree.roots() if _is_keyboard(root, keyboard_package) and root.area]
    return boxes[0] if boxes else None


def _bars(tree: Tree) -> tuple[Box, ...]:
    """Bars of the system at an edge; the root of a full-screen system window is none."""
    height = tree.size()[1]
    return tuple(
        element.box
        for element in tree.elements
        if 0 < element.box[3] - element.box[1] < 0.15 * height and (element.id in _BAR_IDS or element.package == SYSTEM_UI)
    )
