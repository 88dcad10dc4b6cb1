"""The paper's own rows, as printed: a reference block beside measured ones, always marked as published.

Table 2 (ranking, both languages), Table 3 with the last row of Table 11 (sets and rejection, Chinese), Table 6 (F1 by
source type, Chinese), Table 9 (Recall@10 by depth). PhotoBench, arXiv 2603.01493.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_NAMING = ("family", "system", "language", "size_billions")


@dataclass(frozen=True, slots=True)
class Published:
    """One printed row."""

    table: int
    system: str
    family: str
    language: str
    """"zh" or "en"."""
    cells: Mapping[str, str]
    """Column → the digits as printed, in per cent; the names are those of our own scores."""


@cache
def published(table: int) -> tuple[Published, ...]:
    """The rows of Table 2, 3, 6 or 9, in printed order."""
    text = files(__name__).joinpath(f"table{table}.csv").read_text(encoding="utf-8")
    return tuple(
        Published(
            table=table,
            system=row["system"],
            family=row.get("family", ""),
            language=row.get("language", "zh"),
            cells={column: cell for column, cell in row.items() if column not in _NAMING},
        )
        for row in csv.DictReader(text.splitlines())
    )
