"""What an iPhone's UI tree says. Pure: the table of what iOS lays over a gallery.

lock > known dialog > permission, other alert > other app > what the gallery shows
"""

import re
from dataclasses import dataclass, replace

from drivers.interface import Invalid
from drivers.ios.tree import FIELDS
from drivers.profile import GalleryProfile
from drivers.screens.states import Kinds, Shown, State, gallery_state, known_dialog_state
from drivers.screens.tree import Tree, find

SPRINGBOARD = "com.apple.springboard"
_ALERTS = ("Alert", "Sheet")
_PERMISSION = re.compile(r"(?is).*(would like to|allow .* to|wants to|想要?|请求|允许.*(访问|使用)).*")
_KINDS = Kinds(spinners=frozenset({"ActivityIndicator"}), fields=FIELDS)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the tree itself does not say."""

    front: str
    """The bundle that the tree was asked of."""
    locked: bool = False


def classify(tree: Tree, around: Surroundings, profile: GalleryProfile) -> State:
    """Names the state of the screen."""
    if around.locked:
        return State(Shown.INVALID, "the phone is locked", Invalid.LOCKED)
    if not tree.elements:
        return State(Shown.INVALID, "the UI tree is empty", Invalid.UNKNOWN_SCREEN, passing=True)
    over = known_dialog_state(tree, profile) or _alert(tree)
    if over is not None:
        return over
    if around.front != profile.package:
        return State(Shown.INVALID, f"{around.front} is in front instead of {profile.package}", Invalid.WRONG_APP)
    return _gallery(tree, profile)


def _alert(tree: Tree) -> State | None:
    """An alert that no profile knows: nobody has said how to answer it."""
    alert = next((element for element in tree.elements if element.kind in _ALERTS and element.area), None)
    if alert is None:
        return None
    texts = [element.text for element in tree.elements if element.kind == "StaticText" and element.text]
    said = " / ".join(texts)[:200] or alert.label
    if _PERMISSION.fullmatch(said) or _PERMISSION.fullmatch(alert.label):
        return State(Shown.INVALID, f"the phone asks: {said}", Invalid.PERMISSION)
    return State(Shown.INVALID, f"a dialog nobody knows: {said}", Invalid.DIALOG)


def _gallery(tree: Tree, profile: GalleryProfile) -> State:
    state = gallery_state(tree, profile, _KINDS)
    keyboard = next((element.box for element in tree.elements if element.kind == "Keyboard" and element.area), None)
    if state.field is None and find(tree, profile.elements.search_entry, profile.package) is not None:
        # The library has the scroll view and tiles of the results: with the way to the field and without it, it is no answer.
        return State(Shown.GALLERY, keyboard=keyboard)
    return replace(state, keyboard=keyboard)
