"""The phone's storage: a folder of the host that stands for the phone's `/`, with a capacity."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path, PurePosixPath

SHARED_STORAGE = "/sdcard"
ALIASES = ("/storage/emulated/0", "/mnt/sdcard", "/storage/self/primary", "/data/media/0")
"""Other names of the shared storage on a real phone."""
FACTORY_FOLDERS = ("sdcard/DCIM/Camera", "sdcard/Pictures", "sdcard/Download", "data/local/tmp", "system/bin")
WIPED = ("sdcard", "data")
"""What a factory reset erases."""
DEFAULT_CAPACITY_BYTES = 64 << 30


class PhoneFiles:
    """Maps paths of the phone to the host and keeps the capacity; errors are OSError with the phone's errno."""

    def __init__(self, root: Path, capacity_bytes: int = DEFAULT_CAPACITY_BYTES) -> None:
        self.root = root
        self.capacity_bytes = capacity_bytes
        self.generated: dict[str, Callable[[], bytes]] = {}
        """Files of /proc and the like: path on the phone → its content now."""
        self._used_bytes: int | None = None
        self.make_folders()

    def make_folders(self) -> None:
        """The folders of a new phone exist."""
        for folder in FACTORY_FOLDERS:
            (self.root / folder).mkdir(parents=True, exist_ok=True)

    def wipe(self) -> None:
        """Shared storage and /data are as from the factory."""
        for folder in WIPED:
            shutil.rmtree(self.root / folder, ignore_errors=True)
        self.make_folders()
        self._used_bytes = None

    def host(self, path: str, cwd: str = "/") -> Path:
        """Where a path of the phone lies on the host; never outside of `root`."""
        inside = os.path.normpath(PurePosixPath("/", cwd, path))
        for alias in ALIASES:
            if inside == alias or inside.startswith(alias + "/"):
                inside = SHARED_STORAGE + inside.removeprefix(alias)
        return self.root / inside.lstrip("/")

    def phone_path(self, host: Path) -> str:
        """The phone's own name of a host path, shared storage under its real name /storage/emulated/0."""
        relative = host.relative_to(self.root).as_posix()
        if relative == "sdcard" or relative.startswith("sdcard/"):
            return ALIASES[0] + relative.removeprefix("sdcard")
        return "/" + relative

    def read(self, path: str, cwd: str = "/") -> bytes:
        """The content of a file, stored or generated."""
        made = self.generated.get(os.path.normpath(PurePosixPath("/", cwd, path)))
        return made() if made is not None else self.host(path, cwd).read_bytes()

    def write(self, path: str, data: bytes, *, cwd: str = "/", append: bool = False) -> None:
        """The file holds `data`, or has it at its end."""
        self.take(len(data))
        with self.host(path, cwd).open("ab" if append else "wb") as file:
            file.write(data)

    @property
    def used_bytes(self) -> int:
        """What the files take, without any file system's overhead."""
        if self._used_bytes is None:
            self._used_bytes = sum(
                (Path(folder) / name).lstat().st_size for folder, _, names in os.walk(self.root) for name in names
            )
        return self._used_bytes

    @property
    def free_bytes(self) -> int:
        """What can still be written; never negative."""
        return max(0, self.capacity_bytes - self.used_bytes)

    def take(self, count: int) -> None:
        """`count` more bytes are in use. Raises OSError(ENOSPC) when they do not fit."""
        if count > self.free_bytes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._used_bytes = self.used_bytes + count

    def remove(self, file: Path) -> None:
        """A file of the host is gone and its space free; for one of many, which `count_again` would be slow for."""
        size = file.lstat().st_size
        file.unlink()
        self._used_bytes = self.used_bytes - size if self._used_bytes is not None else None

    def count_again(self) -> None:
        """Something was removed: the used space is counted when it is asked for."""
        self._used_bytes = None
