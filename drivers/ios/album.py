"""Photos onto an iPhone, and proof that its library has exactly them.

    importer   preflight → files and manifest into the app's Documents → the app makes assets → result.json → compare
    operator   a person imports them from a card or a stick with Photos; afterwards every file's hash is compared over AFC

AFC alone does not do: what is copied into DCIM never appears in Photos (ifuse#68, libimobiledevice#349).
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from hashlib import sha256
from time import monotonic, sleep
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from drivers.interface import DriverError, ImportFault, ImportReport, PhoneLost, Progress, PushItem
from drivers.ios.agent import LAUNCH_S, Refused
from drivers.ios.condition import read_skew
from drivers.ios.services import Services, Upload
from drivers.ios.signals import count_photos
from drivers.ios.touch import IosTouch
from drivers.preflight import preflight
from drivers.profile import GalleryProfile

IMPORTER = "io.github.gallery-rig.importer"
_FOLDER = "/Documents/rig"
_FILES = f"{_FOLDER}/files"
_ALLOW = ("允许完全访问", "Allow Full Access", "Allow Access to All Photos", "允许访问所有照片")
"""The answer to the importer's one question, in the words of iOS 17 and later, and of those before."""
_IDLE_S = 180.0  # without a photo more: 50 HEICs of 12 MP take a slow phone less
_PACE_S = 0.1


class Album:
    """The album on one phone."""

    def __init__(self, services: Services, touch: IosTouch, importer: str, route: str) -> None:
        if route not in ("importer", "operator"):
            raise DriverError(f"option import is {route!r}: expected importer or operator")
        self._services, self._touch, self._app, self._route = services, touch, importer, route

    def push(self, items: Sequence[PushItem], progress: Progress) -> None:
        """Every item is in the library. Raises DriverError before anything is sent, PhoneLost while sending."""
        if self._route == "operator":
            self._imported_by_hand(items)
            return
        have = self._assets(self._result())
        waiting = [item for item in items if not _is_done(item, have)]
        faults = self._preflight(items, waiting)
        if faults:
            raise DriverError(f"nothing was sent: {'; '.join(faults[:5])}")
        done = len(items) - len(waiting)
        progress(done, len(items))
        if waiting:
            self._send(waiting)
            self._run(waiting, lambda count: progress(done + count, len(items)))
        progress(len(items), len(items))

    def verify(self, items: Sequence[PushItem]) -> ImportReport:
        """Compares the library with `items`: names, sizes, hashes, dimensions and dates, and how many photos there are."""
        if self._route == "operator":
            return self._verify_files(items)
        result = self._run((), lambda _count: None)
        assets = self._assets(result)
        zone = _zone(self._services.values().get("TimeZone"))
        faults = [fault for item in items for fault in differences(item, assets.get(item.device_name), result, zone)]
        wanted = {item.device_name for item in items}
        faults += [_extra(name) for name in sorted(set(assets) - wanted)]
        found, on_disk = int(result.get("library_count", 0)), count_photos(self._services)
        if found > len(assets):
            faults.append(ImportFault("", "extra", f"{len(assets)} photos of the importer", f"{found} in the library"))
        if on_disk < len(assets):
            faults.append(ImportFault("", "missing", f"{len(assets)} files in DCIM", f"{on_disk}"))
        return ImportReport(len(items), found, tuple(faults))

    def _preflight(self, items: Sequence[PushItem], waiting: Sequence[PushItem]) -> list[str]:
        """What must be put right before `waiting`, the part of `items` that is not there yet, is sent."""
        free = self._services.values("com.apple.disk_usage").get("TotalDataAvailable")
        found = preflight(waiting, free if isinstance(free, int) else None, read_skew(self._services))
        return found + name_faults([item.device_name for item in items])

    def _send(self, items: Sequence[PushItem]) -> None:
        """The files are in the app's Documents; what was sent whole before is not sent twice."""
        there = set(self._services.listing(_FILES, self._app))
        left = [item for item in items if item.device_name not in there or not self._is_whole(item)]
        self._services.write([Upload(item.path, f"{_FILES}/{item.device_name}") for item in left], self._app)

    def _is_whole(self, item: PushItem) -> bool:
        return self._services.size(f"{_FILES}/{item.device_name}", self._app) == item.size_bytes

    def _run(self, items: Sequence[PushItem], done: Callable[[int], None]) -> dict[str, Any]:
        """The app has worked off a manifest of these items; returns its result. Raises DriverError when it stands still."""
        ticket = uuid4().hex
        files = [{"name": item.device_name, "size_bytes": item.size_bytes, "sha256": item.sha256} for item in items]
        manifest = json.dumps({"schema_version": 1, "ticket": ticket, "files": files}, ensure_ascii=False)
        agent = self._touch.agent
        with suppress(Refused):
            agent.do("/wda/apps/terminate", {"bundleId": self._app}, LAUNCH_S)
        self._services.write([Upload(manifest.encode(), f"{_FOLDER}/manifest.json")], self._app)
        self._touch.check_phone()
        try:
            agent.do("/wda/apps/launch", {"bundleId": self._app, "shouldWaitForQuiescence": False}, LAUNCH_S)
            result = self._awaited(ticket, [item.device_name for item in items], done)
            agent.do("/wda/apps/terminate", {"bundleId": self._app}, LAUNCH_S)
        except Refused as error:
            raise DriverError(f"the importer {self._app} cannot be run: {error}; see devices/ios_importer") from error
        refused = dict(result.get("failed", {}))
        if refused:
            name, reason = next(iter(refused.items()))
            raise DriverError(f"{len(refused)} of {len(items)} photos were refused by the phone; first {name}: {reason}")
        return result

    def _awaited(self, ticket: str, names: Sequence[str], done: Callable[[int], None]) -> dict[str, Any]:
        seen, since = -1, monotonic()
        while True:
            self._allow()
            result = self._result()
            if result.get("ticket") == ticket:
                count = len(set(names) & set(result.get("assets", {})))
                if result.get("complete"):
                    return result
                if count > seen:
                    seen, since = count, monotonic()
                    done(count)
            if monotonic() - since > _IDLE_S:
                raise DriverError(
                    f"import: {max(seen, 0)} of {len(names)} photos are in the library and none was added in {_IDLE_S:.0f} s; "
                    "look at the importer on the phone"
                )
            sleep(_PACE_S)

    def _allow(self) -> None:
        """The importer's question for access to photos is answered; nothing else is."""
        agent = self._touch.agent
        try:
            buttons = agent.ask("/wda/alert/buttons")
        except Refused:
            return
        known = [button for button in buttons if button in _ALLOW]
        if not known:
            raise DriverError(f"import: an alert nobody knows is open, with the buttons {', '.join(buttons)}: answer it")
        agent.do("/alert/accept", {"name": known[0]})

    def _result(self) -> dict[str, Any]:
        """What the app wrote last; empty before it ever ran."""
        told = self._services.read(f"{_FOLDER}/result.json", self._app)
        try:
            return dict(json.loads(told)) if told else {}
        except ValueError as error:
            raise PhoneLost(f"the importer's result.json cannot be read: {error}") from error

    @staticmethod
    def _assets(result: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
        return dict(result.get("assets", {}))

    def _imported_by_hand(self, items: Sequence[PushItem]) -> None:
        """What the checks of the operator's route ask for before the clock may start."""
        report = self._verify_files(items)
        if not report.complete:
            first = report.faults[0].device_name if report.faults else ""
            raise DriverError(
                f"{report.found} of {report.expected} photos are on the phone (first fault: {first}): import the album with "
                "Photos from a card or a stick (Import All), then go on with: rig resume"
            )

    def _verify_files(self, items: Sequence[PushItem]) -> ImportReport:
        """By hash alone: a camera import renames files to IMG_nnnn."""
        found: Counter[str] = Counter()
        for folder in self._services.listing("/DCIM"):
            for name in self._services.listing(f"/DCIM/{folder}"):
                data = self._services.read(f"/DCIM/{folder}/{name}")
                found[sha256(data or b"").hexdigest()] += 1
        faults, left = [], Counter(found)
        for item in items:
            if left[item.sha256] > 0:
                left[item.sha256] -= 1
            else:
                faults.append(ImportFault(item.device_name, "missing", item.sha256, "no file with this hash"))
        faults += [ImportFault("", "extra", "no file with this hash", digest) for digest in (+left).elements()]
        return ImportReport(len(items), found.total(), tuple(faults))


def importer(profile: GalleryProfile) -> str:
    """The bundle of the importer app, which each lab signs under its own name."""
    return profile.options.get("importer", IMPORTER)


def name_faults(names: Sequence[str]) -> list[str]:
    """Names that cannot be files of the app's Documents, or that are there twice."""
    found = [f"{name!r} is there twice" for name, count in Counter(names).items() if count > 1]
    for name in names:
        if not name or "/" in name or "\0" in name or name.startswith("."):
            found.append(f"{name!r} cannot be a file name on the phone")
        elif len(name.encode()) > 255:
            found.append(f"{name!r} is longer than 255 bytes")
    return found


def differences(
    item: PushItem, asset: Mapping[str, Any] | None, result: Mapping[str, Any], zone: tzinfo
) -> Iterator[ImportFault]:
    """What differs between an item and the asset that the app made of it."""
    name = item.device_name
    if asset is None:
        reason = dict(result.get("failed", {})).get(name, "not there")
        yield ImportFault(name, "missing", "in the phone's library", str(reason))
        return
    if asset.get("sha256") != item.sha256:
        yield ImportFault(name, "hash", item.sha256, str(asset.get("sha256")))
    if asset.get("size_bytes") != item.size_bytes:
        yield ImportFault(name, "size", f"{item.size_bytes} bytes", f"{asset.get('size_bytes')} bytes")
    if not asset.get("width_px") or not asset.get("height_px"):
        yield ImportFault(name, "undecodable", "width and height", f"{asset.get('width_px')} × {asset.get('height_px')}")
    if item.taken_at is not None:
        taken = item.taken_at if item.taken_at.tzinfo else item.taken_at.replace(tzinfo=zone)
        created = _moment(asset.get("created"))
        if created is None or abs((created - taken).total_seconds()) >= 1:
            yield ImportFault(name, "date", taken.isoformat(), created.isoformat() if created else "no date")


def _is_done(item: PushItem, assets: Mapping[str, Mapping[str, Any]]) -> bool:
    return assets.get(item.device_name, {}).get("sha256") == item.sha256


def _extra(name: str) -> ImportFault:
    return ImportFault(name, "extra", "nothing of this name", "a photo that no album has")


def _moment(told: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(told))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _zone(name: Any) -> tzinfo:
    try:
        return ZoneInfo(str(name or ""))
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise DriverError(f"the phone's time zone {name!r} is unknown here: set it, or install tzdata") from error
