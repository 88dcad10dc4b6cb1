"""`rig match …`: what seeing finds in pictures at hand; the commands' bodies live beside it, one file a question."""

import typer

match_app = typer.Typer(help="Reads screenshots and traces thumbnails to photos.", no_args_is_help=True, rich_markup_mode=None)
