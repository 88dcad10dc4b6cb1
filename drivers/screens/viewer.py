"""A result opened in full, for the reader that cannot tell it by its thumbnail; the grid is on the screen again afterwards."""

from time import monotonic

from drivers.interface import Box, Invalid, NotOpened, Screen, SearchFailed
from drivers.screens.hands import Hands, Until, wait_until
from drivers.screens.page import Look
from drivers.screens.picture import still
from drivers.screens.states import Shown
from drivers.screens.tree import find

_OPEN_S = 5.0
_FULL_S = 0.6  # viewers show an enlarged thumbnail first and the photo after it


def open_in_full(hands: Hands, grid: Look, box: Box) -> Screen:
    """The photo whose cell is `box` on the screen `grid`, shown in full; then back. Raises NotOpened, SearchFailed."""
    hands.ui.tap_at((box[0] + box[2]) // 2, (box[1] + box[3]) // 2)
    try:
        shown = _opened(hands, grid)
    except SearchFailed as error:
        _back_to(hands, grid)
        raise NotOpened(str(error)) from error
    _back_to(hands, grid)
    return shown


def _opened(hands: Hands, grid: Look) -> Screen:
    until = Until.after(_OPEN_S)
    while not until.over:
        tree, state = hands.look()
        if state.shown is Shown.INVALID and not state.passing:
            raise hands.failure(state.invalid or Invalid.UNKNOWN_SCREEN, state.detail)
        opened = find(tree, hands.profile.elements.viewer, hands.profile.package)
        if opened is None and (hands.profile.elements.viewer or state.shown is Shown.RESULTS):
            hands.pause()
            continue
        began = monotonic()
        first = hands.glance()
        wait_until(began + _FULL_S)
        png, frame = hands.photograph()
        whole = (0, 0, *tree.size())
        if still(first, frame, whole) and not still(frame, grid.frame, grid.viewport):
            return Screen(png, opened.box if opened is not None else whole, cells=None)
    raise hands.failure(Invalid.UNKNOWN_SCREEN, "the photo did not open")


def _back_to(hands: Hands, grid: Look) -> None:
    """The same grid, at the same place. Nothing is pressed where it is on the screen already: back would leave it."""
    if still(hands.glance(), grid.frame, grid.viewport):
        return
    hands.ui.back()
    until = Until.after(_OPEN_S)
    while not until.over:
        if still(hands.glance(), grid.frame, grid.viewport):
            return
        hands.pause()
    raise hands.failure(Invalid.SCROLL_LOST, "the results are not where they were after a photo was opened")
