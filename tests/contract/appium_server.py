"""The real Appium server, from npm, on loopback: what `make appium` installed. Never ends an adb server."""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from urllib.request import urlopen

import pytest

HOME = Path(__file__).parents[1] / "end_to_end" / "appium"
SERVER = HOME / "node_modules" / "appium" / "index.js"
NEEDED = (20, 19)  # what its package.json asks of node
_START_S = 90.0  # a loaded host loads its 4,000 modules for long


def why_not() -> str:
    """Why the server cannot be started here; "" when it can."""
    node = shutil.which("node")
    if node is None:
        return "node is not installed"
    said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    version = tuple(int(part) for part in said.strip().removeprefix("v").split(".")[:2])
    if version < NEEDED:
        return f"node {said.strip()} is too old for Appium; it needs {NEEDED[0]}.{NEEDED[1]}"
    if not SERVER.is_file():
        return "the Appium server is not installed; run: make appium"
    return ""


@contextmanager
def appium_server(folder: Path, adb: Path, adb_port: int) -> Iterator[str]:
    """The URL of a server that finds `adb` and its server at `adb_port`. Skips the test where it cannot be."""
    reason = why_not()
    if reason:
        pytest.skip(reason)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [
        *("node", str(SERVER), "server", "--address", "127.0.0.1", "--port", str(port)),
        *("--log-level", "warn", "--log-no-colors", "--allow-insecure", "uiautomator2:adb_shell"),
    ]
    environment = os.environ | {
        "APPIUM_HOME": str(HOME),
        "ANDROID_HOME": str(_android_home(folder / "android", adb)),
        "ANDROID_ADB_SERVER_PORT": str(adb_port),
        "ADB_MDNS": "0",
    }
    environment.pop("ANDROID_SDK_ROOT", None)
    log = folder / "appium.log"
    with log.open("wb") as written, subprocess.Popen(command, env=environment, stdout=written, stderr=written) as server:
        url = f"http://127.0.0.1:{port}"
        try:
            _await(url, server, log)
            yield url
        finally:
            server.terminate()
            server.wait(30)


def _android_home(folder: Path, adb: Path) -> Path:
    """A folder that looks like Android's SDK as far as Appium looks: its platform-tools hold adb."""
    tools = folder / "platform-tools"
    tools.mkdir(parents=True)
    (tools / "adb").symlink_to(adb.resolve())
    return folder


def _await(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = monotonic() + _START_S
    while True:
        assert server.poll() is None, log.read_text("utf-8", "replace")[-2000:]
        assert monotonic() < until, f"the Appium server did not start in {_START_S:.0f} s"
        try:
            with urlopen(f"{url}/status", timeout=5) as answer:
                if json.load(answer)["value"]["ready"]:
                    return
        except OSError:
            sleep(0.1)
