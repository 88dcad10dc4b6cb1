"""`rig match cells` and `rig match stitch`: what a screenshot, or the screenshots of one search, show."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from matching.cells import find_grid
from matching.decode import load_image
from matching.model import Grid, Image, UnreadableImage
from matching.stitch import Step, Stitcher
from rig.cli.plain import AsJson
from rig.errors import RigError


def cells(
    screen: Annotated[Path, typer.Argument(help="A screenshot (PNG, JPEG, WebP …).")],
    as_json: AsJson = False,
) -> None:
    """Finds the thumbnails on a screenshot, or says why it holds no result grid."""
    grid = find_grid(screenshot(screen))
    if as_json:
        boxes = [{"box": list(cell.box), "partial": cell.partial} for cell in grid.cells]
        typer.echo(json.dumps({"grid": grid.found, "reason": grid.reason, "cells": boxes, "flags": list(grid.flags)}))
        return
    console = Console(soft_wrap=True)
    if not grid.found:
        console.print(f"{screen.name}: no result grid: {grid.reason}", markup=False, highlight=False)
        return
    table = Table(
        "cell", "left", "top", "right", "bottom", "partial", title=f"{screen.name}: {len(grid.cells)} cells ({grid.reason})"
    )
    for index, cell in enumerate(grid.cells, start=1):
        table.add_row(str(index), *(str(edge) for edge in cell.box), "partial" if cell.partial else "")
    console.print(table)


def stitch(
    screens: Annotated[list[Path], typer.Argument(help="The screenshots of one search, in the order they were shown.")],
    as_json: AsJson = False,
) -> None:
    """Joins the screenshots of one search into one ordered list, each place once."""
    stitcher = Stitcher(lossless=all(file.suffix.lower() == ".png" for file in screens))
    steps = [_added(stitcher, screenshot(file)) for file in screens]
    if as_json:
        typer.echo(json.dumps(_as_record(stitcher, steps)))
        return
    console = Console(soft_wrap=True)
    shown = Table("screen", "cells", "new", "overlap rows", "what", title="Screens")
    for file, (grid, step) in zip(screens, steps, strict=True):
        shown.add_row(file.name, str(len(grid.cells)), str(step.new), f"{step.overlap_rows:.2f}", _said(step))
    console.print(shown)
    end = "end proven" if stitcher.end_proven else "end not proven"
    table = Table("position", "screen", "box", "sightings", title=f"{len(stitcher.positions)} positions, {end}")
    for index, position in enumerate(stitcher.positions, start=1):
        screen, box = position.sightings[0]
        table.add_row(str(index), screens[screen].name, " ".join(map(str, box)), str(len(position.sightings)))
    console.print(table)


def screenshot(file: Path) -> Image:
    """The picture in a file. RigError when it is none."""
    try:
        return load_image(file)
    except UnreadableImage as error:
        raise RigError(f"{file}: cannot be read as a screenshot: {error}; give a PNG, JPEG or WebP file") from error
    except OSError as error:
        raise RigError(f"{file}: cannot be opened: {error.strerror}; give the path of a screenshot") from error


def _added(stitcher: Stitcher, image: Image) -> tuple[Grid, Step]:
    grid = find_grid(image)
    return grid, stitcher.add(image, grid)


def _said(step: Step) -> str:
    if step.lost:
        return f"lost: {step.reason}"
    return "nothing new" if step.at_end else ""


def _as_record(stitcher: Stitcher, steps: list[tuple[Grid, Step]]) -> dict[str, object]:
    positions = []
    for position in stitcher.positions:
        screen, box = position.sightings[0]
        seen = [{"screen": index, "box": list(sighting)} for index, sighting in position.sightings]
        positions.append({"screen": screen, "box": list(box), "loaded": position.loaded, "sightings": seen})
    shown = [
        {
            "grid": grid.found,
            "new": step.new,
            "overlap_rows": round(step.overlap_rows, 2),
            "lost": step.lost,
            "reason": step.reason,
        }
        for grid, step in steps
    ]
    return {"positions": positions, "end_proven": stitcher.end_proven, "screens": shown}
