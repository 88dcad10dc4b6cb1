"""The storage of a virtual HarmonyOS phone: a folder of the host that stands for the phone's `/`, with a capacity."""

import errno
import os
import shutil
from pathlib import Path, PurePosixPath

PHOTOS = "/mnt/data/100/media_fuse/Photo"
"""Where API 21 and later show the media library as folders, one an album; user 100 is the first user of a phone."""
ASSETS = "/storage/media/100/local/files/Photo"
"""The same files by their older name."""
TEMPORARY = "/data/local/tmp"
WIPED = ("data", "mnt", "storage")


class PhoneStorage:
    """Maps paths of the phone to the host and keeps the capacity; errors are OSError with the phone's errno."""

    def __init__(self, root: Path, capacity_bytes: int) -> None:
        self.root = root
        self.capacity_bytes = capacity_bytes
        self._make_folders()

    @property
    def photos(self) -> Path:
        """Where the photos of the media library lie on the host."""
        return self.host(PHOTOS)

    def host(self, path: str, cwd: str = "/") -> Path:
        """Where a path of the phone lies on the host; never outside of `root`."""
        inside = os.path.normpath(PurePosixPath("/", cwd, path))
        if inside == ASSETS or inside.startswith(ASSETS + "/"):
            inside = PHOTOS + inside.removeprefix(ASSETS)
        return self.root / inside.lstrip("/")

    def wipe(self) -> None:
        """Everything of the user is gone."""
        for folder in WIPED:
            shutil.rmtree(self.root / folder, ignore_errors=True)
        self._make_folders()

    @property
    def used_bytes(self) -> int:
        """What the files take, without any file system's overhead."""
        return sum((Path(folder) / name).lstat().st_size for folder, _, names in os.walk(self.root) for name in names)

    @property
    def free_bytes(self) -> int:
        """What can still be written; never negative."""
        return max(0, self.capacity_bytes - self.used_bytes)

    def write(self, path: Path, data: bytes, *, append: bool = False) -> None:
        """A file of the host under `root` holds `data`, or has it at its end. Raises OSError(ENOSPC)."""
        if len(data) > self.free_bytes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with path.open("ab" if append else "wb") as file:
            file.write(data)

    def _make_folders(self) -> None:
        for folder in (PHOTOS, TEMPORARY):
            self.host(folder).mkdir(parents=True, exist_ok=True)
