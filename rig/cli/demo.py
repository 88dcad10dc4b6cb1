"""`rig demo`: the whole job on six virtual phones, from an album drawn by program to the Phone A–F table and its page.

The phones are served by a lab in a process of its own and reached over the wire, as real ones are. Only when the run is
over is the lab's control socket asked what was truly shown, for the honesty line.
"""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from devices.virtual.control import Control, read_address
from rig.album.manifest import ALBUM_FILE
from rig.album.synth.make import synth_album
from rig.analysis import match_run
from rig.cli.report import print_tables, write_report
from rig.cli.sweep import begin, conclude, conduct
from rig.config import find_toml
from rig.errors import InfrastructureDown
from rig.honesty import honesty_of
from rig.host_locks import HostLocks, default_folder
from rig.phases.reset import ALL_VIRTUAL
from rig.run import Run

SEED = 7
LAB_READY_S = 60.0
"""Six Python processes start on two busy cores; they take about five seconds on an idle machine."""


def demo_command(
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where the demo's album, lab and runs lie.")] = Path("runs/demo"),
    lab: Annotated[str, typer.Option(help="A lab's TOML file, or the name of one that comes with the rig.")] = "demo",
    protocol: Annotated[str, typer.Option(help="A protocol's TOML file, or the name of one that comes with the rig.")] = "demo",
    photos: Annotated[int, typer.Option(min=20, help="How many photos the album has.")] = 120,
) -> None:
    """Shows the whole job on six virtual phones."""
    console = Console(stderr=True, soft_wrap=True)
    began = time.monotonic()

    def say(text: str) -> None:
        console.print(f"[{time.monotonic() - began:5.1f} s] {text}", markup=False, highlight=False)

    say(f"drawing an album of {photos} photos")
    album = demo_album(folder / f"album-{photos}-{SEED}", photos)
    say("starting the virtual phones")
    locks = HostLocks(default_folder())
    try:
        with lab_up(lab, folder / "lab") as (lab_file, control):
            say("sweeping: reset, import, index, search")
            run, earlier = begin(
                protocol=find_toml(protocol, "protocols"),
                lab=lab_file,
                albums=(album,),
                runs=folder / "runs",
                confirm_erase=(ALL_VIRTUAL,),
                only=(),
                locks=locks,
            )
            ended = conduct(run, locks, earlier, console, unattended=True)
            say("tracing every thumbnail to its photo")
            match_run(run)
            say("scoring")
            honesty = tuple(honesty_of(run, letter, truth) for letter, truth in truths(run, control))
            print_tables(write_report(run, honesty))
    finally:
        locks.release()
    say("done")
    conclude(run, ended)


def demo_album(folder: Path, photos: int) -> Path:
    """The demo's album, drawn at the first use."""
    if not (folder / ALBUM_FILE).is_file():
        synth_album(folder, photos=photos, seed=SEED)
    return folder


@contextlib.contextmanager
def lab_up(lab: str, state: Path) -> Iterator[tuple[Path, Control]]:
    """(lab file, control socket) of a lab served while the block runs. Raises InfrastructureDown when it does not start."""
    command = [sys.executable, "-m", "rig", "lab", "up", "--lab", lab, "--state", str(state), "--attached", "--json"]
    # It ends when its standard input does, so it cannot outlive this process, however this process ends.
    # A session of its own: Ctrl-C at the terminal is for the sweep, which finishes its searches on phones that are still there.
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True) as served:
        try:
            line = served.stdout.readline() if served.stdout else ""
            if not line:
                raise InfrastructureDown(f"the virtual lab {lab} did not come up; try by hand: rig lab up --lab {lab}")
            told = json.loads(line)
            yield Path(told["lab"]), Control(read_address(Path(told["control"])))
        finally:
            if served.stdin:
                served.stdin.close()
            served.wait(LAB_READY_S)


def truths(run: Run, control: Control) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """By letter: what each phone of the run says it has truly shown."""
    for phone in run.ledger.phones():
        yield phone.letter, control.shown(phone.name)["searches"]
