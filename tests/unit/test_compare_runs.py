"""Runs as sides of scores, comparisons and submissions."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from made_runs import Shows, ask, identity, make_album, make_run
from typer.testing import CliRunner

from rig.cli import app
from rig.errors import GateFailed, RigError
from rig.model import Language, Query
from rig.run_sides import Named, named_run

QUERIES = [ask(0, ["p0.png"]), ask(1, ["p1.png", "p2.png"]), ask(2, ["p3.png"]), ask(3)]


def right(_letter: str, query: Query, _language: Language) -> Sequence[str]:
    return sorted(query.relevant)


def half_wrong(letter: str, query: Query, language: Language) -> Sequence[str]:
    return ["p9.png"] if query.id in ("q0", "q3") else right(letter, query, language)


@pytest.fixture(scope="module")
def album(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_album(tmp_path_factory.mktemp("lab") / "album", QUERIES, drawn=True)


def run_of(home: Path, album: Path, shows: Shows, *, letters: str = "AB", **changes: object) -> Path:
    run = make_run(home, album, letters, shows, drawn=True, **changes)  # type: ignore[arg-type]
    run.ledger.close()
    return run.folder


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory, album: Path) -> Path:
    return run_of(tmp_path_factory.mktemp("old"), album, half_wrong)


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory, album: Path) -> Path:
    return run_of(tmp_path_factory.mktemp("new"), album, right)


def rig(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


@pytest.mark.parametrize(
    ("words", "letter", "language"),
    [("", None, None), (":B", "B", None), (":B:zh", "B", Language.ZH), (":en", None, Language.EN), ("::en", None, Language.EN)],
)
def test_a_run_is_named_with_its_phone_and_language(old: Path, words: str, letter: str, language: Language) -> None:
    assert named_run(f"{old}{words}") == Named(old, letter, language)


def test_a_file_is_not_a_run_and_a_language_must_exist(old: Path, tmp_path: Path) -> None:
    assert named_run(str(tmp_path / "predictions.json")) is None
    with pytest.raises(RigError, match="expected RUN, RUN:B or RUN:B:zh"):
        named_run(f"{old}:B:fr")


def test_a_run_is_scored_with_its_own_queries(new: Path) -> None:
    document = json.loads(rig("score", new, "--json"))
    assert [system["system"] for system in document["systems"]] == ["Phone A", "Phone B"]
    assert document["systems"][0]["headline"]["f1"] == 1.0
    assert document["query_set"]["queries"] == 4


def test_two_runs_are_compared_phone_by_phone(old: Path, new: Path) -> None:
    document = json.loads(rig("compare", old, new, "--json"))
    assert [pair["old"]["system"][:7] for pair in document["pairs"]] == ["Phone A", "Phone B"]
    f1 = document["pairs"][0]["metrics"]["f1"]
    # old: 0, 1, 1; new: 1, 1, 1
    assert (f1["old"], f1["new"], f1["wins"]) == (pytest.approx(2 / 3), 1.0, 1)
    assert document["rules"]["family_size"] == 4  # two metrics of two phones
    assert document["pairs"][0]["old"]["stamps"]["metric version"] == document["metric_version"]


def test_a_phone_named_on_one_side_is_compared_with_itself(old: Path, new: Path) -> None:
    document = json.loads(rig("compare", f"{old}:B", new, "--json"))
    assert [pair["new"]["system"][:7] for pair in document["pairs"]] == ["Phone B"]


def test_two_phones_of_one_run_are_compared(new: Path) -> None:
    (pair,) = json.loads(rig("compare", f"{new}:A", f"{new}:B:zh", "--json"))["pairs"]
    assert (pair["old"]["system"], pair["new"]["system"]) == ("Phone A", "Phone B")


def test_a_phone_is_compared_with_a_prediction_file_over_the_runs_queries(new: Path, tmp_path: Path) -> None:
    file = tmp_path / "agent.json"
    file.write_text(json.dumps({"q0": ["p0.png"], "q1": ["p9.png"], "q2": ["p3.png"], "q3": []}))
    (pair,) = json.loads(rig("compare", f"{new}:A", file, "--language", "zh", "--json"))["pairs"]
    assert (pair["old"]["system"], pair["new"]["system"]) == ("Phone A", "agent")
    assert pair["metrics"]["f1"]["new"] == pytest.approx(2 / 3)


def test_prediction_files_alone_need_the_queries(tmp_path: Path) -> None:
    with pytest.raises(RigError, match="give it with --queries FILE"):
        rig("score", tmp_path / "agent.json")


def test_the_page_shows_no_crop_where_the_screens_are_gone(old: Path, new: Path, tmp_path: Path) -> None:
    gone = Path(shutil.copytree(old, tmp_path / "gone"))
    shutil.rmtree(gone / "phones")
    rig("compare", f"{gone}:A", new, "--page", tmp_path / "page")
    assert (tmp_path / "page" / "index.html").read_text().count('class="blank"') == 2  # p9 of two queries


def test_a_gate_on_runs_fails_the_command(old: Path, new: Path) -> None:
    with pytest.raises(GateFailed, match="f1>=-1"):
        rig("compare", new, old, "--gate", "f1>=-1")


def test_the_noise_floor_is_that_of_each_phone(old: Path, new: Path) -> None:
    document = json.loads(rig("compare", old, new, "--aa", new, new, "--json"))
    assert all(pair["metrics"]["f1"]["noise_floor"] == 0.0 for pair in document["pairs"])
    assert [side["system"] for side in document["rules"]["noise_floor"]] == ["Phone A"] * 2 + ["Phone B"] * 2


def test_runs_over_other_questions_are_refused(old: Path, tmp_path: Path) -> None:
    other = make_album(tmp_path / "album", [ask(0, ["p0.png"]), *QUERIES[2:]], drawn=True)
    run = run_of(tmp_path, other, right)
    with pytest.raises(RigError, match="the ground truth differs"):
        rig("compare", old, run)


def test_runs_over_other_photos_are_refused(old: Path, tmp_path: Path) -> None:
    other = make_album(tmp_path / "album", QUERIES, photos=9, drawn=True)
    with pytest.raises(RigError, match="the album album differs"):
        rig("compare", old, run_of(tmp_path, other, right))


def test_matching_versions_are_compared_only_when_that_is_said(old: Path, album: Path, tmp_path: Path) -> None:
    other = run_of(tmp_path, album, right, eyes="eyes-2")
    with pytest.raises(RigError, match=r"the matching version differs.*--across-eyes"):
        rig("compare", old, other)
    assert json.loads(rig("compare", old, other, "--across-eyes", "--json"))["pairs"]


def test_an_unmatched_run_is_refused_with_what_to_do(album: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path, album, "A", right)
    run.ledger._do("forget_match", 1)
    run.ledger.close()
    with pytest.raises(RigError, match="is not matched yet; run: rig match"):
        rig("score", run.folder)


def test_languages_of_a_run_are_never_mixed(album: Path, tmp_path: Path) -> None:
    run = run_of(tmp_path, album, right, languages=("zh", "en"))
    with pytest.raises(RigError, match="score each language by itself"):
        rig("score", run)
    assert len(json.loads(rig("score", run, "--language", "en", "--json"))["systems"]) == 2


def test_the_page_shows_old_and_new_crops_of_what_changed(old: Path, new: Path, tmp_path: Path) -> None:
    rig("compare", f"{old}:A", new, "--page", tmp_path / "page")
    page = (tmp_path / "page" / "index.html").read_text()
    assert "海边 0" in page
    assert "海边 1" not in page  # answered alike
    assert page.count('<figure class="changed no">') == 2  # p9 for q0, and for q3, which nothing answers
    pictures = [line.split('"')[0] for line in page.split('src="')[1:]]
    assert len(pictures) == 3  # those two, and p0 of the new side
    assert all((tmp_path / "page" / picture).is_file() for picture in pictures)


def test_a_submission_is_written_from_one_phone_of_a_run(new: Path, tmp_path: Path) -> None:
    out = tmp_path / "submission.json"
    assert "4 of 4 queries" in rig("export", "submission", f"{new}:A:zh", out, "--form", "old")
    assert json.loads(out.read_text())["language"] == "cn"
    with pytest.raises(RigError, match="name one, as in RUN:A:zh"):
        rig("export", "submission", new, out)


def test_virtual_phones_are_known_as_such(album: Path, tmp_path: Path) -> None:
    from rig.run_sides import open_sides

    run = run_of(tmp_path, album, right, letters="A", who=lambda letter: identity(letter, virtual=True))
    assert open_sides(Named(run))[0].virtual
