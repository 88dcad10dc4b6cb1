"""The phone's services through our own client of usbmuxd and lockdownd.

It speaks sessions that the phone does not want encrypted, which are those of virtual phones. A phone that wants encryption is
named with the way out: services = "pymobiledevice3".
"""

import plistlib
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from drivers.interface import DriverError, PhoneLost, WrongPhone
from drivers.ios.afc import Afc, AfcError
from drivers.ios.forward import Forward
from drivers.ios.mux import Line
from drivers.ios.services import Address, EraseRefused, NotPaired, Upload, epoch_s

_LOCKDOWN = 62078
_CALL_S = 10.0
_FILE_S = 60.0
_TRUST = "unlock it, tap Trust, and try again"


class UsbmuxServices:
    """Implements `drivers.ios.services.Services`."""

    def __init__(self, address: Address, scale: float) -> None:
        self._address, self._scale = address, scale
        self._wanted = address.udid
        self._forwards: dict[int, Forward] = {}
        self._wanted = self.udid()

    def udid(self) -> str:
        """As in the protocol. Raises WrongPhone when another is attached where this one was."""
        line = Line(self._address, _CALL_S * self._scale)
        try:
            return self._device(line)[0]
        finally:
            line.close()

    def values(self, domain: str = "") -> Mapping[str, Any]:
        """As in the protocol."""
        with self._lockdown() as line:
            told = line.tell({"Request": "GetValue", "Label": "gallery-rig", **({"Domain": domain} if domain else {})})
        return dict(told.get("Value") or {})

    def clock(self) -> float | None:
        """As in the protocol."""
        return epoch_s(self.values())

    def plain_values(self) -> Mapping[str, Any]:
        """As in the protocol."""
        return self.values()

    def pair(self) -> None:
        """As in the protocol."""
        if self.is_paired():
            return
        record = {"HostID": str(uuid.uuid4()).upper(), "SystemBUID": self._buid()}
        with self._lockdown() as line:
            told = line.tell({"Request": "Pair", "Label": "gallery-rig", "PairRecord": record, "ProtocolVersion": "2"})
        if "Error" in told:
            raise NotPaired(f"{self._address.text}: the phone does not trust this computer ({told['Error']}): {_TRUST}")
        kept = plistlib.dumps({**record, "EscrowBag": told.get("EscrowBag", b"")})
        line = Line(self._address, _CALL_S * self._scale)
        try:
            udid, device = self._device(line)
            line.ask({"MessageType": "SavePairRecord", "PairRecordID": udid, "PairRecordData": kept, "DeviceID": device})
        finally:
            line.close()

    def is_paired(self) -> bool:
        """As in the protocol."""
        return bool(self.knows_this_computer())

    def knows_this_computer(self) -> bool | None:
        """Whether the phone takes the pair record that usbmuxd keeps for it; None when it keeps none."""
        asked = self._session_asked()
        if asked is None:
            return None
        with self._lockdown() as line:
            return "Error" not in line.tell(asked)

    def apps(self) -> Mapping[str, str]:
        """As in the protocol."""
        asked = {"Command": "Browse", "ClientOptions": {"ApplicationType": "User"}}
        found: dict[str, str] = {}
        with self._service("com.apple.mobile.installation_proxy") as line:
            told = line.tell(asked)
            while told.get("Status") != "Complete":
                for app in told.get("CurrentList", ()):
                    found[app["CFBundleIdentifier"]] = str(app.get("CFBundleVersion", ""))
                told = line.receive_plist()
        return found

    def app_version(self, bundle: str) -> str:
        """As in the protocol."""
        asked = {"Command": "Lookup", "ClientOptions": {"BundleIDs": [bundle]}}
        with self._service("com.apple.mobile.installation_proxy") as line:
            app = line.tell(asked).get("LookupResult", {}).get(bundle, {})
        return str(app.get("CFBundleShortVersionString", ""))

    def gauge(self) -> Mapping[str, Any]:
        """As in the protocol."""
        with self._service("com.apple.mobile.diagnostics_relay") as line:
            told = line.tell({"Request": "IORegistry", "EntryClass": "IOPMPowerSource"})
        return dict(told.get("Diagnostics", {}).get("IORegistry", {}))

    def erase(self) -> None:
        """As in the protocol."""
        with self._service("com.apple.mobile.MCInstall") as line:
            told = line.tell({"RequestType": "EraseDevice", "PreserveDataPlan": 1, "DisallowProximitySetup": 1})
        if told.get("Status") != "Acknowledged":
            chain = told.get("ErrorChain") or [{}]
            raise EraseRefused(str(chain[0].get("USEnglishDescription", told.get("Status", "no reason was given"))))

    def activate(self) -> None:
        """Left to the lab's management: activation by hand needs Apple's servers, which this client does not speak to."""

    def listing(self, folder: str, app: str = "") -> list[str]:
        """As in the protocol."""
        with self._files(app) as files:
            try:
                return files.listing(folder)
            except AfcError as error:
                if error.is_missing:
                    return []
                raise DriverError(f"{self._address.text}: {error}") from error

    def read(self, path: str, app: str = "") -> bytes | None:
        """As in the protocol."""
        with self._files(app) as files:
            try:
                return files.read(path)
            except AfcError as error:
                if error.is_missing:
                    return None
                raise DriverError(f"{self._address.text}: {error}") from error

    def size(self, path: str, app: str = "") -> int | None:
        """As in the protocol."""
        with self._files(app) as files:
            try:
                return files.size(path)
            except AfcError:
                return None

    def write(self, uploads: Sequence[Upload], app: str = "", done: Callable[[int], None] = lambda _: None) -> None:
        """As in the protocol."""
        with self._files(app) as files:
            try:
                for folder in sorted({upload.target.rpartition("/")[0] for upload in uploads} - {""}):
                    files.make_folder(folder)
                for number, upload in enumerate(uploads, 1):
                    files.write(upload.target, upload.source)
                    done(number)
            except AfcError as error:
                raise DriverError(f"{self._address.text}: {error}") from error

    def remove(self, path: str, app: str = "") -> None:
        """As in the protocol."""
        with self._files(app) as files:
            try:
                files.remove(path)
            except AfcError as error:
                raise DriverError(f"{self._address.text}: {error}") from error

    def forward(self, port: int) -> str:
        """As in the protocol."""
        if port not in self._forwards:
            self._forwards[port] = Forward(lambda: self._connected(port, _CALL_S).socket)
        return self._forwards[port].address

    def close(self) -> None:
        """As in the protocol."""
        for forward in self._forwards.values():
            forward.close()
        self._forwards.clear()

    def _buid(self) -> str:
        line = Line(self._address, _CALL_S * self._scale)
        try:
            return str(line.ask({"MessageType": "ReadBUID"}).get("BUID", ""))
        finally:
            line.close()

    def _device(self, line: Line) -> tuple[str, int]:
        """The wanted phone's UDID and number. Raises PhoneLost when none is attached, WrongPhone when only others are."""
        found = line.devices()
        if not found:
            raise PhoneLost(f"{self._address.text}: no phone is attached")
        if not self._wanted:
            if len(found) > 1:
                names = ", ".join(sorted(found))
                raise DriverError(
                    f"{self._address.text}: {len(found)} phones are attached: write UDID@HOST:PORT; there are {names}"
                )
            return next(iter(found.items()))
        if self._wanted not in found:
            raise self._not_there(found)
        return self._wanted, found[self._wanted]

    def _not_there(self, found: Mapping[str, int]) -> DriverError:
        if self._address.udid:
            return PhoneLost(f"{self._address.text}: it is not attached; there are {', '.join(sorted(found))}")
        return WrongPhone(
            f"{self._address.text}: expected phone {self._wanted}, found {', '.join(sorted(found))}; check the cables"
        )

    def _connected(self, port: int, seconds: float) -> Line:
        line = Line(self._address, seconds * self._scale)
        try:
            device = self._device(line)[1]
            reached = line.connect(device, port)
        except BaseException:
            line.close()
            raise
        if not reached:
            line.close()
            raise PhoneLost(f"{self._address.text}: nothing listens at the phone's port {port}")
        return line

    @contextmanager
    def _lockdown(self) -> Generator[Line]:
        line = self._connected(_LOCKDOWN, _CALL_S)
        try:
            yield line
        finally:
            line.close()

    def _session_asked(self) -> dict[str, str] | None:
        """What begins a trusted session; None without a pair record."""
        asking = Line(self._address, _CALL_S * self._scale)
        try:
            kept = asking.ask({"MessageType": "ReadPairRecord", "PairRecordID": self._wanted}).get("PairRecordData")
        finally:
            asking.close()
        if not kept:
            return None
        record = plistlib.loads(kept)
        return {"Request": "StartSession", "HostID": record["HostID"], "SystemBUID": record["SystemBUID"]}

    @contextmanager
    def _session(self) -> Generator[Line]:
        """A trusted connection to lockdownd. Raises NotPaired."""
        asked = self._session_asked()
        if asked is None:
            raise NotPaired(f"{self._address.text}: this computer was never paired with the phone: {_TRUST}")
        with self._lockdown() as line:
            told = line.tell(asked)
            if "Error" in told:
                raise NotPaired(f"{self._address.text}: the phone does not know this computer ({told['Error']}): {_TRUST}")
            if told.get("EnableSessionSSL"):
                raise DriverError(
                    f'{self._address.text}: the phone wants an encrypted session: set services = "pymobiledevice3"'
                )
            yield line

    @contextmanager
    def _service(self, name: str, seconds: float = _CALL_S) -> Generator[Line]:
        with self._session() as line:
            told = line.tell({"Request": "StartService", "Service": name})
        if "Port" not in told:
            raise DriverError(f"{self._address.text}: the phone does not start {name}: {told.get('Error', 'no reason given')}")
        served = self._connected(int(told["Port"]), seconds)
        try:
            yield served
        finally:
            served.close()

    @contextmanager
    def _files(self, app: str) -> Generator[Afc]:
        """The media folder, or the container of an app that shares its Documents."""
        if not app:
            with self._service("com.apple.afc", _FILE_S) as line:
                yield Afc(line)
            return
        with self._service("com.apple.mobile.house_arrest", _FILE_S) as line:
            told = line.tell({"Command": "VendDocuments", "Identifier": app})
            if told.get("Status") != "Complete":
                raise DriverError(f"{self._address.text}: {app}: {told.get('Error')}: install it (devices/ios_importer)")
            yield Afc(line)
