"""`rig export submission`: answers as PhotoBench wants them sent in."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from rig.cli.plain import choice, inert, some
from rig.cli.score import AbsentIsEmpty, ByPosition, Spoken
from rig.errors import RigError
from rig.model import Answer, Language, Query

export_app = typer.Typer(help="Writes results in other people's formats.", no_args_is_help=True, rich_markup_mode=None)


@export_app.callback()
def export() -> None:
    """Writes results in other people's formats."""


@export_app.command()
def submission(
    answers: Annotated[Path, typer.Argument(help="RUN:A:zh, or a prediction file in any form that rig score reads.")],
    out: Annotated[Path, typer.Argument(help="The submission to write.")],
    *,
    queries: Annotated[
        list[Path] | None, typer.Option(help="queries.json, album folder, PhotoBench file; a run has its own.")
    ] = None,
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

    wanted = choice(Form, form, "--form")
    told = _answers_of(answers, queries or (), language, by_position=by_position, absent_is_empty=absent_is_empty)
    if wanted is Form.OLD and told.language is None:
        raise RigError(f"submission: {answers} does not say its language, which the old form does; give --language")
    made = make_submission(
        told.asked,
        told.answers,
        form=wanted,
        model_name=model_name or told.system,
        language=told.language or Language.ZH,
    )
    write_submission(made.content, out)
    typer.echo(f"{made.written} of {len(told.asked)} queries in {inert(out)}")
    for album, text, count in made.ambiguous:
        typer.echo(f"ambiguous key: {inert(album)} {inert(repr(text))} names {count} queries", err=True)
    for reason in dict.fromkeys(reason for _, reason in made.unanswered):
        ids = [query for query, why in made.unanswered if why == reason]
        typer.echo(f"left out, {inert(reason)}: {some(ids)}", err=True)
    if made.unnamed:
        typer.echo(f"{made.unnamed} results without a name, repeated or beyond the maximum are left out of lists", err=True)


@dataclass(frozen=True, slots=True)
class _Told:
    """Answers of one system, and what was asked."""

    system: str
    language: Language | None
    asked: Sequence[Query]
    answers: Sequence[Answer]


def _answers_of(
    source: Path, files: Sequence[Path], language: Language | None, *, by_position: bool, absent_is_empty: bool
) -> _Told:
    from rig.predictions import read_predictions
    from rig.questions import load_queries_to_ask
    from rig.run_sides import named_run, one_side, open_sides, queries_asked

    named = named_run(str(source))
    if named is None and not files:
        raise RigError("submission: prediction files do not say what was asked; give it with --queries FILE")
    if named is not None:
        side = one_side(open_sides(named, language), source)
        asked = load_queries_to_ask(files)[0] if files else queries_asked(named)
        return _Told(side.name, side.language, asked, side.answers)
    asked, own_ids = load_queries_to_ask(files)
    read = read_predictions(
        source, asked, language=language, own_ids=own_ids, by_position=by_position, absent_is_empty=absent_is_empty
    )
    return _Told(read.system, read.language, asked, read.answers)


def write_submission(content: object, out: Path) -> None:
    """Writes under a `.part` name first, so that a cut never leaves half a submission under its name."""
    part = out.with_name(out.name + ".part")
    try:
        part.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        part.replace(out)
    except OSError as error:
        raise RigError(f"submission {out} cannot be written: {error.strerror}; give another place") from error
