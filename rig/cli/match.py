"""`rig match …`: what seeing finds in pictures at hand; the commands' bodies live beside it, one file a question."""

import typer

from rig.cli.match_grids import grids
from rig.cli.match_inspect import inspect
from rig.cli.match_screens import cells, stitch

match_app = typer.Typer(help="Reads screenshots and traces thumbnails to photos.", no_args_is_help=True, rich_markup_mode=None)
match_app.command()(cells)
match_app.command()(grids)
match_app.command()(inspect)
match_app.command()(stitch)


@match_app.callback()
def _match() -> None:
    """Reads screenshots and traces thumbnails to photos."""
