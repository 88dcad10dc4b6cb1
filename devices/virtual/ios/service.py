"""An iPhone of the lab: made from its description, remembered between its processes, and under the lab's control."""

import asyncio
import contextlib
import json
import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from devices.virtual.description import LabError, PhoneDescription
from devices.virtual.gallery.app import GalleryApp, build_gallery
from devices.virtual.gallery.faults import FaultName
from devices.virtual.gallery.skin import Skin, load_skin
from devices.virtual.gallery.tables import TableError
from devices.virtual.ios.faults import FAULTS, end_all
from devices.virtual.ios.hardware import NamePlate, new_udid
from devices.virtual.ios.phone import IPhone, Make

MEMORY_FILE = "phone.json"
SAVE_EVERY_S = 0.5
WATCH_EVERY_S = 0.02
"""How soon a fault that waits for searches notices one: well within the time that a search takes."""


class IosService:
    """What the lab asks of a phone."""

    def __init__(self, phone: IPhone, folder: Path) -> None:
        self.phone = phone
        self._memory_file = folder / MEMORY_FILE
        self._names: list[str] = []
        self._waiting: set[asyncio.Task[None]] = set()
        self._saved: Mapping[str, Any] = {}

    @property
    def address(self) -> str:
        """Of the usbmuxd that the phone is attached to."""
        return f"127.0.0.1:{self.phone.mux.port}"

    async def plug(self, port: int) -> None:
        """The phone answers at loopback `port`."""
        await self.phone.mux.listen(port)

    def unplug(self) -> None:
        """Its cable is out until `plug`."""
        self.phone.mux.unplug()

    def status(self) -> Mapping[str, Any]:
        """What a person wants to know at a glance."""
        phone = self.phone
        return {
            "address": self.address,
            "pid": os.getpid(),
            "serial": phone.make.plate.udid,
            "activated": phone.activated,
            "front": phone.front,
            "photos": len(phone.gallery.rows()),
            "indexed": phone.gallery.index_signals().indexed,
            "boot_count": phone.boots,
            "battery_percent": phone.battery.percent,
            "free_bytes": phone.free_bytes,
            "faults": [*self._names, *phone.gallery.faults.active()],
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
        if waits:
            task = asyncio.create_task(self._later(name, told, len(self.phone.gallery.truth.searches) + waits))
            self._waiting.add(task)
            task.add_done_callback(self._waiting.discard)
        else:
            self._begin(name, told)

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

    def clear(self) -> None:
        """The phone and its gallery are well."""
        for task in self._waiting:
            task.cancel()
        self._names.clear()
        end_all(self.phone)
        self.phone.gallery.faults.clear()

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


async def serve_ios(description: PhoneDescription, folder: Path, port: int) -> IosService:
    """The phone is made and served; `folder` is its storage. Raises LabError for a skin that is no iPhone's."""
    skin = _skin(description)
    plate = NamePlate(
        name=description.name,
        udid=description.serial or new_udid(f"{description.name} {description.seed}"),
        model=description.model or skin.model,
        ios=description.os_version or skin.version,
        locale=description.locale or skin.locale,
        timezone=description.timezone or skin.zone,
    )
    make = Make(plate, description.capacity_mb << 20, description.boot_s, can_reset=description.can_reset)

    def new_gallery(storage: Path) -> GalleryApp:
        return build_gallery(
            description.skin,
            storage,
            seed=description.seed,
            clock=time.time,  # not the phone's own: a clock that is set wrong does not stop the screen
            speed=description.speed,
            locale=plate.locale,
            zone=plate.timezone,
            engine=description.engine,
            executor=ThreadPoolExecutor(1, "thumbnails"),
        )

    folder.mkdir(parents=True, exist_ok=True)
    try:
        phone = IPhone(make, folder / "files", new_gallery)
    except TableError as error:
        raise LabError(f"phone {description.name}: {error}") from error
    service = IosService(phone, folder)
    service.recall()
    await phone.start(port)
    phone.run_errand(service.keep_memory())
    return service


def _skin(description: PhoneDescription) -> Skin:
    try:
        skin = load_skin(description.skin)
    except TableError as error:
        raise LabError(f"phone {description.name}: {error}") from error
    if skin.platform != "ios":
        raise LabError(f"phone {description.name}: skin {skin.name} is for {skin.platform}, not for ios")
    return skin
