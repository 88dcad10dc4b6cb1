"""`rig score`: prediction files and the phones of runs get the same columns; no phone is needed, and for files no run.

What needs SciPy is imported when the command runs, so that the other commands start at once.
"""

from pathlib import Path
from typing import Annotated

import typer

from rig.cli.plain import AsJson, choice, print_json, wide_console
from rig.model import Language

Files = Annotated[
    list[Path], typer.Argument(help="Prediction files (PhotoBench submission, JSON Lines, TREC run), or RUN, RUN:B, RUN:B:zh.")
]
Queries = Annotated[
    list[Path] | None, typer.Option(help="queries.json, an album folder, or PhotoBench files; a run has its own.")
]
Albums = Annotated[list[Path] | None, typer.Option(help="Album folders: tell unknown names, bound lists that may go on.")]
Spoken = Annotated[Language | None, typer.Option(help="The files' language, where they do not say it.")]
Averages = Annotated[str, typer.Option(help="Which mean leads: pooled (over queries) or mean-of-albums. JSON has both.")]
ByPosition = Annotated[bool, typer.Option("--by-position", help="Row i of a file answers query i.")]
AbsentIsEmpty = Annotated[bool, typer.Option("--absent-is-empty", help="A query not in the file was answered with nothing.")]
FoldCase = Annotated[bool, typer.Option("--fold-case", help="Photo names that differ in case only are the same.")]


def score(
    predictions: Files,
    *,
    queries: Queries = None,
    album: Albums = None,
    language: Spoken = None,
    averaging: Averages = "pooled",
    missing: Annotated[str, typer.Option(help="An unanswered query: leave-out, zero, or exclude-common.")] = "leave-out",
    rank_incomplete: Annotated[bool, typer.Option("--rank-incomplete", help="Rank incomplete systems, too.")] = False,
    by_position: ByPosition = False,
    absent_is_empty: AbsentIsEmpty = False,
    fold_case: FoldCase = False,
    published: Annotated[bool, typer.Option("--published", help="The paper's rows beside, marked as published.")] = False,
    per_query: Annotated[bool, typer.Option("--per-query", help="With --json: each query's scores, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Scores prediction files: sets, rejection, ranking, by source type and dimension, with bounds and coverage."""
    from rig.cli.score_tables import score_tables
    from rig.metrics.averages import Averaging
    from rig.run_sides import load_sides
    from rig.scoreboard import MissingRule, make_scoreboard, scoreboard_document
    from rig.sides import Reading

    reading = Reading(language, by_position=by_position, absent_is_empty=absent_is_empty, fold_case=fold_case)
    loaded = load_sides(predictions, queries=queries or (), albums=album or (), reading=reading)
    board = make_scoreboard(
        loaded.questions,
        [side for sides in loaded.sides for side in sides],
        averaging=choice(Averaging, averaging, "--averaging"),
        missing=choice(MissingRule, missing, "--missing"),
        rank_incomplete=rank_incomplete,
    )
    if as_json:
        print_json(scoreboard_document(board, per_query=per_query, with_published=published))
    else:
        wide_console().print(score_tables(board, with_published=published), crop=False)
