"""`rig match grids`: folders of cut-out thumbnails in, one line of JSON a thumbnail out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from matching.decode import load_image
from matching.index import SourceIndex
from matching.match import match_grid
from matching.model import Image, Match, UnreadableImage
from rig.cli.bars import bar
from rig.cli.indexing import AlbumFolder, IndexFolder, Workers, open_index
from rig.errors import RigError


def grids(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Each subfolder is one grid; its files by name are the cells.")],
    album: AlbumFolder,
    index: IndexFolder = None,
    workers: Workers = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line a cell on stdout, instead of a summary.")] = False,
) -> None:
    """Traces cut-out thumbnails, grid by grid, to the photos they show."""
    found = _grids(folder)
    sources = open_index(album, kept_in=index, workers=workers)
    counts: dict[str, int] = {}
    with bar("matching") as advance:
        for done, grid in enumerate(found, start=1):
            for cell, match in _matched(sources, grid):
                counts[match["verdict"]] = counts.get(match["verdict"], 0) + 1
                if as_json:
                    typer.echo(json.dumps({"grid": grid.name, "cell": cell, **match}))
            advance(done, len(found))
    if not as_json:
        typer.echo(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())) or "no cells")


def _grids(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise RigError(f"match grids {folder}: there is no such folder; give a folder whose subfolders hold thumbnails")
    found = sorted(place for place in folder.iterdir() if place.is_dir() and not place.name.startswith("."))
    if not found:
        raise RigError(f"match grids {folder}: has no subfolders; put the thumbnails of each grid into one of its own")
    return found


def _matched(sources: SourceIndex, grid: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(file name, verdict as JSON) for each cell; a cell that cannot be read is a mistake of the caller's."""
    cells = sorted(file for file in grid.iterdir() if file.is_file() and not file.name.startswith("."))
    crops = [_picture(file) for file in cells]
    for file, match in zip(cells, match_grid(sources, crops), strict=True):
        yield file.name, as_record(match)


def _picture(file: Path) -> Image:
    try:
        return load_image(file)
    except UnreadableImage as error:
        raise RigError(f"match grids: the cell {file} {error}; every file of a grid's folder must be a picture") from error


def as_record(match: Match) -> dict[str, Any]:
    """A verdict as scripts read it."""
    return {
        "verdict": match.verdict.value,
        "photo": match.photo,
        "candidates": list(match.candidates),
        "evidence": {name: round(value, 4) for name, value in match.evidence.items()},
    }
