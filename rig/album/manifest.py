"""An album folder on disk: album.json names the photos, queries.json what is asked of them.

    ALBUM/album.json     schema_version, name, root, photos, unusable, digest
    ALBUM/queries.json   schema_version, queries, probes

`root` is written relative to the album folder when the photos lie inside it, so that such an album can be moved as a whole;
otherwise it is the absolute path of the source folder, in which nothing is ever written.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from rig.album.digest import digest_of
from rig.album.records import Record, record_of
from rig.album.scan import scan_folder
from rig.errors import RigError
from rig.model import Album, Depth, Language, Photo, Query, SourceType, Unusable
from rig.photobench import read_queries

SCHEMA_VERSION = 1
ALBUM_FILE = "album.json"
QUERIES_FILE = "queries.json"


def write_album(album: Album, folder: Path) -> Path:
    """Writes album.json into `folder` (made when missing) and returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    root, home = album.root.resolve(), folder.resolve()
    inside = root.is_relative_to(home)
    content = {
        "schema_version": SCHEMA_VERSION,
        "name": album.name,
        "root": root.relative_to(home).as_posix() if inside else root.as_posix(),
        "photos": [_photo_to_json(photo) for photo in album.photos],
        "unusable": [{"path": item.path, "reason": item.reason} for item in album.unusable],
        "digest": album.digest,
    }
    return _write_json(content, folder / ALBUM_FILE)


def write_queries(queries: Sequence[Query], folder: Path, *, probes: Sequence[Query] = ()) -> Path:
    """Writes queries.json into `folder` (made when missing) and returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "schema_version": SCHEMA_VERSION,
        "queries": [_query_to_json(query) for query in queries],
        "probes": [_query_to_json(query) for query in probes],
    }
    return _write_json(content, folder / QUERIES_FILE)


def load_album(folder: Path) -> Album:
    """The album of an album folder, or of a plain folder of photos, which is scanned; nothing is written either way."""
    if not folder.is_dir():
        raise RigError(f"album {folder}: there is no such folder; give an album folder or a folder of photos")
    return read_album(folder) if (folder / ALBUM_FILE).exists() else scan_folder(folder)


def read_album(folder: Path, *, photos_needed: bool = True) -> Album:
    """The album whose album.json lies in `folder`; RigError when unreadable, or photos are gone or changed in size.

    Where only its ids and digest are used, `photos_needed` false also takes an album whose photos lie elsewhere by now.
    """
    file = folder / ALBUM_FILE
    content = _read_json(file, "album")
    _check_version(content, file)
    root = folder / content.text("root")
    photos = tuple(_photo_from_json(item, root) for item in content.records("photos"))
    unusable = tuple(Unusable(item.text("path"), item.text("reason")) for item in content.records("unusable"))
    album = Album(content.text("name"), root, photos, unusable, content.text("digest"))
    if digest_of(photos) != album.digest:
        raise RigError(f"album {folder}: album.json was edited: its digest is not that of its photos; import the album again")
    if photos_needed:
        _check_photos_are_there(album, folder)
    return album


def load_queries(file: Path) -> tuple[Query, ...]:
    """The scored queries of a queries.json, an album folder, or a PhotoBench file; RigError when it is none of these.

    The queries of a PhotoBench file name their photos as the file does; `rig album import` turns those into photo ids.
    """
    file = _queries_file(file)
    if is_photobench(file):
        return read_queries(file)
    return _queries_from(file, "queries")


def load_probes(file: Path) -> tuple[Query, ...]:
    """The probe queries of a queries.json or an album folder: asked only to see whether indexing has settled, never scored."""
    file = _queries_file(file)
    return () if is_photobench(file) else _queries_from(file, "probes")


def _queries_file(path: Path) -> Path:
    return path / QUERIES_FILE if path.is_dir() else path


def is_photobench(file: Path) -> bool:
    """True when the file's outermost value is an array, as in PhotoBench's files; ours is an object."""
    return isinstance(_parse(file, "queries"), list)


def _queries_from(file: Path, key: str) -> tuple[Query, ...]:
    content = _read_json(file, "queries")
    _check_version(content, file)
    queries = tuple(_query_from_json(item) for item in content.records(key, optional=key == "probes"))
    seen: set[str] = set()
    for query in queries:
        if query.id in seen:
            raise RigError(f"queries {file}: the id {query.id!r} is given twice; ids must be unique")
        seen.add(query.id)
    return queries


def _check_version(content: Record, file: Path) -> None:
    found = content.number("schema_version")
    if found != SCHEMA_VERSION:
        raise RigError(
            f"{file}: schema_version is {found:g}, this rig reads {SCHEMA_VERSION}; use the rig that wrote it, or import again"
        )


def _check_photos_are_there(album: Album, folder: Path) -> None:
    wrong = [photo for photo in album.photos if not _has_its_size(photo)]
    if wrong:
        raise RigError(
            f"album {folder}: {len(wrong)} of {len(album.photos)} photos are missing from {album.root} or have another size; "
            f"first: {wrong[0].id}; put them back or import the album again"
        )


def _has_its_size(photo: Photo) -> bool:
    try:
        return photo.path.stat().st_size == photo.size_bytes
    except OSError:
        return False


def _photo_to_json(photo: Photo) -> Mapping[str, object]:
    return {
        "id": photo.id,
        "device_name": photo.device_name,
        "size_bytes": photo.size_bytes,
        "sha256": photo.sha256,
        "width_px": photo.width_px,
        "height_px": photo.height_px,
        "format": photo.format,
        "taken_at": None if photo.taken_at is None else photo.taken_at.isoformat(),
        "latitude_deg": photo.latitude_deg,
        "longitude_deg": photo.longitude_deg,
    }


def _photo_from_json(item: Record, root: Path) -> Photo:
    taken_at = item.optional_text("taken_at")
    return Photo(
        id=item.text("id"),
        path=root / item.text("id"),
        device_name=item.text("device_name"),
        size_bytes=int(item.number("size_bytes")),
        sha256=item.text("sha256"),
        width_px=int(item.number("width_px")),
        height_px=int(item.number("height_px")),
        format=item.text("format"),
        taken_at=None if taken_at is None else item.parsed("taken_at", datetime.fromisoformat),
        latitude_deg=item.optional_number("latitude_deg"),
        longitude_deg=item.optional_number("longitude_deg"),
    )


def _query_to_json(query: Query) -> Mapping[str, object]:
    return {
        "id": query.id,
        "album": query.album,
        "text": {language.value: text for language, text in query.text.items()},
        "source_type": query.source_type.value,
        "relevant": sorted(query.relevant) if query.truth_known else None,
        "dimensions": {name: depth.value for name, depth in query.dimensions.items()},
    }


def _query_from_json(item: Record) -> Query:
    text = item.record("text")
    dimensions = item.record("dimensions", optional=True)
    # null says that nobody knows the answer; an empty list says that the answer is nothing.
    known = item.fields.get("relevant", "") is not None
    return Query(
        id=item.text("id"),
        album=item.text("album"),
        text={text.choice_of_key(key, Language): text.text(key) for key in text.keys},
        source_type=item.choice("source_type", SourceType),
        relevant=frozenset(item.texts("relevant") if known else ()),
        dimensions={key: dimensions.choice(key, Depth) for key in dimensions.keys},
        truth_known=known,
    )


def _read_json(file: Path, what: str) -> Record:
    return record_of(_parse(file, what), f"{what} {file}")


def _parse(file: Path, what: str) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise RigError(f"{what} {file} cannot be read: {error.strerror}; give an existing file") from error
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise RigError(f"{what} {file} is not valid JSON: {error}; restore it or import the album again") from error


def _write_json(content: object, file: Path) -> Path:
    """Writes under a `.part` name first, so that a cut never leaves half a file under the real name."""
    part = file.with_name(file.name + ".part")
    part.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    part.replace(file)
    return file
