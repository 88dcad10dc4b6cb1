"""`rig report RUN`: the Phone A–F table on stdout, and a page with every search. Needs no phone."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from reports.model import Honesty, Report
from reports.page import write_page
from reports.table import honesty_table, phone_table
from rig.cli.plain import AsJson, print_json, wide_console
from rig.run import Run, open_run
from rig.run_report import build_report


def report_command(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder that was matched.")],
    as_json: AsJson = False,
) -> None:
    """Prints the table of a run and writes its page, report/index.html."""
    run = open_run(folder)
    report = write_report(run)
    if as_json:
        print_json(asdict(report))
    else:
        print_tables(report)


def write_report(run: Run, honesty: Sequence[Honesty] = ()) -> Report:
    """The run's page and report.json are written into its report folder; where the page lies is on stderr."""
    folder = run.folder / "report"
    folder.mkdir(mode=0o700, exist_ok=True)
    report = build_report(run, folder, honesty=honesty)
    page = write_page(report, folder)
    (folder / "report.json").write_text(json.dumps(asdict(report), ensure_ascii=False, indent=1), encoding="utf-8")
    Console(stderr=True, soft_wrap=True).print(f"page: {page}", markup=False, highlight=False)
    return report


def print_tables(report: Report) -> None:
    """The Phone A–F table of each language, and the honesty table of virtual phones, on stdout."""
    console = wide_console()
    for section in report.sections:
        console.print(phone_table(section))
    if report.honesty:
        console.print(honesty_table(report.honesty))
