"""The gallery app proper: its pages, its lists, its search. What lies around it (launcher, lock, power) is `app`'s affair."""

from collections.abc import Callable
from enum import StrEnum

from devices.virtual.gallery import overlays, pages
from devices.virtual.gallery.elements import Do, Element
from devices.virtual.gallery.faults import FaultName, Faults
from devices.virtual.gallery.finder import Finder, Outcome
from devices.virtual.gallery.flow import RowKind
from devices.virtual.gallery.library import Library, LibraryPhoto
from devices.virtual.gallery.listing import Listing, Part, all_parts, date_heading, result_parts
from devices.virtual.gallery.pictures import Pictures
from devices.virtual.gallery.scene import cells_seen
from devices.virtual.gallery.search import Hit
from devices.virtual.gallery.skin import Skin, Waiting
from devices.virtual.gallery.stage import Stage
from devices.virtual.gallery.truth import Truth
from devices.virtual.interface import Box

_RECENT = 5
"""Recent searches that the suggestion page offers."""

_REPORTED_PERCENT = 43
"""What the `indexing_banner` fault claims: the share that a user reported."""


class Page(StrEnum):
    """A page of the gallery."""

    HOME = "home"
    SEARCH = "search"
    ALL = "all"
    VIEWER = "viewer"


class Gallery:
    """The state of the app. `stage` gives the moment to draw; `find` asks the phone's index."""

    def __init__(
        self,
        skin: Skin,
        library: Library,
        pictures: Pictures,
        *,
        seed: int,
        speed: float,
        stage: Callable[[], Stage],
        find: Callable[[str], tuple[Hit, ...]],
        faults: Faults,
        truth: Truth,
    ) -> None:
        self._skin, self._library, self._pictures = skin, library, pictures
        self._seed, self._speed, self._stage, self._faults = seed, speed, stage, faults
        self.finder = Finder(skin.search, skin.results, find, faults, truth, seed, speed)
        self.first_run_done = 0
        self.close()
        self._home = Listing((), skin, seed=seed, heading=lambda _photo: "")

    def reset(self) -> None:
        """As never used."""
        self.first_run_done = 0
        self.finder.reset()
        self.close()
        self.library_changed()

    def close(self) -> None:
        """The app was ended: it will begin at its home page."""
        self._stack = [Page.HOME]
        self.focused = self.keyboard = False
        self.finder.leave()
        self._results: tuple[Outcome, Listing] | None = None
        self._all: Listing | None = None
        self._viewed: LibraryPhoto | None = None

    def library_changed(self) -> None:
        """The home page has the library's photos, newest first."""
        photos = tuple(sorted(self._library.photos, key=lambda photo: (-photo.sort_s, -photo.row.id)))
        heading = date_heading(self._skin, self._skin.locale)
        self._home = Listing((Part(RowKind.CELLS, photos=photos),), self._skin, seed=self._seed, heading=heading)

    def advance(self, now_s: float) -> None:
        """What time alone changes has been done: results have come, pages are loaded."""
        self.finder.advance(now_s)
        listing, viewport = self.front_list()
        if listing is not None:
            listing.advance(now_s, viewport[3] - viewport[1])

    @property
    def takes_text(self) -> bool:
        """True while the field has the focus."""
        return self.focused and self._stack[-1] is Page.SEARCH and not self.in_first_run

    @property
    def in_first_run(self) -> bool:
        """True while a dialog of the first run is open."""
        return self.first_run_done < len(self._skin.first_run)

    # Lists

    def front_list(self) -> tuple[Listing | None, Box]:
        """The list that a drag would move, and where it stands."""
        stage, page = self._stage(), self._stack[-1]
        if page is Page.HOME:
            return self._home, pages.home_viewport(stage)
        if page is Page.ALL:
            return self._all, pages.all_viewport(stage)
        if page is Page.SEARCH:
            return self._result_list(), pages.results_viewport(stage)
        return None, (0, 0, 0, 0)

    def _result_list(self) -> Listing | None:
        """The list of the outcome on the screen, made when it is first looked at; None where nothing was found."""
        outcome = self.finder.outcome
        if outcome is None or not outcome.sections:
            self._results = None
        elif self._results is None or self._results[0] is not outcome:
            parts = result_parts(outcome, self._skin, self._stage().told)
            self._results, self._all = (outcome, self._logged_list(outcome, parts, "results")), None
        return self._results[1] if self._results else None

    def _logged_list(self, outcome: Outcome, parts: tuple[Part, ...], page: str) -> Listing:
        log = outcome.log.list_shown(page, [photo.row.name for part in parts for photo in part.photos])
        return Listing(
            parts,
            self._skin,
            seed=self._seed,
            heading=date_heading(self._skin, self._skin.locale),
            page_size=self._skin.results.page_size,
            speed=self._speed,
            log=log,
        )

    def log_cells(self, scene: tuple[Element, ...], size: tuple[int, int]) -> None:
        """A frame of `scene` was served: what it showed of the list in front is in the log."""
        listing, _viewport = self.front_list()
        if listing is None or listing.log is None:
            return
        for cell, share in cells_seen(scene, size):
            box, picture = cell.box, cell.paint.picture
            if picture and self._pictures.pixels(picture, (box[2] - box[0], box[3] - box[1])) is not None:
                listing.log.drawn(cell.index, share)

    # Drawing

    def elements(self, stage: Stage) -> tuple[Element, ...]:
        """The page in front, without keyboard and dialogs."""
        page = self._stack[-1]
        if page is Page.VIEWER and self._viewed is not None:
            return pages.viewer(stage, self._viewed)
        if page is Page.ALL and self._all is not None:
            view = _view(stage, self._all, pages.all_viewport(stage))
            return pages.all_results(stage, view, cells_in_tree=self._cells_told())
        if page is Page.SEARCH:
            return pages.search(stage, self._search_view(stage))
        return pages.home(stage, _view(stage, self._home, pages.home_viewport(stage)), cells_in_tree=self._cells_told())

    def dialog(self, stage: Stage) -> tuple[Element, ...]:
        """The dialog of the first run that is open, if any."""
        return overlays.first_run_dialog(stage, self._skin.first_run[self.first_run_done]) if self.in_first_run else ()

    def _search_view(self, stage: Stage) -> pages.SearchView:
        finder, listing, waiting = self.finder, self._result_list(), self._skin.search.waiting
        on_its_way = finder.waiting is not None
        hides_old = on_its_way and waiting is Waiting.SPINNER
        return pages.SearchView(
            text=finder.text,
            focused=self.focused,
            keyboard_top=overlays.keyboard_top(stage) if self.keyboard else stage.floor,
            results=None if listing is None or hides_old else _view(stage, listing, pages.results_viewport(stage)),
            nothing=finder.outcome is not None and listing is None and not hides_old,
            banner=self._banner(stage),
            turning=on_its_way and waiting is not Waiting.STALE,
            recent=tuple(finder.recent[:_RECENT]),
            cells_in_tree=self._cells_told(),
        )

    def _banner(self, stage: Stage) -> str:
        searched = self.finder.outcome or self.finder.waiting
        if not searched or not self._faults.holds(FaultName.INDEXING_BANNER):
            return ""
        return stage.told(stage.texts.indexing).format(p=_REPORTED_PERCENT)

    def _cells_told(self) -> bool:
        return self._skin.grid.cells_in_tree and not self._faults.holds(FaultName.CELLS_MISSING)

    # Doing

    def do(self, element: Element, now_s: float) -> bool:
        """A tap on `element` is done; False when it led out of the app."""
        index = element.index
        match element.do:
            case Do.OPEN_HOME:
                self._stack = [Page.HOME]
            case Do.OPEN_SEARCH:
                self._open_search()
            case Do.FOCUS_FIELD:
                self.focused = self.keyboard = True
            case Do.CLEAR_FIELD:
                self.finder.edit("", now_s)
                self.focused = self.keyboard = True
            case Do.LEAVE_SEARCH | Do.BACK:
                return self._leave()
            case Do.SUBMIT:
                self.submit(now_s)
            case Do.PICK_SUGGESTION:
                self._pick(index, now_s)
            case Do.VIEW_ALL:
                self._open_all()
            case Do.OPEN_PHOTO:
                self._open_photo(index)
            case Do.ANSWER_DIALOG:
                return self._answer(index)
        return True

    def back(self) -> bool:
        """The back key: closes the keyboard, else the page; False when it led out of the app."""
        if self.in_first_run:
            return False
        if self.keyboard:
            self.hide_keyboard()
            return True
        return self._leave()

    def submit(self, now_s: float) -> None:
        """`enter` in the field."""
        self.finder.submit(now_s)
        if not self._skin.search.keyboard_stays:
            self.hide_keyboard()

    def hide_keyboard(self) -> None:
        """The keyboard is closed, unless it is stuck."""
        self.keyboard = self.keyboard and self._faults.holds(FaultName.KEYBOARD_STUCK)

    def _open_search(self) -> None:
        self._stack = [Page.HOME, Page.SEARCH]
        self.focused = self.keyboard = self._skin.search.focus_on_open

    def _pick(self, index: int, now_s: float) -> None:
        choices = pages.suggestion_texts(self._stage(), self.finder.text, tuple(self.finder.recent[:_RECENT]))
        if index < len(choices):
            self.finder.edit(choices[index], now_s)
            self.submit(now_s)

    def _open_all(self) -> None:
        if self._results is not None:
            outcome = self._results[0]
            self._all = self._logged_list(outcome, all_parts(outcome, self._skin, self._stage().told), "all")
            self._stack.append(Page.ALL)
            self.focused = self.keyboard = False

    def _open_photo(self, position: int) -> None:
        listing, _viewport = self.front_list()
        if listing is not None and position < len(listing.photos):
            self._viewed = listing.photos[position]
            self._stack.append(Page.VIEWER)
            self.keyboard = False

    def _leave(self) -> bool:
        """One page back; False from the home page."""
        if len(self._stack) == 1:
            return False
        if self._stack.pop() is Page.SEARCH:
            self.finder.leave()
            self.focused = self.keyboard = False
        return True

    def _answer(self, index: int) -> bool:
        accepts = self._skin.first_run[self.first_run_done].buttons[index].accepts
        self.first_run_done += accepts
        return accepts


def _view(stage: Stage, listing: Listing, viewport: Box) -> pages.ListView:
    return pages.ListView(listing.flow, listing.offset_px(stage.now_s, viewport[3] - viewport[1]))
