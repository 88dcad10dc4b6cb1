"""The page of one run: table, honesty line, phase times, and every search with its crops beside their sources.

A page is one HTML file beside the pictures it names; it runs no script and works from a memory stick.
"""

from itertools import groupby
from pathlib import Path

from reports.escaping import pages
from reports.model import PhaseTime, Report
from reports.table import total
from reports.words import covered, percent

PHASES = ("reset", "import", "index", "query")
"""Phases in the order they happen; the page gives each its own colour."""


def write_page(report: Report, folder: Path) -> Path:
    """`folder`/index.html shows `report`; returns its path."""
    page = folder / "index.html"
    page.write_text(render_page(report), encoding="utf-8")
    return page


def render_page(report: Report) -> str:
    """The page as HTML text; everything that came from outside is escaped."""
    environment = pages()
    environment.filters["percent"] = percent
    environment.filters["covered"] = covered
    return environment.get_template("run.html.j2").render(
        report=report,
        honesty_total=total(report.honesty),
        timelines=_timelines(report.times),
        phones=_by_letter(report),
    )


def _by_letter(report: Report) -> list[tuple[str, list[object]]]:
    ordered = sorted(report.searches, key=lambda card: (card.letter, card.language, card.query))
    return [(letter, list(cards)) for letter, cards in groupby(ordered, key=lambda card: card.letter)]


def _timelines(times: tuple[PhaseTime, ...]) -> list[tuple[str, float, list[tuple[str, float, float]]]]:
    """Per letter: total seconds and (phase, seconds, share of the longest phone in per cent)."""
    letters = sorted({time.letter for time in times})
    totals = {letter: sum(time.seconds for time in times if time.letter == letter) for letter in letters}
    longest = max(totals.values(), default=0.0) or 1.0
    return [
        (
            letter,
            totals[letter],
            [
                (time.phase, time.seconds, 100 * time.seconds / longest)
                for phase in PHASES
                for time in times
                if time.letter == letter and time.phase == phase
            ],
        )
        for letter in letters
    ]
