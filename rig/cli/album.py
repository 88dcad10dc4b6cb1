"""`rig album …`: albums are drawn, imported and looked into here."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from rig.album.manifest import load_queries
from rig.album.scan import Progress as Advance
from rig.album.synth.make import synth_album

album_app = typer.Typer(help="Albums: draw one, import one, look into one.", no_args_is_help=True)


@album_app.command()
def synth(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="New folder for the album.")],
    photos: Annotated[int, typer.Option(help="How many photos.", min=1)] = 120,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.", min=0)] = 7,
    workers: Annotated[int | None, typer.Option(help="Processes; as many as there are cores when not given.", min=1)] = None,
) -> None:
    """Draws an album: photos, album.json, and queries.json with ground truth that is complete by construction."""
    with _progress("drawing") as advance:
        album = synth_album(folder, photos=photos, seed=seed, workers=workers, progress=advance)
    queries = load_queries(folder)
    empty = sum(query.is_rejection for query in queries)
    typer.echo(f"{len(album.photos)} photos, {len(queries)} queries ({empty} with no answer) in {folder}")


@contextmanager
def _progress(what: str) -> Iterator[Advance]:
    """A bar on stderr while the block runs; nothing where stderr is no terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield advance
