"""The whole job over the wire, as a newcomer sees it: `rig demo`, with fewer phones and queries."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from drivers.android.server import AdbServer, end_server, find_adb

PROTOCOL = """
schema_version = 1
name = "small"
languages = ["zh", "en"]
queries = 6
[index]
mode = "adaptive"
floor_s = 4
spacing_s = 1
album_probes = 1
cap_s = 120
stable_rounds = 2
"""
LAB = """
name = "small"
[[phone]]
name = "one"
platform = "android"
skin = "oppo"
profile = "oppo"
seed = 3
[[phone]]
name = "two"
platform = "android"
skin = "vivo"
profile = "vivo"
seed = 4
"""


@pytest.fixture(scope="module")
def adb_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    yield port
    end_server(AdbServer(find_adb(), port))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, adb_port: int) -> tuple[subprocess.CompletedProcess[str], Path]:
    folder = tmp_path_factory.mktemp("demo")
    (folder / "small.toml").write_text(PROTOCOL)
    (folder / "lab.toml").write_text(LAB)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "rig",
            "demo",
            "--folder",
            str(folder / "demo"),
            "--photos",
            "40",
            "--protocol",
            str(folder / "small.toml"),
            "--lab",
            str(folder / "lab.toml"),
        ],
        env={**os.environ, "ANDROID_ADB_SERVER_PORT": str(adb_port), "XDG_STATE_HOME": str(folder / "state")},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    return done, folder / "demo"


@pytest.fixture(scope="module")
def report(demo: tuple[subprocess.CompletedProcess[str], Path]) -> Mapping[str, Any]:
    done, folder = demo
    assert done.returncode == 0, done.stderr
    found = list((folder / "runs").glob("*/report/report.json"))
    assert len(found) == 1
    return dict(json.loads(found[0].read_text("utf-8")))


def test_every_search_is_answered_in_both_languages(report: Mapping[str, Any]) -> None:
    assert [section["language"] for section in report["sections"]] == ["zh", "en"]
    for section in report["sections"]:
        assert len(section["rows"]) == 2
        for row in section["rows"]:
            assert (row["coverage"]["planned"], row["coverage"]["answered"]) == (6, 6)


def test_rows_are_marked_virtual_and_name_no_phone(report: Mapping[str, Any]) -> None:
    assert all(row["virtual"] for section in report["sections"] for row in section["rows"])
    told = json.dumps(report)
    assert "oppo" not in told
    assert "vivo" not in told


def test_what_was_shown_is_traced_and_nothing_wrongly(report: Mapping[str, Any]) -> None:
    honesty = {key: sum(row[key] for row in report["honesty"]) for key in ("shown", "right", "wrong", "missed", "twice")}
    assert honesty["shown"] > 20
    assert (honesty["wrong"], honesty["missed"], honesty["twice"]) == (0, 0, 0)
    assert honesty["right"] >= 0.95 * honesty["shown"]


def test_the_tables_are_on_stdout_and_the_progress_on_stderr(demo: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    done, _ = demo
    assert "Rej-F1" in done.stdout
    assert "Honesty" in done.stdout
    assert "drawing an album" in done.stderr


def test_every_picture_of_the_page_is_there(
    demo: tuple[subprocess.CompletedProcess[str], Path], report: Mapping[str, Any]
) -> None:
    folder = next((demo[1] / "runs").glob("*/report"))
    results = [result for card in report["searches"] for result in card["results"]]
    assert results
    assert all((folder / result["crop"]).is_file() for result in results)
    traced = [result["source"] for result in results if result["verdict"] == "matched"]
    assert traced
    assert all((folder / source).is_file() for source in traced)
