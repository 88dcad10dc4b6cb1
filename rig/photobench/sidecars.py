"""Reads what the release says of photos beside the queries: where and when they were taken, and who is on them."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rig.album.records import Record, record_of
from rig.errors import RigError
from rig.photobench.names import Names
from rig.photobench.oddities import Oddity, OddityKind

_FEW = 5


@dataclass(frozen=True, slots=True)
class TakenWhere:
    """A photo's place and time as metadata.json gives them; None where it does not."""

    latitude_deg: float | None
    longitude_deg: float | None
    """Both rounded to 4 decimals by the release, about 10 m."""
    taken_at: datetime | None
    """Local time of the camera, without zone; it may differ from the clock in the file's name."""


@dataclass(frozen=True, slots=True)
class Faces:
    """Who is who in an album, and who is on which photo."""

    nicknames: Mapping[str, tuple[str, ...]]
    """Person id → names, in file order."""
    people: Mapping[str, frozenset[str]]
    """Photo name → person ids; photos without a known face are absent."""
    oddities: tuple[Oddity, ...]


def look_beside(queries: Path, names: Names) -> tuple[Oddity, ...]:
    """What is odd in metadata.json and the face_info files that lie beside a query file, or in its folder.

    That is: the photos of theirs that `names`, the album's, do not know; nicknames that several people have.
    """
    folder = queries if queries.is_dir() else queries.parent
    found: list[Oddity] = []
    for file in sorted(folder.glob("metadata.json")):
        found += _strangers(file, read_metadata(file), names)
    for file in sorted(folder.glob("face_info*.json")):
        faces = read_faces(file)
        found += (*_strangers(file, faces.people, names), *faces.oddities)
    return tuple(found)


def _strangers(file: Path, photos: Collection[str], names: Names) -> Iterator[Oddity]:
    missing = [name for name in photos if names.find(name)[0] is None]
    if missing:
        said = f"{len(missing)} of its {len(photos)} photos are not the album's: {', '.join(missing[:_FEW])}"
        yield Oddity(OddityKind.MISSING_PHOTO, file.name, said)


def read_metadata(file: Path) -> dict[str, TakenWhere]:
    """metadata.json: photo name → place and time. RigError when it is no such file."""
    content = _object(file)
    return {name: _taken_where(content.record(name)) for name in content.keys}


def _taken_where(row: Record) -> TakenWhere:
    time = row.optional_text("time")
    return TakenWhere(
        latitude_deg=row.optional_number("latitude"),
        longitude_deg=row.optional_number("longitude"),
        taken_at=row.parsed("time", datetime.fromisoformat) if time else None,
    )


def read_faces(file: Path) -> Faces:
    """face_info_cn.json or face_info_en.json. A nickname of several people is reported. RigError when it is no such file."""
    content = _object(file)
    people, photos = content.record("face_id_to_nicknames"), content.record("image_to_face_ids")
    nicknames = {person: people.texts(person) for person in people.keys}
    owners: dict[str, list[str]] = defaultdict(list)
    for person, names in nicknames.items():
        for name in dict.fromkeys(names):
            owners[name].append(person)
    return Faces(
        nicknames=nicknames,
        people={photo: frozenset(photos.texts(photo)) for photo in photos.keys},
        oddities=tuple(
            Oddity(OddityKind.NICKNAME, name, f"{name!r} is the name of people {', '.join(persons)}")
            for name, persons in owners.items()
            if len(persons) > 1
        ),
    )


def _object(file: Path) -> Record:
    try:
        return record_of(json.loads(file.read_text(encoding="utf-8-sig")), str(file))
    except OSError as error:
        raise RigError(f"PhotoBench file {file} cannot be read: {error.strerror}; give an existing file") from error
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise RigError(f"PhotoBench file {file} is not valid JSON: {error}; download it again") from error
