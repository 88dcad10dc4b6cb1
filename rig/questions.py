"""The queries that scores are taken over: our queries.json, an album folder, or a PhotoBench file, told by their shape."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rig.album.manifest import QUERIES_FILE, load_album, load_queries
from rig.errors import RigError
from rig.metrics.identity import QuerySetIdentity, identify
from rig.model import Query
from rig.photobench import Oddity, fit_to_album, read_release


@dataclass(frozen=True, slots=True)
class Questions:
    """Queries with known ground truth, and what is known of where they come from."""

    queries: tuple[Query, ...]
    own_ids: Mapping[str, tuple[str, ...]]
    """A release's own query id → ours."""
    without_truth: tuple[str, ...]
    """Ids of queries that the files give no ground truth for; left out."""
    albums: Mapping[str, Collection[str]]
    """Photo ids of each album whose photos are known."""
    oddities: tuple[Oddity, ...]
    identity: QuerySetIdentity


def load_questions(files: Sequence[Path], albums: Sequence[Path] = ()) -> Questions:
    """The scorable queries of these files, their photo names brought to the ids of these albums' photos.

    RigError when a file is none of the known shapes, two files give one id, or nothing is left to score.
    """
    queries, own_ids, oddities = _load_all(files)
    if not any(query.truth_known for query in queries):
        raise RigError(f"queries {_named(files)}: none of {len(queries)} has a ground truth; give a file that does")
    ids = _photo_ids(albums, queries)
    fitted, odd_names = _fit(queries, ids)
    kept = tuple(query for query in fitted if query.truth_known)
    return Questions(
        queries=kept,
        own_ids=own_ids,
        without_truth=tuple(query.id for query in queries if not query.truth_known),
        albums=ids,
        oddities=(*oddities, *odd_names),
        identity=identify(kept),
    )


def load_queries_to_ask(files: Sequence[Path]) -> tuple[tuple[Query, ...], Mapping[str, tuple[str, ...]]]:
    """(every query of these files, with ground truth or without; a release's own id → ours). RigError as above."""
    queries, own_ids, _ = _load_all(files)
    return tuple(queries), own_ids


def _load_all(files: Sequence[Path]) -> tuple[list[Query], dict[str, tuple[str, ...]], list[Oddity]]:
    queries: list[Query] = []
    own_ids: dict[str, tuple[str, ...]] = {}
    oddities: list[Oddity] = []
    for file in files:
        found, own, odd = _load(file)
        queries += found
        own_ids |= {key: own_ids.get(key, ()) + ids for key, ids in own.items()}
        oddities += odd
    _check_ids(queries, files)
    return queries, own_ids, oddities


def _load(path: Path) -> tuple[tuple[Query, ...], Mapping[str, tuple[str, ...]], tuple[Oddity, ...]]:
    if _is_release(path):
        release = read_release(path)
        return release.queries, release.own_ids, release.oddities
    return load_queries(path), {}, ()


def _is_release(path: Path) -> bool:
    """A folder without our queries.json, or a file whose outermost value is an array."""
    if path.is_dir():
        return not (path / QUERIES_FILE).exists()
    try:
        return isinstance(json.loads(path.read_text(encoding="utf-8-sig")), list)
    except (OSError, ValueError, RecursionError):
        return False  # the reader of our own form says what is wrong with it


def _named(files: Sequence[Path]) -> str:
    return ", ".join(str(file) for file in files)


def _check_ids(queries: Sequence[Query], files: Sequence[Path]) -> None:
    seen: set[str] = set()
    for query in queries:
        if query.id in seen:
            raise RigError(f"queries {_named(files)}: the id {query.id!r} is given twice; give each album's queries once")
        seen.add(query.id)


def _photo_ids(folders: Sequence[Path], queries: Sequence[Query]) -> dict[str, frozenset[str]]:
    ids: dict[str, frozenset[str]] = {}
    asked = {query.album for query in queries}
    for folder in folders:
        album = load_album(folder)
        name = next(iter(asked)) if len(asked) == len(folders) == 1 else album.name
        if name not in asked:
            raise RigError(
                f"album {folder}: is {name!r}, the queries are of {', '.join(map(repr, sorted(asked)))}; give theirs"
            )
        ids[name] = frozenset(photo.id for photo in album.photos)
    return ids


def _fit(queries: Sequence[Query], ids: Mapping[str, frozenset[str]]) -> tuple[tuple[Query, ...], tuple[Oddity, ...]]:
    """The queries in their order, those of known albums with photo ids."""
    fitted = {query.id: query for query in queries}
    oddities: list[Oddity] = []
    for album, photos in ids.items():
        of_album, odd = fit_to_album([query for query in queries if query.album == album], photos)
        fitted |= {query.id: query for query in of_album}
        oddities += odd
    return tuple(fitted.values()), tuple(oddities)
