"""The photos a thumbnail may come from, and the index that is kept of them in the user's cache."""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import platformdirs

from matching.index import SourceIndex
from matching.index_build import Progress
from rig.album.manifest import ALBUM_FILE, read_album
from rig.errors import RigError


def source_photos(folder: Path) -> Mapping[str, Path]:
    """Name → file: the photos of an album folder by id, or every file of a plain folder by its POSIX path in it.

    Hidden files and folders are left out, as phones leave them out. Nothing is decoded. RigError when there is nothing.
    """
    if not folder.is_dir():
        raise RigError(f"album {folder}: there is no such folder; give an album folder or a folder of photos")
    if (folder / ALBUM_FILE).exists():
        return {photo.id: photo.path for photo in read_album(folder).photos}
    found = dict(sorted((path.relative_to(folder).as_posix(), path) for path in _files(folder)))
    if not found:
        raise RigError(f"album {folder}: holds no files; give an album folder or a folder of photos")
    return found


def source_index(
    photos: Mapping[str, Path],
    folder: Path,
    *,
    kept_in: Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> SourceIndex:
    """The index of the photos of `folder`, brought up to date; `kept_in` is where it lies (a place in the user's cache)."""
    return SourceIndex.build(photos, kept_in or cached_index(folder), workers=workers, progress=progress)


def cached_index(folder: Path) -> Path:
    """Where the index of the photos of `folder` is kept for this user."""
    place = str(folder.resolve()).encode("utf-8", "surrogateescape")
    return platformdirs.user_cache_path("gallery-rig") / "index" / sha256(place).hexdigest()[:16]


def _files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(place) / name for name in files if not name.startswith(".")]
    return found
