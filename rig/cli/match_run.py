"""`rig match RUN`: the screens of a run become source photos. Needs no phone, and can be done again."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from rig.analysis import match_run
from rig.cli.bars import bar
from rig.errors import RigError
from rig.run import open_run


class RunOrCommand(TyperGroup):
    """A command group whose first word may also be a run folder: `rig match RUN` is `rig match run RUN`."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]  # click's Context by another name
        """Puts `run` before a first word that is a path and no command."""
        first = next((word for word in args if not word.startswith("-")), None)
        if first is not None and first not in self.commands and (Path(first).exists() or "/" in first):
            args = ["run", *args]
        return super().parse_args(ctx, args)


def run_command(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    album: Annotated[
        list[str] | None, typer.Option(metavar="NAME=DIR", help="Where an album's photos lie now, if not where they were.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; as many as there are cores when not given.")] = None,
    again: Annotated[bool, typer.Option(help="Match also what this rig has matched before.")] = False,
) -> None:
    """Matches the screens of a run to the photos of its albums."""
    run = open_run(folder)
    with closing(run.ledger), bar("matching") as advance:
        matched = match_run(run, workers=workers, progress=advance, albums=_moved(album or []), again=again)
    typer.echo(f"{matched} searches matched in {run.folder}")


def _moved(given: list[str]) -> dict[str, Path]:
    moved = {}
    for text in given:
        name, equals, folder = text.partition("=")
        if not equals:
            raise RigError(f"--album {text}: expected NAME=DIR")
        moved[name] = Path(folder)
    return moved
