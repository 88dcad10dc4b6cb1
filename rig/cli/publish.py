"""`rig publish RUN… --study NAME --to DIR`: what may leave the lab, searched for what must not."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from rig.cli.plain import choice
from rig.cli.score import Averages, ByPosition, FoldCase, Spoken
from rig.cli.sweep import letter_file
from rig.errors import RigError


def publish_command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Matched run folders of one study.")],
    *,
    study: Annotated[str, typer.Option(help="Its name; the same name gives the same phone the same letter.")],
    to: Annotated[Path, typer.Option(metavar="DIR", help="A new folder for the export.")],
    predictions: Annotated[list[Path] | None, typer.Option(help="Another system's predictions, beside the phones.")] = None,
    language: Spoken = None,
    by_position: ByPosition = False,
    fold_case: FoldCase = False,
    averaging: Averages = "pooled",
    published: Annotated[bool, typer.Option("--published", help="The paper's rows beside, marked as published.")] = False,
    private_queries: Annotated[
        bool, typer.Option("--private-queries", help="Seal the query set's digests with the study's key.")
    ] = False,
    review: Annotated[
        bool, typer.Option("--review", help="State what annotators judged: their agreement, and the scores after review.")
    ] = False,
    with_crops: Annotated[
        int, typer.Option(metavar="N", min=0, help="Show the first results of N queries: parts of screens leave the lab.")
    ] = 0,
    private: Annotated[
        Path | None, typer.Option(help="Where the study's letters are kept; beside the runs if not given.")
    ] = None,
) -> None:
    """Publishes runs without saying whose phones they are: page, CSV, Markdown, LaTeX, JSON, JUnit."""
    from rig.metrics.averages import Averaging
    from rig.publish.crops import crop_strips
    from rig.publish.gathering import Wanted, gather, label_phones, measured_phones
    from rig.publish.secrets import secrets_of
    from rig.publish.study import join_study, study_file
    from rig.publish.writing import write_export
    from rig.run import open_run
    from rig.run_sides import questions_of
    from rig.sides import Reading, load_side

    if not study.strip():
        raise RigError("--study: expected a name")
    wanted = Wanted(
        choice(Averaging, averaging, "--averaging"),
        with_published=published,
        private_queries=private_queries,
        with_review=review,
    )
    with ExitStack() as stack:
        opened = [open_run(folder) for folder in runs]
        for run in opened:
            stack.callback(run.ledger.close)
        phones = measured_phones(opened)
        home = private or letter_file(opened[0].folder.parent).parent
        joined = join_study(study_file(home, study), study, [phone.subject for phone in phones])
        reading = Reading(language, by_position=by_position, fold_case=fold_case)
        beside = [load_side(file, questions_of(opened[0]), reading) for file in predictions or ()]
        strips = crop_strips(phones, label_phones(phones, joined), joined, with_crops) if with_crops else ()
        publication = gather(phones, beside, joined, wanted, crops=strips)
        files = write_export(publication, to, secrets_of(opened))
    for file in files:
        typer.echo(file)
