"""`rig status RUN`: how far a run has come, read from its ledger only; works while the run is under way."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from rig.cli.plain import AsJson, cell, print_json
from rig.disk import Lock
from rig.records import Phase, PhoneRecord
from rig.run import Run, coverage, latest_attempt, open_run


def status_command(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    as_json: AsJson = False,
) -> None:
    """Shows how far a run has come."""
    run = open_run(folder)
    with closing(run.ledger):
        told = status(run)
    if as_json:
        print_json(told)
        return
    console = Console()
    console.print(f"{told['run']} · {'under way' if told['under_way'] else 'not running'}", markup=False, highlight=False)
    console.print(_table(told))


def status(run: Run) -> dict[str, object]:
    """The same as plain data, for `--json`."""
    phones = {phone.letter: phone for phone in run.ledger.phones()}
    covered = {(trial.letter, trial.album): trial for trial in coverage(run)}
    trials = []
    for trial in run.ledger.trials():
        attempt = latest_attempt(run, trial)
        phases = attempt.phases if attempt else {}
        latest = next((phases[phase] for phase in reversed(Phase) if phase in phases), None)
        counted = covered[trial.letter, trial.album]
        trials.append(
            {
                "letter": trial.letter,
                "album": trial.album,
                "attempt": attempt.number if attempt else 0,
                "phase": latest.phase if latest else None,
                "status": latest.status if latest else None,
                "detail": latest.detail if latest else "",
                "due_at": latest.due_at.isoformat() if latest and latest.due_at else None,
                "planned": counted.planned,
                "answered": counted.answered,
                "first_try_answered": counted.first_try_answered,
                "invalid": counted.invalid,
                "not_run": counted.not_run,
                "retries": counted.retries,
                **_parked(phones[trial.letter]),
            }
        )
    return {
        "schema_version": 1,
        "run": run.record.id,
        "protocol": run.protocol.name,
        "under_way": Lock(run.folder / "run.lock", "run").held(),
        "complete": all(trial.complete for trial in covered.values()),
        "trials": trials,
    }


def _parked(phone: PhoneRecord) -> dict[str, object]:
    return {"parked": phone.parked, "cause": phone.cause}


def _table(told: dict[str, object]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("phone", "album", "attempt", "phase", "status", "answered", "invalid", "not run", "retries", "parked"):
        table.add_column(title, overflow="fold")
    trials = told["trials"]
    for trial in trials if isinstance(trials, list) else []:
        shown = (
            trial["letter"],
            trial["album"],
            trial["attempt"],
            trial["phase"] or "—",
            trial["status"] or "—",
            f"{trial['answered']}/{trial['planned']}",
            sum(trial["invalid"].values()),
            trial["not_run"],
            sum(trial["retries"].values()),
            trial["cause"] or "—",
        )
        table.add_row(*map(cell, shown))
    return table
