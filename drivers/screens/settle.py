"""Waiting until the screen is an answer that stands still, or naming why it is none.

    glance ─ tree ─ picture      glance and picture equal where results are, 0.15 s apart, and the tree between them says
                                 results or "nothing found": settled. So are they when quick frames are too coarse to equal
                                 a picture, but a glance after it equals the one before. Anything else: look again until
                                 the time is up.

A spinner, a moving grid, grey placeholders, a notification that goes by itself and a keyboard are waited for or put away; a
dialog of the profile is answered; the rest is not an answer.
"""

from dataclasses import dataclass
from time import monotonic

from drivers.interface import Box, Invalid
from drivers.screens.entering import Past, field_disagrees
from drivers.screens.hands import Hands, Until, wait_until
from drivers.screens.page import Look, viewport
from drivers.screens.picture import Gray, flat_levels, still
from drivers.screens.states import Shown, State
from drivers.screens.tree import Tree, inside

_DIALOGS = 6
_PASSING_S = 8.0  # a heads-up notification goes after 5 s
_PLACEHOLDER_S = 3.0
_PLACEHOLDERS_S = 10.0
_MOSTLY_FLAT = 0.5
_ANSWERS = (Shown.RESULTS, Shown.NO_RESULTS)

_WHY_NOT = {
    Shown.SPINNER: (Invalid.STILL_LOADING, "the gallery is still loading"),
    Shown.RESULTS: (Invalid.STILL_LOADING, "the results do not come to rest"),
    Shown.NO_RESULTS: (Invalid.STILL_LOADING, "the page does not come to rest"),
    Shown.SUGGESTIONS: (Invalid.SUGGESTIONS_ONLY, "the gallery shows suggestions instead of results"),
    Shown.SEARCH_PAGE: (Invalid.UNKNOWN_SCREEN, "the search page shows neither results nor that there are none"),
    Shown.GALLERY: (Invalid.UNKNOWN_SCREEN, "the gallery shows neither results nor its search field"),
    Shown.KNOWN_DIALOG: (Invalid.DIALOG, "a dialog does not go away"),
}


def _why_not(state: State, patience: "_Patience") -> tuple[Invalid, str]:
    if patience.keyboard_closed and state.keyboard is not None and state.shown in _ANSWERS:
        return Invalid.KEYBOARD_OVER_GRID, "the keyboard stays open over the results"
    return _WHY_NOT.get(state.shown, (state.invalid or Invalid.TIMEOUT, state.detail))


@dataclass(slots=True)
class _Patience:
    """What was waited for so far."""

    until: Until
    dialogs: int = 0
    keyboard_closed: bool = False
    keyboard_asked: bool = False
    passing: Until | None = None
    flat_since: float | None = None


@dataclass(frozen=True, slots=True)
class Glance:
    """A frame, and the monotonic time when it was asked for."""

    frame: Gray
    began: float

    @classmethod
    def now(cls, hands: Hands) -> "Glance":
        """The screen as it is."""
        began = monotonic()
        return cls(hands.glance(), began)


def settle(hands: Hands, text: str, *, first: Glance | None = None, ask_keyboard: bool = False) -> Look:
    """A settled look at results or at the gallery's own "nothing found". Raises SearchFailed, PhoneLost.

    `text` is what the search field has to show where it is on the screen; `first` a glance that was taken already.
    """
    limit = hands.profile.patience.results_s
    patience = _Patience(Until.after(limit), keyboard_asked=not ask_keyboard)
    state = State(Shown.GALLERY)
    while not patience.until.over:
        glance, first = first or Glance.now(hands), None
        tree, state = hands.look()
        if not _ready(hands, tree, state, patience):
            hands.pause()
            continue
        wait_until(glance.began + hands.profile.patience.still_s)
        png, frame = hands.photograph()
        box = viewport(tree, state, hands.profile)
        if still(glance.frame, frame, box) or still(glance.frame, hands.glance(), box):
            # Later frames are compared with the glance: what a phone's quick frames lose, all of them lose.
            look = Look(tree, state, png, glance.frame, box)
            if _filled(hands, look, patience):
                return _checked(hands, look, text)
    reason, words = _why_not(state, patience)
    raise hands.failure(reason, f"{words} after {limit:.0f} s")


def rests_unchanged(hands: Hands, last: Look, glance: Glance) -> bool:
    """True when the screen shows what it showed in `last` at `glance`, and goes on showing it."""
    if not still(glance.frame, last.frame, last.viewport):
        return False
    wait_until(glance.began + hands.profile.patience.still_s)
    return still(hands.glance(), last.frame, last.viewport)


def is_stale(look: Look, past: Past) -> bool:
    """True when `look` shows what was on the screen for the previous query."""
    return any(still(look.frame, frame, box) for frame, box in past)


def _ready(hands: Hands, tree: Tree, state: State, patience: _Patience) -> bool:
    """True when the state is an answer with nothing over it; does what brings it nearer, or raises SearchFailed."""
    if state.shown is Shown.KNOWN_DIALOG and state.dialog is not None:
        patience.dialogs += 1
        if patience.dialogs > _DIALOGS:
            raise hands.failure(Invalid.DIALOG, f"{state.detail} comes back again and again")
        hands.answer(state.dialog, tree)
        return False
    if state.shown is Shown.INVALID:
        patience.passing = patience.passing or Until.after(_PASSING_S)
        if not state.passing or patience.passing.over:
            raise hands.failure(state.invalid or Invalid.UNKNOWN_SCREEN, state.detail)
        return False
    return state.shown in _ANSWERS and _keyboard_away(hands, state, patience)


def _keyboard_away(hands: Hands, state: State, patience: _Patience) -> bool:
    """True when no keyboard lies over the results; the back key closes it, once."""
    shown = state.keyboard is not None
    if not shown and not patience.keyboard_asked:
        patience.keyboard_asked = True
        shown = hands.ui.keyboard_is_shown()
    if not shown:
        return True
    if patience.keyboard_closed:
        return False
    patience.keyboard_closed = True
    patience.until.ends_at = min(patience.until.ends_at, monotonic() + _PASSING_S)
    hands.ui.close_keyboard()
    return False


def _filled(hands: Hands, look: Look, patience: _Patience) -> bool:
    """True when cells show photos. Cells of one colour are waited for, longer when several have the same one.

    A few of them may be photos of nothing; when most are, it is placeholders: SearchFailed.
    """
    boxes = _mostly_visible(look)
    flat = flat_levels(look.frame, boxes)
    if not flat:
        return True
    patience.flat_since = patience.flat_since or monotonic()
    several = max(flat.count(level) for level in flat) > 1
    if monotonic() - patience.flat_since < (_PLACEHOLDERS_S if several else _PLACEHOLDER_S):
        return False
    if len(flat) > _MOSTLY_FLAT * len(boxes):
        raise hands.failure(Invalid.STILL_LOADING, f"{len(flat)} of {len(boxes)} thumbnails are still placeholders")
    return True


def _mostly_visible(look: Look) -> tuple[Box, ...]:
    """Cells that show more than a strip: a strip of sky has one colour, too."""
    boxes = [box for cell in look.state.cells if (box := inside(cell.box, look.viewport))]
    tallest = max((box[3] - box[1] for box in boxes), default=0)
    return tuple(box for box in boxes if 2 * (box[3] - box[1]) > tallest)


def _checked(hands: Hands, look: Look, text: str) -> Look:
    shown = field_disagrees(hands, look.state, text)
    if shown is not None:
        raise hands.failure(Invalid.INPUT_MISMATCH, f"the search field shows {shown!r} over the results of {text!r}")
    return look
