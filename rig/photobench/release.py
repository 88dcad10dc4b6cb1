"""Reads PhotoBench's query files, whichever of their shapes they have.

    query.json, albumN_test.json     rows without ground truth: can be asked and exported, never scored
    samples' query.json              the same with ground_truth and ground_truth_count
    albumN_validation.json           either of these, or the names of the release's documents (Query_id, Album_id,
                                     Source_type, GroundTruth), which no file seen so far has

A query's id is made of its album, its place in the file and a hash of both texts, so that it stays the same when the file
is read again, differs for repeated texts, and changes when the text does.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rig.album.records import Record, record_of
from rig.errors import RigError
from rig.metrics.tables import DIMENSIONS
from rig.model import Depth, Language, Query, SourceType
from rig.photobench.oddities import Oddity, OddityKind

_TEXT_KEYS = {"querycn": Language.ZH, "queryzh": Language.ZH, "queryen": Language.EN}
_ALBUM_NAME = re.compile(r"album[ _-]?(\d+)", re.IGNORECASE)
_HAN = re.compile(r"[\u3400-\u9fff]")
_HASH_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Release:
    """The queries of one or more released files, in file order."""

    queries: tuple[Query, ...]
    own_ids: Mapping[str, tuple[str, ...]]
    """The file's own query id, where it has one → our ids; several when albums count from the same number."""
    oddities: tuple[Oddity, ...]


def read_queries(path: Path, album: str | None = None) -> tuple[Query, ...]:
    """The queries of a released file or folder; names of photos are the file's. RigError when it is no such file.

    `album` names the album of rows that do not; without it the file's or a parent folder's name tells ("album1").
    """
    return read_release(path, album).queries


def read_release(path: Path, album: str | None = None) -> Release:
    """The queries of a released file, or of every album in a folder, with the file's own ids and everything odd."""
    queries: list[Query] = []
    own_ids: dict[str, list[str]] = defaultdict(list)
    oddities: list[Oddity] = []
    for file in _files(path):
        rows = [_Row(record_of(row, f"{file}: row {i}")) for i, row in enumerate(_rows(file))]
        for query, own_id, odd in _queries(rows, file, album):
            queries.append(query)
            oddities.extend(odd)
            if own_id is not None:
                own_ids[own_id].append(query.id)
    _check_ids(queries, path)
    oddities.extend(_without_truth(queries))
    oddities.extend(_shared_texts(queries))
    return Release(tuple(queries), {own: tuple(ids) for own, ids in own_ids.items()}, tuple(oddities))


def _files(path: Path) -> list[Path]:
    """A file is itself; of a folder, its own or its albums' files of one kind: one with ground truth where there is one."""
    if not path.is_dir():
        return [path]
    for pattern in ("*_validation.json", "*_samples_with_ground_truth.json", "query.json", "*_query.json", "*_test.json"):
        found = sorted(path.glob(pattern)) or sorted(path.glob(f"album*/{pattern}"))
        if found:
            return found
    raise RigError(f"PhotoBench release {path}: found no query.json and no albumN_validation.json; give the release's folder")


def _rows(file: Path) -> list[Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise RigError(f"PhotoBench file {file} cannot be read: {error.strerror}; give an existing file") from error
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise RigError(f"PhotoBench file {file} is not valid JSON: {error}; download it again") from error
    if not isinstance(content, list):
        raise RigError(f"PhotoBench file {file}: expected an array of queries, found {type(content).__name__}")
    return content


class _Row:
    """One row, its fields found by name whatever their case and underscores (`Source_type`, `source`, `GroundTruth`)."""

    def __init__(self, record: Record) -> None:
        self.place = record.place
        fields = {key.lower().replace("_", ""): value for key, value in record.fields.items()}
        self.record = Record(fields, record.place)

    def optional(self, *keys: str) -> str | None:
        """The first of these fields that is there, as text; numbers are taken as written."""
        value = next((self.record.fields[key] for key in keys if self.record.fields.get(key) is not None), None)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        raise RigError(f"{self.place}: {keys[0]} must be a string, found {value!r:.60}")


def _queries(rows: list[_Row], file: Path, album: str | None) -> Iterator[tuple[Query, str | None, list[Oddity]]]:
    """(query, the file's own id, oddities) of each row; the place is counted within the album."""
    places: Counter[str] = Counter()
    for row in rows:
        name, guessed = _album(row, file, album)
        text = _text(row)
        query_id = _id(name, places[name], text)
        relevant, known, odd = _truth(row, query_id)
        if guessed and not places[name]:
            odd.append(
                Oddity(OddityKind.ALBUM_GUESSED, name, f"{file.name} does not say its album; it is named after the file")
            )
        places[name] += 1
        query = Query(query_id, name, text, _source_type(row), relevant, _dimensions(row), truth_known=known)
        yield query, row.optional("queryid"), odd


def _album(row: _Row, file: Path, album: str | None) -> tuple[str, bool]:
    """(album, whether nothing says so). The release's "1" and "album1" are one album."""
    if album is not None:
        return album, False
    own = row.optional("albumid", "album")
    if own is not None:
        return album_name(own), False
    for part in (file.name, *(parent.name for parent in file.resolve().parents)):
        if found := _ALBUM_NAME.search(part):
            return f"album{found[1]}", False
    return file.stem, True


def album_name(own: str) -> str:
    """The name of the album that a release or submission calls `own`: "1" is "album1"."""
    return f"album{own}" if own.isdecimal() else own


def _text(row: _Row) -> dict[Language, str]:
    text = {language: said for key, language in _TEXT_KEYS.items() if (said := row.optional(key))}
    if not text and (said := row.optional("query", "querytext", "text")):
        text[Language.ZH if _HAN.search(said) else Language.EN] = said
    if not text:
        raise RigError(f"{row.place}: expected query_cn or query_en, found {', '.join(row.record.keys) or 'nothing'}")
    return text


def _id(album: str, place: int, text: Mapping[Language, str]) -> str:
    both = "\0".join(text.get(language, "") for language in (Language.ZH, Language.EN))
    return f"{album}-{place:04d}-{hashlib.sha256(both.encode()).hexdigest()[:_HASH_DIGITS]}"


def _truth(row: _Row, query_id: str) -> tuple[frozenset[str], bool, list[Oddity]]:
    """(relevant names, whether the row gives them, oddities)."""
    if row.record.fields.get("groundtruth") is None:
        return frozenset(), False, []
    names = row.record.texts("groundtruth")
    odd = []
    if len(set(names)) < len(names):
        twice = sorted(name for name, n in Counter(names).items() if n > 1)
        odd.append(Oddity(OddityKind.REPEATED_NAME, query_id, f"ground_truth names {', '.join(twice)} more than once"))
    count = row.record.fields.get("groundtruthcount")
    if count is not None and count != len(names):
        odd.append(Oddity(OddityKind.COUNT, query_id, f"ground_truth_count is {count!r:.20}, the list has {len(names)}"))
    return frozenset(names), True, odd


def _source_type(row: _Row) -> SourceType:
    said = row.optional("source", "sourcetype") or ""
    letters = "".join(sorted(said.upper().replace("+", ""), key="VMF".find))
    if letters not in set(SourceType):
        raise RigError(f"{row.place}: Source must be one of {', '.join(SourceType)}, found {said!r:.20}")
    return SourceType(letters)


def _dimensions(row: _Row) -> dict[str, Depth]:
    dimensions = {}
    for name in DIMENSIONS:
        said = row.optional(name.lower())
        if not said:
            continue
        if said.lower() not in set(Depth):
            raise RigError(f"{row.place}: {name} must be null, fact or cognitive, found {said!r:.20}")
        dimensions[name] = Depth(said.lower())
    return dimensions


def _check_ids(queries: list[Query], path: Path) -> None:
    twice = [query_id for query_id, n in Counter(query.id for query in queries).items() if n > 1]
    if twice:
        raise RigError(f"PhotoBench release {path}: the same album's queries are there twice, first {twice[0]}; give one file")


def _without_truth(queries: list[Query]) -> Iterator[Oddity]:
    rows = Counter(query.album for query in queries)
    for album, blank in Counter(query.album for query in queries if not query.truth_known).items():
        yield Oddity(OddityKind.NO_TRUTH, album, f"{blank} of {rows[album]} rows give no ground truth and cannot be scored")


def shared_keys(queries: Iterable[Query], language: Language) -> dict[tuple[str, str], list[Query]]:
    """(album, text) → its queries, for each text that several queries of an album share."""
    groups: dict[tuple[str, str], list[Query]] = defaultdict(list)
    for query in queries:
        if language in query.text:
            groups[query.album, query.text[language]].append(query)
    return {key: group for key, group in groups.items() if len(group) > 1}


def _shared_texts(queries: list[Query]) -> Iterator[Oddity]:
    for language in Language:
        for (album, text), group in shared_keys(queries, language).items():
            ids = ", ".join(query.id for query in group)
            yield Oddity(OddityKind.SAME_TEXT, album, f"{len(group)} queries read {text!r} in {language}: {ids}")
