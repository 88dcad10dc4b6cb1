"""Files that are whole or absent, folders made once, locks that die with their holder."""

import contextlib
import errno
import fcntl
import json
import os
import platform
import secrets
import shutil
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO
from urllib.parse import quote, unquote

from rig.errors import InfrastructureDown, LockedByAnother, RigError

NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})
NAME_BYTES = 200
"""File systems take 255 bytes a name; the rest is left for suffixes."""


class DiskFull(InfrastructureDown):
    """The disk that holds the run is full. Everything recorded is kept."""


@contextlib.contextmanager
def disk_full_is_told(what: Path) -> Iterator[None]:
    """Turns "no space left" into a sentence; lets everything else through."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_SPACE:
            raise DiskFull(full_sentence(what)) from error
        raise


def full_sentence(what: Path) -> str:
    """The one sentence for a full disk."""
    return f"the disk is full: {what} could not be written; free some space, then go on with: rig resume RUN"


def write_file(path: Path, data: bytes) -> None:
    """`path` holds exactly `data`, readable by its owner only, and stays so through a power cut; or nothing changed."""
    with disk_full_is_told(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = path.with_name(path.name + ".part")
        try:
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(descriptor, "wb") as file:  # noqa: PTH123 - an open descriptor, for its mode
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """The names in `folder` are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def free_bytes(folder: Path) -> int:
    """What may still be written to the disk that holds `folder`."""
    return shutil.disk_usage(folder).free


def safe_name(text: str) -> str:
    """A file name that says `text`: reversible by `spoken_name`, except that very long ones end in a hash."""
    name = quote(text, safe=" ()+,=@~").replace(".", "%2E") if set(text) <= {"."} else quote(text, safe=" ()+,=@~.")
    if len(name) <= NAME_BYTES:
        return name or "%"
    return f"{name[: NAME_BYTES - 20]}~{sha256(text.encode()).hexdigest()[:16]}"


def spoken_name(name: str) -> str:
    """The text of a `safe_name`."""
    return unquote(name) if name != "%" else ""


def make_run_folder(runs: Path, name: str, now: datetime) -> Path:
    """A new folder `<utc>-<name>-<random>`, made exclusively, so that two runs begun in one millisecond are two."""
    try:
        runs.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = runs / f"{now:%Y%m%dT%H%M%SZ}-{safe_name(name)}-{secrets.token_hex(3)}"
        folder.mkdir(mode=0o700)
    except OSError as error:
        if error.errno in NO_SPACE:
            raise DiskFull(full_sentence(runs)) from error
        raise RigError(
            f"{runs}: a run folder cannot be made there ({error.strerror}); choose another with --runs DIR"
        ) from error
    return folder


class Lock:
    """One holder at a time on this host, by flock: it ends with the holder's process, however that ends."""

    def __init__(self, path: Path, what: str) -> None:
        self.path = path
        self.what = what
        self._file: IO[str] | None = None

    def acquire(self, note: str = "", *, wait: bool = False) -> str:
        """Takes the lock and writes who holds it; returns the note that its last holder left ("" for none).

        Raises LockedByAnother, naming the holder, unless it is to `wait` for its turn.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = _holder(file.read())
            file.close()
            raise LockedByAnother(
                f"{self.what} is held by process {holder.get('pid', '?')} on {holder.get('host', '?')}"
                f"{' for ' + holder['note'] if holder.get('note') else ''}; wait until it ends, or stop that process"
            ) from error
        left = _holder(file.read()).get("note", "")
        self._file = file
        self.note(note)
        return left

    def note(self, note: str) -> None:
        """The holder leaves another note."""
        if self._file is not None:
            self._file.seek(0)
            self._file.truncate()
            json.dump({"pid": str(os.getpid()), "host": platform.node(), "note": note}, self._file)
            self._file.flush()

    def held(self) -> bool:
        """True when somebody holds it now; takes nothing."""
        if self._file is not None:
            return True
        if not self.path.is_file():
            return False
        with self.path.open(encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    def release(self) -> None:
        """The lock is free; without effect when it is not held."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _holder(text: str) -> dict[str, str]:
    try:
        held = json.loads(text)
    except ValueError:
        return {}
    return {str(key): str(value) for key, value in held.items()} if isinstance(held, dict) else {}
