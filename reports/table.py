"""The Phone A–F table for a terminal or a pipe, laid out as Table 3 of the PhotoBench paper, with coverage beside it."""

from rich.table import Table
from rich.text import Text

from reports.model import Honesty, PhoneRow, Section
from reports.words import covered, percent

SCORES = ("P", "R", "F1", "Rej-P", "Rej-R", "Rej-F1")


def phone_table(section: Section) -> Table:
    """The table of one language."""
    title = f"{section.language} · {section.normal_queries} normal queries, {section.rejection_queries} zero-ground-truth · %"
    table = Table(title=title, title_justify="left", header_style="bold")
    table.add_column("Phone", no_wrap=True)
    for name in SCORES:
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("answered", "invalid", "retried"):
        table.add_column(name, justify="right")
    for row in section.rows:
        table.add_row(*_cells(row), style="" if row.coverage.complete else "yellow")
    return table


def _cells(row: PhoneRow) -> list[Text]:
    name = f"{row.letter} (virtual)" if row.virtual else row.letter
    scores = (row.precision, row.recall, row.f1, row.reject_precision, row.reject_recall, row.reject_f1)
    counts = (covered(row.coverage), str(row.coverage.invalid), str(row.coverage.retried))
    return [Text(cell) for cell in (name, *map(percent, scores), *counts)]


def honesty_table(rows: tuple[Honesty, ...]) -> Table:
    """The honesty line per phone and in all: thumbnails truly shown, and what became of them."""
    table = Table(title="Honesty: thumbnails truly shown, and what the rig made of them", title_justify="left")
    table.add_column("Phone", no_wrap=True)
    for name in ("shown", "right", "wrong", "undecided", "missed", "twice"):
        table.add_column(name, justify="right")
    for row in (*rows, total(rows)):
        counts = (row.shown, row.right, row.wrong, row.undecided, row.missed, row.twice)
        table.add_row(Text(row.letter), *(Text(str(count)) for count in counts))
    return table


def total(rows: tuple[Honesty, ...]) -> Honesty:
    """The sum over all phones, under the letter "all"."""
    return Honesty(
        "all",
        shown=sum(row.shown for row in rows),
        right=sum(row.right for row in rows),
        wrong=sum(row.wrong for row in rows),
        undecided=sum(row.undecided for row in rows),
        missed=sum(row.missed for row in rows),
        twice=sum(row.twice for row in rows),
    )
