"""`rig match …`: what seeing finds in pictures at hand; the commands' bodies live beside it, one file a question."""

import typer

from rig.cli.match_grids import grids

match_app = typer.Typer(help="Reads screenshots and traces thumbnails to photos.", no_args_is_help=True, rich_markup_mode=None)
match_app.command()(grids)


@match_app.callback()
def _match() -> None:
    """Reads screenshots and traces thumbnails to photos."""
