"""`rig export submission`: answers as PhotoBench wants them sent in."""

import json
from pathlib import Path
from typing import Annotated

import typer

from rig.cli.plain import choice, inert, some
from rig.cli.score import AbsentIsEmpty, ByPosition, Spoken
from rig.errors import RigError
from rig.model import Language

export_app = typer.Typer(help="Writes results in other people's formats.", no_args_is_help=True, rich_markup_mode=None)


@export_app.callback()
def export() -> None:
    """Writes results in other people's formats."""


@export_app.command()
def submission(
    answers: Annotated[Path, typer.Argument(help="A prediction file in any form that rig score reads.")],
    out: Annotated[Path, typer.Argument(help="The submission to write.")],
    *,
    queries: Annotated[list[Path], typer.Option(help="queries.json, an album folder, or PhotoBench files.")],
    form: Annotated[
        str, typer.Option(help="current: album_id, query_en, pred. old: model_name, language, results.")
    ] = "current",
    model_name: Annotated[str | None, typer.Option(help="For the old form; the file's name when not given.")] = None,
    language: Spoken = None,
    by_position: ByPosition = False,
    absent_is_empty: AbsentIsEmpty = False,
) -> None:
    """Writes a PhotoBench submission, and says which of its keys are ambiguous and which queries it lacks."""
    from rig.photobench.submission import Form, make_submission
    from rig.predictions import read_predictions
    from rig.questions import load_queries_to_ask

    asked, own_ids = load_queries_to_ask(queries)
    read = read_predictions(
        answers, asked, language=language, own_ids=own_ids, by_position=by_position, absent_is_empty=absent_is_empty
    )
    wanted = choice(Form, form, "--form")
    if wanted is Form.OLD and read.language is None:
        raise RigError(f"submission: {answers} does not say its language, which the old form does; give --language")
    made = make_submission(
        asked,
        read.answers,
        form=wanted,
        model_name=model_name or read.system,
        language=read.language or Language.ZH,
    )
    write_submission(made.content, out)
    typer.echo(f"{made.written} of {len(asked)} queries in {inert(out)}")
    for album, text, count in made.ambiguous:
        typer.echo(f"ambiguous key: {inert(album)} {inert(repr(text))} names {count} queries", err=True)
    for reason in dict.fromkeys(reason for _, reason in made.unanswered):
        ids = [query for query, why in made.unanswered if why == reason]
        typer.echo(f"left out, {inert(reason)}: {some(ids)}", err=True)
    if made.unnamed:
        typer.echo(f"{made.unnamed} results without a name, repeated or beyond the maximum are left out of lists", err=True)


def write_submission(content: object, out: Path) -> None:
    """Writes under a `.part` name first, so that a cut never leaves half a submission under its name."""
    part = out.with_name(out.name + ".part")
    try:
        part.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        part.replace(out)
    except OSError as error:
        raise RigError(f"submission {out} cannot be written: {error.strerror}; give another place") from error
