"""`rig compare OLD NEW --queries FILE`: is the new one different, by how much, how sure, and is it worse than allowed?

What needs SciPy and statsmodels is imported when the command runs, so that the other commands start at once.
"""

from pathlib import Path
from typing import Annotated

import typer

from rig.cli.plain import choice, print_json, wide_console
from rig.cli.score import AbsentIsEmpty, Albums, AsJson, Averages, ByPosition, FoldCase, Queries, Spoken
from rig.errors import GateFailed, RigError


def compare(
    old: Annotated[Path, typer.Argument(help="Prediction file of the old side.")],
    new: Annotated[Path, typer.Argument(help="Prediction file of the new side.")],
    *,
    queries: Queries,
    metric: Annotated[list[str] | None, typer.Option(help="A metric of the declared family; f1 and rej-f1 by default.")] = None,
    margin: Annotated[float, typer.Option(help="Points that a score may fall and still be no worse.", min=0)] = 2.0,
    gate: Annotated[list[str] | None, typer.Option(help="Exit 1 unless it holds: f1>=-1, f1.low>-2, non-inferior, …")] = None,
    aa: Annotated[tuple[Path, Path] | None, typer.Option(help="The same thing measured twice: the noise floor.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of resampling; the same seed gives the same p values.", min=0)] = None,
    album: Albums = None,
    language: Spoken = None,
    averaging: Averages = "pooled",
    by_position: ByPosition = False,
    absent_is_empty: AbsentIsEmpty = False,
    fold_case: FoldCase = False,
    as_json: AsJson = False,
) -> None:
    """Compares two systems over the same queries: paired differences, tests, intervals, non-inferiority, gates."""
    from rig.cli.compare_tables import comparison_tables
    from rig.compare.comparing import SEED, Rules
    from rig.compare.comparing import compare as compare_sides
    from rig.compare.document import comparison_document
    from rig.compare.gates import judge_gates, parse_gate, undeclared
    from rig.compare.measuring import FAMILY
    from rig.metrics.averages import Averaging
    from rig.questions import load_questions
    from rig.sides import Reading, load_side

    gates = [parse_gate(text) for text in gate or ()]
    metrics = tuple(dict.fromkeys(metric or FAMILY))
    if more := undeclared(gates, metrics):
        raise RigError(f"compare: gates on {', '.join(more)}, which are not declared; add --metric {more[0]}")
    questions = load_questions(queries, album or ())
    reading = Reading(language, by_position=by_position, absent_is_empty=absent_is_empty, fold_case=fold_case)
    sides = (load_side(old, questions, reading), load_side(new, questions, reading))
    same = None if aa is None else (load_side(aa[0], questions, reading), load_side(aa[1], questions, reading))
    rules = Rules(metrics, margin / 100, choice(Averaging, averaging, "--averaging"), SEED if seed is None else seed)
    comparison = compare_sides(questions, [sides], rules, same=same)
    results = [judge_gates(gates, compared) for compared in comparison.compared]
    if as_json:
        print_json(comparison_document(comparison, results))
    else:
        wide_console().print(comparison_tables(comparison, results), crop=False)
    failed = [result for of_pair in results for result in of_pair if not result.passed]
    if failed:
        raise GateFailed(f"compare: {len(failed)} of {len(gates)} gates failed; first: {failed[0].gate}: {failed[0].why}")
