"""The `hdc` command: an argument list, a deadline, and what it printed. Its exit code says nothing and is not looked at.

hdc ends with 0 whether it did its work or not: a failure is the word `[Fail]` in what it prints.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from drivers.interface import DriverError, PhoneLost

_ENDED_S = 5.0
# The server's own words for a phone that is not there: E001005 in hdc 3, older versions without the number.
_GONE = re.compile(
    r"E001005|Device not found or connected|Connect server failed|Not match target|need connect-key|ExecuteCommand need|"
    r"connect failed|Communication channel is being established",
    re.IGNORECASE,
)


class Refused(DriverError):
    """hdc or the phone said no; trying again would not help."""


class Hdc:
    """The command on this host, and which server it is to use."""

    def __init__(self, program: str, server: str = "", deadline_scale: float = 1.0) -> None:
        self._program = program
        self._server = server
        self._scale = deadline_scale

    def run(self, words: Sequence[str], seconds: float, key: str = "") -> str:
        """What `hdc [-s SERVER] [-t KEY] WORD…` prints. Raises PhoneLost for a deadline and a phone that is gone, Refused."""
        command = [self._program]
        command += ["-s", self._server] if self._server else []
        command += ["-t", key] if key else []
        said = self._output([*command, *words], self.deadline(seconds), f"{key or 'hdc'}: hdc {' '.join(words)[:80]}")
        failed = re.search(r"^\[Fail\].*$", said, re.MULTILINE | re.IGNORECASE)
        if failed is None:
            return said
        message = f"{key or 'hdc'}: hdc {' '.join(words)[:80]}: {failed[0][:200]}"
        raise PhoneLost(message) if _GONE.search(failed[0]) else Refused(message)

    def deadline(self, seconds: float) -> float:
        """Seconds that a call may take, on this host."""
        return seconds * self._scale

    def _output(self, command: Sequence[str], seconds: float, doing: str) -> str:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # hdc may leave a child behind: the whole group is ended
            )
        except OSError as error:
            raise DriverError(f"{doing}: cannot be started: {error}; install HarmonyOS' command line tools") from error
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            _end(process)
            raise PhoneLost(f"{doing}: no answer in {seconds:.1f} s") from error
        except BaseException:
            _end(process)
            raise
        return said.decode("utf-8", "replace")


def find_hdc(given: str) -> str:
    """The path of the command: as given, else on PATH. Raises DriverError."""
    found = shutil.which(given or "hdc")
    if found is None:
        where = f"at {given!r}" if given else "on PATH"
        raise DriverError(f"no hdc command {where}: install HarmonyOS' command line tools, or give option hdc its path")
    return found


def _end(process: subprocess.Popen[bytes]) -> None:
    """The command and everything it started have ended."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=_ENDED_S)
