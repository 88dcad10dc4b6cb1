"""The state of one virtual Android phone. Commands, the transfer service and the UI server read and change it.

boot ──▶ running ──▶ reboot (the wire drops, the boot count grows) ──▶ running
                └──▶ wipe   (the wire drops, everything is as new)  ──▶ running
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from devices.virtual.android.adbd import AdbServer, Stream
from devices.virtual.android.files import DEFAULT_CAPACITY_BYTES, PhoneFiles
from devices.virtual.android.hardware import Battery, Clock, NamePlate, made_up
from devices.virtual.android.settings import Settings
from devices.virtual.android.wire import Wire
from devices.virtual.gallery.library import Library
from devices.virtual.gallery.system import SURROUNDINGS
from devices.virtual.interface import VirtualScreen

KEYBOARD = SURROUNDINGS["android"].keyboard
BOOT_S = 1.5
"""How long the phone is away when it restarts: long enough that a client notices."""

log = logging.getLogger(__name__)


class GalleryApp(VirtualScreen, Protocol):
    """The gallery with the rest of the screen, as far as the phone has to feed it."""

    package: str
    """The gallery's package."""
    version: str
    """The gallery's version; an update changes it."""

    screen_on: bool
    locked: bool

    def library_changed(self) -> None:
        """The media library was scanned."""

    def cpu_time_s(self) -> Mapping[str, float]:
        """CPU seconds since the boot by process of the gallery; they grow while it indexes."""

    def shown(self) -> Mapping[str, Any]:
        """What was truly shown, for tests; JSON values only."""

    def fault(self, name: str, options: Mapping[str, Any]) -> bool:
        """A fault of the screen or the gallery begins; False when it knows none of this name."""

    def clear_faults(self) -> None:
        """The screen and the gallery are well again."""


GalleryFactory = Callable[[Library], GalleryApp]
"""Makes the gallery of a new phone, over the phone's media library: after a wipe both are made again."""

TcpService = Callable[[Stream], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Make:
    """How a phone is built and what it can do."""

    plate: NamePlate
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

    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    def cut_after(self, _path: str) -> int | None:
        """Bytes after which the cable falls out, once."""
        bytes_kept, self._faults.cut_push_after = self._faults.cut_push_after, None
        return bytes_kept

    def loses(self, _path: str) -> bool:
        """True for the next files that get lost."""
        lost = self._faults.lost_pushes > 0
        self._faults.lost_pushes -= int(lost)
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
        self.transfer = PushFaults(self.faults)
        self.adb = AdbServer(self)
        self.files = PhoneFiles(root, make.capacity_bytes)
        self.battery = Battery()
        self.clock = Clock(make.plate.timezone)
        self.processes = Processes()
        self.tcp_services: dict[int, TcpService] = {}
        self.unhandled: list[str] = []
        self.accounts: list[str] = []
        self._services = services
        self._new_gallery = new_gallery
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
        self.adb.unplug()
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
        if name == self.gallery.package:
            return Package(name, self.gallery.version)
        return self.installed.packages.get(name)

    def packages(self) -> list[Package]:
        """All installed packages, by name."""
        gallery = Package(self.gallery.package, self.gallery.version)
        return sorted([*self.installed.packages.values(), gallery], key=lambda package: package.name)

    async def scan_media(self) -> None:
        """The media library agrees with shared storage, and the gallery knows."""
        await asyncio.to_thread(self.library.scan)
        self.gallery.library_changed()

    def clear_gallery(self) -> None:
        """`pm clear`: the gallery forgets everything, the photos stay."""
        self.gallery = self._new_gallery(self.library)
        self.gallery.library_changed()

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

        errand = asyncio.create_task(come_back(), name="phone comes back")
        self._errands.add(errand)
        errand.add_done_callback(self._errands.discard)

    def _become_new(self) -> None:
        self._wipes += 1
        self._boots = 0
        self.library = Library(self.files.root / "sdcard")
        self.accounts.clear()
        self.clipboard = ""
        self.installed = Installed()
        for name in SYSTEM_PACKAGES:
            self.installed.add(Package(name, self.make.plate.android))
        android_id = made_up(f"android_id {self.make.plate.serial} {self.make.seed} {self._wipes}")
        self.settings = Settings(android_id, f"{KEYBOARD}/.Service")
        self.props = {}
        self.gallery = self._new_gallery(self.library)

    def _boot(self) -> None:
        self._boots += 1
        kept = {name: value for name, value in self.props.items() if name.startswith("persist.")}
        self.props = self.make.plate.props(self._build) | kept | {"sys.boot_completed": "1", "dev.bootcomplete": "1"}
        self.clock = Clock(self.props["persist.sys.timezone"], self.clock.wrong_by_s)
        self.processes = Processes()
        self.tcp_services.clear()
        self.settings.put("global", "boot_count", str(self._boots))
        self.gallery.stop(self.gallery.package)


class Services(Protocol):
    """Opens the services of a phone by their names."""

    def __call__(self, phone: AndroidPhone, name: str, stream: Stream) -> Awaitable[None] | None:
        """The work of a service, or None to refuse it."""
