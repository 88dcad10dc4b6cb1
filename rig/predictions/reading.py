"""Prediction files become answers; what does not fit is refused or reported, never passed over."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from rig.errors import RigError
from rig.model import Answer, Language, Outcome, Query, Result, Verdict
from rig.photobench.names import Names
from rig.photobench.oddities import OddityKind
from rig.predictions.keys import Assigned, Keys
from rig.predictions.rows import FileForm, Row, RowFile, read_rows


@dataclass(frozen=True, slots=True)
class Predictions:
    """One system's answers from a file, and what did not fit."""

    system: str
    form: FileForm
    language: Language | None
    """None when neither the file nor the operator says it; the answers then carry zh, the paper's main language."""
    answers: tuple[Answer, ...]
    rows: int
    empty: int
    """Rows that say that nothing was found."""
    foreign: tuple[str, ...]
    """Places of rows that name no query."""
    ambiguous: tuple[tuple[str, tuple[str, ...], bool], ...]
    """(key, queries, whether assigned in order)."""
    repeated: int
    """Later rows of a query that say the same as its first."""
    renamed: int
    """Names brought to a photo's id by file name, or by case where `fold_case` was asked."""
    case_only: int
    """Names left alone that would be a photo's but for case."""


def read_predictions(
    file: Path,
    queries: Sequence[Query],
    *,
    language: Language | None = None,
    own_ids: Mapping[str, tuple[str, ...]] | None = None,
    albums: Mapping[str, Collection[str]] | None = None,
    by_position: bool = False,
    absent_is_empty: bool = False,
    fold_case: bool = False,
) -> Predictions:
    """The answers of a prediction file to these queries.

    `own_ids` are a release's ids (`Release.own_ids`); `albums` the photo ids of each album, to which names are brought.
    With `by_position` row i answers query i, for files without usable ids. With `absent_is_empty` a query that the file
    does not name was answered with nothing, which a TREC run cannot say otherwise; without it, it was not answered.
    """
    content = read_rows(file)
    spoken = _agreed_language(content, language, file)
    assigned = _by_position(content, queries, file) if by_position else Keys(queries, own_ids).assign(content.rows)
    _check(assigned, content, queries, file)
    naming = _Naming(queries, albums, fold_case=fold_case)
    by_id = {query.id: query for query in queries}
    answers = [_answer(by_id[query_id], row, spoken or Language.ZH, naming) for query_id, row in assigned.rows.items()]
    if absent_is_empty:
        absent = [query.id for query in queries if query.id not in assigned.rows]
        answers += [Answer(query_id, spoken or Language.ZH, Outcome.ANSWERED, ()) for query_id in absent]
    return Predictions(
        system=content.system or file.stem,
        form=content.form,
        language=spoken,
        answers=tuple(answers),
        rows=len(content.rows),
        empty=sum(not row.names and row.invalid is None for row in content.rows),
        foreign=tuple(row.place for row in assigned.foreign),
        ambiguous=assigned.ambiguous,
        repeated=len(assigned.repeated),
        renamed=naming.renamed,
        case_only=naming.case_only,
    )


def _agreed_language(content: RowFile, language: Language | None, file: Path) -> Language | None:
    if content.language is not None and language is not None and content.language is not language:
        raise RigError(f"predictions {file} are in {content.language}, asked for {language}; leave --language out")
    return content.language or language


def _by_position(content: RowFile, queries: Sequence[Query], file: Path) -> Assigned:
    if len(content.rows) != len(queries):
        raise RigError(f"predictions {file}: {len(content.rows)} rows for {len(queries)} queries; --by-position needs one each")
    return Assigned({query.id: row for query, row in zip(queries, content.rows, strict=True)}, (), (), ())


def _check(assigned: Assigned, content: RowFile, queries: Sequence[Query], file: Path) -> None:
    for first, later in assigned.repeated:
        if first.names != later.names or first.invalid != later.invalid:
            raise RigError(f"{later.place} answers a query again and differently than {first.place}; keep one of them")
    keyless = [row for row in content.rows if row.query_id is None and not row.texts]
    if keyless and not assigned.rows:
        raise RigError(
            f"predictions {file}: no row says its query (query_id is null); if row i answers query i, give --by-position"
        )
    if not assigned.rows and not assigned.ambiguous:
        example = content.rows[0].query_id if content.rows else None
        raise RigError(
            f"predictions {file}: none of its {len(content.rows)} rows names one of the {len(queries)} queries; "
            f"its first key is {example!r}, a query's id is {queries[0].id if queries else None!r}; give the matching --queries"
        )


_NO_EVIDENCE: Mapping[str, float] = MappingProxyType({})
"""One for all: a file's names rest on nothing that was seen."""


class _Naming:
    """Brings names to photo ids and counts what it did; without the album's photos, to the names in the ground truth."""

    def __init__(self, queries: Sequence[Query], albums: Mapping[str, Collection[str]] | None, *, fold_case: bool) -> None:
        named: dict[str, set[str]] = {}
        for query in queries:
            named.setdefault(query.album, set()).update(query.relevant)
        self._names = {album: Names(ids, every=False) for album, ids in named.items()}
        self._names |= {album: Names(ids) for album, ids in (albums or {}).items()}
        self._fold_case = fold_case
        self.renamed = 0
        self.case_only = 0

    def name(self, album: str, name: str) -> str:
        """The photo's id, or the name as it is."""
        photo, odd = self._names[album].find(name)
        if photo is None or photo == name:
            return name
        if odd is OddityKind.CASE and not self._fold_case:
            self.case_only += 1
            return name
        self.renamed += 1
        return photo


def _answer(query: Query, row: Row, language: Language, naming: _Naming) -> Answer:
    if row.invalid is not None:
        return Answer(query.id, language, Outcome.INVALID, (), row.invalid)
    names = (naming.name(query.album, name) for name in row.names)
    results = tuple(Result(rank, Verdict.MATCHED, name, (), _NO_EVIDENCE) for rank, name in enumerate(names))
    return Answer(query.id, language, Outcome.ANSWERED, results)
