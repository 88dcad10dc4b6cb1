"""One search: typed, settled, read from the top, scrolled until the end is proven.

    same phone? → search page → old answer gone → type, read back → submit → settle ┬ nothing found
                                                                                     └ screen, scroll, screen … end

The previous grid is never taken for the new one: it is seen to go before the query is typed, and an answer that looks exactly
like the previous one is put to the proof by a gallery that was ended and started anew and cannot remember.
"""

from collections.abc import Generator
from dataclasses import dataclass, field

from drivers.interface import Ask, Box, DriverError, Ending, Invalid, PhoneLost, Screen, SearchFailed
from drivers.screens.entering import Past, clear_old_results, field_disagrees, submit, type_query
from drivers.screens.entry import launch, open_search_page
from drivers.screens.hands import Hands, NotFound, Until
from drivers.screens.page import Look, at_end_marker, row_pitch, screen, scroll_distance, view_all
from drivers.screens.picture import still
from drivers.screens.settle import Glance, is_stale, rests_unchanged, settle
from drivers.screens.states import Shown
from drivers.screens.viewer import open_in_full

_UNCHANGED = 2  # scrolls that change nothing prove the end; one may have been swallowed
_EXPANSIONS = 3
_SHORTER = 0.6  # after a screen without overlap, drags of this search are this much shorter
_EDGE = 0.06  # of the viewport's height: drags begin and end clear of bars and gesture edges


@dataclass(slots=True)
class Searcher:
    """Searches of one phone, one after the other; remembers how the last one looked."""

    hands: Hands
    _past: Past = ()
    _fresh: bool = False
    """True while the gallery is as this searcher left it after a search that went well."""
    _shown: list[Look] = field(default_factory=list)
    _top: Look | None = None
    """The answer before its groups were opened in full: it comes back when the page behind them is left."""

    def search(self, text: str) -> Generator[Screen, Ask | None, Ending]:
        """As `GalleryDriver.search`. After one that failed, the next begins with a gallery that was started anew."""
        well, self._fresh = self._fresh, False
        self._shown, self._top = [], None
        try:
            ending = yield from self._searched(text, well)
        except NotFound as error:
            raise self.hands.failure(Invalid.UNKNOWN_SCREEN, str(error)) from error
        except PhoneLost as lost:
            self.hands.ui.recover(lost)
        except GeneratorExit:
            self._remember()
            raise
        self._remember()
        return ending

    def open_result(self, box: Box) -> Screen:
        """As in `PhotoOpener`. When it ends the search, the next one begins with a gallery that was started anew."""
        if not self._shown:
            raise DriverError("no results are on the screen")
        try:
            return open_in_full(self.hands, self._shown[-1], box)
        except (SearchFailed, PhoneLost):
            self._shown = []
            raise

    def _searched(self, text: str, well: bool) -> Generator[Screen, Ask | None, Ending]:
        if not self.hands.ui.check_phone():
            raise self.hands.failure(Invalid.BLACK_FRAME, "the screen is off and does not come on")
        if not well:
            self._past = ()
            launch(self.hands, fresh=True)
        look = self._answer(text, self._past)
        if look.state.shown is Shown.NO_RESULTS:
            self._shown.append(look)
            return Ending.NO_RESULTS
        self._top = look
        look = self._expanded(look, text)
        return (yield from self._screens(look, text))

    def _answer(self, text: str, past: Past) -> Look:
        """The settled top of this query's answer, known not to be the previous one's."""
        look, past = self._asked(text, past)
        if not is_stale(look, past):
            return look
        until = Until.after(self.hands.profile.patience.same_results_s)
        while not until.over:
            glance = Glance.now(self.hands)
            if not rests_unchanged(self.hands, look, glance):
                look = settle(self.hands, text, first=glance)
                if not is_stale(look, past):
                    return look
        launch(self.hands, fresh=True)
        return self._asked(text, ())[0]

    def _asked(self, text: str, past: Past) -> tuple[Look, Past]:
        """Types and submits the query; returns the first settled look, and the frames that it may not show."""
        tree, state = open_search_page(self.hands)
        past = clear_old_results(self.hands, state, past)
        if state.field is None:
            raise self.hands.failure(Invalid.UNKNOWN_SCREEN, "the search field went away")
        type_query(self.hands, state.field, text)
        submit(self.hands, tree)
        return settle(self.hands, text, ask_keyboard=self.hands.profile.keyboard_stays), past

    def _expanded(self, look: Look, text: str) -> Look:
        """Groups of results are opened in full."""
        for _ in range(_EXPANSIONS):
            more = view_all(look, self.hands.profile)
            if more is None:
                return look
            self.hands.ui.tap(more)
            look = self._changed(look, text)
        return look

    def _changed(self, before: Look, text: str) -> Look:
        """A settled look that differs from `before`."""
        until = Until.after(self.hands.profile.patience.results_s)
        while not until.over:
            look = settle(self.hands, text)
            if look.viewport != before.viewport or not still(look.frame, before.frame, before.viewport):
                return look
        raise self.hands.failure(Invalid.UNKNOWN_SCREEN, "the button for all results changes nothing")

    def _screens(self, look: Look, text: str) -> Generator[Screen, Ask | None, Ending]:
        reach = 1.0
        unchanged = 0
        asked = yield self._hand_out(look)
        while unchanged < _UNCHANGED:
            if asked is Ask.BACK:
                reach *= _SHORTER
                self._drag(look, back=True, reach=0.5)
                look = settle(self.hands, text)
                asked = yield self._hand_out(look)
                continue
            if at_end_marker(look, self.hands.profile):
                return Ending.END_PROVEN
            self._drag(look, back=False, reach=reach)
            after = self._moved(look, text)
            if after is None:
                unchanged += 1
                continue
            unchanged, look = 0, self._expanded(after, text)
            asked = yield self._hand_out(look)
        self._still_results(text)
        return Ending.END_PROVEN

    def _moved(self, before: Look, text: str) -> Look | None:
        """The settled look after a drag; None when it changed nothing. A list that bounces at its end rests first."""
        glance = Glance.now(self.hands)
        if rests_unchanged(self.hands, before, glance):
            return None
        after = settle(self.hands, text, first=glance)
        return None if still(after.frame, before.frame, before.viewport) else after

    def _still_results(self, text: str) -> None:
        """At the end: it was results that did not move, not a spinner that stands still or something laid over them."""
        _, state = self.hands.look()
        if state.shown is not Shown.RESULTS or field_disagrees(self.hands, state, text) is not None:
            settle(self.hands, text)

    def _hand_out(self, look: Look) -> Screen:
        if look.state.shown is not Shown.RESULTS:
            raise self.hands.failure(Invalid.SCROLL_LOST, "the results gave way to a page without any while scrolling")
        self._shown.append(look)
        return screen(look, self.hands.profile)

    def _drag(self, look: Look, *, back: bool, reach: float) -> None:
        """Moves the list without a fling: by all but two rows (on), or by a share of the viewport (back)."""
        left, top, right, bottom = look.viewport
        height = bottom - top
        far = reach * height if back else reach * scroll_distance(height, row_pitch(look.state.cells))
        edge = max(round(_EDGE * height), 1)
        far = max(1, min(round(far), height - 2 * edge))
        low, high = bottom - edge, bottom - edge - far
        x = (left + right) // 2
        self.hands.ui.drag(x, *((high, low) if back else (low, high)))

    def _remember(self) -> None:
        if self._shown:
            looks = self._shown if self._top is None else [self._top, *self._shown]
            self._past = tuple((look.frame, look.viewport) for look in looks)
            self._fresh = True
