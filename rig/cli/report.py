"""`rig report RUN`: the Phone A–F table on stdout, and a page with every search. Needs no phone."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from reports.model import Honesty, Report
from reports.page import write_page
from reports.table import honesty_table, phone_table
from rig.cli.plain import wide_console
from rig.run import Run, open_run
from rig.run_report import build_report


def report_command(folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder that was matched.")]) -> None:
    """Prints the table of a run and writes its page, report/index.html."""
    write_report(open_run(folder))


def write_report(run: Run, honesty: Sequence[Honesty] = ()) -> Report:
    """The run's page is written, its tables are on stdout, where the page lies is on stderr."""
    folder = run.folder / "report"
    folder.mkdir(mode=0o700, exist_ok=True)
    report = build_report(run, folder, honesty=honesty)
    page = write_page(report, folder)
    console = wide_console()
    for section in report.sections:
        console.print(phone_table(section))
    if report.honesty:
        console.print(honesty_table(report.honesty))
    Console(stderr=True, soft_wrap=True).print(f"page: {page}", markup=False, highlight=False)
    return report
