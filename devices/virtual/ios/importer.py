"""The importer app on a virtual iPhone: files and a manifest in its Documents become photos of the library.

    Documents/rig/manifest.json    {"schema_version": 1, "ticket", "files": [{"name", "size_bytes", "sha256"}, …]}
    Documents/rig/files/NAME       moved into the photo library when its hash is right
    Documents/rig/result.json      {"ticket", "complete", "assets": {NAME: {…}}, "failed": {NAME: reason}, "library_count"}:
                                   written again and again while it works; what was done before and is still there is kept

The same contract as `devices/ios_importer`, whose Swift source is for real phones.
"""

import asyncio
import hashlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from devices.virtual.gallery.facts import read_facts
from devices.virtual.interface import Node, Role

if TYPE_CHECKING:
    from devices.virtual.ios.phone import IPhone

IMPORTER = "io.github.gallery-rig.importer"
_BATCH = 50
"""Photos a change request, as the app does it: bounds what is lost when it is ended."""
_TITLE = {"zh": "“导入”想访问您的照片图库", "en": "“Importer” Would Like to Access Your Photo Library"}
_BUTTONS = {"zh": ("限制访问…", "允许完全访问", "不允许"), "en": ("Limit Access…", "Allow Full Access", "Don't Allow")}
_FULL_ACCESS = 1


class Importer:
    """The app of one phone."""

    def __init__(self, phone: "IPhone") -> None:
        self._phone = phone
        self.permitted = False
        self.in_front = False
        self._running = False

    @property
    def folder(self) -> Path:
        """Where it works, below its Documents."""
        return self._phone.documents / "rig"

    @property
    def alert_open(self) -> bool:
        """True while it asks for access to photos."""
        return self.in_front and not self.permitted

    def launch(self) -> None:
        """It comes to the front and goes on with its work."""
        self.in_front = True
        if self.permitted and not self._running:
            self._running = True
            self._phone.errands.run(self._work())

    def stop(self) -> None:
        """It is ended; what is done stays done."""
        self.in_front = self._running = False

    def answer(self, index: int) -> None:
        """A button of its alert was pressed."""
        self.permitted = index == _FULL_ACCESS
        if self.permitted:
            self.launch()
        else:
            self.stop()

    def alert(self, size: tuple[int, int], locale: str) -> Node:
        """The alert that asks for access."""
        language = "zh" if locale.startswith("zh") else "en"
        width, height = size
        box = (width // 8, height // 3, width * 7 // 8, height * 2 // 3)
        row = (box[3] - box[1]) // 4
        children = [
            Node(Role.TEXT, (box[0], box[1], box[2], box[1] + row), text=_TITLE[language], package="com.apple.springboard")
        ]
        for number, words in enumerate(_BUTTONS[language], 1):
            spot = (box[0], box[1] + row * number, box[2], box[1] + row * (number + 1))
            children.append(Node(Role.BUTTON, spot, text=words, package="com.apple.springboard", clickable=True))
        return Node(Role.DIALOG, box, package="com.apple.springboard", children=children)

    async def _work(self) -> None:
        try:
            manifest = json.loads((self.folder / "manifest.json").read_text("utf-8"))
        except (FileNotFoundError, ValueError):
            self._running = False
            return
        result = self._begun() | {"ticket": manifest["ticket"]}
        for number, told in enumerate(manifest["files"], 1):
            if not self._running:
                return
            if result["assets"].get(told["name"], {}).get("sha256") != told["sha256"]:
                self._import(told, result)
            if number % _BATCH == 0:
                self._write(result)
                await asyncio.sleep(0)
        self._phone.gallery.scan()
        result["complete"] = True
        self._write(result)
        self._running = False

    def _begun(self) -> dict[str, Any]:
        """What was done before."""
        try:
            result: dict[str, Any] = json.loads((self.folder / "result.json").read_text("utf-8"))
        except (FileNotFoundError, ValueError):
            result = {"schema_version": 1, "assets": {}}
        kept = {name: asset for name, asset in result["assets"].items() if (self._phone.library / name).is_file()}
        return result | {"complete": False, "failed": {}, "assets": kept}

    def _import(self, told: dict[str, Any], result: dict[str, Any]) -> None:
        name, digest, faults = str(told["name"]), str(told["sha256"]), self._phone.faults
        source = self.folder / "files" / name
        if not source.is_file():
            result["failed"][name] = "no such file"
        elif hashlib.sha256(source.read_bytes()).hexdigest() != digest:
            result["failed"][name] = "its hash differs"
        elif faults.broken_assets > 0 or read_facts(source).width_px is None:
            faults.broken_assets = max(0, faults.broken_assets - 1)
            result["failed"][name] = "PHPhotosErrorDomain 3302"
        else:
            result["assets"][name] = self._asset(source, name, digest)

    def _asset(self, source: Path, name: str, digest: str) -> dict[str, Any]:
        facts, size = read_facts(source), source.stat().st_size
        created = _created(source, ZoneInfo(self._phone.clock.timezone))
        os.utime(source, (created, created))
        number = len(list((self._phone.media / "DCIM" / "100APPLE").iterdir())) + 1
        target = self._phone.library / name
        source.replace(target)
        if self._phone.faults.lost_imports > 0:
            self._phone.faults.lost_imports -= 1
            target.unlink()
        else:
            suffix = target.suffix.upper().replace(".JPEG", ".JPG")
            (self._phone.media / "DCIM" / "100APPLE" / f"IMG_{number:04}{suffix}").hardlink_to(target)
        return {
            "sha256": digest,
            "local_identifier": f"VIRTUAL-{number:06}/L0/001",
            "size_bytes": size,
            "width_px": facts.width_px,
            "height_px": facts.height_px,
            "created": datetime.fromtimestamp(created, UTC).isoformat(),
        }

    def _write(self, result: dict[str, Any]) -> None:
        result["library_count"] = len(list(self._phone.library.iterdir()))
        part = self.folder / "result.part"
        part.write_text(json.dumps(result, ensure_ascii=False), "utf-8")
        part.replace(self.folder / "result.json")


def _created(path: Path, zone: ZoneInfo) -> float:
    """POSIX seconds of the asset: EXIF's time in its own offset, else in the phone's zone; else the file's own."""
    facts = read_facts(path)
    if facts.taken is None:
        return path.stat().st_mtime
    if facts.offset is not None:
        return (facts.taken.replace(tzinfo=UTC) - facts.offset).timestamp()
    return facts.taken.replace(tzinfo=zone).timestamp()
