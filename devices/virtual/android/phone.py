"""The state of one virtual Android phone. Commands, the transfer service and the UI server read and change it.

boot ──▶ running ──▶ reboot (the wire drops, the boot count grows) ──▶ running
                └──▶ wipe   (the wire drops, everything is as new)  ──▶ running
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from devices.virtual.android.adbd import AdbServer, Stream
from devices.virtual.android.files import DEFAULT_CAPACITY_BYTES, PhoneFiles
from devices.virtual.android.hardware import Battery, Clock, NamePlate, made_up
from devices.virtual.android.pictures import Camera, Frame
from devices.virtual.android.settings import NAMESPACES, Settings
from devices.virtual.android.wire import Wire
from devices.virtual.gallery.faults import Faults as GalleryFaults
from devices.virtual.gallery.indexer import IndexSignals
from devices.virtual.gallery.library import MediaRow
from devices.virtual.gallery.system import SURROUNDINGS
from devices.virtual.gallery.truth import Truth
from devices.virtual.interface import VirtualScreen

KEYBOARD = SURROUNDINGS["android"].keyboard
BOOT_S = 1.5
"""How long the phone is away when it restarts: long enough that a client notices."""

log = logging.getLogger(__name__)


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


TcpService = Callable[[Stream], Coroutine[Any, Any, None]]


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


@dataclass(slots=True)
class Faults:
    """What is wrong with the phone itself; the wire and the gallery have their own."""

    automation_broken: bool = False
    """uiautomator answers "UiAutomation not connected" whatever is done."""
    screenshot: str = ""
    """"" (well), black, crlf, text or truncated."""
    cut_push_after: int | None = None
    """The next pushed file ends after so many bytes: the cable falls out."""
    lost_pushes: int = 0
    """So many of the next pushed files are not kept."""


class PushFaults:
    """What `sync` is told of the files that it receives."""

    def __init__(self, phone: "AndroidPhone") -> None:
        self._phone = phone

    def cut_after(self, _path: str) -> int | None:
        """Bytes after which the cable falls out, once."""
        faults = self._phone.faults
        bytes_kept, faults.cut_push_after = faults.cut_push_after, None
        return bytes_kept

    def loses(self, _path: str) -> bool:
        """True for the next files that get lost."""
        faults = self._phone.faults
        lost = faults.lost_pushes > 0
        faults.lost_pushes -= int(lost)
        return lost


@dataclass(slots=True)
class Processes:
    """What runs beside the gallery."""

    ui_server: asyncio.Event | None = None
    """Set to kill the uiautomator server that runs; None when none does."""
    ui_server_pid: int = 0
    last_pid: int = 4000

    def new_pid(self) -> int:
        """A process id that was not used since the boot."""
        self.last_pid += 7
        return self.last_pid


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package."""

    name: str
    version: str
    third_party: bool = False


@dataclass(slots=True)
class Installed:
    """Packages by name; the gallery's own is added with the version that it has now."""

    packages: dict[str, Package] = field(default_factory=dict)

    def add(self, package: Package) -> None:
        """The package is installed, or replaced."""
        self.packages[package.name] = package


SYSTEM_PACKAGES = ("android", "com.android.providers.media.module", *astuple(SURROUNDINGS["android"]))


class AndroidPhone:
    """One virtual phone: `start`, then it can be connected to at `adb.port`."""

    def __init__(self, make: Make, root: Path, new_gallery: GalleryFactory, services: "Services") -> None:
        self.make = make
        self.wire = Wire()
        self.faults = Faults()
        self.transfer = PushFaults(self)
        self.adb = AdbServer(self)
        self.files = PhoneFiles(root, make.capacity_bytes)
        self.battery = Battery()
        self.clock = Clock(make.plate.timezone)
        self.camera = Camera()
        self.processes = Processes()
        self.tcp_services: dict[int, TcpService] = {}
        self.unhandled: list[str] = []
        self.accounts: list[str] = []
        self._services = services
        self.gallery = new_gallery(self.files.root / "sdcard")
        self.gallery_version = make.gallery.version
        self._build = 1
        self._boots = 0
        self._wipes = -1
        self._errands: set[asyncio.Task[None]] = set()
        self.props: dict[str, str] = {}
        self.clipboard = ""
        self._become_new()
        self._boots = make.boots
        self._boot()
        self.files.generated = {
            "/proc/uptime": lambda: f"{self.clock.uptime_s():.2f} {self.clock.uptime_s():.2f}\n".encode(),
            "/proc/sys/kernel/random/boot_id": lambda: (self.boot_id + "\n").encode(),
        }

    async def start(self, port: int = 0) -> int:
        """The phone answers on loopback; returns its port."""
        return await self.adb.listen(port)

    def stop(self) -> None:
        """The phone is off."""
        self.adb.unplug(keep_port=False)
        for errand in self._errands:
            errand.cancel()

    def banner(self) -> bytes:
        """What the host is told when it connects: only features that are truly served."""
        names = ("ro.product.name", "ro.product.model", "ro.product.device")
        told = ";".join(f"{name}={self.props[name]}" for name in names)
        return f"device::{told};features=shell_v2,cmd,stat_v2,fixed_push_mkdir,fixed_push_symlink_timestamp,apex".encode()

    def open_service(self, name: str, stream: Stream) -> Awaitable[None] | None:
        """The work of an ADB service, or None."""
        return self._services(self, name, stream)

    @property
    def boot_id(self) -> str:
        """Changes with each boot."""
        text = made_up(f"boot {self.make.plate.serial} {self._wipes} {self._boots}", 32)
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))

    @property
    def boot_count(self) -> int:
        """Boots since the phone was new."""
        return self._boots

    def package(self, name: str) -> Package | None:
        """An installed package."""
        if name == self.make.gallery.name:
            return Package(name, self.gallery_version)
        return self.installed.packages.get(name)

    def packages(self) -> list[Package]:
        """All installed packages, by name."""
        gallery = Package(self.make.gallery.name, self.gallery_version)
        return sorted([*self.installed.packages.values(), gallery], key=lambda package: package.name)

    def frame(self) -> Frame:
        """What a screenshot shows: RGB, not to be written to."""
        frame = self.gallery.frame()
        return np.zeros_like(frame) if self.faults.screenshot == "black" else frame

    def clear_gallery(self) -> None:
        """`pm clear`: the gallery forgets everything, the photos stay."""
        self.gallery.reset()
        self.gallery.scan()

    # What happens to the phone.

    def reboot(self, *, away_s: float | None = None) -> None:
        """The phone restarts: it is away for `away_s` (else its boot time) and comes back with another boot id."""
        self._leave(self._boot, self.make.boot_s if away_s is None else away_s)

    def wipe(self) -> None:
        """Factory reset into test harness mode: the host's key is kept, everything of the user is gone."""

        def as_new() -> None:
            self.files.wipe()
            self._become_new()
            self.props["persist.sys.test_harness"] = "1"
            self.settings.put("global", "stay_on_while_plugged_in", "15")
            self._boot()

        self._leave(as_new, self.make.boot_s)

    def update_system(self) -> None:
        """An OTA: the build changes and the phone restarts."""
        self._build += 1
        self.reboot()

    def drop(self, away_s: float) -> None:
        """The cable is out for `away_s`; the phone runs on."""
        self._leave(lambda: None, away_s)

    def update_gallery(self, version: str) -> None:
        """Another version of the gallery is installed; it is not running any more."""
        self.gallery_version = version
        self.gallery.stop(self.make.gallery.name)

    def heal(self) -> None:
        """What faults changed is as on a phone in good health."""
        self.faults = Faults()
        self.battery = Battery()
        self.clock.wrong_by_s = 0.0
        self.files.capacity_bytes = self.make.capacity_bytes
        self.accounts.clear()

    def kill_ui_server(self) -> None:
        """The uiautomator server dies, as when the maker's battery saver kills it."""
        if self.processes.ui_server is not None:
            self.processes.ui_server.set()

    def _leave(self, meanwhile: Callable[[], None], away_s: float) -> None:
        port = self.adb.port
        self.adb.unplug()

        async def come_back() -> None:
            meanwhile()
            await asyncio.sleep(away_s)
            await self.adb.listen(port)

        self.run_errand(come_back())

    def run_errand(self, work: Coroutine[Any, Any, None]) -> None:
        """`work` goes on beside everything else until it ends or the phone is stopped."""
        errand = asyncio.create_task(work)
        self._errands.add(errand)
        errand.add_done_callback(self._errands.discard)

    # What survives a power cut.

    def memory(self) -> dict[str, Any]:
        """Everything but the files that a phone keeps without power; JSON values."""
        index = self.gallery.index_signals()
        return {
            "wipes": self._wipes,
            "boots": self._boots,
            "build": self._build,
            "gallery_version": self.gallery_version,
            "authorised": self.wire.authorised,
            "accounts": list(self.accounts),
            "indexed": index.total > 0 and index.indexed == index.total,
            "settings": {namespace: dict(self.settings.items(namespace)) for namespace in NAMESPACES},
            "props": {name: value for name, value in self.props.items() if name.startswith("persist.")},
        }

    def remember(self, memory: Mapping[str, Any]) -> None:
        """The phone is as `memory` says, one boot later."""
        self._wipes, self._boots, self._build = memory["wipes"], memory["boots"], memory["build"]
        self.gallery_version = memory["gallery_version"]
        self.wire.authorised = memory["authorised"]
        self.accounts[:] = memory["accounts"]
        for namespace, table in memory["settings"].items():
            self.settings.replace(namespace, table)
        self.props |= memory["props"]
        self._boot()
        self.gallery.scan()
        if memory["indexed"]:
            self.gallery.finish_indexing()

    def _become_new(self) -> None:
        self._wipes += 1
        self._boots = 0
        self.accounts.clear()
        self.clipboard = ""
        self.installed = Installed()
        for name in SYSTEM_PACKAGES:
            self.installed.add(Package(name, self.make.plate.android))
        android_id = made_up(f"android_id {self.make.plate.serial} {self.make.seed} {self._wipes}")
        self.settings = Settings(android_id, f"{KEYBOARD}/.Service")
        self.props = {}
        self.gallery.reset()
        self.gallery_version = self.make.gallery.version

    def _boot(self) -> None:
        self._boots += 1
        kept = {name: value for name, value in self.props.items() if name.startswith("persist.")}
        self.props = self.make.plate.props(self._build) | kept | {"sys.boot_completed": "1", "dev.bootcomplete": "1"}
        self.clock = Clock(self.props["persist.sys.timezone"], self.clock.wrong_by_s)
        self.processes = Processes()
        self.tcp_services.clear()
        self.settings.put("global", "boot_count", str(self._boots))
        self.gallery.stop(self.make.gallery.name)


class Services(Protocol):
    """Opens the services of a phone by their names."""

    def __call__(self, phone: AndroidPhone, name: str, stream: Stream) -> Awaitable[None] | None:
        """The work of a service, or None to refuse it."""
