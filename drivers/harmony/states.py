"""What a component tree says the phone is doing. Pure: what HarmonyOS lays over a gallery is named here.

    not responding > lock > permission > other app > notification > dialog > (what the gallery itself shows)

The system's shell, `com.ohos.sceneboard`, draws launcher, lock screen, notifications and system dialogs alike; which of them
it is, is told by ids where they are known (guesses until a phone is calibrated) and by words.
"""

import re
from dataclasses import replace

from drivers.interface import Box, Invalid
from drivers.profile import GalleryProfile
from drivers.screens.states import Kinds, Shown, State, gallery_state, known_dialog_state
from drivers.screens.tree import Element, Tree

SYSTEM_UI = re.compile(r"com\.ohos\.(sceneboard|systemui|screenlock|launcher)")
_PERMISSION = re.compile(r"com\.ohos\.permissionmanager|com\.huawei\.hmos\.permissionmanager")
_KEYBOARD = re.compile(r"(?i).*(inputmethod|keyboard|kikaime|\.ime\b|celiakeyboard|sogou|iflytek).*")
_NOT_RESPONDING = re.compile(r".*(isn.t responding|not responding|has stopped|无响应|没有响应|已停止运行).*", re.DOTALL)
_LOCK_IDS = re.compile(r"(?i).*(keyguard|screen_?lock|lock_?screen).*")
_DIALOG_KINDS = {"Dialog", "AlertDialog", "CustomDialog", "ActionSheet"}
_KINDS = Kinds(
    spinners=frozenset({"LoadingProgress", "Progress"}),
    fields=frozenset({"TextInput", "SearchField", "Search", "TextArea"}),
)


def classify(tree: Tree, profile: GalleryProfile) -> State:
    """Names the state of the screen."""
    known = known_dialog_state(tree, profile)
    if known is not None:
        return known
    over = _over_the_gallery(tree, profile)
    if over is not None:
        return over
    return replace(gallery_state(tree, profile, _KINDS), keyboard=_keyboard(tree), bars=_bars(tree))


def is_blank(tree: Tree, package: str) -> bool:
    """True when the gallery is in front and shows nothing: its white page after some cold starts."""
    own = [element for element in tree.elements if element.package == package and element.area]
    return bool(own) and len(own) <= 3  # a window, its root and its page, without anything on it


def _over_the_gallery(tree: Tree, profile: GalleryProfile) -> State | None:
    """What stands before the gallery, the gravest first."""
    if not tree.elements:
        return State(Shown.INVALID, "the component tree is empty", Invalid.UNKNOWN_SCREEN, passing=True)
    visible = [element for element in tree.elements if element.area]
    system = [element for element in visible if SYSTEM_UI.fullmatch(element.package)]
    if any(_NOT_RESPONDING.fullmatch(element.text) for element in system):
        return State(Shown.INVALID, "an app is not responding", Invalid.NOT_RESPONDING)
    if any(_LOCK_IDS.fullmatch(element.id) for element in system):
        return State(Shown.INVALID, "the phone is locked", Invalid.LOCKED)
    if any(_PERMISSION.fullmatch(element.package) for element in visible):
        return State(Shown.INVALID, "the phone asks for a permission", Invalid.PERMISSION)
    apps = {root.package for root in tree.roots() if root.area and not _KEYBOARD.fullmatch(root.package)}
    if profile.package not in apps:
        front = ", ".join(sorted(apps)) or "nothing"
        return State(Shown.INVALID, f"{front} is in front instead of {profile.package}", Invalid.WRONG_APP)
    return _dialog(visible, profile) or _notification(system, tree.size()[1])


def _dialog(visible: list[Element], profile: GalleryProfile) -> State | None:
    """A dialog that no profile knows: nobody has said how to answer it."""
    found = next((element for element in visible if element.kind in _DIALOG_KINDS), None)
    if found is None or not (found.package == profile.package or SYSTEM_UI.fullmatch(found.package)):
        return None
    texts = [element.text for element in visible if element.window == found.window and element.text]
    return State(Shown.INVALID, f"a dialog nobody knows: {' / '.join(texts)[:200]}", Invalid.DIALOG)


def _notification(system: list[Element], height: int) -> State | None:
    """Words of the system away from its bars: a notification, a volume panel."""
    amid = [e for e in system if (e.text or e.label) and e.box[3] > 0.1 * height and e.box[1] < 0.9 * height]
    if not amid:
        return None
    return State(Shown.INVALID, "a notification lies over the screen", Invalid.NOTIFICATION, passing=True)


def _keyboard(tree: Tree) -> Box | None:
    """Where the keyboard lies, when its window is in the tree."""
    boxes = [root.box for root in tree.roots() if _KEYBOARD.fullmatch(root.package) and root.area]
    return boxes[0] if boxes else None


def _bars(tree: Tree) -> tuple[Box, ...]:
    """Bars of the system at an edge."""
    height = tree.size()[1]
    return tuple(
        element.box
        for element in tree.elements
        if SYSTEM_UI.fullmatch(element.package) and 0 < element.box[3] - element.box[1] < 0.15 * height
    )
