"""kill -9 at any moment, then resume, gives exactly the rows of an undisturbed run."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def test_a_kill_at_any_commit_changes_no_row(tmp_path: Path) -> None:
    paths = os.pathsep.join([str(HERE), str(HERE.parents[1])])
    told = subprocess.run(
        [sys.executable, HERE / "crash_child.py", tmp_path],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    (searches, owed, rounds) = found["undisturbed"]
    assert [(row[0], row[3]) for row in searches] == [("q0", "answered"), ("q4", "answered"), ("q8", "answered")]
    # Of the one query with a right answer, the first two results were opened, each with its file.
    assert [row[8] for row in searches] == [[[0, [0, 0, 8, 8], True], [0, [8, 0, 16, 8], True]], [], []]
    assert (owed, rounds) == ({}, 2)
    assert len(found["killed"]) > 40
    different = [(commit, after, rows) for commit, after, rows in found["killed"] if rows[:2] != found["undisturbed"][:2]]
    assert different == []
