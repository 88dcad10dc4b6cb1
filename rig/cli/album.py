"""`rig album …`: albums are drawn, imported and looked into here."""

import typer

album_app = typer.Typer(help="Albums: draw one, import one, look into one.", no_args_is_help=True)
