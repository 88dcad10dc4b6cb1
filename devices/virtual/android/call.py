"""What a command of the phone's shell is given, and how it answers."""

import fnmatch
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from devices.virtual.android.phone import AndroidPhone

Sink = Callable[[bytes], Awaitable[None]]
NOT_FOUND = 127
"""The exit code of a command that does not exist, as in every shell."""


class Input(Protocol):
    """A command's standard input."""

    async def read(self, limit: int) -> bytes:
        """What has arrived; b"" at the end."""

    async def wait_closed(self) -> None:
        """Returns when the host hung up."""


class FixedInput:
    """Standard input that is known beforehand: the output of the command before a pipe, or a file."""

    def __init__(self, data: bytes = b"") -> None:
        self._data = data

    async def read(self, limit: int) -> bytes:
        """The next bytes; b"" at the end."""
        taken, self._data = self._data[:limit], self._data[limit:]
        return taken

    async def wait_closed(self) -> None:
        """At once: nobody is at the other end."""


@dataclass(slots=True)
class Session:
    """What lasts from one command of a shell to the next."""

    cwd: str = "/"
    variables: dict[str, str] = field(
        default_factory=lambda: {"HOME": "/", "PATH": "/system/bin", "EXTERNAL_STORAGE": "/sdcard"}
    )
    status: int = 0
    exited: bool = False


@dataclass(slots=True)
class Call:
    """One command as it was called."""

    phone: "AndroidPhone"
    argv: Sequence[str]
    session: Session
    stdin: Input
    out: Sink
    err: Sink
    variables: Mapping[str, str] = field(default_factory=dict)
    """Assignments written before the command."""

    @property
    def arguments(self) -> Sequence[str]:
        """The words after the command's name."""
        return self.argv[1:]

    async def say(self, text: str) -> int:
        """Prints `text`, a line end added where none is; returns 0, the exit code of a command that did its work."""
        if text:
            await self.out(encode(text if text.endswith("\n") else text + "\n"))
        return 0

    async def complain(self, text: str, code: int = 1) -> int:
        """Prints an error; returns `code`."""
        await self.err(encode(text + "\n"))
        return code

    async def unknown(self) -> int:
        """The command exists, these arguments do not: recorded, and answered with the exit code of a misuse."""
        self.phone.unhandled.append(" ".join(self.argv))
        return await self.complain(f"{self.argv[0]}: unknown arguments: {' '.join(self.arguments)}", 255)

    def matches(self, pattern: str) -> list[str]:
        """The paths that a pattern with `*`, `?` or `[…]` in its last part names, sorted; empty when none does."""
        folder, slash, last = pattern.rpartition("/")
        place = self.phone.files.host(folder + slash or ".", self.session.cwd)
        hidden = last.startswith(".")
        names = sorted(entry.name for entry in place.iterdir()) if place.is_dir() else []
        return [folder + slash + name for name in names if fnmatch.fnmatchcase(name, last) and (hidden or name[0] != ".")]


Command = Callable[[Call], Awaitable[int]]


def encode(text: str) -> bytes:
    """Text as the phone's bytes; file names that are not UTF-8 keep theirs."""
    return text.encode("utf-8", "surrogateescape")
