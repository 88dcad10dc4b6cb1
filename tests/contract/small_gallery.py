"""A gallery of a few lines over the same contract as the real one: a search field and a grid of coloured cells."""

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from devices.virtual.gallery.faults import Faults
from devices.virtual.gallery.indexer import IndexSignals
from devices.virtual.gallery.library import Library, MediaRow
from devices.virtual.gallery.truth import Truth
from devices.virtual.interface import Node, Role

PACKAGE, LAUNCHER = "com.small.gallery", "com.android.launcher3"
WIDTH, HEIGHT, TOP, CELL = 540, 960, 160, 180


class SmallGallery:
    """Finds photos whose file name contains the text; three columns, scrolled by pixels."""

    size = (WIDTH, HEIGHT)

    def __init__(self, storage: Path) -> None:
        self.library = Library(storage)
        self.faults = Faults(time.monotonic)
        self.truth = Truth()
        self.keyboard_shown = False
        self.cpu_s = 0.0
        self.locked = False
        self.reset()

    def reset(self) -> None:
        self.library.clear()
        self.text = ""
        self.focused = False
        self.front = LAUNCHER
        self.scrolled = 0
        self.screen_on = True

    def scan(self) -> tuple[MediaRow, ...]:
        return self.library.scan()

    def rows(self) -> tuple[MediaRow, ...]:
        return tuple(photo.row for photo in self.library.photos)

    def index_signals(self) -> IndexSignals:
        count = len(self.library.photos)
        return IndexSignals(self.cpu_s, 4096, working=False, indexed=count, total=count)

    def finish_indexing(self) -> None:
        pass

    def _found(self) -> list[str]:
        return [photo.row.name for photo in self.library.photos if self.text and self.text in photo.row.name]

    def tree(self) -> Node:
        if self.front != PACKAGE:
            return Node(Role.WINDOW, (0, 0, WIDTH, HEIGHT), package=self.front)
        cells = []
        for number, name in enumerate(self._found()):
            left, top = number % 3 * CELL, TOP + number // 3 * CELL - self.scrolled
            if top + CELL > TOP and top < HEIGHT:
                box = (left, max(top, TOP), left + CELL, min(top + CELL, HEIGHT))
                cells.append(Node(Role.IMAGE, box, name="thumb", label=name, clickable=True))
        field = Node(Role.FIELD, (20, 40, 520, 120), "search", self.text, clickable=True, editable=True, focused=self.focused)
        grid = Node(Role.LIST, (0, TOP, WIDTH, HEIGHT), "grid", scrollable=True, children=cells)
        return Node(Role.WINDOW, (0, 0, WIDTH, HEIGHT), package=PACKAGE, children=[field, grid])

    def frame(self) -> NDArray[np.uint8]:
        frame = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
        for number, node in enumerate(self.tree().walk()):
            if node.role is Role.IMAGE:
                left, top, right, bottom = node.box
                frame[top:bottom, left:right] = (number * 40 % 256, 90, 120)
        return frame

    def front_package(self) -> str:
        return self.front

    def launch(self, package: str) -> bool:
        if package != PACKAGE:
            return False
        self.front = package
        return True

    def stop(self, package: str) -> None:
        if package == PACKAGE:
            self.front, self.text, self.focused = LAUNCHER, "", False

    def tap(self, x: float, y: float) -> None:
        self.focused = 20 <= x < 520 and 40 <= y < 120

    def drag(self, x0: float, y0: float, x1: float, y1: float, duration_s: float) -> None:
        rows = -(-len(self._found()) // 3)
        most = max(0, rows * CELL - (HEIGHT - TOP))
        self.scrolled = min(max(0, self.scrolled + round(y0 - y1)), most)

    def set_text(self, text: str) -> bool:
        if self.focused:
            self.text, self.scrolled = text, 0
        return self.focused

    def type_text(self, text: str, *, composing: bool) -> bool:
        return self.set_text(self.text + text)

    def key(self, name: str) -> None:
        if name == "home":
            self.front = LAUNCHER
        if name in ("wake", "sleep"):
            self.screen_on = name == "wake"
