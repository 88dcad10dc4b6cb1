"""The screen of a virtual phone: the gallery with the system around it. Implements `devices.virtual.interface.VirtualScreen`.

How a wire server uses it:

    app = build_gallery("xiaomi", storage, seed=7, clock=time.time)
    app.scan()                     after files came into `storage` or left it; returns MediaStore-like rows
    app.tree(); app.frame()        whenever a client asks; nothing has to be called in between (there is no tick)
    app.tap(…); app.drag(…); app.key(…); app.set_text(…); app.type_text(…)      return at once
    app.index_signals()            processor time and size of the index, for `ps`, `dumpsys`, syslog
    app.reset()                    after the server has emptied `storage`: as from the factory
    app.faults.set("lock"); app.truth         from the control socket

Every state is a function of the clock: latencies, flings, pages and indexing are worked out when somebody looks. `clock` gives
seconds since 1970 and may be any callable; `speed` divides all waits. All calls come from one thread; only thumbnails may be
made in others, by `executor`.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from devices.virtual.gallery import overlays
from devices.virtual.gallery.composing import composed
from devices.virtual.gallery.elements import Do, Element, contains
from devices.virtual.gallery.faults import JITTER_ROWS, FaultName, Faults
from devices.virtual.gallery.gallery import Gallery
from devices.virtual.gallery.indexer import Indexer, IndexSignals
from devices.virtual.gallery.library import Library, LibraryPhoto, MediaRow
from devices.virtual.gallery.listing import Listing
from devices.virtual.gallery.pictures import Pictures
from devices.virtual.gallery.render import Painter
from devices.virtual.gallery.scene import hit, tree
from devices.virtual.gallery.search import Hit, SearchIndex
from devices.virtual.gallery.skin import Skin, Words, load_skin
from devices.virtual.gallery.stage import Stage
from devices.virtual.gallery.system import CAMERA_TITLE, SETTINGS_TITLE, SURROUNDINGS
from devices.virtual.gallery.tables import changed
from devices.virtual.gallery.trouble import TROUBLE_DIALOGS, dialog_fault, trouble_elements
from devices.virtual.gallery.truth import Truth
from devices.virtual.interface import Node

_UNLOCK_SHARE = 0.2
"""Part of the screen's height that a swipe up must cover to unlock."""


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
    """One phone's screen and what is on it."""

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
        self._clock = clock
        self._zone = ZoneInfo(skin.zone)
        self._around = SURROUNDINGS[skin.platform]
        self._library = library
        self._photos: Mapping[int, LibraryPhoto] = {}
        self._indexer = Indexer(skin.indexing, seed=seed, speed=speed)
        self._index = SearchIndex(skin.engine, seed=seed, zone=self._zone)
        self._indexed: frozenset[int] = frozenset()
        self._pictures = Pictures(skin, lambda: self._photos, seed=seed, clock=clock, speed=speed, executor=executor)
        self._painter = Painter(self.size, skin.colours.background, skin.colours.placeholder, self._pictures.pixels)
        self._gallery = Gallery(
            skin,
            library,
            self._pictures,
            seed=seed,
            speed=speed,
            stage=self._stage,
            find=self._find,
            faults=self.faults,
            truth=self.truth,
        )
        self._awake = True
        self._front = self._around.launcher

    # What the phone's other services need

    @property
    def package(self) -> str:
        """The gallery's package."""
        return self.skin.package

    @property
    def version(self) -> str:
        """The gallery's version."""
        return self.skin.version

    def scan(self) -> tuple[MediaRow, ...]:
        """The media library agrees with the storage, and new photos wait to be indexed; returns all rows."""
        rows = self._library.scan()
        self.library_changed()
        return rows

    def library_changed(self) -> None:
        """The media library was scanned by somebody else."""
        self._advance()
        self._photos = {photo.row.id: photo for photo in self._library.photos}
        decodable = [row.id for row in self.rows() if row.width_px is not None]
        self._indexer.photos_changed(decodable, self._clock())
        self._gallery.library_changed()

    def rows(self) -> tuple[MediaRow, ...]:
        """The media library as of the last scan."""
        return tuple(photo.row for photo in self._library.photos)

    def reset(self) -> None:
        """As from the factory: no photos known, nothing indexed, first-run dialogs to come. The log of truth stays."""
        self._library.clear()
        self._photos = {}
        self._indexer.clear()
        self._pictures.clear()
        self._gallery.reset()
        self._awake = True
        self._front = self._around.launcher

    def index_signals(self) -> IndexSignals:
        """What can be seen of indexing from outside."""
        self._advance()
        return self._indexer.signals()

    def finish_indexing(self) -> None:
        """Every photo of the library is searchable: for a phone whose process came back to a finished index."""
        self._indexer.finish()

    # What is seen

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
        return self._gallery.keyboard and self._gallery_is_usable()

    def tree(self) -> Node:
        """The accessibility tree of what is shown now."""
        return tree(self._scene(), self.size, self.front_package(), hint_as_text=self.skin.platform != "harmony")

    def frame(self) -> NDArray[np.uint8]:
        """What is shown now: RGB, shape (height, width, 3), read-only."""
        scene = self._scene()
        if self.faults.holds(FaultName.BLACK_FRAME):
            return self._painter.frame(())
        pixels = self._painter.frame(scene)
        if self._gallery_is_usable():
            self._gallery.log_cells(scene, self.size)
        return pixels

    def front_package(self) -> str:
        """Package (bundle) in front."""
        if self.locked:
            return self._around.system_ui
        return self._around.settings if self.faults.holds(FaultName.WRONG_APP) else self._front

    def _scene(self) -> tuple[Element, ...]:
        """Everything on the screen, from the bottom up; empty while it is dark."""
        self._advance()
        if not self.screen_on:
            return ()
        stage = self._stage()
        if self.locked:
            return (*overlays.lock_screen(stage), *overlays.status_bar(stage))
        keyboard = overlays.keyboard(stage) if self.keyboard_shown else ()
        dialog = self._gallery.dialog(stage) if self._gallery_is_usable() else ()
        bars = (*overlays.navigation_bar(stage), *overlays.status_bar(stage))
        return (*self._front_elements(stage), *bars, *keyboard, *dialog, *trouble_elements(stage, self.faults))

    def _front_elements(self, stage: Stage) -> tuple[Element, ...]:
        front, titles = self.front_package(), self._titles()
        if front == self.package:
            return self._gallery.elements(stage)
        if front == self._around.launcher:
            return overlays.launcher(stage, [(stage.told(titles[app]), app) for app in self._apps()])
        return overlays.other_app(stage, stage.told(titles[front]), front)

    # What is done

    def launch(self, package: str) -> bool:
        """Starts a package, or brings it to the front as it was left; False when it is not installed."""
        self._advance()
        if package not in self._titles():
            return False
        self.faults.dismiss(FaultName.WRONG_APP)
        self._front = package
        self._gallery.hide_keyboard()
        return True

    def stop(self, package: str) -> None:
        """Force-stops a package: what it had on the screen is gone, what it stored stays."""
        self._advance()
        if package == self.front_package():
            self.faults.dismiss(FaultName.WRONG_APP)
        if package == self.package:
            self._gallery.close()
            self.faults.dismiss(FaultName.ANR_DIALOG)
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
        element = hit(self._scene(), self.size, x0, y0)
        up_px = y0 - y1
        if not self.screen_on:
            return
        if self.locked:
            if up_px > self.size[1] * _UNLOCK_SHARE:
                self.faults.dismiss(FaultName.LOCK)
        elif y0 >= self.size[1] - self.skin.screen.navigation_px and up_px > 0:
            self.key("home")
        elif element is not None and element.name == overlays.NOTIFICATION_NAME:
            self.faults.dismiss(FaultName.NOTIFICATION)
        elif abs(up_px) > abs(x1 - x0):
            self._scroll(element, x0, y0, up_px, duration_s)

    def set_text(self, text: str) -> bool:
        """Replaces the text of the focused field; False when none is focused."""
        self._advance()
        if not self._takes_text():
            return False
        self._gallery.finder.edit(text, self._clock())
        return True

    def type_text(self, text: str, *, composing: bool) -> bool:
        """Types at the end of the focused field; a newline submits, a backspace deletes. False when no field is focused."""
        self._advance()
        if not self._takes_text():
            return False
        finder = self._gallery.finder
        for piece in (composed(text) if composing else text).replace("\r", "").splitlines(keepends=True):
            line, current = piece.removesuffix("\n"), finder.text
            for character in line:
                current = current[:-1] if character == "\b" else current + character
            if current != finder.text:
                finder.edit(current, self._clock())
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
            self._go_home()
        elif name == "back" and self.front_package() == self.package and dialog_fault(self.faults) is None:
            if not self._gallery.back():
                self._go_home()
        elif name in ("enter", "search") and self._takes_text():
            self._gallery.submit(self._clock())

    def _do(self, element: Element) -> None:
        if element.do is Do.LAUNCH:
            self.launch(self._apps()[element.index])
        elif element.do is Do.DISMISS_FAULT:
            self._answer_trouble(element.index)
        elif not self._gallery.do(element, self._clock()):
            self._go_home()

    def _answer_trouble(self, index: int) -> None:
        name = dialog_fault(self.faults)
        if name is not None:
            self.faults.dismiss(name)
            if TROUBLE_DIALOGS[name].first_closes_app and index == 0:
                self.stop(self.package)

    def _scroll(self, element: Element | None, x: float, y: float, up_px: float, duration_s: float) -> None:
        listing, viewport_px = self._list_under(element, x, y)
        if listing is not None:
            jitter = JITTER_ROWS if self.faults.holds(FaultName.SCROLL_JITTER) else 0.0
            limit = listing.limit_px(viewport_px)
            listing.scroller.drag(up_px, duration_s, self._clock(), limit, jitter_rows=jitter)

    def _list_under(self, element: Element | None, x: float, y: float) -> tuple[Listing | None, int]:
        """The list that a finger at this point moves, and its viewport's height; None where something else lies over it."""
        if not self._gallery_is_usable() or (element is not None and element.do not in (Do.OPEN_PHOTO, Do.VIEW_ALL)):
            return None, 0
        listing, viewport = self._gallery.front_list()
        return (listing if contains(viewport, x, y) else None), viewport[3] - viewport[1]

    def _go_home(self) -> None:
        self._front = self._around.launcher
        self._gallery.hide_keyboard()

    def _power(self, name: str) -> None:
        if name == "sleep" or (name == "power" and self.screen_on):
            self._awake = False
            self._gallery.hide_keyboard()
        else:
            self._awake = True
            self.faults.dismiss(FaultName.SCREEN_OFF)

    # What everything rests on

    def _advance(self) -> None:
        """Everything that time alone changes has been done."""
        now_s = self._clock()
        self._indexer.advance(now_s, screen_on=self.screen_on)
        self._gallery.advance(now_s)

    def _find(self, text: str) -> tuple[Hit, ...]:
        """The gallery's search, over what is indexed now."""
        if self._indexer.done != self._indexed:
            self._indexed = self._indexer.done
            self._index.put(photo for photo in self._library.photos if photo.row.id in self._indexed)
        return self._index.find(text, self._stage().wall)

    def _gallery_is_usable(self) -> bool:
        return self.front_package() == self.package and self.screen_on and not self.locked

    def _takes_text(self) -> bool:
        return self._gallery.takes_text and self._gallery_is_usable()

    def _apps(self) -> tuple[str, ...]:
        return self.package, self._around.settings, self._around.camera

    def _titles(self) -> dict[str, Words]:
        titles = (self.skin.texts.title, SETTINGS_TITLE, CAMERA_TITLE)
        return {**dict(zip(self._apps(), titles, strict=True)), self._around.launcher: Words()}

    def _stage(self) -> Stage:
        now_s = self._clock()
        wall = datetime.fromtimestamp(now_s, self._zone).replace(tzinfo=None)
        return Stage(self.skin, self.locale, now_s, wall, self._pictures.picture)
