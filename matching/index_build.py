"""The building of an index: what is unchanged is kept, what is new, changed or damaged is read, then all becomes the index."""

import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from matching.decode import DECODER
from matching.index_files import (
    Catalogue,
    Entry,
    IndexDamaged,
    Refused,
    Row,
    Rows,
    Stamp,
    generation_folder,
    open_rows,
    read_catalogue,
    write_catalogue,
    write_neighbours,
    write_rows,
)
from matching.index_readers import Reading, read_photos
from matching.index_worker import hash_of
from matching.twins import find_neighbours

Progress = Callable[[int, int], None]
"""Called with (photos read, photos to read)."""


@dataclass(slots=True)
class _Plan:
    """What of the old index still holds, by name, and what has to be read."""

    rows: Rows | None
    kept: dict[str, tuple[int, Entry]] = field(default_factory=dict)
    refused: dict[str, Refused] = field(default_factory=dict)
    to_read: list[str] = field(default_factory=list)
    stale: bool = True
    """True when the index must be written anew."""


def build(photos: Mapping[str, Path], folder: Path, *, workers: int | None, progress: Progress | None) -> None:
    """`folder` holds the index of exactly these photos, made by this decoder."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = _planned(photos, folder)
    if plan.stale:
        _write(photos, folder, plan, workers, progress)


def _planned(photos: Mapping[str, Path], folder: Path) -> _Plan:
    try:
        catalogue = read_catalogue(folder)
        rows = open_rows(folder, catalogue.generation, len(catalogue.entries))
    except IndexDamaged:
        return _Plan(None, to_read=sorted(photos))
    if catalogue.decoder != DECODER:
        return _Plan(None, to_read=sorted(photos))
    plan = _Plan(rows)
    placed = {entry.name: (row, entry) for row, entry in enumerate(catalogue.entries)}
    refused = {item.name: item for item in catalogue.refused}
    restamped = False
    for name in sorted(photos):
        known = placed[name][1].stamp if name in placed else refused[name].stamp if name in refused else None
        stamp = None if known is None else _still_holds(photos[name], known)
        if stamp is None or (name in placed and not rows.is_whole(placed[name][0])):
            plan.to_read.append(name)
        elif name in placed:
            row, entry = placed[name]
            plan.kept[name] = (row, replace(entry, stamp=stamp))
        else:
            plan.refused[name] = replace(refused[name], stamp=stamp)
        restamped |= stamp != known
    gone = (placed.keys() | refused.keys()) - photos.keys()
    plan.stale = bool(plan.to_read or gone or restamped)
    return plan


def _still_holds(path: Path, known: Stamp) -> Stamp | None:
    """The stamp under which `known`'s reading is still true of the file; None when it has to be read again."""
    now = _stamp(path, known.sha256)
    if now == known:
        return known
    if now.size_bytes != known.size_bytes or not known.sha256:
        return None
    return now if hash_of(path) == known.sha256 else None


def _stamp(path: Path, sha256: str) -> Stamp:
    try:
        state = path.stat()
    except OSError:
        return Stamp(-1, -1, "")
    return Stamp(state.st_size, state.st_mtime_ns, sha256)


def _write(photos: Mapping[str, Path], folder: Path, plan: _Plan, workers: int | None, progress: Progress | None) -> None:
    generation = uuid.uuid4().hex[:12]
    entries: list[Entry] = []
    refused: list[Refused] = []
    try:
        readings = _reported(read_photos(_files(photos, plan), count=len(plan.to_read), workers=workers), plan, progress)
        write_rows(folder, generation, _rows(photos, plan, readings, entries, refused))
        catalogue = Catalogue(DECODER, generation, tuple(entries), tuple(refused))
        rows = open_rows(folder, generation, len(entries))
        write_neighbours(folder, generation, find_neighbours(rows.square, rows.square_coarse, rows.square_fine))
        write_catalogue(folder, catalogue)
    except BaseException:
        shutil.rmtree(generation_folder(folder, generation), ignore_errors=True)
        raise
    for other in folder.glob("rows-*"):
        if other != generation_folder(folder, generation):
            shutil.rmtree(other, ignore_errors=True)


def _files(photos: Mapping[str, Path], plan: _Plan) -> Iterator[Path]:
    return (photos[name] for name in plan.to_read)


def _reported(readings: Iterator[Reading], plan: _Plan, progress: Progress | None) -> Iterator[Reading]:
    for done, reading in enumerate(readings, start=1):
        if progress is not None:
            progress(done, len(plan.to_read))
        yield reading


def _rows(
    photos: Mapping[str, Path], plan: _Plan, readings: Iterator[Reading], entries: list[Entry], refused: list[Refused]
) -> Iterator[Row]:
    """The rows in name order, old and new; `entries` and `refused` are filled as they go by."""
    for name in sorted(photos):
        if name in plan.kept and plan.rows is not None:
            row, entry = plan.kept[name]
            entries.append(entry)
            yield plan.rows.of(row)
        elif name in plan.refused:
            refused.append(plan.refused[name])
        else:
            stamp = _stamp(photos[name], "")
            reading = next(readings)
            yield from _taken(name, replace(stamp, sha256=reading.sha256), reading, entries, refused)


def _taken(name: str, stamp: Stamp, reading: Reading, entries: list[Entry], refused: list[Refused]) -> Iterator[Row]:
    if reading.row is None:
        refused.append(Refused(name, stamp, reading.reason or "gives no picture"))
        return
    entries.append(Entry(name, stamp, reading.width, reading.height, reading.detail, reading.taken))
    yield reading.row
