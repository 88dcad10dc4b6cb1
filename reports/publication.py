"""What a study publishes: tables of cells, the data of plots, and what was counted. No field can carry an identity.

Publication ─┬─ Section (one language) ─ Table ─ Row ─ cell
             ├─ Suite ─ Case           how each query of each phone ended
             └─ CropStrip              only when asked for
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from reports.model import Score

SCHEMA_VERSION = 1

Cell = Score | int | str | None
"""A score (a fraction), a count, a text, or None where the cell is undefined."""


class Kind(StrEnum):
    """What a row is of."""

    PHONE = "phone"
    VIRTUAL = "virtual phone"
    SYSTEM = "system"
    PUBLISHED = "published"
    """As another publication printed it."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `key` is stable, `signed` is for changes, `group` heads columns that belong together."""

    key: str
    title: str
    signed: bool = False
    group: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One system's cells, one a column."""

    name: str
    kind: Kind
    cells: tuple[Cell, ...]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """One table."""

    key: str
    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    def column(self, key: str) -> tuple[Cell, ...]:
        """The cells of one column, a row each."""
        place = [column.key for column in self.columns].index(key)
        return tuple(row.cells[place] for row in self.rows)


@dataclass(frozen=True, slots=True)
class Section:
    """The tables of one language; languages are never mixed."""

    language: str
    normal_queries: int
    rejection_queries: int
    tables: tuple[Table, ...]

    def table(self, key: str) -> Table | None:
        """The table of that key, or None where the section has none."""
        return next((table for table in self.tables if table.key == key), None)


@dataclass(frozen=True, slots=True)
class Case:
    """How one query of one phone ended. `attempts` are the words of each try, first to last; the last one counts."""

    query: str
    attempts: tuple[str, ...]

    @property
    def answered(self) -> bool:
        """True when the query has an answer."""
        return bool(self.attempts) and self.attempts[-1] == ANSWERED


ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class Suite:
    """Every query asked of one phone in one language."""

    phone: str
    language: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class CropStrip:
    """The first results of one query on one phone, each a JPEG of one fixed size without metadata."""

    phone: str
    language: str
    text: str
    pictures: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Publication:
    """Everything that leaves."""

    study: str
    virtual: bool
    """True when every phone is made of software."""
    sections: tuple[Section, ...]
    method: tuple[str, ...]
    footnotes: tuple[str, ...]
    stamps: Mapping[str, str]
    """Digests and versions that say what was measured with what, by name."""
    relevant_counts: tuple[int, ...]
    """Relevant photos of each query."""
    suites: tuple[Suite, ...] = ()
    crops: tuple[CropStrip, ...] = ()
