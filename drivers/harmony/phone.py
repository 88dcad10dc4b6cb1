"""One phone behind hdc: found by its address, asked through its shell, given and asked for files.

An address is a connect key of `hdc list targets`, or HOST:PORT of a phone on the network, which hdc is told to connect to.
"""

import re
import shlex
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from drivers.harmony.hdc import Hdc, Refused
from drivers.interface import DriverError, PhoneLost
from drivers.waiting import tries

SHELL_S = 15.0
"""Most shell commands of a healthy phone end in a second; hidumper of a loaded one may take several."""
_CONNECT_S = 10.0
_TRANSFER_S = 60.0
_SLOWEST_BYTES_PER_S = 2_000_000  # a tenth of USB 2.0
_MARK = "@@rig@@"
_PORTS = 5  # a free port may be taken by somebody else before hdc takes it


@dataclass(frozen=True, slots=True)
class Ran:
    """What a shell line printed, output and errors together, and the exit code of its last command."""

    code: int
    text: str


class Phone:
    """The way to one phone. Survives its coming and going by `reconnect`."""

    def __init__(self, hdc: Hdc, address: str) -> None:
        self.hdc = hdc
        self.address = address

    def connect(self) -> None:
        """The phone answers. Raises PhoneLost, or DriverError with the next step for a person."""
        if self._is_network:
            self._dial()
        elif self.address not in (listed := self._listed()):
            raise PhoneLost(
                f"{self.address} is not attached (attached: {', '.join(listed) or 'none'}); check cable and debugging"
            )
        elif listed[self.address].lower() == "unauthorized":
            raise DriverError(f"{self.address} is unauthorized: unlock the phone and trust this computer (always)")
        if self.shell("true", _CONNECT_S).code:
            raise PhoneLost(f"{self.address}: its shell does not work")

    def reconnect(self, attempts: int = 4) -> None:
        """The phone answers again, or PhoneLost. A phone that asks for a person is not asked again."""
        for attempt in tries(attempts):
            with attempt:
                self.connect()

    def shell(self, line: str, seconds: float = SHELL_S) -> Ran:
        """Runs a line in the phone's shell. hdc tells no exit code, so the line says its own, which also proves its end."""
        said = self.hdc.run(["shell", f"{line}; echo {_MARK}$?"], seconds, self.address)
        text, mark, code = said.replace("\r\n", "\n").rpartition(_MARK)
        if not mark or not code.strip().isdigit():
            raise PhoneLost(f"{self.address}: shell {line[:60]!r}: the answer broke off")
        return Ran(int(code), text)

    def text(self, line: str, seconds: float = SHELL_S) -> str:
        """What a line prints, stripped, whatever its exit code."""
        return self.shell(line, seconds).text.strip()

    def texts(self, lines: Sequence[str], seconds: float = SHELL_S) -> list[str]:
        """What several lines print, in one round trip."""
        said = self.shell(f"; echo {_MARK}; ".join(lines), seconds).text
        parts = [part.strip() for part in said.split(_MARK)]
        if len(parts) != len(lines):
            raise PhoneLost(f"{self.address}: {len(parts)} of {len(lines)} answers came back")
        return parts

    def send(self, source: Path, target: str, size_bytes: int) -> None:
        """A file, or a folder as a folder of `target`, is on the phone. Raises PhoneLost when it is not said to be whole."""
        self._transfer(["file", "send", str(source), target], size_bytes)

    def receive(self, source: str, target: Path, size_bytes: int = 0) -> None:
        """A file of the phone is here."""
        self._transfer(["file", "recv", source, str(target)], size_bytes)

    def forward(self, remote: str) -> int:
        """A port of this host that leads to `remote` on the phone. Raises Refused."""
        last = Refused(f"{self.address}: no port could be forwarded")
        for _ in range(_PORTS):
            port = _free_port()
            try:
                said = self.hdc.run(["fport", f"tcp:{port}", remote], _CONNECT_S, self.address)
            except Refused as error:
                last = error
                continue
            if "OK" in said:
                return port
        raise last

    def end_forward(self, port: int, remote: str) -> None:
        """The port leads nowhere any more."""
        self.hdc.run(["fport", "rm", f"tcp:{port}", remote], _CONNECT_S, self.address)

    @property
    def _is_network(self) -> bool:
        return re.fullmatch(r".+:\d+", self.address) is not None

    def _dial(self) -> None:
        said = self.hdc.run(["tconn", self.address], _CONNECT_S)
        if "Connect OK" not in said and "connected" not in said.lower():
            raise PhoneLost(f"{self.address}: hdc tconn: {said.strip()[:200] or 'no answer'}")

    def _listed(self) -> dict[str, str]:
        """Connect key → state, of `list targets -v`: key, (empty), kind, state, host, name, separated by tabs."""
        rows = [line.split("\t") for line in self.hdc.run(["list", "targets", "-v"], _CONNECT_S).splitlines()]
        return {row[0]: row[3] for row in rows if len(row) >= 5}

    def _transfer(self, words: Sequence[str], size_bytes: int) -> None:
        said = self.hdc.run(words, _TRANSFER_S + size_bytes / _SLOWEST_BYTES_PER_S, self.address)
        if "FileTransfer finish" not in said:
            raise PhoneLost(f"{self.address}: hdc {' '.join(words[:2])}: not finished: {said.strip()[-200:] or 'no answer'}")


def quote(name: str) -> str:
    """A file name as one word of the phone's shell."""
    return shlex.quote(name)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
