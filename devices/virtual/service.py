"""A virtual phone of any platform under the lab's control: its cable, its faults, and its memory between two processes.

description ─▶ skin_of, gallery_of (here) ─▶ the platform's phone ─▶ PhoneService.begin: it answers
"""

import asyncio
import contextlib
import json
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from devices.virtual.cable import Cable
from devices.virtual.description import LabError, PhoneDescription
from devices.virtual.errands import Errands
from devices.virtual.gallery.app import GalleryApp, build_gallery
from devices.virtual.gallery.faults import FaultName
from devices.virtual.gallery.skin import Skin, load_skin
from devices.virtual.gallery.tables import TableError
from devices.virtual.hardware import Battery
from devices.virtual.interface import Gallery

MEMORY_FILE = "phone.json"
SAVE_EVERY_S = 0.5
WATCH_EVERY_S = 0.02
"""How soon a fault that waits for searches notices one: well within the time that a search takes."""


class ServedPhone(Protocol):
    """What the service needs of a platform's phone."""

    battery: Battery
    errands: Errands

    @property
    def gallery(self) -> Gallery:
        """Its screen."""

    @property
    def cable(self) -> Cable:
        """Where it is reached."""

    def status(self) -> Mapping[str, Any]:
        """What its platform tells at a glance; JSON values."""

    def heal(self) -> None:
        """No fault of its own is left."""

    def memory(self) -> dict[str, Any]:
        """Everything but the files that it keeps without power; JSON values."""

    def remember(self, memory: Mapping[str, Any]) -> None:
        """It is as `memory` says, one boot later."""


P = TypeVar("P", bound=ServedPhone)


class PhoneService(Generic[P]):
    """What the lab asks of a phone."""

    def __init__(self, phone: P, faults: Mapping[str, Callable[[P, Mapping[str, Any]], None]], folder: Path) -> None:
        """`faults`: what its platform's phones can have, by name; `folder` is for its memory."""
        self.phone = phone
        self._faults = faults
        self._memory_file = folder / MEMORY_FILE
        self._names: list[str] = []
        self._waiting = Errands()
        self._saved: Mapping[str, Any] = {}

    async def begin(self, port: int) -> None:
        """The phone has its memory, answers at loopback `port` (0: one the OS chooses) and keeps what it learns from now on."""
        self.recall()
        await self.plug(port)
        self.phone.errands.run(self._keep_memory())

    @property
    def address(self) -> str:
        """Where the rig reaches it."""
        return self.phone.cable.address

    async def plug(self, port: int) -> None:
        """It answers at loopback `port`."""
        await self.phone.cable.plug(port)

    def unplug(self) -> None:
        """Its cable is out until `plug`."""
        self.phone.cable.unplug(keep_port=False)

    def status(self) -> Mapping[str, Any]:
        """What a person wants to know at a glance, and what no command was there for; JSON values only."""
        gallery = self.phone.gallery
        return {
            "address": self.address,
            "pid": os.getpid(),
            **self.phone.status(),
            "photos": len(gallery.rows()),
            "indexed": gallery.index_signals().indexed,
            "battery_percent": self.phone.battery.percent,
            "faults": [*self._names, *gallery.faults.active()],
        }

    def shown(self) -> Mapping[str, Any]:
        """What the gallery has truly shown; JSON values only."""
        return {"searches": self.phone.gallery.truth.as_json()}

    def fault(self, name: str, options: Mapping[str, Any]) -> None:
        """A fault begins, now or after some searches. Raises LabError for one that nobody here knows."""
        if name not in self._faults:
            self._gallery_fault(name, options)
            return
        waits = int(options.get("after_query", 0))
        told = {key: value for key, value in options.items() if key != "after_query"}
        if waits:
            self._waiting.run(self._later(name, told, len(self.phone.gallery.truth.searches) + waits))
        else:
            self._strike(name, told)

    def clear(self) -> None:
        """The phone and its gallery are well."""
        self._waiting.stop()
        self._names.clear()
        self.phone.heal()
        self.phone.gallery.faults.clear()

    def save(self) -> None:
        """Writes the memory when it has changed."""
        memory = self.phone.memory()
        if memory == self._saved:
            return
        self._saved = memory
        part = self._memory_file.with_suffix(".part")
        part.write_text(json.dumps(memory), "utf-8")
        part.replace(self._memory_file)

    def recall(self) -> None:
        """A phone whose process died has its memory and its photos again; to the host it has rebooted."""
        with contextlib.suppress(FileNotFoundError):
            self.phone.remember(json.loads(self._memory_file.read_text("utf-8")))

    def _gallery_fault(self, name: str, options: Mapping[str, Any]) -> None:
        try:
            self.phone.gallery.faults.set(name, **options)
        except (ValueError, TypeError) as error:
            known = ", ".join(sorted([*self._faults, *FaultName]))
            raise LabError(f"fault {name} {dict(options)}: {error}; there are: {known}") from error

    async def _later(self, name: str, options: Mapping[str, Any], searches: int) -> None:
        while len(self.phone.gallery.truth.searches) < searches:
            await asyncio.sleep(WATCH_EVERY_S)
        self._strike(name, options)

    def _strike(self, name: str, options: Mapping[str, Any]) -> None:
        try:
            self._faults[name](self.phone, options)
        except (KeyError, ValueError, TypeError) as error:
            raise LabError(f"fault {name} {dict(options)}: {type(error).__name__} {error}") from error
        self._names.append(name)

    async def _keep_memory(self) -> None:
        """What a phone keeps over a power cut is in its folder, at most half a second old."""
        while True:
            self.save()
            await asyncio.sleep(SAVE_EVERY_S)


def skin_of(description: PhoneDescription) -> Skin:
    """How its gallery looks and behaves. Raises LabError for a skin that is not of its platform."""
    try:
        skin = load_skin(description.skin)
    except TableError as error:
        raise LabError(f"phone {description.name}: {error}") from error
    if skin.platform != description.platform:
        raise LabError(f"phone {description.name}: skin {skin.name} is for {skin.platform}, not for {description.platform}")
    return skin


def gallery_of(description: PhoneDescription, locale: str, zone: str) -> Callable[[Path], GalleryApp]:
    """Makes its gallery over a folder of the host that holds its photos; that raises LabError for a wrong description."""

    def new_gallery(photos: Path) -> GalleryApp:
        try:
            return build_gallery(
                description.skin,
                photos,
                seed=description.seed,
                clock=time.time,  # not the phone's own: a clock that is set wrong does not stop the screen
                speed=description.speed,
                locale=locale,
                zone=zone,
                engine=description.engine,
                executor=ThreadPoolExecutor(1, "thumbnails"),
            )
        except TableError as error:
            raise LabError(f"phone {description.name}: {error}") from error

    return new_gallery
