"""The published page: one HTML file that holds everything it shows, runs no script and asks nobody for anything."""

from base64 import b64encode
from collections.abc import Sequence
from itertools import groupby

from reports.escaping import pages
from reports.model import Score
from reports.plots import plots, size_plot
from reports.publication import Cell, Column, CropStrip, Kind, Publication, Row, Table
from reports.sheets import spoken
from reports.words import UNDEFINED, value_and_ends, visible


def render_publication(publication: Publication) -> str:
    """The page as HTML text; everything that came from outside is escaped."""
    environment = pages()
    environment.filters["visible"] = visible
    environment.filters["spoken"] = spoken
    return environment.get_template("publication.html.j2").render(
        publication=publication,
        plots={section.language: plots(section) for section in publication.sections},
        sizes=size_plot(publication) if publication.relevant_counts else None,
        parts=_parts,
        groups=_groups,
        best=_best,
        kinds=Kind,
        strips=_strips(publication.crops),
        tables=[(section, table) for section in publication.sections for table in section.tables],
    )


def _parts(cell: Cell, column: Column) -> tuple[str, str]:
    """What a cell shows, and its bounds beneath it."""
    if isinstance(cell, Score):
        return value_and_ends(cell, signed=column.signed)
    return (UNDEFINED if cell is None else str(cell)), ""


def _groups(table: Table) -> list[tuple[str, int]]:
    """(heading, how many columns) of the row above the titles; empty when no column has a group."""
    if not any(column.group for column in table.columns):
        return []
    return [(group, len(list(columns))) for group, columns in groupby(table.columns, key=lambda column: column.group)]


def _best(table: Table, column: Column, row: Row) -> bool:
    """True for the highest value among the complete measured rows, where there are several to choose from."""
    if column.signed or row.kind is Kind.PUBLISHED or not row.complete:
        return False
    measured = [
        cell.value
        for cell, other in zip(table.column(column.key), table.rows, strict=True)
        if isinstance(cell, Score) and cell.value is not None and other.complete and other.kind is not Kind.PUBLISHED
    ]
    mine = row.cells[table.columns.index(column)]
    return len(measured) > 1 and isinstance(mine, Score) and mine.value is not None and mine.value == max(measured)


def _strips(crops: Sequence[CropStrip]) -> list[tuple[str, str, list[tuple[str, list[str]]]]]:
    """By language and query: (phone, pictures as data URIs)."""
    made = []
    for (language, text), strips in groupby(crops, key=lambda strip: (strip.language, strip.text)):
        rows = [(strip.phone, [_data_uri(picture) for picture in strip.pictures]) for strip in strips]
        made.append((language, text, rows))
    return made


def _data_uri(picture: bytes) -> str:
    return f"data:image/jpeg;base64,{b64encode(picture).decode()}"
