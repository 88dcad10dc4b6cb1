"""A whole sweep of a virtual iPhone whose services are reached through the real `pymobiledevice3`, with its cable out twice."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from faulty_album import PHOTOS, make_album
from faulty_lab import Director, Met, Session, Trouble, When, all_of, once, shelf

from drivers.ios.services import TOOL
from reports.model import Honesty
from rig.analysis import match_run
from rig.errors import ExitCode
from rig.honesty import honesty_of
from rig.records import Phase
from rig.run import open_run

PROGRAM = os.environ.get("PYMOBILEDEVICE3", "") or shutil.which(TOOL) or ""
pytestmark = [
    pytest.mark.skipif(not PROGRAM, reason="no pymobiledevice3 on the PATH, nor named by PYMOBILEDEVICE3"),
    pytest.mark.timeout(600),  # the command takes seconds to start, each time, and a busy host doubles them
]

PROTOCOL = """
schema_version = 1
name = "tool"
languages = ["zh"]
max_results = 8
[index]
mode = "fixed"
hours = 0.001
[query]
attempts = 2
reconnect_s = 60
[disk]
keep_free_bytes = 0
screen_bytes = 1
"""


@dataclass(frozen=True, slots=True)
class Story:
    """The sweep."""

    session: Session
    met: list[Met]
    honesty: Honesty


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    folder = tmp_path_factory.mktemp("tool")
    make_album(folder / "album", ["beach", "cats", "nothing"], PHOTOS[14:20])  # the tool takes a second a file, twice
    (folder / "tool.toml").write_text(PROTOCOL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{Path(PROGRAM).parent}{os.pathsep}{os.environ['PATH']}")
        patch.setenv("HOME", str(folder))  # where the tool keeps its pair records
        with shelf(folder, 1, ["ios"], {"services": TOOL}) as lab:
            (name,) = lab.names
            director = Director(lab.control, name, [Trouble("drop", {"seconds": 0.5}, When.WHILE_READ)], 2)
            cut = once("phase_begins", lambda: lab.control.fault(name, "push_cut"), Phase.IMPORT)
            session = lab.sweep(folder / "tool.toml", folder / "album", {name: all_of(cut, director)})
            run = open_run(lab.run)
            match_run(run)
            yield Story(session, director.met, honesty_of(run, "A", lab.control.shown(name)["searches"]))
            run.ledger.close()


def test_every_search_is_answered_though_the_cable_was_out_twice(story: Story) -> None:
    assert story.session.ended.exit_code is ExitCode.COMPLETE
    assert [met.reasons for met in story.met] == [["connection"]]


def test_what_was_recorded_is_what_was_shown(story: Story) -> None:
    assert (story.honesty.wrong, story.honesty.missed, story.honesty.twice) == (0, 0, 0)
    assert story.honesty.right > 0
