"""What earlier runs still owe phones: settings that a run cut short has not put back."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from rig.desk.checks import Check, Level
from rig.disk import Lock
from rig.errors import RigError
from rig.run import LEDGER
from rig.store import Ledger


def check_leftovers(runs: Path) -> Iterator[Check]:
    """One check a phone that is owed settings, or one that none is. Runs that are under way owe nothing yet."""
    found = [check for folder in _run_folders(runs) for check in _owed(folder)]
    yield from found
    if not found:
        yield Check("leftovers", Level.OK, f"no run in {runs} owes a phone its settings")


def _run_folders(runs: Path) -> list[Path]:
    folders = [ledger.parent for ledger in sorted(runs.glob(f"*/{LEDGER}"))] if runs.is_dir() else []
    return [folder for folder in folders if not Lock(folder / "run.lock", "run").held()]


def _owed(folder: Path) -> Iterator[Check]:
    try:
        with closing(Ledger(folder / LEDGER)) as ledger:
            owed = [(phone, ledger.owed_settings(phone.letter)) for phone in ledger.phones()]
    except RigError as error:
        yield Check(f"leftovers.{folder.name}", Level.WARN, str(error), "use the rig that made this run")
        return
    for phone, settings in owed:
        if settings:
            told = f'{folder}: phone {phone.letter} ("{phone.name}") is owed {len(settings)} settings: {", ".join(settings)}'
            fix = f"connect it; the next sweep of it puts them back, or: rig resume {folder}"
            yield Check(f"leftovers.{folder.name}.{phone.letter}", Level.WARN, told, fix)
