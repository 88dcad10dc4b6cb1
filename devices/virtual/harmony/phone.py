"""The state of one virtual HarmonyOS phone. The channel, the commands and uitest read and change it.

boot ──▶ running ──▶ reboot (the channel closes, the boot id changes)     ──▶ running
                └──▶ wipe   (the channel closes, everything is as new)    ──▶ running
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from devices.virtual.cable import Cable
from devices.virtual.errands import Errands
from devices.virtual.gallery.facts import read_facts
from devices.virtual.gallery.library import MIME_TYPES
from devices.virtual.hardware import Battery, Clock, made_up
from devices.virtual.harmony.make import ADMIN, Make
from devices.virtual.harmony.storage import PhoneStorage
from devices.virtual.interface import GalleryFactory
from devices.virtual.screenshots import Camera, Frame

TIMEOUT_MS = 30_000
"""A new phone's screen goes dark after half a minute."""


@dataclass(slots=True)
class Faults:
    """What is wrong with the phone itself; the gallery has its own faults."""

    screenshot: str = ""
    """"" (well), black, crlf, text, truncated or none."""
    lost_files: int = 0
    """So many of the next imported files are not kept."""
    cut_after_files: int | None = None
    """The next transfer ends after so many files: the cable falls out."""
    blank_starts: int = 0
    """So many of the next cold starts of the gallery show a white page."""
    garbage: int = 0
    """So many of the next answers of uitest are not JSON."""
    half: int = 0
    """So many of the next answers of uitest break off, and the connection with them."""
    fragment: int = 0
    """Answers of uitest come in pieces of so many bytes; 0 for whole."""
    delay_s: float = 0.0
    """Added to each answer."""


@dataclass(slots=True)
class Processes:
    """What runs beside the gallery."""

    uitest_pid: int = 0
    """0 while uitest's daemon does not run."""
    last_pid: int = 4000
    rotation: int = 0
    rotation_enabled: bool = True
    timeout_ms: int = TIMEOUT_MS
    blank: bool = False
    """True while the gallery shows nothing but white."""
    gallery_runs: bool = False
    connections: set[asyncio.StreamWriter] = field(default_factory=set)


class HarmonyPhone:
    """One virtual phone; what `attach` puts at the end of its cable makes it answer."""

    def __init__(self, make: Make, root: Path, new_gallery: GalleryFactory, attach: Callable[["HarmonyPhone"], Cable]) -> None:
        self.make = make
        self.files = PhoneStorage(root, make.capacity_bytes)
        self.faults = Faults()
        self.battery = Battery()
        self.clock = Clock(make.timezone)
        self.camera = Camera()
        self.processes = Processes()
        self.unhandled: list[str] = []
        self.flowing = asyncio.Event()
        self.flowing.set()
        self.gallery = new_gallery(self.files.photos)
        self.gallery_version = make.version
        self._build, self._boots, self._wipes = 1, make.boots, 0
        self.errands = Errands()
        self.cable = attach(self)
        self._boot()

    @property
    def boot_id(self) -> str:
        """Changes with each boot."""
        text = made_up(f"boot {self.make.serial} {self._wipes} {self._boots}", 32)
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))

    @property
    def boots(self) -> int:
        """How often it has started."""
        return self._boots

    def status(self) -> Mapping[str, Any]:
        """What HarmonyOS tells at a glance, and what no command was there for."""
        return {
            "serial": self.make.serial,
            "front": self.gallery.front_package(),
            "boot_count": self.boots,
            "free_bytes": self.files.free_bytes,
            "unhandled": list(self.unhandled),
        }

    @property
    def bundles(self) -> tuple[str, ...]:
        """What is installed."""
        return (self.make.bundle, "com.huawei.hmos.settings", *((ADMIN,) if self.make.can_reset else ()))

    def frame(self) -> Frame:
        """What a screenshot shows: RGB, not to be written to."""
        frame = self.gallery.frame()
        if self.faults.screenshot == "black":
            return np.zeros_like(frame)
        return np.full_like(frame, 255) if self.is_blank else frame

    @property
    def is_blank(self) -> bool:
        """True while the gallery is in front and shows nothing but white."""
        return self.processes.blank and self.gallery.front_package() == self.make.bundle

    # What happens to the phone.

    def start_gallery(self) -> None:
        """The gallery comes to the front, started when it does not run."""
        if not self.processes.gallery_runs:
            self.processes.blank = self.faults.blank_starts > 0
            self.faults.blank_starts -= int(self.processes.blank)
        self.processes.gallery_runs = True
        self.gallery.launch(self.make.bundle)

    def stop_gallery(self) -> None:
        """The gallery is ended."""
        self.processes.gallery_runs = self.processes.blank = False
        self.gallery.stop(self.make.bundle)

    def imported(self, files: list[Path]) -> None:
        """Files have come into the media library: some may get lost; the rest is dated and listed."""
        for path in files:
            if self.faults.lost_files > 0:
                self.faults.lost_files -= 1
                path.unlink()
            elif path.suffix.lower() in MIME_TYPES:
                self._date(path)
        self.gallery.scan()

    def _date(self, path: Path) -> None:
        """A photo without a zone was taken in the phone's own, which the gallery's library guesses from its time of change."""
        taken = read_facts(path).taken
        if taken is not None:
            moment = datetime.timestamp(taken.replace(tzinfo=ZoneInfo(self.make.timezone)))
            stat = path.stat()
            if int(stat.st_mtime) != int(moment):
                os.utime(path, (moment, moment))

    def reboot(self) -> None:
        """The phone restarts and comes back with another boot id."""
        self._leave(self._boot, self.make.boot_s)

    def wipe(self) -> None:
        """Everything of the user is gone. Its operator allows debugging again, as on a real phone somebody has to."""

        def as_new() -> None:
            self._wipes += 1
            self._boots = 0
            self.files.wipe()
            self.gallery.reset()
            self.gallery_version = self.make.version
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
        self.stop_gallery()

    def kill_uitest(self) -> None:
        """uitest's daemon dies, and its connections with it."""
        self.processes.uitest_pid = 0
        for writer in self.processes.connections:
            writer.close()

    def heal(self) -> None:
        """What faults changed is as on a phone in good health."""
        self.faults = Faults()
        self.battery = Battery()
        self.clock.wrong_by_s = 0.0
        self.files.capacity_bytes = self.make.capacity_bytes
        self.processes.blank = False
        self.flowing.set()

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
            "indexed": index.total > 0 and index.indexed == index.total,
        }

    def remember(self, memory: Mapping[str, Any]) -> None:
        """The phone is as `memory` says, one boot later."""
        self._wipes, self._boots, self._build = memory["wipes"], memory["boots"], memory["build"]
        self.gallery_version = memory["gallery_version"]
        self._boot()
        self.gallery.scan()
        if memory["indexed"]:
            self.gallery.finish_indexing()

    def _boot(self) -> None:
        self._boots += 1
        self.parameters = self.make.parameters(self._build)
        self.clock = Clock(self.make.timezone, self.clock.wrong_by_s)
        self.kill_uitest()
        self.processes = Processes()
        self.gallery.stop(self.make.bundle)
