"""The query into the search field, letter by letter as it was meant, and the old results out of sight before."""

import unicodedata

from drivers.interface import Box, Invalid
from drivers.profile import Submit
from drivers.screens.entry import launch, open_search_page
from drivers.screens.hands import Hands, NotFound, Until
from drivers.screens.picture import Gray, still
from drivers.screens.states import Shown, State
from drivers.screens.tree import Element, Tree, find

_TRIES = 3
_CLEARED_S = 2.0
_ANSWERS = (Shown.RESULTS, Shown.NO_RESULTS)

Past = tuple[tuple[Gray, Box], ...]
"""Frames of the previous query's screens, each with where its results were."""


def clear_old_results(hands: Hands, state: State, past: Past) -> Past:
    """The previous query's answer is out of sight. Returns frames that may not be taken for the next one's.

    Emptying the field usually does it; then its clear button; then a gallery that was ended and started anew. A search page
    that always shows photos has to show others than before; they are added to the frames.
    """
    if state.shown not in _ANSWERS:
        return past
    for step in (_empty, _tap_clear, _start_anew):
        step(hands, state)
        until = Until.after(_CLEARED_S)
        while True:
            _, state = hands.look()
            if state.shown not in _ANSWERS:
                return past
            frame = hands.glance()
            if past and not any(still(frame, old, box) for old, box in past):
                return (*past, (frame, past[-1][1]))
            if until.over:
                break
            hands.pause()
    raise hands.failure(Invalid.STALE_RESULTS, "the previous results do not go away")


def type_query(hands: Hands, field: Element, text: str) -> None:
    """The field holds `text`, as read back and compared after NFC. Raises SearchFailed(INPUT_MISMATCH) after three tries."""
    if not text:
        raise hands.failure(Invalid.INPUT_MISMATCH, "an empty text searches nothing")
    found = ""
    for number in range(_TRIES):
        try:
            hands.ui.set_text(field, text, number)
            found = hands.ui.read_text(field)
        except NotFound as error:
            _, state = hands.look()  # what came over it has a name of its own
            detail = f"the search field went away while typing: {state.detail or error}"
            raise hands.failure(state.invalid or Invalid.UNKNOWN_SCREEN, detail) from error
        if _same(found, text):
            return
    raise hands.failure(Invalid.INPUT_MISMATCH, f"typed {text!r}, the field holds {found!r}")


def submit(hands: Hands, tree: Tree) -> None:
    """The search is asked for, in the gallery's way."""
    match hands.profile.submit:
        case Submit.ENTER:
            hands.ui.enter()
        case Submit.BUTTON:
            button = find(tree, hands.profile.elements.submit, hands.profile.package)
            if button is None:
                button = find(hands.ui.dump(), hands.profile.elements.submit, hands.profile.package)
            if button is None:
                raise hands.failure(Invalid.UNKNOWN_SCREEN, "the button that starts the search is not on the screen")
            hands.ui.tap(button)
        case Submit.NONE:
            pass


def field_disagrees(hands: Hands, state: State, text: str) -> str | None:
    """What the field shows when it is not `text`; None when it fits or is not on the screen."""
    if state.field is None or not state.field.text:
        return None
    shown, meant = _squeezed(state.field.text), _squeezed(hands.ui.as_dumped(text))
    return None if shown == meant else shown


def _same(found: str, text: str) -> bool:
    return unicodedata.normalize("NFC", found) == unicodedata.normalize("NFC", text)


def _squeezed(text: str) -> str:
    """White space as XML keeps it in an attribute."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _empty(hands: Hands, state: State) -> None:
    if state.field is not None:
        hands.ui.set_text(state.field, "", 0)


def _tap_clear(hands: Hands, _state: State) -> None:
    button = find(hands.ui.dump(), hands.profile.elements.clear, hands.profile.package)
    if button is not None:
        hands.ui.tap(button)


def _start_anew(hands: Hands, _state: State) -> None:
    launch(hands, fresh=True)
    open_search_page(hands)
