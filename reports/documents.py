"""A publication for programs: one JSON document (publication.schema.json says its form), and JUnit XML for a CI.

Scores are per cent with one decimal, as printed: more digits would let a vendor know its own run again.
"""

from importlib.resources import files
from xml.etree import ElementTree as Xml

from reports.model import Score
from reports.publication import SCHEMA_VERSION, Case, Cell, Publication, Row, Section, Suite, Table
from reports.words import visible

Json = dict[str, object]

SCHEMA = "publication.schema.json"


def schema_text() -> str:
    """The JSON schema of `as_json`."""
    return files("reports").joinpath(SCHEMA).read_text(encoding="utf-8")


def as_json(publication: Publication) -> Json:
    """Everything but the crops."""
    return {
        "kind": "gallery-rig publication",
        "schema_version": SCHEMA_VERSION,
        "study": publication.study,
        "virtual": publication.virtual,
        "stamps": dict(publication.stamps),
        "method": list(publication.method),
        "footnotes": list(publication.footnotes),
        "relevant_photos_per_query": list(publication.relevant_counts),
        "sections": [_section(section) for section in publication.sections],
    }


def _section(section: Section) -> Json:
    return {
        "language": section.language,
        "normal_queries": section.normal_queries,
        "zero_ground_truth_queries": section.rejection_queries,
        "tables": [_table(table) for table in section.tables],
    }


def _table(table: Table) -> Json:
    columns = [{"key": column.key, "title": column.title, "group": column.group} for column in table.columns]
    rows = [_row(row, table) for row in table.rows]
    return {"key": table.key, "title": table.title, "note": table.note, "columns": columns, "rows": rows}


def _row(row: Row, table: Table) -> Json:
    cells = {column.key: _cell(cell) for column, cell in zip(table.columns, row.cells, strict=True)}
    return {"name": row.name, "kind": row.kind, "complete": row.complete, "cells": cells}


def _cell(cell: Cell) -> object:
    if isinstance(cell, Score):
        return {"percent": _percent(cell.value), "low": _percent(cell.low), "high": _percent(cell.high)}
    return cell


def _percent(value: float | None) -> float | None:
    return None if value is None else round(100 * value, 1) + 0.0


def as_junit(publication: Publication) -> str:
    """One suite a phone and language, one test a query: retries are told in it, and are no further tests.

    A query that ended without an answer is an error, one that was never asked is skipped. A gallery that answers badly fails
    nothing: gates do that (rig compare --gate).
    """
    root = Xml.Element("testsuites", name=visible(publication.study))
    for suite in publication.suites:
        root.append(_suite(suite))
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _suite(suite: Suite) -> Xml.Element:
    cases = suite.cases
    made = Xml.Element(
        "testsuite",
        name=visible(f"{suite.phone}, {suite.language}"),
        tests=str(len(cases)),
        failures="0",
        errors=str(sum(bool(case.attempts) and not case.answered for case in cases)),
        skipped=str(sum(not case.attempts for case in cases)),
    )
    first = sum(case.answered and len(case.attempts) == 1 for case in cases)
    properties = Xml.SubElement(made, "properties")
    Xml.SubElement(properties, "property", name="first_attempt_ok", value=str(first))
    Xml.SubElement(properties, "property", name="retried", value=str(sum(len(case.attempts) > 1 for case in cases)))
    for case in cases:
        made.append(_case(case, suite))
    return made


def _case(case: Case, suite: Suite) -> Xml.Element:
    made = Xml.Element("testcase", name=visible(case.query), classname=visible(f"{suite.phone}.{suite.language}"))
    if len(case.attempts) > 1:
        properties = Xml.SubElement(made, "properties")
        for number, word in enumerate(case.attempts, 1):
            Xml.SubElement(properties, "property", name=f"attempt {number}", value=visible(word))
    if not case.attempts:
        Xml.SubElement(made, "skipped", message="not run")
    elif not case.answered:
        Xml.SubElement(made, "error", type="invalid", message=visible(case.attempts[-1]))
    return made
