"""`rig match inspect`: one screenshot's verdicts as a picture that a person can check."""

from pathlib import Path
from typing import Annotated

import typer
from PIL import Image as Pillow
from rich.console import Console
from rich.table import Table

from matching.cells import find_grid
from matching.inspection import inspect as inspected
from rig.album.sources import source_photos
from rig.cli.indexing import AlbumFolder, IndexFolder, open_index
from rig.cli.match_screens import screenshot
from rig.cli.plain import cell, inert
from rig.errors import RigError


def inspect(
    screen: Annotated[Path, typer.Argument(metavar="SCREEN", help="A screenshot of a result grid.")],
    album: AlbumFolder,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The picture; SCREEN-inspected.png when not given.")] = None,
    index: IndexFolder = None,
) -> None:
    """Shows a screenshot's cells with their verdicts, and each beside its source, its rival and what is left over."""
    picture = screenshot(screen)
    grid = find_grid(picture)
    if not grid.found or not grid.cells:
        raise RigError(f"match inspect {screen}: no result grid on it: {grid.reason}; give a screenshot of results")
    done = inspected(picture, grid.cells, open_index(album, kept_in=index), source_photos(album))
    place = out or screen.with_name(f"{screen.stem}-inspected.png")
    Pillow.fromarray(done.picture).save(place, "PNG")
    table = Table("cell", "verdict", "photo", "candidates")
    for number, match in enumerate(done.matches, start=1):
        table.add_row(str(number), match.verdict.value, cell(match.photo or ""), cell(", ".join(match.candidates)))
    console = Console(soft_wrap=True)
    console.print(table)
    console.print(f"picture: {inert(str(place))}", markup=False, highlight=False)
