"""One side of a table or comparison: a system's answers, whatever they come from.

A prediction file is one system. Other sources (run folders) become the same `Side`, so that scores and comparisons need
not know where answers come from; `stamps` carry what must agree between two sides for a comparison to be fair.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rig.errors import RigError
from rig.metrics.returned import why_unanswered
from rig.metrics.scoring import METRIC_VERSION
from rig.model import Answer, Language, Query
from rig.predictions import Predictions, read_predictions
from rig.questions import Questions

QUERY_SET = "query set"
GROUND_TRUTH = "ground truth"
METRICS = "metric version"
EYES = "matching version"
"""Names of stamps; the first two hold the digests of `rig.metrics.identity`."""


@dataclass(frozen=True, slots=True)
class Side:
    """One system's answers in one language."""

    name: str
    source: Path
    language: Language | None
    """None when nothing says it; it then agrees with any."""
    answers: tuple[Answer, ...]
    stamps: Mapping[str, str] = field(default_factory=dict)
    """What it was measured with and over, by name ("metric version", "album album1"): equal or not to be compared."""
    predictions: Predictions | None = None
    """Of a prediction file, how it was read."""
    letter: str | None = None
    """Of a phone, its letter in the run."""
    virtual: bool = False
    """True for a phone made of software."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How prediction files are to be read; see `read_predictions`."""

    language: Language | None = None
    by_position: bool = False
    absent_is_empty: bool = False
    fold_case: bool = False


def load_side(path: Path, questions: Questions, reading: Reading = Reading()) -> Side:
    """The side that a prediction file holds. RigError when it is none."""
    if path.is_dir():
        raise RigError(f"{path} is a folder and no prediction file; give a file")
    predictions = read_predictions(
        path,
        questions.queries,
        language=reading.language,
        own_ids=questions.own_ids,
        albums=questions.albums,
        by_position=reading.by_position,
        absent_is_empty=reading.absent_is_empty,
        fold_case=reading.fold_case,
    )
    return Side(
        name=predictions.system,
        source=path,
        language=predictions.language,
        answers=predictions.answers,
        stamps={METRICS: METRIC_VERSION},
        predictions=predictions,
    )


def distinct_names(sides: Sequence[Side]) -> tuple[str, ...]:
    """A name for each side, told apart by its file, then by a number, where two are called the same."""
    names = [side.name for side in sides]
    if len(set(names)) < len(names):
        names = [f"{side.name} ({side.source.name})" for side in sides]
    return tuple(name if names.count(name) == 1 else f"{name} #{i}" for i, name in enumerate(names, 1))


def told_apart(old: Side, new: Side) -> tuple[Side, Side]:
    """The two with names that differ, where their sources do."""
    if old.name != new.name or old.source == new.source:
        return old, new
    return replace(old, name=f"{old.name} ({old.source.name})"), replace(new, name=f"{new.name} ({new.source.name})")


def answered_by_all(queries: Iterable[Query], sides: Iterable[Side]) -> tuple[tuple[Query, ...], tuple[str, ...]]:
    """(the queries that every side answered, the ids of the others)."""
    answered = [{answer.query for answer in side.answers if why_unanswered(answer) is None} for side in sides]
    common = set.intersection(*answered) if answered else set()
    queries = list(queries)
    return tuple(q for q in queries if q.id in common), tuple(q.id for q in queries if q.id not in common)
