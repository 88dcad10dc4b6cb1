"""The adb server of the rig: its own port, one adb version for everything, never the user's server, never `kill-server`.

A second adb client of another version ends the server of every phone on the host; so the executable is chosen once, and a
server that is already on the port is only used when its version fits. The server outlives a killed rig on purpose: after a
crash the next rig finds its USB phones still claimed by the server it knows.
"""

import os
import re
import socket
import subprocess
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import adbutils
import psutil
from tenacity import retry, retry_if_result, stop_after_delay, wait_fixed

from drivers.interface import DriverError

_START = threading.Lock()  # six phones open at once; one of them starts the server
_START_S = 20.0  # adb's own limit for starting its server
_ANSWER_S = 3.0
_FIRST_PORT, _PORTS = 5137, 400  # 100 above adb's own; spread by user id so that two users of a host do not share keys


@dataclass(frozen=True, slots=True)
class AdbServer:
    """An adb executable and the port where its server listens on loopback."""

    executable: Path
    port: int

    def command(self, *words: str) -> list[str]:
        """An argument list for this executable that talks to this server."""
        return [str(self.executable), "-P", str(self.port), *words]

    @property
    def environment(self) -> dict[str, str]:
        """The environment for the executable: this port, and no search for phones on the network."""
        return {**os.environ, "ANDROID_ADB_SERVER_PORT": str(self.port), "ADB_MDNS": "0", "ADB_MDNS_AUTO_CONNECT": "0"}


def private_port() -> int:
    """The rig's port: ANDROID_ADB_SERVER_PORT when it is set, else one that follows from the user id."""
    named = os.environ.get("ANDROID_ADB_SERVER_PORT", "")
    if not named:
        return _FIRST_PORT + os.getuid() % _PORTS
    if not named.isdigit() or not 0 < int(named) < 65536:
        raise DriverError(f"ANDROID_ADB_SERVER_PORT is {named!r}: expected a port number from 1 to 65535")
    return int(named)


@cache
def find_adb() -> Path:
    """The adb on PATH that runs, else the one in adbutils' wheel. Raises DriverError."""
    try:
        return Path(adbutils.adb_path())
    except adbutils.AdbError as error:
        raise DriverError("no adb that runs was found: install adb (Debian: apt install adb) or reinstall adbutils") from error


def running_server(port: int | None = None) -> AdbServer:
    """The rig's adb server, started when it was not running. Raises DriverError."""
    server = AdbServer(find_adb(), private_port() if port is None else port)
    with _START:
        found = version_on(server.port)
        if found is None:
            _start(server)
            found = _listening(server.port)
    expected = _client_version(server.executable)
    if found != expected:
        raise DriverError(
            f"adb server on port {server.port} has version {found}, {server.executable} has {expected}; "
            "set ANDROID_ADB_SERVER_PORT to a free port"
        )
    return server


def end_server(server: AdbServer) -> bool:
    """The server process on exactly this port is gone; False when there was none. Never between runs."""
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if "fork-server" in words and any(re.fullmatch(rf"tcp:(?:.*:)?{server.port}", word) for word in words):
            process.terminate()
            psutil.wait_procs([process], timeout=5)
            return True
    return False


def _start(server: AdbServer) -> None:
    try:
        done = subprocess.run(
            server.command("start-server"), env=server.environment, capture_output=True, timeout=_START_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DriverError(f"{server.executable} could not start its server on port {server.port}: {error}") from error
    if done.returncode and version_on(server.port) is None:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise DriverError(f"{server.executable} could not start its server on port {server.port}: {said}")


@retry(stop=stop_after_delay(5), wait=wait_fixed(0.05), retry=retry_if_result(lambda found: found is None))
def _answered(port: int) -> int | None:
    return version_on(port)


def _listening(port: int) -> int:
    found = _answered(port)
    if found is None:
        raise DriverError(f"the adb server on port {port} does not answer")
    return found


def version_on(port: int) -> int | None:
    """The version of the adb server on a port; None when nothing listens there. Raises DriverError for another program."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=_ANSWER_S) as link:
            link.sendall(b"000chost:version")
            answer = b"".join(iter(lambda: link.recv(64), b""))
    except ConnectionRefusedError:
        return None
    except OSError as error:
        raise DriverError(f"port {port}, where the rig's adb server should be, does not answer: {error}") from error
    if not re.fullmatch(rb"OKAY0004[0-9a-fA-F]{4}", answer):
        raise DriverError(f"port {port} is held by a program that is no adb server; set ANDROID_ADB_SERVER_PORT to a free one")
    return int(answer[8:], 16)


def client_version(executable: Path) -> int:
    """The last part of 1.0.x that an adb executable says of itself. Raises DriverError."""
    return _client_version(executable)


@cache
def _client_version(executable: Path) -> int:
    try:
        said = subprocess.run([str(executable), "version"], capture_output=True, timeout=_START_S, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise DriverError(f"{executable} does not run: {error}") from error
    version = re.search(rb"Android Debug Bridge version 1\.0\.(\d+)", said)
    if version is None:
        raise DriverError(f"{executable} does not say an adb version")
    return int(version[1])
