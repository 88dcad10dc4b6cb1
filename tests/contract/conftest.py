"""Virtual phones served in a thread of the tests, and an adb server that belongs to them alone."""

import asyncio
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import adbutils
import pytest
from small_gallery import PACKAGE, SmallGallery

from devices.virtual.android.hardware import NamePlate
from devices.virtual.android.make import GalleryPackage, Make
from devices.virtual.android.phone import AndroidPhone
from devices.virtual.android.services import open_service

BUNDLED = Path(adbutils.__file__).parent / "binaries" / "adb"
INSTALLED = Path("/usr/lib/android-sdk/platform-tools/adb")  # where Debian puts it


T = TypeVar("T")


class Adb:
    """One adb program with a server of its own: never the user's, and ended by its own pid."""

    def __init__(self, program: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.program = program
        self._home = os.environ | {"ANDROID_ADB_SERVER_PORT": str(self.port)}
        command = [program, "-L", f"tcp:127.0.0.1:{self.port}", "server", "nodaemon"]
        self._server = subprocess.Popen(command, env=self._home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def run(self, *words: str | Path, code: int | None = 0) -> subprocess.CompletedProcess[bytes]:
        """`adb WORD…`, which has to end with `code` (None: with any)."""
        done = subprocess.run([self.program, *words], env=self._home, capture_output=True, timeout=60, check=False)
        if code is not None:
            assert done.returncode == code, (words, done.stdout, done.stderr)
        return done

    def run_with_input(self, typed: str, *words: str) -> subprocess.CompletedProcess[bytes]:
        """`adb WORD…` that reads `typed`."""
        return subprocess.run(
            [self.program, *words], env=self._home, input=typed.encode(), capture_output=True, timeout=30, check=False
        )

    def run_for(self, seconds: float, *words: str) -> None:
        """`adb WORD…`; raises TimeoutError when it has not ended after so long."""
        try:
            subprocess.run([self.program, *words], env=self._home, capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError from error

    def close(self) -> None:
        self._server.terminate()
        self._server.wait(10)


class ServedPhone:
    """A virtual phone in its own thread, and an adb that is connected to it."""

    def __init__(self, folder: Path, adb: Adb, make: Make) -> None:
        self.adb = adb
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.phone = self.do(lambda: AndroidPhone(make, folder, SmallGallery, open_service))
        self.port = asyncio.run_coroutine_threadsafe(self.phone.start(), self._loop).result(10)
        self.serial = f"127.0.0.1:{self.port}"

    def do(self, work: Callable[[], T]) -> T:
        """`work` is done in the phone's thread."""

        async def run() -> T:
            return work()

        return asyncio.run_coroutine_threadsafe(run(), self._loop).result(10)

    def wait_for(self, holds: Callable[[], bool]) -> None:
        """Returns when `holds` does, as looked at in the phone's thread."""

        async def wait() -> None:
            while not holds():
                await asyncio.sleep(0.01)

        asyncio.run_coroutine_threadsafe(asyncio.wait_for(wait(), 10), self._loop).result(12)

    def connect(self) -> None:
        self.adb.run("disconnect", self.serial, code=None)
        for _ in range(100):
            if b"connected to" in self.adb.run("connect", self.serial, code=None).stdout:
                break
        self.adb.run("-s", self.serial, "wait-for-device")

    def run(self, *words: str | Path, code: int | None = 0) -> subprocess.CompletedProcess[bytes]:
        return self.adb.run("-s", self.serial, *words, code=code)

    def shell(self, script: str, code: int = 0) -> str:
        return self.run("shell", script, code=code).stdout.decode()

    def state(self) -> str:
        done = self.run("get-state", code=None)
        return (done.stdout + done.stderr).decode().strip()

    def close(self) -> None:
        self.adb.run("disconnect", self.serial, code=None)
        self.do(self.phone.stop)

        async def finish() -> None:
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(finish(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


@pytest.fixture(scope="session", params=["bundled", "installed"])
def adb(request: pytest.FixtureRequest) -> Iterator[Adb]:
    program = BUNDLED if request.param == "bundled" else INSTALLED
    if not shutil.which(program):
        pytest.skip(f"no adb at {program}")
    adb = Adb(program)
    yield adb
    adb.close()


@pytest.fixture(scope="session")
def bundled_adb() -> Iterator[Adb]:
    adb = Adb(BUNDLED)
    yield adb
    adb.close()


@pytest.fixture
def served(adb: Adb, tmp_path: Path) -> Iterator[ServedPhone]:
    """A phone that each adb in turn is connected to."""
    yield from _serve(adb, tmp_path)


@pytest.fixture
def served_once(bundled_adb: Adb, tmp_path: Path) -> Iterator[ServedPhone]:
    """A phone for what does not depend on which adb there is."""
    yield from _serve(bundled_adb, tmp_path)


def _serve(adb: Adb, tmp_path: Path) -> Iterator[ServedPhone]:
    make = Make(NamePlate("phone", "VIRT0001"), GalleryPackage(PACKAGE, "1.2.3"), boot_s=0.3)
    served = ServedPhone(tmp_path / "phone", adb, make)
    served.connect()
    yield served
    served.close()
