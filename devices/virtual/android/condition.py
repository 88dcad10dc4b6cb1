"""What changes on a phone and is not a setting: faults, processes, installed packages."""

import asyncio
from collections.abc import Callable
from dataclasses import astuple, dataclass, field

from devices.virtual.gallery.system import SURROUNDINGS


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

    def __init__(self, faults: Callable[[], Faults]) -> None:
        self._faults = faults

    def cut_after(self, _path: str) -> int | None:
        """Bytes after which the cable falls out, once."""
        faults = self._faults()
        bytes_kept, faults.cut_push_after = faults.cut_push_after, None
        return bytes_kept

    def loses(self, _path: str) -> bool:
        """True for the next files that get lost."""
        faults = self._faults()
        lost = faults.lost_pushes > 0
        faults.lost_pushes -= int(lost)
        return lost


@dataclass(slots=True)
class Processes:
    """What runs beside the gallery."""

    ui_server: asyncio.Event | None = None
    """Set to kill the uiautomator server that runs; None when none does."""
    ui_server_pid: int = 0
    ui_server_name: str = "app_process"
    """What `ps` calls it."""
    services: set[str] = field(default_factory=set)
    """Packages whose service is in the foreground."""
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
    code: int | None = None
    """Its version code; None for one that follows from the version."""
    runner: str = ""
    """The class that `am instrument` runs, of a package that tests another."""
    target: str = ""
    """The package that it tests."""


@dataclass(slots=True)
class Installed:
    """Packages by name; the gallery's own is added with the version that it has now."""

    packages: dict[str, Package] = field(default_factory=dict)

    def add(self, package: Package) -> None:
        """The package is installed, or replaced."""
        self.packages[package.name] = package


SYSTEM_PACKAGES = ("android", "com.android.providers.media.module", *astuple(SURROUNDINGS["android"]))
