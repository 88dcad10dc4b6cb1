"""Anybody's folder of photos becomes an album folder: a manifest that points to the photos, and the queries brought to its ids.

Nothing is written into the source folder, and no photo is copied.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rig.album.manifest import ALBUM_FILE, is_photobench, load_probes, load_queries, write_album, write_queries
from rig.album.scan import SAME_BYTES, Progress, scan_folder
from rig.errors import RigError
from rig.model import Album, Query
from rig.photobench import Names, Oddity, fit_to_album, look_beside, read_release


@dataclass(frozen=True, slots=True)
class Imported:
    """An album as it was written, its queries (empty without a query file), and what was odd about them."""

    album: Album
    queries: tuple[Query, ...]
    oddities: tuple[Oddity, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    queries: tuple[Query, ...]
    probes: tuple[Query, ...]
    oddities: tuple[Oddity, ...]


def import_album(
    source: Path,
    to: Path,
    *,
    queries: Path | None = None,
    name: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Imported:
    """Scans `source` and writes the album folder `to`; RigError when it exists, lies in the source, or a file is unreadable.

    The album is called `name`; without it as its queries call it, else like the source folder.
    """
    _check_place(source, to)
    # The queries first: reading them takes no time, and a wrong file should not cost a scan.
    asked = _read(queries) if queries else _Asked((), (), ())
    name = name or _name_by(asked.queries) or source.resolve().name
    album = scan_folder(source, name=name, workers=workers, progress=progress)
    fitted, odd = fit_to_album(_of_album(asked.queries, name, queries), _ids(album), same_as=_kept_copies(album))
    probes, _ = fit_to_album(_of_album(asked.probes, name, queries), _ids(album), same_as=_kept_copies(album))
    if queries:
        write_queries(fitted, to, probes=probes)
    write_album(album, to)
    beside = look_beside(queries, Names(_ids(album), _kept_copies(album))) if queries and is_photobench(queries) else ()
    return Imported(album, fitted, (*asked.oddities, *odd, *beside))


def _check_place(source: Path, to: Path) -> None:
    if not source.is_dir():
        raise RigError(f"import: {source} is no folder; give a folder of photos")
    if to.resolve().is_relative_to(source.resolve()):
        raise RigError(f"import: {to} lies in the source folder {source}, which must not change; give another place with --to")
    if (to / ALBUM_FILE).exists():
        raise RigError(f"import: {to} already holds an album; give another place with --to, or remove it first")


def _read(file: Path) -> _Asked:
    """Our own query file, or a PhotoBench one."""
    if is_photobench(file):
        release = read_release(file)
        return _Asked(release.queries, (), release.oddities)
    return _Asked(load_queries(file), load_probes(file), ())


def _name_by(queries: Sequence[Query]) -> str | None:
    names = {query.album for query in queries}
    return names.pop() if len(names) == 1 else None


def _of_album(queries: Sequence[Query], name: str, file: Path | None) -> tuple[Query, ...]:
    """The queries about this album. A file about a single album is about this one, whatever it calls it."""
    names = sorted({query.album for query in queries})
    if len(names) == 1:
        return tuple(replace(query, album=name) for query in queries)
    if queries and name not in names:
        raise RigError(f"import: {file} asks about {', '.join(names)}, none of them called {name!r}; say which with --name")
    return tuple(query for query in queries if query.album == name)


def _ids(album: Album) -> list[str]:
    return [photo.id for photo in album.photos]


def _kept_copies(album: Album) -> Mapping[str, str]:
    """The kept photo of each file that was left out because it has the same bytes."""
    return {item.path: item.reason.removeprefix(SAME_BYTES) for item in album.unusable if item.reason.startswith(SAME_BYTES)}
