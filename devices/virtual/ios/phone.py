"""The state of one virtual iPhone. Lockdown's services and WebDriverAgent read and change it.

boot ──▶ running ──▶ reboot (the cable's end drops, the boot count grows) ──▶ running
                └──▶ erase  (no pairing, no activation, no apps, no photos)  ──▶ Hello ──▶ activated ──▶ running

Its lab manages it: once it is activated again, its apps (WebDriverAgent, the importer) are installed again, as by an MDM.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devices.virtual.cable import Cable
from devices.virtual.errands import Errands
from devices.virtual.gallery.app import GalleryApp
from devices.virtual.hardware import Battery, Clock
from devices.virtual.interface import Node, Role
from devices.virtual.ios.hardware import NamePlate
from devices.virtual.ios.importer import IMPORTER, Importer
from devices.virtual.ios.services import REGISTRY
from devices.virtual.ios.usbmuxd import Usbmuxd
from devices.virtual.ios.wda.server import HTTP_PORT, MJPEG_PORT
from devices.virtual.screenshots import Camera

WDA_RUNNER = "com.facebook.WebDriverAgentRunner.xctrunner"
SPRINGBOARD = "com.apple.springboard"
WDA_PORTS = {HTTP_PORT, MJPEG_PORT}
SYSTEM_BYTES = 8 << 30
"""What the system takes of the storage, about as much as a real one's."""


@dataclass(frozen=True, slots=True)
class Make:
    """How a phone is built and what it can do."""

    plate: NamePlate
    capacity_bytes: int
    boot_s: float
    boots: int = 6
    """Boots in its life before, so that an erase shows in the count."""
    can_reset: bool = True
    """False: it refuses every erase over the cable, as phones with restrictions do."""


@dataclass(slots=True)
class Faults:
    """What is wrong with the phone itself; the gallery has its own."""

    screenshot: str = ""
    """"" (well), black, text, truncated, none (a timeout), empty."""
    wda_hangs: bool = False
    hangs: bool = False
    slow_s: float = 0.0
    lost_imports: int = 0
    """So many of the next imported photos do not become assets, though the importer believes it."""
    cut_push_after: int | None = None
    """The next file that is written over AFC ends after so many bytes: the cable falls out."""
    broken_assets: int = 0
    """So many of the next photos are refused by the photo library, and the importer says so."""


class IPhone:
    """One virtual iPhone: once its `cable` is plugged in, usbmuxd answers there."""

    def __init__(self, make: Make, root: Path, new_gallery: Callable[[Path], GalleryApp]) -> None:
        self.make = make
        self.root = root
        self.media = root / "media"
        self.library = root / "library"
        self.documents = root / "container" / "Documents"
        self.faults = Faults()
        self.battery = Battery()
        self.camera = Camera()
        self.clock = Clock(make.plate.timezone)
        self.apple_id = ""
        self.pair_record = b""
        """What the host's usbmuxd keeps for this phone; it stays on the host when the phone is erased."""
        self._make_folders()
        self.gallery = new_gallery(self.library)
        self.gallery_version = self.gallery.version
        self.asks_for_trust = False
        self.mux = Usbmuxd(self, REGISTRY)
        self.importer = Importer(self)
        self.updates = 0
        self.wipes = -1
        self.hosts: set[str] = set()
        self.apps: dict[str, str] = {}
        self.wda_session = ""
        self.wda_settings: dict[str, Any] = {}
        self.wda_elements: dict[str, Any] = {}
        self.boots = 0
        self.errands = Errands()
        self._become_new()
        self.activate()
        self.boots = make.boots
        self.boot()

    # What it is

    @property
    def values(self) -> dict[str, Any]:
        """Lockdown's values without a domain."""
        return self.make.plate.values(self.updates) | {
            "ActivationState": "Activated" if self.activated else "Unactivated",
            "DeviceName": self.name,
            "TimeZone": self.clock.timezone,
            "TimeIntervalSince1970": self.clock.epoch_s(),
            "BootSessionID": self.boot_session,
            "Language": self.make.plate.locale.split("-")[0],
        }

    @property
    def cable(self) -> Cable:
        """Where the usbmuxd that it is attached to is reached."""
        return self.mux.cable

    def status(self) -> Mapping[str, Any]:
        """What an iPhone tells at a glance."""
        return {
            "serial": self.make.plate.udid,
            "activated": self.activated,
            "front": self.front,
            "boot_count": self.boots,
            "free_bytes": self.free_bytes,
        }

    @property
    def boot_session(self) -> str:
        """Changes with each boot."""
        return f"{self.wipes}-{self.boots}"

    @property
    def used_bytes(self) -> int:
        """What the system and the photos take."""
        return SYSTEM_BYTES + sum(row.size_bytes for row in self.gallery.rows())

    @property
    def free_bytes(self) -> int:
        """What is left."""
        return max(0, self.capacity_bytes - self.used_bytes)

    @property
    def locked(self) -> bool:
        """True while the lock screen is in front or the screen is dark."""
        return self.gallery.locked or not self.gallery.screen_on

    @property
    def front(self) -> str:
        """The bundle in front, as WebDriverAgent tells it."""
        if self.locked or not self.activated:
            return SPRINGBOARD
        return IMPORTER if self.importer.in_front else self.gallery.front_package()

    def serves(self, port: int) -> bool:
        """True when something listens there: WebDriverAgent only while it is installed."""
        return not WDA_PORTS & {port} or WDA_RUNNER in self.apps

    # What happens to it

    def launch(self, bundle: str) -> bool:
        """An app comes to the front; False when it is not installed."""
        if bundle == IMPORTER and IMPORTER in self.apps:
            self.importer.launch()
            return True
        if bundle == SPRINGBOARD:
            self.importer.in_front = False
            self.gallery.key("home")
            return True
        if self.gallery.launch(bundle):
            self.importer.in_front = False
            return True
        return False

    def stop_app(self, bundle: str) -> None:
        """An app is ended."""
        if bundle == IMPORTER:
            self.importer.stop()
        else:
            self.gallery.stop(bundle)

    def alert(self) -> Node | None:
        """The system's alert that is open, if any."""
        if self.importer.alert_open:
            return self.importer.alert(self.gallery.size, self.make.plate.locale)
        alerts = (n for n in self.gallery.tree().children if n.role is Role.DIALOG and n.package == SPRINGBOARD)
        return next(alerts, None)

    def activate(self) -> None:
        """Activated and set up; the lab's management installs the apps."""
        self.activated = True
        self.apps = {WDA_RUNNER: "16.12.9", IMPORTER: "1.0"}

    def reboot(self) -> None:
        """It is away for its boot time."""
        self._leave(self.boot, self.make.boot_s)

    def erase(self) -> None:
        """All content and settings are gone; it comes back at its Hello screen."""

        def as_new() -> None:
            for folder in (self.media, self.library, self.documents):
                shutil.rmtree(folder)
            self._become_new()
            self.boot()

        self._leave(as_new, self.make.boot_s)

    def update_system(self) -> None:
        """An over-the-air update: another build, and a restart."""
        self.updates += 1
        self.reboot()

    def drop(self, away_s: float) -> None:
        """The cable is out for `away_s`; the phone runs on."""
        self._leave(lambda: None, away_s)

    def update_gallery(self, version: str) -> None:
        """Another version of the gallery comes with the system; it is not running any more."""
        self.gallery_version = version
        self.gallery.stop(self.gallery.package)

    def heal(self) -> None:
        """It is trusted, charged, cool, on time, with its whole storage and its apps."""
        self.asks_for_trust = False
        self.faults = Faults()
        self.battery = Battery()
        self.clock.wrong_by_s = 0.0
        self.capacity_bytes = self.make.capacity_bytes
        self.apple_id = ""
        if self.activated:
            self.activate()

    def boot(self) -> None:
        """It has started: one more boot, no app runs, WebDriverAgent has no session."""
        self.boots += 1
        self.clock = Clock(self.clock.timezone, self.clock.wrong_by_s)
        self.importer.stop()
        self.gallery.stop(self.gallery.package)
        self.wda_session = ""
        self.wda_settings = dict(WDA_SETTINGS)
        self.wda_elements = {}

    def _leave(self, meanwhile: Callable[[], None], away_s: float) -> None:
        self.errands.run(self.cable.leave(away_s, meanwhile))

    # What survives a power cut

    def memory(self) -> dict[str, Any]:
        """Everything but the files that it keeps without power; JSON values."""
        index = self.gallery.index_signals()
        return {
            "wipes": self.wipes,
            "boots": self.boots,
            "updates": self.updates,
            "activated": self.activated,
            "supervised": self.supervised,
            "hosts": sorted(self.hosts),
            "pair_record": self.pair_record.hex(),
            "apps": self.apps,
            "photo_access": self.importer.permitted,
            "indexed": index.total > 0 and index.indexed == index.total,
        }

    def remember(self, memory: Mapping[str, Any]) -> None:
        """It is as `memory` says, one boot later."""
        self.wipes, self.boots, self.updates = memory["wipes"], memory["boots"], memory["updates"]
        self.activated, self.supervised, self.apps = memory["activated"], memory["supervised"], dict(memory["apps"])
        self.hosts, self.pair_record = set(memory["hosts"]), bytes.fromhex(memory["pair_record"])
        self.importer.permitted = memory["photo_access"]
        self.boot()
        self.gallery.scan()
        if memory["indexed"]:
            self.gallery.finish_indexing()

    def _become_new(self) -> None:
        self.wipes += 1
        self.boots = 0
        self.name = "iPhone"
        self.activated = self.supervised = False
        self.hosts = set()
        self.apps = {}
        self.capacity_bytes = self.make.capacity_bytes
        self.importer.permitted = False
        self._make_folders()
        self.gallery.reset()

    def _make_folders(self) -> None:
        for folder in (self.media / "DCIM" / "100APPLE", self.media / "Downloads", self.library, self.documents):
            folder.mkdir(parents=True, exist_ok=True)


WDA_SETTINGS: Mapping[str, Any] = {
    "mjpegServerScreenshotQuality": 25,
    "mjpegServerFramerate": 10,
    "mjpegScalingFactor": 100,
    "screenshotQuality": 3,
    "snapshotMaxDepth": 50,
    "shouldUseCompactResponses": True,
    "elementResponseAttributes": "type,label",
    "useFirstMatch": False,
    "keyboardAutocorrection": 0,
    "keyboardPrediction": 0,
    "waitForIdleTimeout": 10,
    "animationCoolOffTimeout": 2,
    "maxTypingFrequency": 60,
    "reduceMotion": False,
    "defaultActiveApplication": "auto",
    "respectSystemAlerts": False,
}
"""WebDriverAgent's own defaults."""
