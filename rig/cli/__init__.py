"""The command line: one file a command family, joined here; errors become sentences and exit codes here, nowhere else."""

import sys

import typer
from rich.console import Console

from rig.cli.album import album_app
from rig.cli.match import match_app
from rig.errors import ExitCode, RigError

app = typer.Typer(
    name="rig",
    help="Measures what the native photo search of a phone really returns.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(album_app, name="album")
app.add_typer(match_app, name="match")


def main() -> None:
    """Runs the command line; exits with one of `rig.errors.ExitCode`."""
    try:
        app()
    except RigError as error:
        Console(stderr=True, soft_wrap=True).print(f"rig: {error}", style="bold red", markup=False, highlight=False)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception:  # noqa: BLE001 - the last place where a bug can still become a sentence
        Console(stderr=True).print_exception()
        sys.stderr.write("rig: this is a bug; what was recorded is kept. Please report the lines above.\n")
        sys.exit(ExitCode.BUG)
