"""A HarmonyOS phone of the lab: made from its description, remembered between its processes, and under the lab's control."""

import asyncio
import contextlib
import json
import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from devices.virtual.android.hardware import made_up
from devices.virtual.description import LabError, PhoneDescription
from devices.virtual.gallery.app import GalleryApp, build_gallery
from devices.virtual.gallery.faults import FaultName
from devices.virtual.gallery.skin import Skin, load_skin
from devices.virtual.gallery.tables import TableError
from devices.virtual.harmony.channel import HOST, Channel
from devices.virtual.harmony.faults import FAULTS
from devices.virtual.harmony.make import OS_VERSION, Make
from devices.virtual.harmony.phone import HarmonyPhone

MEMORY_FILE = "phone.json"
SAVE_EVERY_S = 0.5
WATCH_EVERY_S = 0.02
"""How soon a fault that waits for searches notices one: well within the time that a search takes."""


class HarmonyService:
    """What the lab asks of a phone."""

    def __init__(self, phone: HarmonyPhone, folder: Path) -> None:
        self.phone = phone
        self.channel = Channel(phone)
        self._memory_file = folder / MEMORY_FILE
        self._names: list[str] = []
        self._waiting: set[asyncio.Task[None]] = set()
        self._saved: Mapping[str, Any] = {}

    @property
    def address(self) -> str:
        """For `hdc tconn`."""
        return f"{HOST}:{self.channel.port}"

    async def plug(self, port: int) -> None:
        """The phone answers at loopback `port`."""
        await self.channel.listen(port)

    def unplug(self) -> None:
        """Its cable is out until `plug`."""
        self.channel.unplug(keep_port=False)

    def status(self) -> Mapping[str, Any]:
        """What a person wants to know at a glance, and what no command was there for."""
        phone = self.phone
        return {
            "address": self.address,
            "pid": os.getpid(),
            "serial": phone.make.serial,
            "front": phone.gallery.front_package(),
            "photos": len(phone.gallery.rows()),
            "indexed": phone.gallery.index_signals().indexed,
            "boot_count": phone.boots,
            "battery_percent": phone.battery.percent,
            "free_bytes": phone.files.free_bytes,
            "faults": [*self._names, *phone.gallery.faults.active()],
            "unhandled": list(phone.unhandled),
        }

    def shown(self) -> Mapping[str, Any]:
        """What the gallery has truly shown."""
        return {"searches": self.phone.gallery.truth.as_json()}

    def fault(self, name: str, options: Mapping[str, Any]) -> None:
        """A fault begins, now or after some searches. Raises LabError for one that nobody here knows."""
        if name not in FAULTS:
            self._gallery_fault(name, options)
            return
        waits = int(options.get("after_query", 0))
        told = {key: value for key, value in options.items() if key != "after_query"}
        if not waits:
            self._begin(name, told)
            return
        task = asyncio.create_task(self._later(name, told, len(self.phone.gallery.truth.searches) + waits))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    def clear(self) -> None:
        """The phone and its gallery are well."""
        for task in self._waiting:
            task.cancel()
        self._names.clear()
        self.phone.heal()
        self.phone.gallery.faults.clear()

    def _gallery_fault(self, name: str, options: Mapping[str, Any]) -> None:
        try:
            self.phone.gallery.faults.set(name, **options)
        except (ValueError, TypeError) as error:
            known = ", ".join(sorted([*FAULTS, *FaultName]))
            raise LabError(f"fault {name} {dict(options)}: {error}; there are: {known}") from error

    async def _later(self, name: str, options: Mapping[str, Any], searches: int) -> None:
        while len(self.phone.gallery.truth.searches) < searches:
            await asyncio.sleep(WATCH_EVERY_S)
        self._begin(name, options)

    def _begin(self, name: str, options: Mapping[str, Any]) -> None:
        try:
            FAULTS[name](self.phone, options)
        except (KeyError, ValueError, TypeError) as error:
            raise LabError(f"fault {name} {dict(options)}: {type(error).__name__} {error}") from error
        self._names.append(name)

    async def keep_memory(self) -> None:
        """What a phone keeps over a power cut is in its folder, at most half a second old."""
        while True:
            self.save()
            await asyncio.sleep(SAVE_EVERY_S)

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


async def serve_harmony(description: PhoneDescription, folder: Path, port: int) -> HarmonyService:
    """The phone is made and served; `folder` is its storage. Raises LabError for a skin that is no HarmonyOS phone's."""
    make = _make(description, _skin(description))

    def new_gallery(photos: Path) -> GalleryApp:
        return build_gallery(
            description.skin,
            photos,
            seed=description.seed,
            clock=time.time,  # not the phone's own: a clock that is set wrong does not stop the screen
            speed=description.speed,
            locale=make.locale,
            zone=make.timezone,
            engine=description.engine,
            executor=ThreadPoolExecutor(1, "thumbnails"),
        )

    folder.mkdir(parents=True, exist_ok=True)
    try:
        phone = HarmonyPhone(make, folder / "files", new_gallery)
    except TableError as error:
        raise LabError(f"phone {description.name}: {error}") from error
    service = HarmonyService(phone, folder)
    service.recall()
    await service.plug(port)
    phone.run_errand(service.keep_memory())
    return service


def _skin(description: PhoneDescription) -> Skin:
    try:
        skin = load_skin(description.skin)
    except TableError as error:
        raise LabError(f"phone {description.name}: {error}") from error
    if skin.platform != "harmony":
        raise LabError(f"phone {description.name}: skin {skin.name} is for {skin.platform}, not for harmony")
    return skin


def _make(description: PhoneDescription, skin: Skin) -> Make:
    seed = f"{description.name} {description.seed}"
    return Make(
        name=description.name,
        serial=description.serial or "VIRT" + made_up(seed, 8).upper(),
        udid=made_up(f"udid {seed}", 64).upper(),
        model=description.model or skin.model,
        bundle=skin.package,
        ability=skin.activity,
        version=skin.version,
        brand=description.brand,
        os_version=description.os_version or OS_VERSION,
        locale=description.locale or skin.locale,
        timezone=description.timezone or skin.zone,
        capacity_bytes=description.capacity_mb << 20,
        boot_s=description.boot_s,
        can_reset=description.can_reset,
    )
