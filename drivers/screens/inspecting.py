"""A gallery shown page by page for calibration: the same way in as a search goes, with a look at each step."""

from collections.abc import Iterator

from drivers.interface import Invalid, Sight
from drivers.screens.entry import launch, open_search_page
from drivers.screens.hands import Hands, NotFound, Until
from drivers.screens.states import Shown, State
from drivers.screens.tree import Tree

_DIALOGS = 12  # consent, permissions, what's new, sync: more in a row is a circle
_STARTING = 3  # elements of a page that is still blank


def sight(hands: Hands) -> Sight:
    """What is on the screen now."""
    return _seen(hands, *hands.look())


def show_gallery(hands: Hands) -> Iterator[Sight]:
    """As in `drivers.interface.Inspectable`."""
    launch(hands, fresh=True)
    until = Until.after(hands.profile.patience.launch_s)
    answered = 0
    before: Tree | None = None
    while True:
        tree, state = hands.look()
        if state.dialog is not None and state.shown is Shown.KNOWN_DIALOG and answered < _DIALOGS:
            yield _seen(hands, tree, state)
            answered += 1
            hands.answer(state.dialog, tree)
        elif until.over or (tree == before and not _is_starting(tree, state)):
            # A page that never rests is shown as it is: its selectors can be tried all the same.
            yield _seen(hands, tree, state)
            return
        before = tree
        hands.pause()


def show_search_page(hands: Hands) -> Sight:
    """As in `drivers.interface.Inspectable`."""
    return _seen(hands, *open_search_page(hands))


def enter(hands: Hands, text: str) -> str:
    """As in `drivers.interface.Inspectable`: one try of the first way of typing, so that its own fidelity shows."""
    _, state = hands.look()
    if state.field is None:
        raise hands.failure(Invalid.UNKNOWN_SCREEN, "the search field is not on the screen")
    try:
        hands.ui.set_text(state.field, text, 0)
        return hands.ui.read_text(state.field)
    except NotFound as error:
        raise hands.failure(Invalid.UNKNOWN_SCREEN, f"the search field went away while typing: {error}") from error


def _is_starting(tree: Tree, state: State) -> bool:
    return state.invalid is Invalid.WRONG_APP or sum(element.area > 0 for element in tree.elements) <= _STARTING


def _seen(hands: Hands, tree: Tree, state: State) -> Sight:
    return Sight(hands.photograph()[0], tree, f"{state.shown}: {state.detail}" if state.detail else str(state.shown))
