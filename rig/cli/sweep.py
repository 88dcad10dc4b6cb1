"""`rig sweep`, `rig resume`: a run is begun, and gone on with. The phones' state goes to stderr, the run folder to stdout."""

import contextlib
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from threading import Event as Flag
from typing import Annotated

import typer
from rich.console import Console

from drivers import open_driver
from drivers.interface import GalleryDriver, Identity
from rig.cli.plain import inert
from rig.clock import SystemClock
from rig.config import find_toml, load_lab
from rig.desk.calibrations import calibrations_file, gallery_of, why_uncalibrated
from rig.errors import ExitCode, Incomplete, InfrastructureDown, LockedByAnother, RigError
from rig.events import EventLog
from rig.help_desk import HelpDesk
from rig.host_locks import HostLocks, default_folder
from rig.letters import letters_for, meet_serial
from rig.model import Phone
from rig.phases.reset import ALL_VIRTUAL
from rig.phone_run import Setup
from rig.progress import Board, shown
from rig.records import PhoneRecord
from rig.run import Run, open_run, plan_run, profile_of
from rig.runner import Ended, sweep

SIGTERM_EXIT = 143
"""128 + 15, as shells report it."""

ConfirmErase = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help=f'A phone that may be erased; repeat, or separate by commas. "{ALL_VIRTUAL}": every virtual phone.'
    ),
]

Uncalibrated = Annotated[
    bool,
    typer.Option("--uncalibrated", help="Measure also phones whose profile was never tried on them; the report says so."),
]

Unattended = Annotated[
    bool,
    typer.Option(
        "--unattended", help="Ask nobody for help: a phone that needs a person to be reset is parked, or reset another way."
    ),
]


def sweep_command(
    protocol: Annotated[
        str, typer.Argument(metavar="PROTOCOL", help="A TOML file, or a name: photobench, nightly, smoke, demo.")
    ],
    *,
    lab: Annotated[Path, typer.Option(metavar="FILE", help="The lab file: which phones there are and how to reach them.")],
    album: Annotated[list[Path], typer.Option(metavar="DIR", help="An album folder; repeat for several.")],
    runs: Annotated[Path, typer.Option(metavar="DIR", help="Where run folders are made.")] = Path("runs"),
    confirm_erase: ConfirmErase = None,
    phones: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only these phones of the lab file.")] = None,
    uncalibrated: Uncalibrated = False,
    unattended: Unattended = False,
) -> None:
    """Measures every phone of the lab with every album, from reset to the last search."""
    locks = HostLocks(default_folder())
    try:
        run, earlier = begin(
            protocol=find_toml(protocol, "protocols"),
            lab=lab,
            albums=album,
            runs=runs,
            confirm_erase=split(confirm_erase),
            only=split(phones),
            locks=locks,
        )
        with closing(run.ledger):
            typer.echo(run.folder)
            conclude(run, conduct(run, locks, earlier, uncalibrated=uncalibrated, unattended=unattended))
    finally:
        locks.release()


def resume_command(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    confirm_erase: ConfirmErase = None,
    uncalibrated: Uncalibrated = False,
    unattended: Unattended = False,
) -> None:
    """Goes on with a run that was cut short, or asks again what has no answer."""
    locks = HostLocks(default_folder())
    run = open_run(folder)
    try:
        phones = run.ledger.phones()
        names = split(confirm_erase)
        refuse_unknown(names, [phone.name for phone in phones], "--confirm-erase")
        run.ledger.confirm_erase(tuple(dict.fromkeys((*run.record.confirm_erase, *names))))
        earlier = hold(locks, {phone.letter: (phone.platform, phone.address) for phone in phones})
        conclude(run, conduct(run, locks, earlier, uncalibrated=uncalibrated, unattended=unattended))
    finally:
        run.ledger.close()
        locks.release()


def begin(
    *,
    protocol: Path,
    lab: Path,
    albums: Sequence[Path],
    runs: Path,
    confirm_erase: Sequence[str],
    only: Sequence[str],
    locks: HostLocks,
) -> tuple[Run, Mapping[str, Path]]:
    """A new run, its phones held; and by letter the run that held each phone last. Raises RigError."""
    there = load_lab(lab)
    names = [phone.name for phone in there]
    refuse_unknown(only, names, "--phones")
    refuse_unknown(confirm_erase, names, "--confirm-erase")
    chosen = [phone for phone in there if not only or phone.name in only]
    refuse_unconfirmed(chosen, confirm_erase)
    letter_of = letters_for(names, letter_file(runs))
    letters = {letter_of[phone.name]: phone for phone in chosen}
    earlier = hold(locks, {letter: (phone.platform, phone.address) for letter, phone in letters.items()})
    run = plan_run(
        runs=runs,
        protocol_file=protocol,
        letters=letters,
        album_folders=albums,
        confirm_erase=confirm_erase,
        now=datetime.now(UTC),
    )
    return run, earlier


def hold(locks: HostLocks, addresses: Mapping[str, tuple[str, str]]) -> dict[str, Path]:
    """The phones are held on this host; returns by letter the run that held each last. Raises LockedByAnother."""
    taken = {letter: locks.take(f"Phone {letter}", "/".join(address)) for letter, address in addresses.items()}
    return {letter: run for letter, run in taken.items() if run is not None}


def conduct(
    run: Run,
    locks: HostLocks,
    earlier: Mapping[str, Path],
    console: Console | None = None,
    *,
    uncalibrated: bool = False,
    unattended: bool = False,
) -> Ended:
    """Sweeps with the board on `console` (stderr). The first Ctrl-C or SIGTERM drains, the second ends at once."""
    locks.note(run.folder.resolve())
    board = Board()
    console = console or Console(stderr=True)
    emit, clock = EventLog(run.folder / "events.jsonl"), SystemClock()
    help_desk = None if unattended or not run.protocol.reset.operator else HelpDesk(board, emit, clock)
    setup = Setup(
        run,
        open_driver=partial(open_phone, run, help_desk),
        locks=locks,
        emit=emit,
        board=board,
        clock=clock,
        help_desk=help_desk,
        meet_serial=partial(meet_serial, file=letter_file(run.folder.parent)),
        earlier_runs=earlier,
        why_uncalibrated=partial(not_calibrated, run),
        allow_uncalibrated=uncalibrated,
    )
    with shown(board, console, setup.clock.elapsed_s) as draw, stopped_by_signals(setup.stop, console) as came:
        ended = sweep(setup, draw)
    if ended.stopped and came:
        console.print(f"rig: stopped; go on with: rig resume {run.folder}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(SIGTERM_EXIT if came[0] == signal.SIGTERM else 130)
    return ended


def open_phone(run: Run, help_desk: HelpDesk | None, phone: PhoneRecord) -> GalleryDriver:
    """The phone's driver, with its profile as it was when the run began."""
    operator = None if help_desk is None else help_desk.operator(phone)
    return open_driver(phone.platform, phone.address, profile_of(run, phone), phone.options, operator=operator)


def not_calibrated(run: Run, phone: PhoneRecord, identity: Identity) -> str:
    """Why the profile that the run began with cannot be trusted on this phone; "" when it was calibrated for it."""
    return why_uncalibrated(gallery_of(phone.platform, identity), profile_of(run, phone), calibrations_file())


def conclude(run: Run, ended: Ended) -> None:
    """Says on stdout how many searches were answered, and raises what the exit code stands for."""
    for trial in ended.coverage:
        typer.echo(f"Phone {trial.letter} · {trial.album} · {trial.answered}/{trial.planned} answered")
    causes = [phone.cause for phone in ended.phones if phone.parked is not None]
    missing = sum(trial.planned - trial.answered for trial in ended.coverage)
    # Phones that went away together have one cause, which is said once.
    sentence = (
        "; ".join(dict.fromkeys(causes)) or f"{missing} searches have no answer; ask them again with: rig resume {run.folder}"
    )
    match ended.exit_code:
        case ExitCode.COMPLETE:
            return
        case ExitCode.LOCKED:
            raise LockedByAnother(sentence)
        case ExitCode.INFRASTRUCTURE:
            raise InfrastructureDown(sentence)
        case ExitCode.PARTIAL:
            raise Incomplete(sentence)
        case code:
            Console(stderr=True).print(
                f"rig: {inert(sentence)}; see events.jsonl", markup=False, highlight=False, soft_wrap=True
            )
            raise typer.Exit(code)


def letter_file(runs: Path) -> Path:
    """The letter map beside the runs."""
    return runs.resolve().parent / "private" / "letters.json"


def split(given: Sequence[str] | None) -> tuple[str, ...]:
    """`a,b c` given as options, as names."""
    return tuple(name.strip() for text in given or () for name in text.split(",") if name.strip())


def refuse_unknown(given: Sequence[str], known: Sequence[str], option: str) -> None:
    """Raises RigError for a name that no phone has, with the nearest one that does."""
    for name in given:
        if name not in known and name != ALL_VIRTUAL:
            near = get_close_matches(name, known, n=1)
            hint = f'; did you mean "{near[0]}"?' if near else "; there are: " + ", ".join(known)
            raise RigError(f'{option}: no phone is called "{name}"{hint}')


def refuse_unconfirmed(phones: Sequence[Phone], confirmed: Sequence[str]) -> None:
    """Raises RigError naming the phones that would be erased without leave."""
    unnamed = [phone.name for phone in phones if phone.name not in confirmed]
    if unnamed and ALL_VIRTUAL not in confirmed:
        raise RigError(
            f"a sweep erases its phones, and these were not confirmed: {', '.join(unnamed)}; "
            f"leave them out with --phones, or, if they may be erased, add: "
            f"{' '.join(f'--confirm-erase {name}' for name in unnamed)}"
        )


@contextlib.contextmanager
def stopped_by_signals(stop: Flag, console: Console) -> Iterator[list[int]]:
    """While the block runs, the first SIGINT or SIGTERM sets `stop`, the second ends the process. Yields those that came."""
    came: list[int] = []

    def handle(number: int, _frame: object) -> None:
        came.append(number)
        stop.set()
        if len(came) > 1:
            os._exit(SIGTERM_EXIT if number == signal.SIGTERM else 130)
        console.print("rig: finishing the searches under way; once more to stop at once", markup=False, highlight=False)

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, old in before.items():
            signal.signal(number, old)
