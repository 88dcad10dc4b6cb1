"""The run page and the Phone A–F table."""

import re

from rich.console import Console

from reports.model import Coverage, Honesty, PhaseTime, PhoneRow, Report, ResultCard, Score, SearchCard, Section
from reports.page import render_page
from reports.table import honesty_table, phone_table
from reports.words import percent


def exact(score: float) -> Score:
    return Score(score, score, score)


def row(letter: str = "A", **changes: object) -> PhoneRow:
    values: dict[str, object] = {
        "letter": letter,
        "virtual": True,
        "precision": exact(0.5),
        "recall": exact(0.25),
        "f1": Score(0.32, 0.31, 0.34),
        "reject_precision": None,
        "reject_recall": exact(0.0),
        "reject_f1": exact(0.0),
        "coverage": Coverage(planned=24, answered=24, invalid=0, not_run=0, retried=1),
    }
    return PhoneRow(**{**values, **changes})  # type: ignore[arg-type]


def card(**changes: object) -> SearchCard:
    values: dict[str, object] = {
        "letter": "A",
        "query": "q1",
        "text": "海边",
        "language": "zh",
        "source_type": "V",
        "outcome": "answered",
        "ending": "end_proven",
        "relevant": 2,
        "precision": exact(1),
        "recall": exact(0.5),
        "f1": exact(2 / 3),
        "results": (ResultCard(0, "matched", "crops/1.jpg", "a.jpg", "photos/a.jpg", relevant=True),),
        "missing": (("b.jpg", "photos/b.jpg"),),
    }
    return SearchCard(**{**values, **changes})  # type: ignore[arg-type]


def report(*cards: SearchCard, rows: tuple[PhoneRow, ...] = (row(),)) -> Report:
    return Report(
        title="Run",
        protocol="demo",
        album="demo",
        photos=2,
        virtual=True,
        sections=(Section("zh", 21, 3, rows),),
        honesty=(Honesty("A", 10, 9, 0, 1, 0, 0), Honesty("B", 5, 5, 0, 0, 0, 0)),
        times=(PhaseTime("A", "reset", 2.0), PhaseTime("A", "query", 6.0)),
        searches=cards or (card(),),
        footnotes=("Mean of per-query scores.",),
    )


def shown(table: object, width: int = 120) -> str:
    console = Console(width=width, record=True, no_color=True, file=__import__("io").StringIO())
    console.print(table)
    return console.export_text()


def test_a_score_known_exactly_is_one_number() -> None:
    assert percent(exact(0.4166)) == "41.7"


def test_bounds_that_differ_at_the_printed_precision_are_both_shown() -> None:
    assert percent(Score(0.32, 0.31, 0.34)) == "32.0 [31.0–34.0]"


def test_bounds_equal_at_the_printed_precision_are_one_number() -> None:
    assert percent(Score(0.41662, 0.41661, 0.41664)) == "41.7"


def test_an_undefined_score_is_a_dash_and_never_zero() -> None:
    assert percent(None) == "—"


def test_the_table_marks_virtual_phones_and_incomplete_ones() -> None:
    half = Coverage(planned=24, answered=22, invalid=2, not_run=0, retried=3)
    text = shown(phone_table(Section("zh", 21, 3, (row("A"), row("B", coverage=half)))))
    assert "A (virtual)" in text
    assert "22/24 incomplete" in text


def test_the_honesty_table_ends_with_the_sum() -> None:
    last = next(line for line in shown(honesty_table(report().honesty)).splitlines() if "all" in line)
    assert re.findall(r"\d+", last) == ["15", "14", "0", "1", "0", "0"]


def test_the_page_shows_crop_source_and_what_was_missed() -> None:
    page = render_page(report())
    for part in ("crops/1.jpg", "photos/a.jpg", "missed · b.jpg", "32.0 [31.0–34.0]", "virtual phones"):
        assert part in page


def test_text_of_a_query_cannot_become_markup() -> None:
    page = render_page(report(card(text="<script>alert(1)</script>")))
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_an_invalid_search_shows_its_reason_and_no_score() -> None:
    failed = card(outcome="invalid", ending="still_loading", precision=None, recall=None, f1=None, results=(), missing=())
    page = render_page(report(failed))
    assert "invalid: still_loading" in page
    assert "rightly nothing" not in page
