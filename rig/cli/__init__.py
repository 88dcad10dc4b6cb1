"""The command line: one file a command family, joined here; errors become sentences and exit codes here, nowhere else."""

import sys

import typer
from rich.console import Console

from rig.cli.album import album_app
from rig.cli.calibrate import calibrate_command
from rig.cli.compare import compare
from rig.cli.demo import demo_command
from rig.cli.devices import devices_command
from rig.cli.doctor import doctor_command
from rig.cli.explain import explain_command
from rig.cli.export import export_app
from rig.cli.lab import lab_app
from rig.cli.match import match_app
from rig.cli.match_run import RunOrCommand, run_command
from rig.cli.plain import inert
from rig.cli.publish import publish_command
from rig.cli.report import report_command
from rig.cli.review import review_app
from rig.cli.score import score
from rig.cli.status import status_command
from rig.cli.sweep import resume_command, sweep_command
from rig.errors import ExitCode, RigError

app = typer.Typer(
    name="rig",
    help="Measures what the native photo search of a phone really returns.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(album_app, name="album")
app.add_typer(export_app, name="export")
app.add_typer(lab_app, name="lab")
match_app.command("run")(run_command)
app.add_typer(match_app, name="match", cls=RunOrCommand)
app.add_typer(review_app, name="review")
app.command("calibrate")(calibrate_command)
app.command("demo")(demo_command)
app.command("devices")(devices_command)
app.command("doctor")(doctor_command)
app.command("explain")(explain_command)
app.command("publish")(publish_command)
app.command("report")(report_command)
app.command("resume")(resume_command)
app.command()(compare)
app.command()(score)
app.command("status")(status_command)
app.command("sweep")(sweep_command)


def main() -> None:
    """Runs the command line; exits with one of `rig.errors.ExitCode`."""
    try:
        app()
    except RigError as error:
        Console(stderr=True, soft_wrap=True).print(f"rig: {inert(error)}", style="bold red", markup=False, highlight=False)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception:  # noqa: BLE001 - the last place where a bug can still become a sentence
        Console(stderr=True).print_exception()
        sys.stderr.write("rig: this is a bug; what was recorded is kept. Please report the lines above.\n")
        sys.exit(ExitCode.BUG)
