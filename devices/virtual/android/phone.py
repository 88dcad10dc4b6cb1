"""The state of one virtual Android phone. Commands, the transfer service and the UI server read and change it.

boot ──▶ running ──▶ reboot (the wire drops, the boot count grows) ──▶ running
                └──▶ wipe   (the wire drops, everything is as new)  ──▶ running
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from devices.virtual.android.adbd import AdbServer, Stream
from devices.virtual.android.condition import SYSTEM_PACKAGES, Faults, Installed, Package, Processes, PushFaults
from devices.virtual.android.files import PhoneFiles
from devices.virtual.android.make import Make
from devices.virtual.android.settings import NAMESPACES, Settings
from devices.virtual.android.wire import Wire
from devices.virtual.cable import Cable
from devices.virtual.errands import Errands
from devices.virtual.gallery.system import SURROUNDINGS
from devices.virtual.hardware import Battery, Clock, made_up
from devices.virtual.interface import GalleryFactory
from devices.virtual.screenshots import Camera, Frame

KEYBOARD = SURROUNDINGS["android"].keyboard


TcpService = Callable[[Stream], Coroutine[Any, Any, None]]


class AndroidPhone:
    """One virtual phone: `start`, then it can be connected to at the end of its `cable`."""

    def __init__(self, make: Make, root: Path, new_gallery: GalleryFactory, services: "Services") -> None:
        self.make = make
        self.wire = Wire()
        self.faults = Faults()
        self.transfer = PushFaults(lambda: self.faults)
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
        self.errands = Errands()
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
        return await self.cable.plug(port)

    def stop(self) -> None:
        """The phone is off."""
        self.cable.unplug(keep_port=False)
        self.errands.stop()

    def banner(self) -> bytes:
        """What the host is told when it connects: only features that are truly served."""
        names = ("ro.product.name", "ro.product.model", "ro.product.device")
        told = ";".join(f"{name}={self.props[name]}" for name in names)
        return f"device::{told};features=shell_v2,cmd,stat_v2,fixed_push_mkdir,fixed_push_symlink_timestamp,apex".encode()

    def open_service(self, name: str, stream: Stream) -> Awaitable[None] | None:
        """The work of an ADB service, or None."""
        return self._services(self, name, stream)

    @property
    def cable(self) -> Cable:
        """Where it is reached."""
        return self.adb.cable

    def status(self) -> Mapping[str, Any]:
        """What Android tells at a glance, and what no command was there for."""
        return {
            "serial": self.make.plate.serial,
            "authorised": self.wire.authorised,
            "front": self.gallery.front_package(),
            "boot_count": self.boot_count,
            "free_bytes": self.files.free_bytes,
            "unhandled": list(self.unhandled),
        }

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
        """It is connected, allowed, charged, cool, on time, with its whole storage and no account."""
        self.wire.flowing.set()
        self.wire.delay_s = 0.0
        self.wire.allow()
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
        self.errands.run(self.cable.leave(away_s, meanwhile))

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
