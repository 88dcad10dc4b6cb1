"""Status, agreement and scores of a review as tables for people."""

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from rig.cli.grids import NumberGrid
from rig.cli.plain import cell, inert, some
from rig.cli.score_tables import bounded_percent
from rig.metrics.averages import Averaging
from rig.review.rescoring import FIXED, Rescored, Rescoring

NOTHING = "—"
AVERAGING = Averaging.POOLED
"""As in the run's own report."""


def status_tables(told: Any) -> RenderableType:
    """Who has judged how much, and how far each two agree. `told` is `rig.review.documents.status_document`."""
    questions = told["questions"]
    lines = [
        f"{told['run']}: {questions['match']} undecided thumbnails, {questions['relevance']} returned photos to verify",
        f"settled alike {told['agreed']} · adjudicated {told['adjudicated']} · disputed {told['disputed']}"
        f" · judged by one only {told['judged_by_one_only']}",
    ]
    if told["undecided_without_candidates"]:
        lines.append(f"not asked, as matching named no candidate: {told['undecided_without_candidates']}")
    parts: list[RenderableType] = [Text(inert(line)) for line in lines]
    if told["annotators"]:
        parts.append(_people(told))
    if told["agreement"]:
        parts.append(_agreement(told["agreement"]))
    return Group(*parts)


def _people(told: Any) -> Table:
    questions = told["questions"]
    table = _table("who", "as", "thumbnails", "relevance", "cannot tell", "of earlier matches", "at work")
    for role, people in (("annotator", told["annotators"]), ("adjudicator", told["adjudicators"])):
        for person in people:
            judged = person["judged"]
            outer = (f"/{questions['match']}", f"/{questions['relevance']}") if role == "annotator" else ("", "")
            shown = (person["name"], role, f"{judged['match']}{outer[0]}", f"{judged['relevance']}{outer[1]}",
                     person["said"].get("cannot_tell", 0), person["of_questions_no_longer_asked"],
                     "yes" if person["at_work"] else "no")  # fmt: skip
            table.add_row(*map(cell, shown))
    return table


def _agreement(pairs: Any) -> Table:
    table = _table("agreement on", "between", "N", "equal", "raw %", "κ", "judged by one only")
    for pair in pairs:
        raw, kappa = pair["raw_agreement"], pair["kappa"]
        shown = (pair["kind"], f"{pair['first']} and {pair['second']}", pair["n"], pair["equal"],
                 NOTHING if raw is None else f"{100 * raw:.1f}", NOTHING if kappa is None else f"{kappa:.3f}",
                 pair["only_first"] + pair["only_second"])  # fmt: skip
        table.add_row(*map(cell, shown))
    return table


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(1, 2, 0, 0), collapse_padding=True)
    for title in titles:
        table.add_column(title, overflow="fold")
    return table


def score_tables(rescoring: Rescoring) -> RenderableType:
    """One table a language for the fixed ground truth, and one for each that annotators judged: never in one table."""
    parts: list[RenderableType] = []
    for language in dict.fromkeys(row.language for row in rescoring.rows):
        rows = [row for row in rescoring.rows if row.language is language]
        fixed = [row for row in rows if row.view.truth == FIXED]
        parts.append(_scores(f"Searched in {language}, against the fixed ground truth", fixed))
        if judged := [row for row in rows if row.view.truth != FIXED]:
            parts.append(_scores(f"Searched in {language}, against ground truth as annotators judged it", judged))
    return Group(*parts, Text("\n".join(_notes(rescoring))))


def _scores(title: str, rows: list[Rescored]) -> NumberGrid:
    grid = NumberGrid(title, ("answered", "P", "R", "F1", "Rej-P", "Rej-R", "Rej-F1"))
    for row in sorted(rows, key=lambda row: row.letter):
        sets, rejection, coverage = row.scores.overall[AVERAGING].sets, row.scores.rejection, row.scores.coverage
        numbers = (sets.precision, sets.recall, sets.f1, rejection.precision, rejection.recall, rejection.f1)
        answered = f"{coverage.answered}/{coverage.asked}" + ("" if coverage.is_complete else "\nincomplete")
        grid.add(f"{row.letter} · {row.view.words}", (answered, *map(bounded_percent, numbers)))
    return grid


def _notes(rescoring: Rescoring) -> list[str]:
    lines = ["per cent; means pooled over queries; [low–high] where something was left open"]
    for view, change in rescoring.changes.items():
        told = f"{inert(view.words)}: {change.settled} thumbnails settled, {change.left_undecided} undecided"
        if view.truth != FIXED:
            told += f"; relevant photos +{change.added} −{change.removed}"
        if change.turned:
            told += f"; queries that turned to or from zero ground truth {some(change.turned)}"
        lines.append(told)
    return lines
