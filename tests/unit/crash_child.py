"""A rig that is killed: run as a program by test_runner_crash.py, with no thread of its own when it forks.

python crash_child.py FOLDER  →  JSON on stdout: rows of an undisturbed run, and of a run killed at each commit and gone on with
"""

import gc
import json
import os
import shutil
import signal
import sys
from pathlib import Path

from engine_lab import PROTOCOL, FakeDriver, FakeLab, FakePhone, ask, draw_album, draw_screen, invalid

import rig.phases.opening
from drivers.interface import Box, Screen
from matching.model import Match, Verdict
from rig.analysis import index_albums
from rig.run import Run, final_tries, latest_attempt, open_run
from rig.runner import sweep
from rig.store import Ledger

RESULTS = {"find q0": [f"p{number}" for number in range(14)], "beach": ["p1", "p2"]}
ADAPTIVE = PROTOCOL.replace(
    'mode = "fixed"\nhours = 0',
    'mode = "adaptive"\nfloor_s = 1\nspacing_s = 1\ncap_s = 99\nprobes = ["beach probe"]\nstable_rounds = 2',
)
OPENING = ADAPTIVE + "[match]\nescalate = true\nescalations_per_search = 2\n"


class OpeningPhone(FakePhone):
    """Shows a result in full, too."""

    def open(self) -> FakeDriver:
        return OpeningDriver(super().open().phone)


class OpeningDriver(FakeDriver):
    def open_result(self, box: Box) -> Screen:
        return draw_screen([f"p{box[0]}"], 0)


def lab(folder: Path) -> FakeLab:
    """The same lab each time: two queries share a text, one search fails once, the wait is adaptive, results are opened."""
    results = {**RESULTS, "beach probe": ["p3"]}
    phone = OpeningPhone(folder / "phone", results=results, script={"find q0": [invalid()]})
    album = folder / "album"
    if not album.exists():
        draw_album(album, queries=[ask("q0", relevant=["p00.png"]), ask("q4", "beach"), ask("q8", "beach")])
    return FakeLab(folder, {"A": phone}, protocol=OPENING, album=album)


def rows(run: Run) -> list[object]:
    """What counts of a run: every search that has an ending, with what it shows."""
    (trial,) = run.ledger.trials()
    attempt = latest_attempt(run, trial)
    found = []
    for key, search in sorted(final_tries(run.ledger.searches(attempt.id)).items()):
        reading = run.ledger.reading(search.id)
        seen = [position.label for position in reading.positions] if reading else None
        files = [(run.folder / screen.path).is_file() for screen in run.ledger.screens(search.id)]
        views = [[view.screen, view.box, (run.folder / str(view.path)).is_file()] for view in run.ledger.opened(search.id)]
        found.append([key.query, key.language, key.repeat, search.outcome, search.reason, search.ending, seen, files, views])
    return [found, run.ledger.owed_settings("A"), len(run.ledger.probe_rounds(attempt.id))]


def kill_at(commit: int, after: bool) -> None:
    """The process dies just before or just after its nth commit."""
    real = Ledger._commit
    counted = iter(range(1, 10**9))

    def counting(ledger: Ledger) -> None:
        now = next(counted) == commit
        if now and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        real(ledger)
        if now and after:
            os.kill(os.getpid(), signal.SIGKILL)

    Ledger._commit = counting


def in_child(work: object) -> int:
    """Runs `work` in a forked process; its signal, or 0 when it came to its end."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def swept(folder: Path) -> None:
    run = open_run(folder / "run")
    sweep(lab(folder).setup(run))
    run.ledger.close()


def outcome(plan: Path, folder: Path, commit: int = 0, *, after: bool = False) -> tuple[bool, list[object]]:
    """(was it killed, rows after going on), of a copy of a planned run and its phone."""
    shutil.copytree(plan, folder)

    def first() -> None:
        if commit:
            kill_at(commit, after)
        swept(folder)

    killed = in_child(first) == -signal.SIGKILL
    if killed:
        in_child(lambda: swept(folder))
    run = open_run(folder / "run")
    try:
        return killed, rows(run)
    finally:
        run.ledger.close()


def hurry() -> None:
    """What a killed process wrote is safe with the system: only a power cut needs the slow way to the disk."""
    real = Ledger._open

    def quick(ledger: Ledger, create: bool) -> None:
        ledger._connection.execute("PRAGMA synchronous = OFF")
        real(ledger, create)
        ledger._connection.execute("PRAGMA synchronous = OFF")

    Ledger._open = quick
    os.fsync = lambda _file: None


def leave_open() -> None:
    """No thumbnail is told by itself, whatever the photos."""
    undecided = Match(Verdict.AMBIGUOUS, None, ("p00.png", "p01.png"))
    rig.phases.opening.match_grid = lambda _index, crops, **_options: (undecided,) * len(crops)


def main(folder: Path) -> None:
    hurry()
    leave_open()
    plan = folder / "plan"
    run = lab(plan).plan()
    index_albums(run, workers=1)  # found by every run as it is
    run.ledger.close()
    run.folder.rename(plan / "run")
    told: dict[str, object] = {"undisturbed": outcome(plan, folder / "whole")[1], "killed": []}
    commit, killed = 0, True
    gc.freeze()
    while killed:
        commit += 1
        # Just before a commit is just after the one before, but for what lies between: files, and calls to the phone.
        for after in (False, True):
            killed, found = outcome(plan, folder / f"{commit}-{after}", commit, after=after)
            if killed:
                told["killed"].append([commit, after, found])
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
