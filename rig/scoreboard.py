"""Several systems over the same queries, side by side: scored, ranked, and told as one JSON document."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rig.errors import RigError
from rig.metrics.averages import Averaging
from rig.metrics.document import Json, scores_document
from rig.metrics.returned import MAXIMUM_RESULTS
from rig.metrics.scoring import METRIC_VERSION, Missing, Scores, score
from rig.model import Query
from rig.paper import published
from rig.predictions import Predictions
from rig.questions import Questions
from rig.sides import Side, answered_by_all, distinct_names

SCHEMA_VERSION = 1


class MissingRule(StrEnum):
    """What happens to queries that a system did not answer."""

    LEAVE_OUT = "leave-out"
    """Each system's means are over what it answered; the incomplete are marked and not ranked."""
    ZERO = "zero"
    """They score 0, and count as not rejected."""
    EXCLUDE_COMMON = "exclude-common"
    """A query that any system did not answer is left out for all."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One system of a scoreboard."""

    name: str
    side: Side
    scores: Scores
    rank: int | None
    """By mean F1, from 1, equal for equal values; None for an incomplete system unless ranking it was asked for."""


@dataclass(frozen=True, slots=True)
class Scoreboard:
    """Systems in the order given, and the rules they were scored by."""

    questions: Questions
    systems: tuple[Scored, ...]
    averaging: Averaging
    missing: MissingRule
    excluded: tuple[str, ...]
    """Ids of queries left out for all; only under `EXCLUDE_COMMON`."""


def make_scoreboard(
    questions: Questions,
    sides: Sequence[Side],
    *,
    averaging: Averaging = Averaging.POOLED,
    missing: MissingRule = MissingRule.LEAVE_OUT,
    rank_incomplete: bool = False,
) -> Scoreboard:
    """Scores the sides. RigError when they are in different languages, or nothing is left that all answered."""
    _check_languages(sides)
    queries: tuple[Query, ...] = questions.queries
    excluded: tuple[str, ...] = ()
    if missing is MissingRule.EXCLUDE_COMMON:
        queries, excluded = _common(queries, sides)
    rule = Missing.ZERO if missing is MissingRule.ZERO else Missing.LEAVE_OUT
    scores = [score(queries, side.answers, albums=questions.albums, missing=rule) for side in sides]
    ranks = _ranks(scores, averaging, include_incomplete=rank_incomplete or missing is MissingRule.ZERO)
    names = distinct_names(sides)
    systems = tuple(Scored(*row) for row in zip(names, sides, scores, ranks, strict=True))
    return Scoreboard(questions, systems, averaging, missing, excluded)


def _check_languages(sides: Sequence[Side]) -> None:
    languages = {side.language for side in sides if side.language is not None}
    if len(languages) > 1:
        raise RigError(
            f"scores: the files are in {' and '.join(sorted(languages))}; score each language by itself, with --language"
        )


def _common(queries: tuple[Query, ...], sides: Sequence[Side]) -> tuple[tuple[Query, ...], tuple[str, ...]]:
    common, excluded = answered_by_all(queries, sides)
    if not common:
        raise RigError(f"scores: no query was answered by all {len(sides)} systems; leave out --missing exclude-common")
    return common, excluded


def _ranks(scores: Sequence[Scores], averaging: Averaging, *, include_incomplete: bool) -> list[int | None]:
    """An incomplete system's value is over the queries it answered, which may be the easy ones."""
    ranked = [s.overall[averaging].sets.f1.value if include_incomplete or s.coverage.is_complete else None for s in scores]
    return [None if mine is None else 1 + sum(v is not None and v > mine for v in ranked) for mine in ranked]


def scoreboard_document(board: Scoreboard, *, per_query: bool = False, with_published: bool = False) -> Json:
    """The scoreboard as one JSON value; docs/scoring.md names its keys."""
    document: Json = {
        "kind": "gallery-rig scores",
        "schema_version": SCHEMA_VERSION,
        "metric_version": METRIC_VERSION,
        "query_set": query_set_document(board.questions),
        "rules": {
            "averaging": board.averaging,
            "rejection": "pooled counts over all queries",
            "missing": board.missing,
            "excluded_for_all": list(board.excluded),
            "maximum_results": MAXIMUM_RESULTS,
            "empty_answer_to_a_normal_query": 0,
        },
        "systems": [_system(system, board.averaging, per_query=per_query) for system in board.systems],
    }
    if with_published:
        document["published"] = [_published(table) for table in (2, 3, 6)]
    return document


def query_set_document(questions: Questions) -> Json:
    """What was asked, with digests."""
    identity = questions.identity
    return {
        "queries": identity.count,
        "normal": identity.count - identity.zero,
        "zero_ground_truth": identity.zero,
        "albums": dict(identity.albums),
        "queries_sha256": identity.queries,
        "ground_truth_sha256": identity.truth,
        "left_out_without_ground_truth": list(questions.without_truth),
        "oddities": [{"kind": odd.kind, "about": odd.about, "detail": odd.detail} for odd in questions.oddities],
    }


def _system(system: Scored, averaging: Averaging, *, per_query: bool) -> Json:
    """The headline numbers stand first, under the averaging that was chosen; everything follows under both."""
    scores = scores_document(system.scores, per_query=per_query)
    means, rejection = system.scores.overall[averaging].sets, system.scores.rejection
    return {
        "system": system.name,
        "file": system.side.source.name,
        "rank": system.rank,
        "headline": {
            "averaging": averaging,
            "precision": means.precision.value,
            "recall": means.recall.value,
            "f1": means.f1.value,
            "rej_precision": rejection.precision.value,
            "rej_recall": rejection.recall.value,
            "rej_f1": rejection.f1.value,
        },
        **scores,
        "language": system.side.language,
        "read": None if system.side.predictions is None else _read(system.side.predictions),
    }


def _read(predictions: Predictions) -> Json:
    return {
        "form": predictions.form,
        "rows": predictions.rows,
        "empty": predictions.empty,
        "rows_naming_no_query": len(predictions.foreign),
        "rows_repeated": predictions.repeated,
        "ambiguous_keys": [
            {"key": key, "queries": list(queries), "assigned_in_order": in_order}
            for key, queries, in_order in predictions.ambiguous
        ],
        "names_brought_to_photos": predictions.renamed,
        "names_differing_in_case_only": predictions.case_only,
    }


def _published(table: int) -> Json:
    rows = [
        {"system": row.system, "family": row.family, "language": row.language, "printed_percent": dict(row.cells)}
        for row in published(table)
    ]
    return {"source": "arXiv 2603.01493", "table": table, "published": True, "rows": rows}
