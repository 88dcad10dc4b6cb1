"""`rig doctor`: whether this desk is ready for a sweep. Reads only; each thing that is not right comes with the next step."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from drivers.discovery import attached_phones
from rig.cli.plain import AsJson, cell, print_json, wide_console
from rig.config import load_lab
from rig.desk.checks import Check, Level, checks_told, exit_code
from rig.desk.host import check_host
from rig.desk.leftovers import check_leftovers
from rig.desk.phones import check_attached, check_lab, meet_lab
from rig.errors import ExitCode
from rig.model import Phone

_STYLES = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "bold red"}


def doctor_command(
    lab: Annotated[Path | None, typer.Option(metavar="FILE", help="Also ask the phones of this lab file.")] = None,
    runs: Annotated[Path, typer.Option(metavar="DIR", help="Where run folders are.")] = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """Checks host, tools and phones; changes nothing. Exit 4: a phone of the lab cannot be used; 2: something else fails."""
    checks = examine(load_lab(lab) if lab else (), runs)
    if as_json:
        print_json(checks_told(checks))
    else:
        wide_console().print(_table(checks))
    if exit_code(checks) is not ExitCode.COMPLETE:
        raise typer.Exit(exit_code(checks))


def examine(phones: tuple[Phone, ...], runs: Path) -> tuple[Check, ...]:
    """Every check, host first. Raises RigError for a lab's profile that cannot be read."""
    hdc = next((phone.options["hdc"] for phone in phones if "hdc" in phone.options), "")
    host = tuple(check_host(runs, {phone.platform for phone in phones}, hdc))
    # The lab's phones first: meeting them starts the rig's adb server, which then lists them.
    lab = tuple(check_lab(meet_lab(phones)))
    attached = tuple(check_attached(attached_phones(), phones))
    return (*host, *lab, *attached, *check_leftovers(runs))


def _table(checks: tuple[Check, ...]) -> Table:
    table = Table("", "check", "found", "next step", box=None, pad_edge=False)
    for check in checks:
        fix = check.fix if check.status is not Level.OK else ""
        table.add_row(cell(check.status, _STYLES[check.status]), cell(check.id), cell(check.evidence), cell(fix))
    return table
