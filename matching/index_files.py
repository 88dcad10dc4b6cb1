"""The index on disk: a folder of plain arrays, one row a photo, and lists of JSON lines that say what the rows are.

    index.json                 schema, decoder, and the generation that is the index now
    rows-<generation>/
      entries.jsonl  refused.jsonl     photos in row order (a line each, so that a million need no second copy); unusable files
      square-fine.u8  square-coarse.u8  whole-fine.u8  whole-coarse.u8   (n, side, side)
      square.i8  whole.i8                                                (n, 256) descriptors
      checks.u32                                                         (n,) CRC-32 over a photo's row in all of these
      neighbours.i4  distances.f4                                        (n, KEPT) see twins.py

One decision: rows are written once, into a new generation, and index.json is replaced last; readers keep what they have
open, and a build that dies leaves the old index whole.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from matching.descriptor import LENGTH
from matching.twins import KEPT, Neighbours
from matching.views import COARSE, FINE

_Kind = TypeVar("_Kind", bound=np.generic)

SCHEMA = 2
INDEX_FILE = "index.json"
_ENTRIES = "entries.jsonl"
_REFUSED = "refused.jsonl"

_SHAPES: Mapping[str, tuple[tuple[int, ...], type[np.generic]]] = {
    "square-fine.u8": ((FINE, FINE), np.uint8),
    "square-coarse.u8": ((COARSE, COARSE), np.uint8),
    "square.i8": ((LENGTH,), np.int8),
    "whole-fine.u8": ((FINE, FINE), np.uint8),
    "whole-coarse.u8": ((COARSE, COARSE), np.uint8),
    "whole.i8": ((LENGTH,), np.int8),
}
_CHECKS = "checks.u32"
_NEIGHBOURS = "neighbours.i4"
_DISTANCES = "distances.f4"


class IndexDamaged(Exception):
    """The folder holds no index this version can use; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a file was when it was read: an unchanged stamp is an unchanged photo."""

    size_bytes: int
    mtime_ns: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One usable photo, in row order."""

    name: str
    stamp: Stamp
    width: int
    height: int
    detail: float
    """Variance of the 64 px centre square, grey levels squared."""
    taken: str
    """Day by EXIF, YYYY:MM:DD; "" where it gives none."""


@dataclass(frozen=True, slots=True)
class Refused:
    """One file that gives no picture, and why."""

    name: str
    stamp: Stamp
    reason: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What the index says of itself."""

    decoder: str
    generation: str
    entries: tuple[Entry, ...]
    refused: tuple[Refused, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """The arrays of one generation, memory-mapped: (n, side, side) references and (n, 256) descriptors."""

    square_fine: NDArray[np.uint8]
    square_coarse: NDArray[np.uint8]
    square: NDArray[np.int8]
    whole_fine: NDArray[np.uint8]
    whole_coarse: NDArray[np.uint8]
    whole: NDArray[np.int8]
    checks: NDArray[np.uint32]

    def of(self, row: int) -> "Row":
        """One photo's row."""
        return tuple(np.asarray(array[row]) for array in self.arrays())

    def arrays(self) -> tuple[NDArray[np.uint8] | NDArray[np.int8], ...]:
        """The arrays in the order of a row."""
        return (
            self.square_fine,
            self.square_coarse,
            self.square,
            self.whole_fine,
            self.whole_coarse,
            self.whole,
        )

    def is_whole(self, row: int) -> bool:
        """True when the row's bytes are those that were written."""
        return check_of(self.of(row)) == int(self.checks[row])


Row = tuple[NDArray[np.uint8] | NDArray[np.int8], ...]
"""One photo's arrays in the order of `_SHAPES`."""


def check_of(row: Row) -> int:
    """CRC-32 over a row's bytes."""
    check = 0
    for part in row:
        check = zlib.crc32(np.ascontiguousarray(part).data, check)
    return check


def row_bytes(row: Row) -> bytes:
    """A row as one run of bytes, for a pipe."""
    return b"".join(np.ascontiguousarray(part).tobytes() for part in row)


ROW_BYTES = sum(int(np.prod(shape)) for shape, _ in _SHAPES.values())


def row_from_bytes(data: bytes) -> Row:
    """The inverse of `row_bytes`."""
    parts: list[NDArray[np.uint8] | NDArray[np.int8]] = []
    start = 0
    for shape, kind in _SHAPES.values():
        count = int(np.prod(shape))
        parts.append(np.frombuffer(data, dtype=kind, count=count, offset=start).reshape(shape))
        start += count
    return tuple(parts)


def read_catalogue(folder: Path) -> Catalogue:
    """What the index says of itself. Raises IndexDamaged when it is missing, torn or of another schema."""
    try:
        said = json.loads((folder / INDEX_FILE).read_text("ascii"))
        if said["schema"] != SCHEMA:
            raise IndexDamaged(f"{folder}: index of schema {said['schema']}, this version reads {SCHEMA}")
        place = generation_folder(folder, said["generation"])
        entries = tuple(
            Entry(name, Stamp(size, mtime, sha), width, height, detail, taken)
            for name, size, mtime, sha, width, height, detail, taken in _lines(place / _ENTRIES)
        )
        refused = tuple(
            Refused(name, Stamp(size, mtime, sha), reason) for name, size, mtime, sha, reason in _lines(place / _REFUSED)
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IndexDamaged(f"{folder}: cannot be used: {error}") from error
    if len(entries) != said["photos"]:
        raise IndexDamaged(f"{folder}: {len(entries)} photos listed, {said['photos']} expected")
    return Catalogue(said["decoder"], said["generation"], entries, refused)


def write_catalogue(folder: Path, catalogue: Catalogue) -> None:
    """The catalogue is beside its rows, and index.json, replaced in one step, makes them the index."""
    place = generation_folder(folder, catalogue.generation)
    with (place / _ENTRIES).open("w", encoding="ascii") as file:
        for entry in catalogue.entries:
            line = [entry.name, *_stamped(entry.stamp), entry.width, entry.height, entry.detail, entry.taken]
            file.write(json.dumps(line) + "\n")
    with (place / _REFUSED).open("w", encoding="ascii") as file:
        for item in catalogue.refused:
            file.write(json.dumps([item.name, *_stamped(item.stamp), item.reason]) + "\n")
    said = {
        "schema": SCHEMA,
        "decoder": catalogue.decoder,
        "generation": catalogue.generation,
        "photos": len(catalogue.entries),
    }
    part = folder / f"{INDEX_FILE}.{catalogue.generation}.part"
    part.write_text(json.dumps(said), "ascii")
    part.replace(folder / INDEX_FILE)


def _stamped(stamp: Stamp) -> tuple[int, int, str]:
    return (stamp.size_bytes, stamp.mtime_ns, stamp.sha256)


def _lines(path: Path) -> Iterator[list[Any]]:
    with path.open(encoding="ascii") as file:
        for line in file:
            yield json.loads(line)


def generation_folder(folder: Path, generation: str) -> Path:
    """Where a generation's rows lie."""
    return folder / f"rows-{generation}"


def open_rows(folder: Path, generation: str, count: int) -> Rows:
    """The rows of a generation, mapped for reading. Raises IndexDamaged when a file is missing or of the wrong length."""
    place = generation_folder(folder, generation)
    return Rows(
        square_fine=_mapped(place / "square-fine.u8", (count, FINE, FINE), np.uint8),
        square_coarse=_mapped(place / "square-coarse.u8", (count, COARSE, COARSE), np.uint8),
        square=_mapped(place / "square.i8", (count, LENGTH), np.int8),
        whole_fine=_mapped(place / "whole-fine.u8", (count, FINE, FINE), np.uint8),
        whole_coarse=_mapped(place / "whole-coarse.u8", (count, COARSE, COARSE), np.uint8),
        whole=_mapped(place / "whole.i8", (count, LENGTH), np.int8),
        checks=_mapped(place / _CHECKS, (count,), np.uint32),
    )


def write_rows(folder: Path, generation: str, rows: Iterable[Row]) -> None:
    """The rows of a new generation are on disk, in the order given."""
    place = generation_folder(folder, generation)
    place.mkdir(parents=True)
    files = [(place / name).open("wb") for name in _SHAPES]
    checks: list[int] = []
    try:
        for row in rows:
            for file, part in zip(files, row, strict=True):
                file.write(np.ascontiguousarray(part).data)
            checks.append(check_of(row))
    finally:
        for file in files:
            file.close()
    np.asarray(checks, dtype=np.uint32).tofile(place / _CHECKS)


def write_neighbours(folder: Path, generation: str, neighbours: Neighbours) -> None:
    """The relations of a new generation are beside its rows."""
    place = generation_folder(folder, generation)
    neighbours.rows.tofile(place / _NEIGHBOURS)
    neighbours.rms.tofile(place / _DISTANCES)


def open_neighbours(folder: Path, generation: str, count: int) -> Neighbours:
    """The relations of a generation, mapped for reading. Raises IndexDamaged."""
    place = generation_folder(folder, generation)
    rows = _mapped(place / _NEIGHBOURS, (count, KEPT), np.int32)
    rms = _mapped(place / _DISTANCES, (count, KEPT), np.float32)
    return Neighbours(rows, rms)


def _mapped(path: Path, shape: tuple[int, ...], kind: type[_Kind]) -> NDArray[_Kind]:
    expected = int(np.prod(shape)) * np.dtype(kind).itemsize
    try:
        found = path.stat().st_size
    except OSError as error:
        raise IndexDamaged(f"{path}: missing") from error
    if found != expected:
        raise IndexDamaged(f"{path}: {found} bytes, expected {expected}")
    if expected == 0:
        return np.zeros(shape, dtype=kind)
    return np.memmap(path, dtype=kind, mode="r", shape=shape)
