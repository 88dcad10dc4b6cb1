"""A prediction file as rows: the key of a query, and photo names in order.

submission, current   [{"album_id": "1", "query_en": "…", "pred": […]}]
submission, old       {"model_name": …, "language": "cn"|"en", "results": [{"query_id": …, "predictions": […]}]}
mapping               {"query id": [names]}
JSON Lines            one row of either submission a line; "outcome": "invalid" and "reason" may stand for a list
TREC run              query Q0 photo rank score tag; photo names may hold spaces
"""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from rig.album.records import Record, record_of
from rig.errors import RigError
from rig.model import Language


class FileForm(StrEnum):
    """The form of a prediction file."""

    SUBMISSION = "photobench submission"
    OLD_SUBMISSION = "photobench submission (old form)"
    MAPPING = "mapping"
    JSON_LINES = "JSON Lines"
    TREC_RUN = "TREC run"


@dataclass(frozen=True, slots=True)
class Row:
    """One list of the file. `query_id` or one of the texts says whose it is."""

    place: str
    """For messages: "results[3]", "line 12"."""
    query_id: str | None
    album: str | None
    texts: tuple[tuple[Language, str], ...]
    names: tuple[str, ...]
    invalid: str | None = None
    """The reason, when the file says that the search failed."""


@dataclass(frozen=True, slots=True)
class RowFile:
    """A prediction file as it stands."""

    form: FileForm
    system: str | None
    language: Language | None
    """Where the file says it."""
    rows: tuple[Row, ...]


_LANGUAGES = {"cn": Language.ZH, "zh": Language.ZH, "en": Language.EN}
_QUERY_KEYS = ("query_id", "Query_id", "id", "qid", "query")
_LIST_KEYS = ("pred", "predictions", "photos")
_TREC_LINE = re.compile(r"(\S+)\s+(\S+)\s+(\S.*?)\s+(\S+)\s+(\S+)\s+(\S+)\s*")


def read_rows(file: Path) -> RowFile:
    """The rows of a prediction file. RigError names the place where it is no such file."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RigError(f"predictions {file} cannot be read: {error.strerror}; give an existing file") from error
    except UnicodeDecodeError as error:
        raise RigError(f"predictions {file} is not UTF-8 text: {error}; write it as UTF-8") from error
    if not text.strip():
        raise RigError(f"predictions {file} is empty; a system that found nothing says so with an empty list for each query")
    if text.lstrip()[0] not in "{[":
        return RowFile(FileForm.TREC_RUN, None, None, tuple(_trec_rows(text, file)))
    return _json_rows(text, file)


def _json_rows(text: str, file: Path) -> RowFile:
    try:
        content = json.loads(text, object_pairs_hook=_once_each)
    except (json.JSONDecodeError, RecursionError) as error:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) > 1 and lines[0].lstrip().startswith("{") and lines[0].rstrip().endswith("}"):
            return _from_lines(text, file)
        raise RigError(f"predictions {file} is not valid JSON: {error}; write it again") from error
    if isinstance(content, list):
        rows = (_row(record_of(item, f"predictions {file}: [{i}]")) for i, item in enumerate(content))
        return RowFile(FileForm.SUBMISSION, None, None, tuple(rows))
    return _from_object(record_of(content, f"predictions {file}"))


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys are all different; JSON readers keep the last of two in silence, and a query would be lost."""
    content = dict(pairs)
    if len(content) < len(pairs):
        twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise RigError(f"predictions: the key {twice!r:.80} is given twice in one object; keep one of them")
    return content


def _from_object(content: Record) -> RowFile:
    if "results" in content.keys:
        said = content.optional_text("language")
        if said is not None and said.lower() not in _LANGUAGES:
            raise RigError(f"{content.place}: language must be cn or en, found {said!r:.20}")
        language = None if said is None else _LANGUAGES[said.lower()]
        rows = tuple(_row(item) for item in content.records("results"))
        return RowFile(FileForm.OLD_SUBMISSION, content.optional_text("model_name"), language, rows)
    if any(key in content.keys for key in _LIST_KEYS):
        return RowFile(FileForm.JSON_LINES, None, None, (_row(content),))
    rows = tuple(Row(f"{content.place}: {key!r:.60}", key, None, (), _names(content, key)) for key in content.keys)
    return RowFile(FileForm.MAPPING, None, None, rows)


def _from_lines(text: str, file: Path) -> RowFile:
    """Lines end with LF and nothing else: other line separators may stand inside a name."""
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            content = json.loads(line, object_pairs_hook=_once_each)
        except (json.JSONDecodeError, RecursionError) as error:
            raise RigError(
                f"predictions {file}: line {number} is not valid JSON: {error}; the file may be cut short"
            ) from error
        rows.append(_row(record_of(content, f"predictions {file}: line {number}")))
    return RowFile(FileForm.JSON_LINES, None, None, tuple(rows))


def _row(record: Record) -> Row:
    invalid = record.optional_text("outcome") == "invalid"
    reason = (record.optional_text("reason") or "invalid") if invalid else None
    key = next((key for key in _LIST_KEYS if key in record.keys), None)
    if key is None and not invalid:
        raise RigError(f"{record.place}: expected one of {', '.join(_LIST_KEYS)}, found {', '.join(record.keys) or 'nothing'}")
    return Row(
        place=record.place,
        query_id=next((said for name in _QUERY_KEYS if (said := _said(record, name)) is not None), None),
        album=_said(record, "album_id") or _said(record, "album"),
        texts=tuple(
            (_LANGUAGES[end], said) for end in _LANGUAGES if (said := record.optional_text(f"query_{end}")) is not None
        ),
        names=() if key is None or invalid else _names(record, key),
        invalid=reason,
    )


def _said(record: Record, key: str) -> str | None:
    """A string, or a whole number as written; None when null or absent."""
    value = record.fields.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return record.optional_text(key)


def _names(record: Record, key: str) -> tuple[str, ...]:
    names = record.texts(key)
    blank = next((i for i, name in enumerate(names) if not name.strip()), None)
    if blank is not None:
        raise RigError(f"{record.place}: {key}[{blank}] is a blank name; an empty list says that nothing was found")
    return names


def _trec_rows(text: str, file: Path) -> Iterator[Row]:
    """By descending score, equal scores by descending name, as trec_eval ranks; the rank column is not believed."""
    ranked: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            query, score, name = _trec_line(line, f"predictions {file}: line {number}")
            ranked[query].append((score, name))
    for query, entries in ranked.items():
        names = tuple(name for _, name in sorted(entries, reverse=True))
        yield Row(f"predictions {file}: query {query}", query, None, (), names)


def _trec_line(line: str, place: str) -> tuple[str, float, str]:
    found = _TREC_LINE.fullmatch(line)
    if not found:
        raise RigError(f"{place}: expected `query Q0 photo rank score tag`, found {line!r:.80}")
    query, _, name, _, score, _ = found.groups()
    try:
        value = float(score)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise RigError(f"{place}: the score must be a number, found {score!r:.20}")
    return query, value, name
