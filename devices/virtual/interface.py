"""The seam inside a virtual phone: what draws a gallery, and what serves it over a wire.

    gallery/  library · indexer · search · skin · thumbnails · app      implements Gallery
    android/ ios/ harmony/   wire protocols                              draw and touch by VirtualScreen, keep it by Gallery

A wire server turns `tree()` into its own format (uiautomator XML, WDA JSON, uitest layout) and its own gestures into `touch`
and `key`. All methods are called from the phone's event loop; none blocks for long.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from devices.virtual.gallery.faults import Faults
from devices.virtual.gallery.indexer import IndexSignals
from devices.virtual.gallery.library import MediaRow
from devices.virtual.gallery.truth import Truth

Box = tuple[int, int, int, int]
"""(left, top, right, bottom) in pixels, half-open."""


class Role(StrEnum):
    """What a node is; each wire maps it to its own class names."""

    WINDOW = "window"
    GROUP = "group"
    LIST = "list"
    TEXT = "text"
    BUTTON = "button"
    IMAGE = "image"
    FIELD = "field"
    SPINNER = "spinner"
    DIALOG = "dialog"
    KEYBOARD = "keyboard"


@dataclass(slots=True)
class Node:
    """One accessible element. `name` is the resource id (Android), identifier (iOS) or id (HarmonyOS) without package."""

    role: Role
    box: Box
    name: str = ""
    text: str = ""
    label: str = ""
    package: str = ""
    kind: str = ""
    """A class of its own that the wire should tell instead of the role's usual one (`TextView`, `SlotView`); "" for none."""
    hint: str = ""
    """What an empty field shows."""
    clickable: bool = False
    scrollable: bool = False
    focused: bool = False
    editable: bool = False
    enabled: bool = True
    selected: bool = False
    children: "list[Node]" = field(default_factory=list)

    def walk(self) -> "Iterator[Node]":
        """This node and all below it, depth first."""
        yield self
        for child in self.children:
            yield from child.walk()


class VirtualScreen(Protocol):
    """The screen of a virtual phone: launcher, gallery, dialogs, keyboard, lock screen."""

    size: tuple[int, int]
    """(width, height) in pixels."""

    def tree(self) -> Node:
        """The accessibility tree of what is shown now."""

    def frame(self) -> NDArray[np.uint8]:
        """What is shown now: RGB, shape (height, width, 3). The caller must not write to it."""

    def front_package(self) -> str:
        """Package (bundle) in front."""

    def launch(self, package: str) -> bool:
        """Starts a package; False when it is not installed."""

    def stop(self, package: str) -> None:
        """Force-stops a package."""

    def tap(self, x: float, y: float) -> None:
        """A short touch."""

    def drag(self, x0: float, y0: float, x1: float, y1: float, duration_s: float) -> None:
        """A drag; short durations fling."""

    def set_text(self, text: str) -> bool:
        """Replaces the text of the focused field as an accessibility service would; False when none is focused."""

    def type_text(self, text: str, *, composing: bool) -> bool:
        """Types into the focused field through the keyboard; a composing (Chinese) keyboard may change ASCII text."""

    def key(self, name: str) -> None:
        """back, enter, home, power, wake, sleep, search."""


class Gallery(VirtualScreen, Protocol):
    """The screen with a gallery on it, as far as the rest of the phone has to know; `gallery.app.GalleryApp` is one."""

    faults: Faults
    truth: Truth

    @property
    def screen_on(self) -> bool:
        """False while the screen is dark."""

    @property
    def locked(self) -> bool:
        """True while the keyguard is in front."""

    @property
    def keyboard_shown(self) -> bool:
        """True while the keyboard covers a part of the screen."""

    def scan(self) -> Sequence[MediaRow]:
        """The media library agrees with shared storage."""

    def rows(self) -> Sequence[MediaRow]:
        """The media library as of the last scan."""

    def index_signals(self) -> IndexSignals:
        """What can be seen of indexing from outside."""

    def finish_indexing(self) -> None:
        """Every photo of the library is searchable."""

    def reset(self) -> None:
        """As from the factory; the storage was emptied before."""


GalleryFactory = Callable[[Path], Gallery]
"""Makes the gallery over a folder of the host that holds the phone's photos."""
