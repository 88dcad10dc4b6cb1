"""The page of a comparison: the queries that two sides answer differently, old and new crops side by side. Private.

ComparisonPage ─ PairCard ─┬─ MetricLine      the declared family
                           └─ ChangedCard ─ Shown
"""

from dataclasses import dataclass
from pathlib import Path

from reports.escaping import pages


@dataclass(frozen=True, slots=True)
class MetricLine:
    """One metric as printed: values in per cent, the difference in points."""

    metric: str
    cells: tuple[str, ...]
    worse: bool
    """True when it is shown to be worse than allowed."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One result of one side. `crop` is relative to the page, "" where there is no picture."""

    rank: int
    name: str
    crop: str
    relevant: bool | None
    changed: bool
    """True when the other side did not return it."""


@dataclass(frozen=True, slots=True)
class Half:
    """One side's answer to one query."""

    f1: str
    returned: str
    shown: tuple[Shown, ...]
    left_out: int
    """Results that were returned and are not shown."""


@dataclass(frozen=True, slots=True)
class ChangedCard:
    """One query that changed."""

    query: str
    text: str
    source_type: str
    relevant: int
    points: float | None
    """Of F1; None for a zero-ground-truth query."""
    old: Half
    new: Half


@dataclass(frozen=True, slots=True)
class PairCard:
    """One pair of sides."""

    title: str
    lines: tuple[MetricLine, ...]
    notes: tuple[str, ...]
    changed: tuple[ChangedCard, ...]
    changed_in_all: int


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """Everything the page shows."""

    title: str
    columns: tuple[str, ...]
    pairs: tuple[PairCard, ...]


def write_comparison_page(page: ComparisonPage, folder: Path) -> Path:
    """`folder`/index.html shows `page`; returns its path."""
    file = folder / "index.html"
    file.write_text(pages().get_template("comparison.html.j2").render(page=page), encoding="utf-8")
    return file
