"""To the gallery's empty search page, whatever is on the screen, or a reason why not."""

from dataclasses import dataclass, field

from drivers.interface import Invalid
from drivers.screens.hands import Hands, Until
from drivers.screens.states import Shown, State
from drivers.screens.tree import Tree, find

_DIALOGS = 12  # consent, permissions, what's new, sync: more in a row is a circle
_BACKS = 4
_PASSING_S = 8.0  # a heads-up notification goes after 5 s
_BLANK_S = 5.0  # a blank page after a cold start stays blank; starting again helps
_GONE_S = 2.0


@dataclass(slots=True)
class _Tried:
    """What was already done to get there."""

    launches: int = 0
    dialogs: int = 0
    backs: int = 0
    unlocks: int = 0
    blank: Until | None = None
    passing: Until | None = None
    path: list[str] = field(default_factory=list)


def launch(hands: Hands, *, fresh: bool) -> None:
    """The gallery is told to come to the front; `fresh` ends it first, so that nothing of before can be on it."""
    said = hands.ui.launch(fresh=fresh)
    if said:
        raise hands.failure(Invalid.WRONG_APP, f"{hands.profile.package} could not be started: {said}")


def open_search_page(hands: Hands) -> tuple[Tree, State]:
    """The search field is on the screen, nothing lies over it; returns what was seen. Raises SearchFailed."""
    tried = _Tried()
    until = Until.after(hands.profile.patience.launch_s)
    state = State(Shown.GALLERY)
    while not until.over:
        tree, state = hands.look()
        if state.field is not None and state.shown is not Shown.INVALID:
            return tree, state
        _step(hands, tree, state, tried)
    raise hands.failure(
        state.invalid or Invalid.UNKNOWN_SCREEN, f"no search page; tried {' > '.join(tried.path) or 'nothing'}; {state.detail}"
    )


def _step(hands: Hands, tree: Tree, state: State, tried: _Tried) -> None:
    """One move towards the search page."""
    match state.shown:
        case Shown.KNOWN_DIALOG if state.dialog is not None:
            tried.dialogs += 1
            if tried.dialogs > _DIALOGS:
                raise hands.failure(Invalid.DIALOG, f"{state.detail} comes back again and again")
            tried.path.append(f"answer {state.detail}")
            hands.answer(state.dialog, tree)
        case Shown.INVALID:
            _past_obstacle(hands, state, tried)
        case Shown.SPINNER:
            hands.pause()
        case _:
            _towards_search(hands, tree, tried)


def _past_obstacle(hands: Hands, state: State, tried: _Tried) -> None:
    if state.invalid is Invalid.WRONG_APP and tried.launches < 2:
        tried.launches += 1
        tried.path.append("launch")
        launch(hands, fresh=tried.launches > 1)
        _await_gallery(hands)
    elif state.invalid is Invalid.LOCKED and tried.unlocks < 2:
        tried.unlocks += 1
        tried.path.append("unlock")
        hands.ui.unlock()
    elif state.passing:
        tried.passing = tried.passing or Until.after(_PASSING_S)
        if tried.passing.over:
            raise hands.failure(state.invalid or Invalid.UNKNOWN_SCREEN, state.detail)
        hands.pause()
    else:
        raise hands.failure(state.invalid or Invalid.UNKNOWN_SCREEN, state.detail)


def _await_gallery(hands: Hands) -> None:
    """A started app takes a moment to come to the front; until then another is there, which is no reason to start it twice."""
    until = Until.after(_BLANK_S)
    while not until.over and hands.look()[1].invalid is Invalid.WRONG_APP:
        hands.pause()


def _towards_search(hands: Hands, tree: Tree, tried: _Tried) -> None:
    """Taps what opens the search; without it, goes back page by page; at last starts the gallery anew."""
    entry = find(tree, hands.profile.elements.search_entry, hands.profile.package)
    if entry is not None:
        tried.path.append("open search")
        hands.ui.tap(entry)
        _await_field(hands)
        return
    tried.blank = tried.blank or Until.after(_BLANK_S)
    if len([element for element in tree.elements if element.area]) <= 3 and not tried.blank.over:
        hands.pause()
    elif tried.backs < _BACKS:
        tried.backs += 1
        tried.path.append("back")
        hands.ui.back()
        hands.pause()
    elif tried.launches < 3:
        tried.launches += 1
        tried.blank = None
        tried.path.append("start anew")
        launch(hands, fresh=True)
        _await_gallery(hands)
    else:
        raise hands.failure(
            Invalid.UNKNOWN_SCREEN, f"the way to the search page is not known here; tried {' > '.join(tried.path)}"
        )


def _await_field(hands: Hands) -> None:
    until = Until.after(_GONE_S)
    while not until.over:
        _, state = hands.look()
        if state.field is not None or state.shown in (Shown.INVALID, Shown.KNOWN_DIALOG):
            return
        hands.pause()
