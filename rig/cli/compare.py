"""`rig compare OLD NEW` over runs or prediction files: is it different, by how much, how sure, is it worse than allowed?

What needs SciPy and statsmodels is imported when the command runs, so that the other commands start at once.
"""

from pathlib import Path
from typing import Annotated

import typer

from rig.cli.plain import AsJson, choice, print_json, wide_console
from rig.cli.score import AbsentIsEmpty, Albums, Averages, ByPosition, FoldCase, Queries, Spoken
from rig.errors import GateFailed, RigError


def compare(
    old: Annotated[Path, typer.Argument(help="The old side: RUN, RUN:B, RUN:B:zh, or a prediction file.")],
    new: Annotated[Path, typer.Argument(help="The new side.")],
    *,
    queries: Queries = None,
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
    across_eyes: Annotated[
        bool, typer.Option("--across-eyes", help="The sides were matched by different versions, and that is compared.")
    ] = False,
    page: Annotated[Path | None, typer.Option(help="A new folder for a page of the queries that changed. Private.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compares two systems over the same queries: paired differences, tests, intervals, non-inferiority, gates."""
    from rig.cli.compare_tables import comparison_tables
    from rig.compare.comparing import SEED, Rules
    from rig.compare.comparing import compare as compare_sides
    from rig.compare.document import comparison_document
    from rig.compare.gates import judge_gates, parse_gate, undeclared
    from rig.compare.measuring import FAMILY
    from rig.compare.pages import write_comparison
    from rig.metrics.averages import Averaging
    from rig.run_sides import load_sides, matched_pairs
    from rig.sides import Reading, told_apart

    gates = [parse_gate(text) for text in gate or ()]
    metrics = tuple(dict.fromkeys(metric or FAMILY))
    if more := undeclared(gates, metrics):
        raise RigError(f"compare: gates on {', '.join(more)}, which are not declared; add --metric {more[0]}")
    reading = Reading(language, by_position=by_position, absent_is_empty=absent_is_empty, fold_case=fold_case)
    loaded = load_sides(
        (old, new, *(aa or ())), queries=queries or (), albums=album or (), reading=reading, across_eyes=across_eyes
    )
    olds, news, *twice = loaded.sides
    pairs = [told_apart(*pair) for pair in matched_pairs(olds, news)]
    same = matched_pairs(twice[0], twice[1]) if twice else []
    rules = Rules(metrics, margin / 100, choice(Averaging, averaging, "--averaging"), SEED if seed is None else seed)
    comparison = compare_sides(loaded.questions, pairs, rules, same=same)
    results = [judge_gates(gates, compared) for compared in comparison.compared]
    if as_json:
        print_json(comparison_document(comparison, results))
    else:
        wide_console().print(comparison_tables(comparison, results), crop=False)
    if page is not None:
        typer.echo(f"page: {write_comparison(comparison, page)}", err=True)
    failed = [result for of_pair in results for result in of_pair if not result.passed]
    if failed:
        raise GateFailed(f"compare: {len(failed)} of {len(gates)} gates failed; first: {failed[0].gate}: {failed[0].why}")
