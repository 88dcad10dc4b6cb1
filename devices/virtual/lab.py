"""A lab of virtual phones: one process a phone, one parent that owns the control socket.

    rig lab up ── Lab (this process) ──┬── worker: phone-1     JSON lines over its standard input and output
                       │               ├── worker: phone-2
                 control socket        └── …

A worker ends when its standard input does, so none outlives the lab; an attached lab ends the same way with whoever started it.
A worker that died is started again at the same port with the same folder: to the rig, its phone has rebooted.
"""

import argparse
import asyncio
import contextlib
import hmac
import json
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from devices.virtual.control import CONTROL_FILE, Control, ControlAddress, read_address
from devices.virtual.description import LabDescription, LabError, PhoneDescription, load_lab
from devices.virtual.platforms import RIG_OPTIONS, require_platform

LAB_FILE = "lab.toml"
HOST = "127.0.0.1"
RESTART_PAUSE_S = 1.0
"""Between a worker's death and its next life: a real phone is away for longer."""
LONGEST_LINE = 1 << 26


class Worker:
    """The process of one phone, as the lab sees it."""

    def __init__(self, phone: PhoneDescription, folder: Path, port: int) -> None:
        self.phone = phone
        self.port = port
        self.address = ""
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def start(self) -> None:
        """The phone is served. Raises LabError when it cannot be."""
        self._make_room()
        with (self._folder / "log.txt").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "devices.virtual.worker",
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                limit=LONGEST_LINE,
            )
        told = {"phone": self.phone.as_json(), "folder": str(self._folder / "storage"), "port": self.port}
        answered = await self.ask(told)
        if "error" in answered:
            raise LabError(str(answered["error"]))
        self.address = answered["address"]
        self.port = int(self.address.rpartition(":")[2])

    def _make_room(self) -> None:
        """The folder is this phone's: what another phone of the same name left there is gone."""
        told = json.dumps(self.phone.as_json(), sort_keys=True)
        plate = self._folder / "phone.json"
        if self._folder.is_dir() and (not plate.is_file() or plate.read_text("utf-8") != told):
            shutil.rmtree(self._folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        plate.write_text(told, "utf-8")

    async def ask(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The phone's answer; `error` when it is gone."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return {"error": f"phone {self.phone.name}: not started"}
        async with self._turn:
            try:
                process.stdin.write(json.dumps(asked).encode() + b"\n")
                await process.stdin.drain()
                line = await process.stdout.readline()
            except ConnectionError:
                line = b""
        if not line:
            return {"error": f"phone {self.phone.name}: its process ended; see {self._folder / 'log.txt'}"}
        return dict(json.loads(line))

    async def keep(self) -> None:
        """Starts the phone again each time its process dies, until cancelled."""
        while self._process is not None:
            await self._process.wait()
            await asyncio.sleep(RESTART_PAUSE_S)
            with contextlib.suppress(LabError):
                await self.start()

    async def stop(self) -> None:
        """The process has ended."""
        process = self._process
        if process is None or process.stdin is None:
            return
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 5)
        except TimeoutError:
            process.kill()
            await process.wait()


class Lab:
    """All phones of a description, served from one folder."""

    def __init__(self, description: LabDescription, folder: Path, base_port: int = 0) -> None:
        self.folder = folder
        self._description = description
        self._token = secrets.token_hex(16)
        self._server: asyncio.Server | None = None
        self._keepers: list[asyncio.Task[None]] = []
        self.workers = {
            phone.name: Worker(phone, folder / "phones" / phone.name, base_port + number if base_port else 0)
            for number, phone in enumerate(description.phones)
        }

    async def start(self) -> None:
        """Every phone is served, and the lab's two files are written. Raises LabError."""
        for phone in self._description.phones:
            require_platform(phone.platform)
        self.folder.mkdir(parents=True, exist_ok=True)
        refuse_a_second(self.folder)
        try:
            async with asyncio.TaskGroup() as starting:
                for worker in self.workers.values():
                    starting.create_task(worker.start())
        except* LabError as errors:
            await self.stop()
            raise LabError("; ".join(str(error) for error in errors.exceptions)) from errors
        self._keepers = [asyncio.create_task(worker.keep(), name=f"keep {name}") for name, worker in self.workers.items()]
        self._server = await asyncio.start_server(self._serve, HOST, 0, limit=LONGEST_LINE)
        port = self._server.sockets[0].getsockname()[1]
        (self.folder / LAB_FILE).write_text(self.lab_file(), "utf-8")
        ControlAddress(HOST, port, self._token).write(self.folder / CONTROL_FILE)

    async def stop(self) -> None:
        """No phone is left, nor the control file."""
        (self.folder / CONTROL_FILE).unlink(missing_ok=True)
        if self._server is not None:
            self._server.close()
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*(worker.stop() for worker in self.workers.values()))

    def lab_file(self) -> str:
        """The rig's lab file: which phones there are and where."""
        parts = [f"# The virtual lab {self._description.name}: written by `rig lab up`, valid while it runs."]
        for worker in self.workers.values():
            phone = worker.phone
            lines = {"name": phone.name, "platform": phone.platform, "address": worker.address, "profile": phone.profile}
            parts.append("\n[[phone]]\n" + "\n".join(f"{key} = {json.dumps(value)}" for key, value in lines.items()))
            told = {**RIG_OPTIONS.get(phone.platform, {}), **phone.options}
            if told:
                options = "\n".join(f"{key} = {json.dumps(value)}" for key, value in told.items())
                parts.append(f"[phone.options]\n{options}")
        return "\n".join(parts) + "\n"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while line := await reader.readline():
                try:
                    answered = await self.answer(json.loads(line))
                except (ValueError, TypeError, AttributeError) as error:
                    answered = {"error": f"not a request: {error}"}
                writer.write(json.dumps(answered).encode() + b"\n")
                await writer.drain()
        writer.close()

    async def answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """What the lab says to one request."""
        if not hmac.compare_digest(str(asked.get("token", "")), self._token):
            return {"error": "wrong token: it stands in the lab's control.json"}
        name, do = str(asked.get("phone", "")), asked.get("do")
        if do == "status" and not name:
            return {"phones": {name: await worker.ask({"do": "status"}) for name, worker in self.workers.items()}}
        for wanted in (name, str(asked["other"])) if do == "swap" else (name,):
            if wanted not in self.workers:
                return {"error": f"no phone {wanted!r} in this lab; there are: {', '.join(self.workers)}"}
        if do == "swap":
            return await self._swap(self.workers[name], self.workers[str(asked["other"])])
        return await self.workers[name].ask({key: value for key, value in asked.items() if key not in ("token", "phone")})

    async def _swap(self, one: Worker, other: Worker) -> dict[str, Any]:
        for worker in (one, other):
            await worker.ask({"do": "unplug"})
        one.port, other.port = other.port, one.port
        answers = [await worker.ask({"do": "plug", "port": worker.port}) for worker in (one, other)]
        return next((answer for answer in answers if "error" in answer), answers[0])


def refuse_a_second(folder: Path) -> None:
    """Raises LabError when a lab is already up in this folder."""
    try:
        Control(read_address(folder / CONTROL_FILE)).status()
    except LabError:
        return
    raise LabError(f"a lab is already up in {folder}; use it, stop it, or give another folder with --state")


async def serve(lab: Lab, ready: Callable[[Lab], None], *, attached: bool) -> None:
    """Serves a lab until it is told to stop, or, when attached, until standard input ends."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    if attached:
        ending = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(ending), sys.stdin)
        loop.create_task(ending.read()).add_done_callback(lambda _: stop.set())
    await lab.start()
    try:
        ready(lab)
        await stop.wait()
    finally:
        await lab.stop()


@contextlib.contextmanager
def running_lab(lab: str, folder: Path, base_port: int = 0) -> Iterator[Control]:
    """A lab in a process of its own for as long as the block lasts; its lab file is `folder / "lab.toml"`."""
    command = [sys.executable, "-m", "devices.virtual.lab", lab, str(folder), str(base_port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            told = process.stdout.readline() if process.stdout else ""
            answered = json.loads(told) if told else {"error": "the lab's process ended"}
            if "error" in answered:
                raise LabError(answered["error"])
            yield Control(read_address(folder / CONTROL_FILE))
        finally:
            if process.stdin:
                process.stdin.close()
            process.wait(timeout=20)


def main() -> None:
    """`python -m devices.virtual.lab LAB FOLDER [BASE_PORT]`: an attached lab that says on one JSON line that it is up."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("lab")
    parser.add_argument("folder", type=Path)
    parser.add_argument("base_port", type=int, nargs="?", default=0)
    given = parser.parse_args()
    try:
        lab = Lab(load_lab(given.lab), given.folder, given.base_port)
        asyncio.run(serve(lab, lambda _: _say({"up": True}), attached=True))
    except (LabError, OSError) as error:
        _say({"error": str(error)})
        sys.exit(2)


def _say(told: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
