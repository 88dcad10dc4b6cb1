"""A folder of anybody's photos becomes an Album: every file is either a photo of it or listed with the reason why not.

Nothing is written into the folder. Folders that are symbolic links are not followed, so a loop cannot be walked into.
"""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

from matching.decode import MAX_PIXELS
from rig.album.digest import digest_of
from rig.album.look import Look, Unfit, look_at
from rig.album.names import device_names, why_not
from rig.errors import RigError
from rig.model import Album, Photo, Unusable

Progress = Callable[[int, int], None]
"""Called with (files done, files in all)."""

SAME_BYTES = "same bytes as "
"""How the reason of a duplicate begins; the id of the photo that is kept follows."""


def scan_folder(
    folder: Path, *, name: str | None = None, workers: int | None = None, progress: Progress | None = None
) -> Album:
    """The folder's photos as an Album called `name` (the folder's own when None); RigError when it holds no usable photo."""
    if not folder.is_dir():
        raise RigError(f"album {folder}: there is no such folder; give a folder of photos")
    files: list[str] = []
    unusable: list[Unusable] = []
    for path, reason in _walk(folder, folder):
        if reason is None:
            files.append(path)
        else:
            unusable.append(Unusable(path, reason))
    looks: dict[str, Look] = {}
    for path, look in zip(files, _look_at_all(folder, files, workers, progress), strict=True):
        if isinstance(look, str):
            unusable.append(Unusable(path, look))
        else:
            looks[path] = look
    return album_of(folder, name or folder.resolve().name, looks, unusable)


def album_of(root: Path, name: str, looks: dict[str, Look], unusable: Sequence[Unusable] = ()) -> Album:
    """The album of the files looked at, by id: duplicates and colliding names are unusable; RigError when nothing is left."""
    copies = _duplicates(looks)
    named, refused = device_names(photo_id for photo_id in looks if photo_id not in copies)
    photos = tuple(_photo(root, photo_id, named[photo_id], looks[photo_id]) for photo_id in sorted(named))
    left_out = [*unusable, *(Unusable(path, reason) for path, reason in (copies | dict(refused)).items())]
    if not photos:
        raise RigError(f"album {root}: no usable photo among {len(left_out)} files; give a folder that holds photos")
    return Album(name, root, photos, tuple(sorted(left_out, key=lambda item: item.path)), digest_of(photos))


def _walk(folder: Path, root: Path) -> Iterator[tuple[str, str | None]]:
    """(POSIX path relative to the root, why it cannot be looked at or None), in order of name."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield _relative(folder, root), f"folder cannot be read: {error.strerror}"
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.name.startswith("."):
            yield _relative(path, root), "hidden: phones do not show it"
        elif entry.is_symlink() and not path.is_file():
            yield _relative(path, root), "symbolic link that leads to no file: not followed"
        elif entry.is_dir():
            yield from _walk(path, root)
        elif not entry.is_file():
            yield _relative(path, root), "not a regular file"
        else:
            yield _relative(path, root), why_not(entry.name)


def _relative(path: Path, root: Path) -> str:
    """Bytes of a name that are no UTF-8 are shown as escapes, so that the path can be printed and written as JSON."""
    return path.relative_to(root).as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _look_at_all(folder: Path, files: Sequence[str], workers: int | None, progress: Progress | None) -> list[Look | str]:
    """Threads, because reading, hashing and decoding all happen outside the interpreter's lock."""
    looks: list[Look | str] = []
    with _pillow_quiet(), ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        for look in pool.map(_look_or_reason, (folder / file for file in files)):
            looks.append(look)
            if progress:
                progress(len(looks), len(files))
    return looks


@contextmanager
def _pillow_quiet() -> Iterator[None]:
    """Pillow's warnings of odd EXIF and large sizes are off, and its own cap, at half of which it warns, is ours.

    Both belong to the process, so they are set once, not by each thread.
    """
    before = Image.MAX_IMAGE_PIXELS
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS // 2
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        Image.MAX_IMAGE_PIXELS = before


def _look_or_reason(path: Path) -> Look | str:
    try:
        return look_at(path)
    except Unfit as unfit:
        return str(unfit)


def _duplicates(looks: dict[str, Look]) -> dict[str, str]:
    """Reason by id of each photo whose bytes an earlier one (shallowest path, then first in order) already has."""
    first: dict[str, str] = {}
    copies: dict[str, str] = {}
    for photo_id in sorted(looks, key=lambda photo_id: (photo_id.count("/"), photo_id)):
        kept = first.setdefault(looks[photo_id].sha256, photo_id)
        if kept != photo_id:
            copies[photo_id] = f"{SAME_BYTES}{kept}"
    return copies


def _photo(root: Path, photo_id: str, device_name: str, look: Look) -> Photo:
    latitude, longitude = look.position or (None, None)
    return Photo(
        id=photo_id,
        path=root / photo_id,
        device_name=device_name,
        size_bytes=look.size_bytes,
        sha256=look.sha256,
        width_px=look.width_px,
        height_px=look.height_px,
        format=look.format,
        taken_at=look.taken_at,
        latitude_deg=latitude,
        longitude_deg=longitude,
    )
