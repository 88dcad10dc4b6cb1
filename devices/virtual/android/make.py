"""How a virtual Android phone is built: its name plate, its gallery, what it can do. Nothing here changes later."""

from dataclasses import dataclass

from devices.virtual.android.files import DEFAULT_CAPACITY_BYTES
from devices.virtual.android.hardware import NamePlate

BOOT_S = 1.5
"""How long the phone is away when it restarts: long enough that a client notices."""


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
