"""The gallery app of a virtual phone, with the system around it: implements `devices.virtual.interface.VirtualScreen`.

How a wire server uses it:

    app = build_gallery("xiaomi", storage, seed=7, clock=time.monotonic)
    app.scan()                     after files came into `storage` or left it; returns MediaStore-like rows
    app.tree(); app.frame()        whenever a client asks; nothing has to be called in between (there is no tick)
    app.tap(…); app.drag(…); app.key(…); app.set_text(…); app.type_text(…)      return at once
    app.index_signals()            processor time and size of the index, for `ps`, `dumpsys`, syslog
    app.reset()                    after the server has emptied `storage`: as from the factory
    app.faults.set("lock")         from the control socket; app.truth.as_json() likewise

Every state is a function of the clock: latencies, flings, pages and indexing are worked out when somebody looks. `clock` gives
seconds since 1970 and may be any callable; `speed` divides all waits. All calls come from one thread; only thumbnails may be
made in others, by `executor`.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from devices.virtual.gallery import overlays, pages
from devices.virtual.gallery.chance import between, chance
from devices.virtual.gallery.composing import composed
from devices.virtual.gallery.elements import Do, Element, Picture, contains
from devices.virtual.gallery.faults import JITTER_ROWS, FaultName, Faults
from devices.virtual.gallery.finder import Finder, Outcome
from devices.virtual.gallery.flow import RowKind
from devices.virtual.gallery.indexer import Indexer, IndexSignals
from devices.virtual.gallery.library import Library, LibraryPhoto, MediaRow
from devices.virtual.gallery.listing import Listing, Part, all_parts, date_heading, result_parts
from devices.virtual.gallery.render import Painter
from devices.virtual.gallery.scene import cells_seen, hit, tree
from devices.virtual.gallery.search import Hit, SearchIndex
from devices.virtual.gallery.skin import Skin, Waiting, Words, load_skin
from devices.virtual.gallery.stage import Stage
from devices.virtual.gallery.system import CAMERA_TITLE, SETTINGS_TITLE, SURROUNDINGS
from devices.virtual.gallery.tables import changed
from devices.virtual.gallery.thumbnails import Thumbnails
from devices.virtual.gallery.trouble import TROUBLE_DIALOGS, dialog_fault, trouble_elements
from devices.virtual.gallery.truth import Truth
from devices.virtual.interface import Box, Node

REMEMBERED_PHOTOS = 96
"""Photos whose thumbnails come back without a placeholder: more than the densest screen shows at once (12 rows of 5)."""

_UNLOCK_SHARE = 0.2  # of the screen's height, for a swipe up to unlock


class Page(StrEnum):
    """A page of the gallery."""

    HOME = "home"
    SEARCH = "search"
    ALL = "all"
    VIEWER = "viewer"


def build_gallery(
    skin_name: str,
    storage: Path | Library,
    *,
    seed: int,
    clock: Callable[[], float],
    speed: float = 1.0,
    locale: str | None = None,
    zone: str | None = None,
    engine: Mapping[str, Any] | None = None,
    executor: Executor | None = None,
) -> "GalleryApp":
    """A phone with that skin whose photos lie in the folder `storage` (or in a library that somebody else scans).

    `locale` and `zone` replace those of the skin, `engine` some of the values of its search. Raises TableError for an unknown
    skin or a value of `engine` that does not fit.
    """
    skin = load_skin(skin_name)
    changes: dict[str, Any] = {"locale": locale, "zone": zone}
    if engine:
        changes["engine"] = changed(skin.engine, engine, f"skin {skin_name}: engine")
    skin = replace(skin, **{name: value for name, value in changes.items() if value is not None})
    library = storage if isinstance(storage, Library) else Library(storage)
    return GalleryApp(skin, library, seed=seed, clock=clock, speed=speed, executor=executor)


class GalleryApp:
    """One phone's screen and the gallery on it."""

    def __init__(
        self,
        skin: Skin,
        library: Library,
        *,
        seed: int,
        clock: Callable[[], float],
        speed: float = 1.0,
        executor: Executor | None = None,
    ) -> None:
        self.skin = skin
        self.size = (skin.screen.width_px, skin.screen.height_px)
        self.locale = skin.locale
        self.faults = Faults(clock)
        self.truth = Truth()
        self._clock, self._seed, self._speed = clock, seed, speed
        self._zone = ZoneInfo(skin.zone)
        self._around = SURROUNDINGS[skin.platform]
        self._library = library
        self._indexer = Indexer(skin.indexing, seed=seed, speed=speed)
        self._index = SearchIndex(skin.engine, seed=seed, zone=self._zone)
        self._indexed: frozenset[int] = frozenset()
        self._thumbnails = Thumbnails(
            skin.thumbnail, radius_px=skin.grid.radius_px, background=skin.colours.background, executor=executor
        )
        self._painter = Painter(self.size, skin.colours.background, skin.colours.placeholder, self._pixels)
        self._finder = Finder(skin.search, skin.results, self._find, self.faults, self.truth, seed, speed)
        self._photos: dict[int, LibraryPhoto] = {}
        self._awake = True
        self._factory_state()

    def _factory_state(self) -> None:
        self._front = self._around.launcher
        self._first_run_done = 0
        self._remembered: OrderedDict[int, None] = OrderedDict()
        self._finder.reset()
        self._close_app()
        self._home = self._home_listing()

    def _close_app(self) -> None:
        self._stack = [Page.HOME]
        self._focused = self._keyboard = False
        self._finder.leave()
        self._results: tuple[Outcome, Listing] | None = None
        self._all: Listing | None = None
        self._viewed: LibraryPhoto | None = None
        self._appearing: dict[tuple[int, int], float] = {}

    # What the phone's other services need

    def scan(self) -> tuple[MediaRow, ...]:
        """The media library agrees with the storage, and new photos wait to be indexed; returns all rows."""
        rows = self._library.scan()
        self.library_changed()
        return rows

    def library_changed(self) -> None:
        """The media library was scanned by somebody else."""
        self._photos = {photo.row.id: photo for photo in self._library.photos}
        self._advance()
        decodable = [row.id for row in self.rows() if row.width_px is not None]
        self._indexer.photos_changed(decodable, self._clock())
        self._home = self._home_listing()

    def rows(self) -> tuple[MediaRow, ...]:
        """The media library as of the last scan."""
        return tuple(photo.row for photo in self._library.photos)

    def index_signals(self) -> IndexSignals:
        """What can be seen of indexing from outside."""
        self._advance()
        return self._indexer.signals()

    def reset(self) -> None:
        """As from the factory: no photos known, nothing indexed, first-run dialogs to come. The log of truth stays."""
        self._library.clear()
        self._photos = {}
        self._indexer.clear()
        self._thumbnails.clear()
        self._awake = True
        self._factory_state()

    @property
    def package(self) -> str:
        """The gallery's package."""
        return self.skin.package

    @property
    def version(self) -> str:
        """The gallery's version."""
        return self.skin.version

    def cpu_time_s(self) -> Mapping[str, float]:
        """CPU seconds of the indexing by process; they stand still while it rests."""
        return {self.skin.package: self.index_signals().cpu_s}

    def shown(self) -> Mapping[str, Any]:
        """What was truly shown, as plain values: {"searches": …} as in `Truth.as_json`."""
        self._advance()
        return {"searches": self.truth.as_json()}

    def search_count(self) -> int:
        """How many searches were submitted so far."""
        return self._finder.submitted

    def fault(self, name: str, options: Mapping[str, Any]) -> None:
        """Switches on a fault of the screen; options are those of `Faults.set`. Raises ValueError or TypeError."""
        self._advance()
        self.faults.set(name, **options)

    def known_faults(self) -> tuple[str, ...]:
        """The names for `fault`."""
        return tuple(FaultName)

    def active_faults(self) -> tuple[str, ...]:
        """The faults in force."""
        return self.faults.active()

    def clear_faults(self) -> None:
        """The screen and the gallery are well again."""
        self._advance()
        self.faults.clear()

    @property
    def screen_on(self) -> bool:
        """False while the screen is dark."""
        return self._awake and not self.faults.holds(FaultName.SCREEN_OFF)

    @property
    def locked(self) -> bool:
        """True while the keyguard is in front."""
        return self.faults.holds(FaultName.LOCK)

    @property
    def keyboard_shown(self) -> bool:
        """True while the keyboard covers the lower part of the screen."""
        return self._keyboard and self._gallery_in_front() and self.screen_on and not self.locked

    # VirtualScreen: what is seen

    def tree(self) -> Node:
        """The accessibility tree of what is shown now."""
        hint_as_text = self.skin.platform != "harmony"
        return tree(self._scene(), self.size, self.front_package(), hint_as_text=hint_as_text)

    def frame(self) -> NDArray[np.uint8]:
        """What is shown now: RGB, shape (height, width, 3), read-only."""
        scene = self._scene()
        if self.faults.holds(FaultName.BLACK_FRAME):
            return self._painter.frame(())
        pixels = self._painter.frame(scene)
        self._log_cells(scene)
        return pixels

    def front_package(self) -> str:
        """Package (bundle) in front."""
        if self.locked:
            return self._around.system_ui
        if self.faults.holds(FaultName.WRONG_APP):
            return self._around.settings
        return self._front

    # VirtualScreen: what is done

    def launch(self, package: str) -> bool:
        """Starts a package, or brings it to the front as it was left; False when it is not installed."""
        self._advance()
        if package not in self._titles():
            return False
        self.faults.dismiss(FaultName.WRONG_APP)
        self._front = package
        self._keyboard = False
        return True

    def stop(self, package: str) -> None:
        """Force-stops a package: what it had on the screen is gone, what it stored stays."""
        self._advance()
        if package == self.skin.package:
            self._close_app()
            self.faults.dismiss(FaultName.ANR_DIALOG)
        if package == self.front_package():
            self.faults.dismiss(FaultName.WRONG_APP)
        if package == self._front:
            self._front = self._around.launcher

    def tap(self, x: float, y: float) -> None:
        """A short touch. On a list that still runs it only stops it."""
        element = hit(self._scene(), self.size, x, y)
        listing, viewport_px = self._list_under(element, x, y)
        now_s = self._clock()
        if listing is not None and listing.scroller.moving(now_s):
            listing.scroller.stop(now_s, listing.limit_px(viewport_px))
        elif element is not None:
            self._do(element)

    def drag(self, x0: float, y0: float, x1: float, y1: float, duration_s: float) -> None:
        """A drag; short durations fling."""
        if not self.screen_on:
            return
        up_px = y0 - y1
        if self.locked:
            if up_px > self.size[1] * _UNLOCK_SHARE:
                self.faults.dismiss(FaultName.LOCK)
            return
        if y0 >= self.size[1] - self.skin.screen.navigation_px and up_px > 0:
            self.key("home")
            return
        element = hit(self._scene(), self.size, x0, y0)
        if self.faults.holds(FaultName.NOTIFICATION) and element and element.name == overlays.NOTIFICATION_NAME:
            self.faults.dismiss(FaultName.NOTIFICATION)
        elif abs(up_px) > abs(x1 - x0):
            self._scroll(element, x0, y0, up_px, duration_s)

    def _scroll(self, element: Element | None, x: float, y: float, up_px: float, duration_s: float) -> None:
        listing, viewport_px = self._list_under(element, x, y)
        if listing is not None:
            jitter = JITTER_ROWS if self.faults.holds(FaultName.SCROLL_JITTER) else 0.0
            limit = listing.limit_px(viewport_px)
            listing.scroller.drag(up_px, duration_s, self._clock(), limit, jitter_rows=jitter)

    def _list_under(self, element: Element | None, x: float, y: float) -> tuple[Listing | None, int]:
        """The list that a finger at this point moves, and its viewport's height; None where something else lies over it."""
        listing, viewport = self._front_list()
        passes = element is None or element.do in (Do.OPEN_PHOTO, Do.VIEW_ALL)
        return (listing if passes and contains(viewport, x, y) else None), viewport[3] - viewport[1]

    def set_text(self, text: str) -> bool:
        """Replaces the text of the focused field; False when none is focused."""
        self._advance()
        if not self._can_type():
            return False
        self._finder.edit(text, self._clock())
        return True

    def type_text(self, text: str, *, composing: bool) -> bool:
        """Types at the end of the focused field; a newline submits, a backspace deletes. False when no field is focused."""
        self._advance()
        if not self._can_type():
            return False
        for piece in (composed(text) if composing else text).replace("\r", "").splitlines(keepends=True):
            line = piece.removesuffix("\n")
            current = self._finder.text
            for character in line:
                current = current[:-1] if character == "\b" else current + character
            if current != self._finder.text:
                self._finder.edit(current, self._clock())
            if piece != line:
                self.key("enter")
        return True

    def key(self, name: str) -> None:
        """back, enter, search, home, power, wake, sleep; others do nothing."""
        self._advance()
        if name in ("power", "wake", "sleep"):
            self._power(name)
        elif not self.screen_on or self.locked:
            return
        elif name == "home":
            self._front, self._keyboard = self._around.launcher, False
        elif name == "back" and self._gallery_in_front() and dialog_fault(self.faults) is None:
            self._back()
        elif name in ("enter", "search") and self._can_type():
            self._submit()

    # Inside

    def _advance(self) -> None:
        """Everything that time alone changes has been done."""
        now_s = self._clock()
        self._indexer.advance(now_s, screen_on=self.screen_on)
        self._finder.advance(now_s)
        listing, viewport = self._front_list()
        if listing is not None:
            listing.advance(now_s, viewport[3] - viewport[1])

    def _find(self, text: str) -> tuple[Hit, ...]:
        """The finder's search, over what is indexed now."""
        if self._indexer.done != self._indexed:
            self._indexed = self._indexer.done
            self._index.put(photo for photo in self._library.photos if photo.row.id in self._indexed)
        return self._index.find(text, self._stage().wall)

    def _power(self, name: str) -> None:
        if name == "sleep" or (name == "power" and self.screen_on):
            self._awake, self._keyboard = False, False
        else:
            self._awake = True
            self.faults.dismiss(FaultName.SCREEN_OFF)

    def _gallery_in_front(self) -> bool:
        return self.front_package() == self.skin.package

    def _first_run(self) -> bool:
        return self._gallery_in_front() and self._first_run_done < len(self.skin.first_run)

    def _can_type(self) -> bool:
        return self._focused and self._gallery_in_front() and self.screen_on and self._stack[-1] is Page.SEARCH

    def _titles(self) -> dict[str, Words]:
        return {
            self.skin.package: self.skin.texts.title,
            self._around.settings: SETTINGS_TITLE,
            self._around.camera: CAMERA_TITLE,
            self._around.launcher: Words(),
        }

    def _stage(self) -> Stage:
        now_s = self._clock()
        wall = datetime.fromtimestamp(now_s, self._zone).replace(tzinfo=None)
        return Stage(self.skin, self.locale, now_s, wall, self._picture)

    # Lists

    def _home_listing(self) -> Listing:
        photos = tuple(sorted(self._library.photos, key=lambda photo: (-photo.sort_s, -photo.row.id)))
        heading = date_heading(self.skin, self.locale)
        return Listing((Part(RowKind.CELLS, photos=photos),), self.skin, seed=self._seed, heading=heading)

    def _result_listing(self) -> Listing | None:
        """The list of the outcome on the screen, made when it is first looked at; None where nothing was found."""
        outcome = self._finder.outcome
        if outcome is None or not outcome.sections:
            self._results = None
            return None
        if self._results is None or self._results[0] is not outcome:
            parts = result_parts(outcome, self.skin, self._stage().told)
            self._results = (outcome, self._log_listing(outcome, parts, "results"))
            self._all = None
        return self._results[1]

    def _log_listing(self, outcome: Outcome, parts: tuple[Part, ...], page: str) -> Listing:
        log = outcome.log.list_shown(page, [photo.row.name for part in parts for photo in part.photos])
        return Listing(
            parts,
            self.skin,
            seed=self._seed,
            heading=date_heading(self.skin, self.locale),
            page_size=self.skin.results.page_size,
            speed=self._speed,
            log=log,
        )

    def _front_list(self) -> tuple[Listing | None, Box]:
        """The list that a drag would move, and where it stands."""
        stage, page = self._stage(), self._stack[-1]
        if not self._gallery_in_front() or page is Page.VIEWER:
            return None, (0, 0, 0, 0)
        if page is Page.HOME:
            return self._home, pages.home_viewport(stage)
        if page is Page.ALL:
            return self._all, pages.all_viewport(stage)
        return self._result_listing(), pages.results_viewport(stage)

    def _list_view(self, listing: Listing, viewport: Box) -> pages.ListView:
        return pages.ListView(listing.flow, listing.offset_px(self._clock(), viewport[3] - viewport[1]))

    # Drawing

    def _scene(self) -> tuple[Element, ...]:
        """Everything on the screen, from the bottom up; empty while it is dark."""
        self._advance()
        if not self.screen_on:
            return ()
        stage = self._stage()
        if self.locked:
            return (*overlays.lock_screen(stage), *overlays.status_bar(stage))
        app = self._app_elements(stage)
        bars = (*overlays.navigation_bar(stage), *overlays.status_bar(stage))
        keyboard = overlays.keyboard(stage) if self.keyboard_shown else ()
        dialogs: tuple[Element, ...] = ()
        if self._first_run():
            dialogs = overlays.first_run_dialog(stage, self.skin.first_run[self._first_run_done])
        return (*app, *bars, *keyboard, *dialogs, *trouble_elements(stage, self.faults))

    def _app_elements(self, stage: Stage) -> tuple[Element, ...]:
        front = self.front_package()
        if front == self._around.launcher:
            titles = self._titles()
            return overlays.launcher(stage, [(stage.told(titles[app]), app) for app in self._apps()])
        if front != self.skin.package:
            return overlays.other_app(stage, stage.told(self._titles()[front]), front)
        page = self._stack[-1]
        if page is Page.VIEWER and self._viewed is not None:
            return pages.viewer(stage, self._viewed)
        if page is Page.ALL and self._all is not None:
            view = self._list_view(self._all, pages.all_viewport(stage))
            return pages.all_results(stage, view, cells_in_tree=self._cells_told())
        if page is Page.SEARCH:
            return pages.search(stage, self._search_view(stage))
        return pages.home(stage, self._list_view(self._home, pages.home_viewport(stage)), cells_in_tree=self._cells_told())

    def _apps(self) -> tuple[str, ...]:
        return self.skin.package, self._around.settings, self._around.camera

    def _search_view(self, stage: Stage) -> pages.SearchView:
        finder, listing = self._finder, self._result_listing()
        turning = finder.waiting is not None and self.skin.search.waiting is not Waiting.STALE
        hides_old = finder.waiting is not None and self.skin.search.waiting is Waiting.SPINNER
        banner = ""
        if self.faults.holds(FaultName.INDEXING_BANNER) and (finder.outcome or finder.waiting):
            banner = stage.told(stage.texts.indexing).format(p=43)  # the share that a user reported
        results = None if listing is None or hides_old else self._list_view(listing, pages.results_viewport(stage))
        return pages.SearchView(
            text=finder.text,
            focused=self._focused,
            keyboard_top=overlays.keyboard_top(stage) if self.keyboard_shown else stage.floor,
            results=results,
            nothing=finder.outcome is not None and listing is None and not hides_old,
            banner=banner,
            turning=turning,
            recent=tuple(finder.recent[:5]),
            cells_in_tree=self._cells_told(),
        )

    def _cells_told(self) -> bool:
        return self.skin.grid.cells_in_tree and not self.faults.holds(FaultName.CELLS_MISSING)

    def _picture(self, photo: LibraryPhoto, position: int, box: Box) -> Picture:
        """A cell's picture: a placeholder until its time has come and its thumbnail is made."""
        name, grid = photo.row.name, self.skin.grid
        video = chance(self._seed, "video", name) < grid.video_share
        picture = Picture(photo.row.id, video, chance(self._seed, "heart", name) < grid.heart_share)
        size = (box[2] - box[0], box[3] - box[1])
        made = self._thumbnails.ready(photo.path, photo.mtime_ns, picture, size)
        if made and self._has_appeared(photo, position):
            return picture
        return Picture(None, video=False)

    def _has_appeared(self, photo: LibraryPhoto, position: int) -> bool:
        now_s, key = self._clock(), (self._finder.submitted, photo.row.id)
        if photo.row.id in self._remembered:
            self._remembered.move_to_end(photo.row.id)
            return True
        if key not in self._appearing:
            low, high = self.skin.grid.placeholder_s
            wait_s = between(low, high, self._seed, "appears", position, photo.row.name) / self._speed
            self._appearing[key] = now_s + wait_s
        if now_s < self._appearing[key]:
            return False
        del self._appearing[key]
        self._remembered[photo.row.id] = None
        while len(self._remembered) > REMEMBERED_PHOTOS:
            self._remembered.popitem(last=False)
        return True

    def _pixels(self, picture: Picture, size: tuple[int, int]) -> NDArray[np.uint8] | None:
        photo = None if picture.photo is None else self._photos.get(picture.photo)
        return None if photo is None else self._thumbnails.get(photo.path, photo.mtime_ns, picture, size)

    def _log_cells(self, scene: tuple[Element, ...]) -> None:
        listing, _viewport = self._front_list()
        if listing is None or listing.log is None:
            return
        for cell, share in cells_seen(scene, self.size):
            box, picture = cell.box, cell.paint.picture
            if picture and self._pixels(picture, (box[2] - box[0], box[3] - box[1])) is not None:
                listing.log.drawn(cell.index, share)

    # Doing

    def _do(self, element: Element) -> None:
        index = element.index
        match element.do:
            case Do.LAUNCH:
                self.launch(self._apps()[index])
            case Do.OPEN_HOME:
                self._stack = [Page.HOME]
            case Do.OPEN_SEARCH:
                self._open_search()
            case Do.FOCUS_FIELD:
                self._focused = self._keyboard = True
            case Do.CLEAR_FIELD:
                self._finder.edit("", self._clock())
                self._focused = self._keyboard = True
            case Do.LEAVE_SEARCH | Do.BACK:
                self._leave()
            case Do.SUBMIT:
                self._submit()
            case Do.PICK_SUGGESTION:
                self._pick(index)
            case Do.VIEW_ALL:
                self._open_all()
            case Do.OPEN_PHOTO:
                self._open_photo(index)
            case Do.ANSWER_DIALOG:
                self._answer_first_run(index)
            case Do.DISMISS_FAULT:
                self._answer_trouble(index)

    def _open_search(self) -> None:
        self._stack = [Page.HOME, Page.SEARCH]
        self._focused = self._keyboard = self.skin.search.focus_on_open

    def _submit(self) -> None:
        self._finder.submit(self._clock())
        if not self.skin.search.keyboard_stays:
            self._hide_keyboard()

    def _pick(self, index: int) -> None:
        finder = self._finder
        choices = pages.suggestion_texts(self._stage(), finder.text, tuple(finder.recent[:5]))
        if index < len(choices):
            finder.edit(choices[index], self._clock())
            self._submit()

    def _open_all(self) -> None:
        if self._results is None:
            return
        outcome = self._results[0]
        self._all = self._log_listing(outcome, all_parts(outcome, self.skin, self._stage().told), "all")
        self._stack.append(Page.ALL)
        self._focused = self._keyboard = False

    def _open_photo(self, position: int) -> None:
        listing, _viewport = self._front_list()
        if listing is not None and position < len(listing.photos):
            self._viewed = listing.photos[position]
            self._stack.append(Page.VIEWER)
            self._keyboard = False

    def _back(self) -> None:
        if self._first_run():
            self._front = self._around.launcher
        elif self._keyboard:
            self._hide_keyboard()
        else:
            self._leave()

    def _leave(self) -> None:
        """One page back; from the home page to the launcher."""
        if len(self._stack) == 1:
            self._front = self._around.launcher
        elif self._stack.pop() is Page.SEARCH:
            self._finder.leave()
            self._focused = self._keyboard = False

    def _hide_keyboard(self) -> None:
        self._keyboard = self._keyboard and self.faults.holds(FaultName.KEYBOARD_STUCK)

    def _answer_first_run(self, index: int) -> None:
        if self.skin.first_run[self._first_run_done].buttons[index].accepts:
            self._first_run_done += 1
        else:
            self._front = self._around.launcher

    def _answer_trouble(self, index: int) -> None:
        name = dialog_fault(self.faults)
        if name is None:
            return
        self.faults.dismiss(name)
        if TROUBLE_DIALOGS[name].first_closes_app and index == 0:
            self.stop(self.skin.package)
