"""`file send` and `file recv`: the hdc server reads and writes the host's files itself; only their names pass the channel."""

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from devices.virtual.harmony.phone import HarmonyPhone
from devices.virtual.harmony.storage import PHOTOS


class CableOut(Exception):
    """The transfer was cut: the phone is gone, some files are there."""


def transfer(phone: HarmonyPhone, line: str) -> str:
    """Does `file send|recv [-cwd DIR] [OPTION…] FROM TO`; returns what hdc says. Raises CableOut."""
    try:
        direction, cwd, source, target = _parsed(line)
    except ValueError as error:
        return f"[Fail]{error}\n"
    try:
        if direction == "send":
            return _send(phone, Path(cwd, source), target)
        return _receive(phone, source, Path(cwd, target))
    except OSError as error:
        return f"[Fail]Error opening file: {error.strerror}, path:{source}\n"


def _parsed(line: str) -> tuple[str, str, str, str]:
    words = shlex.split(line)[1:]
    cwd = "/"
    if "-cwd" in words:
        at = words.index("-cwd")
        cwd = words[at + 1]
        del words[at : at + 2]
    plain = [word for word in words if not word.startswith("-")]
    if len(plain) != 3 or plain[0] not in ("send", "recv"):
        raise ValueError("There is no local and remote path")
    return plain[0], cwd, plain[1], plain[2]


def _send(phone: HarmonyPhone, source: Path, target: str) -> str:
    """A file, or a folder that becomes a folder of `target` (an album, where that is the media library)."""
    place = phone.files.host(target)
    into_library = place == phone.files.photos or phone.files.photos in place.parents
    if into_library and phone.make.api < 21:
        return f"[Fail][E005005] Error create directory: no such file or directory, path:{PHOTOS}\n"
    files = [source] if source.is_file() else sorted(path for path in source.iterdir() if path.is_file())
    if sum(path.stat().st_size for path in files) > phone.files.free_bytes:
        return "[Fail]Error writing file: no space left on device\n"
    if source.is_dir():
        place = place / source.name if place.is_dir() else place
        place.mkdir(parents=True, exist_ok=True)
    targets = [place / path.name if source.is_dir() or place.is_dir() else place for path in files]
    return _copied(phone, files, targets, into_library=into_library)


def _copied(phone: HarmonyPhone, files: Sequence[Path], targets: Sequence[Path], *, into_library: bool) -> str:
    cut, phone.faults.cut_after_files = phone.faults.cut_after_files, None
    kept = len(files) if cut is None else min(cut, len(files))
    for path, target in zip(files[:kept], targets[:kept], strict=True):
        shutil.copy2(path, target)
    if cut is not None and kept < len(files):
        data = files[kept].read_bytes()
        targets[kept].write_bytes(data[: len(data) // 2])
        kept += 1
    if into_library:
        phone.imported(list(targets[:kept]))
    if cut is not None:
        raise CableOut
    size = sum(path.stat().st_size for path in files)
    return f"FileTransfer finish, Size:{size}, File count = {len(files)}, time:9ms rate:{size / 9:.2f}kB/s\n"


def _receive(phone: HarmonyPhone, source: str, target: Path) -> str:
    place = phone.files.host(source)
    target = target / place.name if target.is_dir() else target
    shutil.copyfile(place, target)
    size = target.stat().st_size
    return f"FileTransfer finish, Size:{size}, File count = 1, time:9ms rate:{size / 9:.2f}kB/s\n"
