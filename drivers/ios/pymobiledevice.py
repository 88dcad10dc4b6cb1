"""The phone's services through the command `pymobiledevice3`, for real phones: never imported (it is GPL), version pinned.

Every call starts the command anew, which takes it about two seconds; so what a search asks between two queries is answered from
the forward that this driver owns: it leads to one UDID and ends when that phone is unplugged.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from drivers.interface import DriverError, PhoneLost, WrongPhone
from drivers.ios.services import TOOL, Address, EraseRefused, NotPaired, Upload, epoch_s
from drivers.ios.usbmux import UsbmuxServices

VERSION = "11.45"
"""Proven with this one: its interface changes from release to release."""
_CALL_S = 60.0
_FILE_S = 600.0
_FORWARD_S = 20.0
_INSTALL = f"install it in an environment of its own: pipx install 'pymobiledevice3~={VERSION}.0'"
_NOT_PAIRED = re.compile(r"NotPaired|InvalidHostID|PairingDialogResponsePending|UserDeniedPairing|not paired", re.IGNORECASE)
_GONE = re.compile(
    r"NoDeviceConnected|DeviceNotFound|ConnectionTerminated|terminated abruptly|not connected|ConnectionRefused|MuxException",
    re.IGNORECASE,
)
_MISSING = re.compile(r"OBJECT_NOT_FOUND|AfcFileNotFound|not found|No such file", re.IGNORECASE)
_ACTIVATED = "already activated"  # said as an error, with exit code 0
_TRUST = "unlock it, tap Trust, and try again"


class ToolFailed(Exception):
    """The command ended with an error; the message is what it said last."""


class ToolServices:
    """Implements `drivers.ios.services.Services`."""

    def __init__(self, address: Address, scale: float, program: str = "") -> None:
        self._address, self._scale = address, scale
        self._program = program or shutil.which(TOOL) or ""
        if not self._program:
            raise DriverError(f"{address.text}: {TOOL} is not on the PATH: {_INSTALL}")
        found = self._run(["version"], device=False).strip()
        if not found.startswith(VERSION):
            raise DriverError(f"{address.text}: {TOOL} {VERSION} is needed, found {found}: {_INSTALL}")
        self._forwards: dict[int, tuple[subprocess.Popen[bytes], str]] = {}
        self._wanted = address.udid
        self._wanted = self.udid()
        self._pinned: Mapping[str, Any] | None = None

    def udid(self) -> str:
        """As in the protocol. While the driver's own forward runs, it is that forward's phone."""
        if self._is_led():
            return self._wanted
        listed = self._json(["usbmux", "list", "--usb"], device=False)
        found = [str(device["UniqueDeviceID"]) for device in listed]
        if not found:
            raise PhoneLost(f"{self._address.text}: no phone is attached")
        if not self._wanted and len(found) > 1:
            raise DriverError(
                f"{self._address.text}: several phones are attached: write UDID@HOST:PORT; there are {', '.join(found)}"
            )
        if self._wanted and self._wanted not in found:
            kind = PhoneLost if self._address.udid else WrongPhone
            raise kind(f"{self._address.text}: expected phone {self._wanted}, found {', '.join(found)}; check the cables")
        return self._wanted or found[0]

    def values(self, domain: str = "") -> Mapping[str, Any]:
        """As in the protocol. Those of no domain are kept while the forward runs, for they are asked before each search."""
        if not domain and self._is_led() and self._pinned is not None:
            return self._pinned
        told = self._json(["lockdown", "get", domain]) if domain else self._json(["lockdown", "info"])
        values = told if isinstance(told, dict) else {}
        if not domain:
            self._pinned = {key: value for key, value in values.items() if key != "TimeIntervalSince1970"}
        return values

    def clock(self) -> float | None:
        """As in the protocol: never one that was kept."""
        return epoch_s(self._json(["lockdown", "info"]))

    def pair(self) -> None:
        """As in the protocol."""
        if not self.is_paired():
            self._run(["lockdown", "pair"])

    def plain_values(self) -> Mapping[str, Any]:
        """As in the protocol. Asked without the command, which would want trust for it."""
        return self._plain().plain_values()

    def is_paired(self) -> bool:
        """As in the protocol. The command would pair by itself: it is asked only where usbmuxd keeps no pair record."""
        known = self._plain().knows_this_computer()
        if known is not None:
            return known
        try:
            self._run(["profile", "list"])
        except NotPaired:
            return False
        return True

    def _plain(self) -> UsbmuxServices:
        return UsbmuxServices(Address(self._wanted, self._address.usbmuxd, self._address.text), self._scale)

    def apps(self) -> Mapping[str, str]:
        """As in the protocol."""
        told = self._json(["apps", "list", "--type", "User"])
        return {bundle: str(app.get("CFBundleVersion", "")) for bundle, app in dict(told).items()}

    def app_version(self, bundle: str) -> str:
        """As in the protocol."""
        told = dict(self._json(["apps", "query", bundle]))
        return str(dict(told.get(bundle) or {}).get("CFBundleShortVersionString", ""))

    def gauge(self) -> Mapping[str, Any]:
        """As in the protocol."""
        return dict(self._json(["diagnostics", "battery", "single"]))

    def erase(self) -> None:
        """As in the protocol."""
        try:
            self._run(["profile", "erase-device"])
        except ToolFailed as error:
            raise EraseRefused(str(error)) from error
        except PhoneLost:
            return  # it went down while answering: whether it was erased is for the signs to say

    def activate(self) -> None:
        """As in the protocol. Needs Apple's servers. A phone that its management activates may be before it."""
        try:
            self._run(["activation", "activate"], _FILE_S)
        except ToolFailed as error:
            if _ACTIVATED in str(error):
                return
            raise DriverError(f"{self._address.text}: it could not be activated: {error}; activate it by hand") from error

    def listing(self, folder: str, app: str = "") -> list[str]:
        """As in the protocol."""
        if app:
            return self._listing_of_app(folder, app)
        try:
            lines = self._run(["afc", "ls", folder]).splitlines()
        except ToolFailed as error:
            if _MISSING.search(str(error)):
                return []
            raise DriverError(f"{self._address.text}: {error}") from error
        inside = [path for line in lines if (path := line.strip()) != folder]  # the folder itself is the first line
        return [name for path in inside if (name := path.rpartition("/")[2]) not in ("", ".", "..")]

    def read(self, path: str, app: str = "") -> bytes | None:
        """As in the protocol."""
        with tempfile.TemporaryDirectory(prefix="gallery-rig-pull-") as made:
            target = Path(made) / "pulled"
            words = ["apps", "pull", "--documents", app, path, str(target)] if app else ["afc", "pull", path, str(target)]
            try:
                self._run(words, _FILE_S)
            except ToolFailed as error:
                if _MISSING.search(str(error)):
                    return None
                raise DriverError(f"{self._address.text}: {error}") from error
            found = target / path.rpartition("/")[2] if target.is_dir() else target
            return found.read_bytes() if found.is_file() else None

    def size(self, path: str, app: str = "") -> int | None:
        """As in the protocol. The command has no word for it but reading the file."""
        data = self.read(path, app)
        return None if data is None else len(data)

    def write(self, uploads: Sequence[Upload], app: str = "", done: Callable[[int], None] = lambda _: None) -> None:
        """As in the protocol."""
        for folder in sorted({upload.target.rpartition("/")[0] for upload in uploads} - {""}):
            self._make_folder(folder, app)
        with tempfile.TemporaryDirectory(prefix="gallery-rig-push-") as made:
            for number, upload in enumerate(uploads, 1):
                source = upload.source if isinstance(upload.source, Path) else Path(made) / str(number)
                if isinstance(upload.source, bytes):
                    source.write_bytes(upload.source)
                head = ["apps", "push", "--documents", app] if app else ["afc", "push"]
                try:
                    self._run([*head, str(source), upload.target], _FILE_S)
                except ToolFailed as error:
                    raise DriverError(f"{self._address.text}: {upload.target}: {error}") from error
                done(number)

    def remove(self, path: str, app: str = "") -> None:
        """As in the protocol."""
        words = ["apps", "rm", "--documents", app, path] if app else ["afc", "rm", path]
        try:
            self._run(words)
        except ToolFailed as error:
            if not _MISSING.search(str(error)):
                raise DriverError(f"{self._address.text}: {error}") from error

    def forward(self, port: int) -> str:
        """As in the protocol. A forward that has ended is started again."""
        running = self._forwards.get(port)
        if running is not None and running[0].poll() is None:
            return running[1]
        here = _free_port()
        words = self._words(["usbmux", "forward", str(here), str(port), "--udid", self._wanted], device=False)
        process = subprocess.Popen(words, env=self._home(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._forwards[port] = process, f"127.0.0.1:{here}"
        until = monotonic() + _FORWARD_S * self._scale
        while not _listens(here):
            if process.poll() is not None or monotonic() > until:
                self._end(process)
                raise PhoneLost(f"{self._address.text}: no forward to the phone's port {port}")
            sleep(0.1)
        return self._forwards[port][1]

    def close(self) -> None:
        """As in the protocol."""
        for process, _ in self._forwards.values():
            self._end(process)
        self._forwards.clear()

    def _listing_of_app(self, folder: str, app: str) -> list[str]:
        """The command's own shell is the only way to an app's folder."""
        try:
            said = self._run(["apps", "afc", "--documents", app], typed=f"ls {folder}\nexit\n")
        except ToolFailed as error:
            if _MISSING.search(str(error)):
                return []
            raise DriverError(f"{self._address.text}: {error}") from error
        return shell_names(said, folder)

    def _make_folder(self, folder: str, app: str) -> None:
        """The command pushes only into a folder that is there, and makes one only in its own shell."""
        words = ["apps", "afc", "--documents", app] if app else ["afc", "shell"]
        try:
            self._run(words, typed=f"mkdir {folder}\nexit\n")
        except ToolFailed as error:
            raise DriverError(f"{self._address.text}: {folder}: {error}") from error

    def _is_led(self) -> bool:
        return any(process.poll() is None for process, _ in self._forwards.values())

    def _json(self, words: Sequence[str], *, device: bool = True) -> Any:
        try:
            said = self._run(words, device=device)
            return json.loads(said) if said.strip() else {}
        except (ToolFailed, ValueError) as error:
            raise DriverError(f"{self._address.text}: {TOOL} {' '.join(words)}: {error}") from error

    def _run(self, words: Sequence[str], seconds: float = _CALL_S, *, device: bool = True, typed: str = "") -> str:
        """What the command said on its standard output. Raises ToolFailed, NotPaired, PhoneLost."""
        command = self._words(words, device=device)
        try:
            ran = subprocess.run(
                command,
                env=self._home(),
                capture_output=True,
                input=typed.encode(),
                timeout=seconds * self._scale,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise PhoneLost(f"{self._address.text}: {' '.join(words)}: no answer in {seconds * self._scale:.0f} s") from error
        said = ran.stderr.decode("utf-8", "replace").strip()
        if ran.returncode or " ERROR " in said:
            last = _last_error(said) or f"exit code {ran.returncode}"
            if _NOT_PAIRED.search(said):
                raise NotPaired(f"{self._address.text}: the phone does not trust this computer: {_TRUST}")
            if _GONE.search(said):
                raise PhoneLost(f"{self._address.text}: {last}")
            raise ToolFailed(last)
        return ran.stdout.decode("utf-8", "replace")

    def _words(self, words: Sequence[str], *, device: bool) -> list[str]:
        chosen = ["--udid", self._wanted] if device else []
        return [self._program, "--no-color", *words, *chosen]

    def _home(self) -> dict[str, str]:
        return {**os.environ, "USBMUXD_SOCKET_ADDRESS": self._address.usbmuxd}

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
        if process.poll() is None:
            process.kill()
            process.wait()


def shell_names(said: str, folder: str) -> list[str]:
    """Names that the command's AFC shell prints after `ls FOLDER` and before its next prompt, amid its escape codes."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said).replace("\r", "")
    after = plain.rpartition(f"]$ ls {folder}\n")[2].splitlines()
    listed = takewhile(lambda line: "]$" not in line, after)
    names = [line.strip().rpartition("/")[2] for line in listed if not line.startswith("ls: cannot access")]
    return [name for name in names if name not in ("", ".", "..")]


def _last_error(said: str) -> str:
    """The last line that names an error, without its time and place; "" when none does."""
    lines = [line.partition(" ERROR ")[2] for line in said.splitlines() if " ERROR " in line]
    return (lines or said.splitlines() or [""])[-1][:300]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1.0).close()
    except OSError:
        return False
    return True
