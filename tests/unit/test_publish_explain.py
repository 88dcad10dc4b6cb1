"""From a number back to what was seen."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from made_runs import ask, make_album, make_run
from typer.testing import CliRunner

from rig.cli import app
from rig.errors import RigError
from rig.model import Language, Query, Verdict
from rig.records import Placed

QUERIES = [ask(0, ["p0.png", "p4.png"]), ask(1), ask(2, ["p1.png"])]


def shows(_letter: str, query: Query, _language: Language) -> Sequence[str | Placed] | str:
    if query.id == "q0":
        undecided = Placed(1, Verdict.AMBIGUOUS, None, ("p2.png", "p4.png"), {"inliers": 9.0}, 0, (40, 0, 80, 40))
        return ["p0.png", undecided, "p9.png"]
    return [] if query.id == "q1" else "dialog"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lab = tmp_path_factory.mktemp("lab")
    made = make_run(lab, make_album(lab / "album", QUERIES, drawn=True), "A", shows, drawn=True)
    made.ledger.close()
    return made.folder


def rig(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


def test_a_search_is_traced_from_its_query_to_its_crops(run: Path) -> None:
    document = json.loads(rig("explain", run, "A", "q0", "--json"))
    assert document["query"]["text"] == "海边 0"
    assert [(p["photo"], p["relevant"]) for p in document["positions"]] == [("p0.png", True), (None, None), ("p9.png", False)]
    assert all(Path(p["crop"]).is_file() for p in document["positions"])
    assert all(Path(screen).is_file() for screen in document["screens"])
    assert document["not_returned"] == []  # p4 may be the second


def test_the_scores_show_what_is_open(run: Path) -> None:
    # one of three is right for sure, two of three at best; two are relevant
    assert "P 33.3 [33.3–66.7] · R 50.0 [50.0–100.0]" in rig("explain", run, "A", "q0")


def test_a_query_is_named_by_its_whole_text_too(run: Path) -> None:
    assert "rejected, rightly" in rig("explain", run, "A", "海边 1")


def test_a_stranger_is_counted_as_wrong(tmp_path: Path) -> None:
    stranger = Placed(0, Verdict.STRANGER, None, (), {}, 0, (0, 0, 40, 40))
    made = make_run(tmp_path, make_album(tmp_path / "album", QUERIES), "A", lambda *_: [stranger])
    made.ledger.close()
    document = json.loads(rig("explain", made.folder, "A", "q2", "--json"))
    assert [(p["photo"], p["relevant"], p["crop"]) for p in document["positions"]] == [(None, False, None)]


def test_an_invalid_search_says_why_and_has_no_score(run: Path) -> None:
    shown = rig("explain", run, "A", "q2")
    assert "try 1: invalid: dialog, as the test wants it" in shown
    assert "no score: dialog" in shown
    assert "relevant, not returned: p1.png" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("B", "q0"), "has no phone B; there are: A"),
        (("A", "q9"), 'has no query "q9"'),
        (("A", "q0", "--language", "en"), "was not asked in en"),
    ],
)
def test_what_is_not_there_is_told(run: Path, words: Sequence[str], message: str) -> None:
    with pytest.raises(RigError, match=message):
        rig("explain", run, *words)
