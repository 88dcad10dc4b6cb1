"""How a virtual Android phone is built: its name plate, its gallery, what it can do. Nothing here changes later."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from devices.virtual.android.files import DEFAULT_CAPACITY_BYTES
from devices.virtual.android.hardware import NamePlate
from devices.virtual.gallery.faults import Faults as GalleryFaults
from devices.virtual.gallery.indexer import IndexSignals
from devices.virtual.gallery.library import MediaRow
from devices.virtual.gallery.truth import Truth
from devices.virtual.interface import VirtualScreen

BOOT_S = 1.5
"""How long the phone is away when it restarts: long enough that a client notices."""


class Gallery(VirtualScreen, Protocol):
    """The screen with a gallery on it, as far as the rest of the phone has to know; `gallery.app.GalleryApp` is one."""

    faults: GalleryFaults
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
"""Makes the gallery over a folder of the host that is the phone's shared storage."""


@dataclass(frozen=True, slots=True)
class GalleryPackage:
    """What package manager knows of the gallery."""

    name: str
    version: str
    """When the phone is new; an update changes it."""
    activity: str = ".MainActivity"


@dataclass(frozen=True, slots=True)
class Make:
    """How a phone is built and what it can do."""

    plate: NamePlate
    gallery: GalleryPackage
    seed: int = 0
    capacity_bytes: int = DEFAULT_CAPACITY_BYTES
    boot_s: float = BOOT_S
    boots: int = 6
    """Boots in its life before, so that a reset shows in the count."""
    can_reset: bool = True
    """False: `cmd testharness` fails as on makers that do not support it."""
