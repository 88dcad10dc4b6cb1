"""rig score, rig compare and rig export submission, as scripts and people meet them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from rig.cli import app
from rig.errors import GateFailed, RigError

TYPES = ("V", "M", "F", "VM", "VF", "MF", "VMF")


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    """Queries of all types in two albums, each with relevant photos a.jpg and b.jpg; one zero-ground-truth each."""
    rows = [
        {
            "id": f"{album}-{kind}",
            "album": album,
            "text": {"zh": f"问{kind}", "en": f"ask {kind} {album}"},
            "source_type": kind,
            "relevant": ["a.jpg", "b.jpg"],
            "dimensions": {"Time": "fact"},
        }
        for album in ("album1", "album2")
        for kind in TYPES
    ]
    nothing = [rows[i] | {"id": f"album{i // 7 + 1}-none", "relevant": [], "text": {"en": f"none {i}"}} for i in (0, 7)]
    file = tmp_path / "queries.json"
    file.write_text(json.dumps({"schema_version": 1, "queries": rows + nothing}), encoding="utf-8")
    return file


def predictions(queries: Path, answer: Callable[[dict[str, Any]], list[str] | None], name: str) -> Path:
    """A mapping file of what `answer` gives each query; None leaves it out."""
    rows = json.loads(queries.read_text(encoding="utf-8"))["queries"]
    content = {row["id"]: found for row in rows if (found := answer(row)) is not None}
    file = queries.parent / f"{name}.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


@pytest.fixture
def good(queries: Path) -> Path:
    return predictions(queries, lambda row: sorted(row["relevant"]), "good")


@pytest.fixture
def bad(queries: Path) -> Path:
    return predictions(queries, lambda row: ["a.jpg", "x.jpg"], "bad")


def rig(*arguments: object) -> str:
    """Stdout of a command; its RigError where it raises one."""
    result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=True)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_one_json_document_names_counts_averaging_and_every_metric(queries: Path, good: Path) -> None:
    document = json.loads(rig("score", good, "--queries", queries, "--json"))
    assert document["kind"] == "gallery-rig scores"
    assert (document["query_set"]["normal"], document["query_set"]["zero_ground_truth"]) == (14, 2)
    assert document["rules"]["averaging"] == "pooled"
    (system,) = document["systems"]
    assert system["headline"]["f1"] == 1.0
    assert system["normal"]["mean-of-albums"]["precision"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert {k: system["rejection"][k] for k in "ABCD"} == {"A": 2, "B": 0, "C": 0, "D": 14}
    assert system["by_source_type"]["pooled"]["VMF"]["f1"]["value"] == 1.0
    assert system["by_number_of_sources"]["pooled"]["delta_3_1_percent"]["value"] == 0.0
    assert system["by_dimension"]["pooled"]["Time"]["cognitive"] is None
    assert list(system["by_album"]) == ["album1", "album2"]
    assert system["ranking"]["pooled"]["ndcg@20"]["value"] == 1.0


def test_the_document_holds_no_number_that_is_none(queries: Path, tmp_path: Path) -> None:
    always = predictions(queries, lambda row: ["x.jpg"], "always")
    text = rig("score", always, "--queries", queries, "--json", "--per-query")
    assert "NaN" not in text
    assert "Infinity" not in text
    (system,) = json.loads(text)["systems"]
    assert system["headline"]["rej_precision"] is None
    assert len(system["queries"]) == 16


def test_an_incomplete_system_is_marked_and_not_ranked_unless_asked(queries: Path, good: Path) -> None:
    some = predictions(queries, lambda row: None if row["source_type"] == "VMF" else sorted(row["relevant"]), "some")
    document = json.loads(rig("score", good, some, "--queries", queries, "--json"))
    assert [(s["rank"], s["complete"]) for s in document["systems"]] == [(1, True), (None, False)]
    assert document["systems"][1]["coverage"]["unanswered"] == [
        {"query": "album1-VMF", "reason": "not run"},
        {"query": "album2-VMF", "reason": "not run"},
    ]
    assert "incomplete" in rig("score", some, "--queries", queries)
    asked = json.loads(rig("score", good, some, "--queries", queries, "--json", "--rank-incomplete"))
    assert [s["rank"] for s in asked["systems"]] == [1, 1]


def test_the_rule_for_missing_queries_is_explicit_and_printed(queries: Path, good: Path) -> None:
    some = predictions(queries, lambda row: None if row["id"] == "album1-V" else sorted(row["relevant"]), "some")
    zero = json.loads(rig("score", some, "--queries", queries, "--json", "--missing", "zero"))
    assert zero["rules"]["missing"] == "zero"
    assert zero["systems"][0]["headline"]["f1"] == pytest.approx(13 / 14)
    common = json.loads(rig("score", good, some, "--queries", queries, "--json", "--missing", "exclude-common"))
    assert common["rules"]["excluded_for_all"] == ["album1-V"]
    assert [s["coverage"]["asked"] for s in common["systems"]] == [15, 15]
    assert "left out for all: 1: album1-V" in rig("score", good, some, "--queries", queries, "--missing", "exclude-common")


def test_the_papers_rows_are_marked_as_published(queries: Path, good: Path) -> None:
    assert "Phone F (published, zh)" in rig("score", good, "--queries", queries, "--published")
    document = json.loads(rig("score", good, "--queries", queries, "--published", "--json"))
    assert [(block["table"], block["published"]) for block in document["published"]] == [(2, True), (3, True), (6, True)]
    assert len(document["systems"]) == 1


def test_languages_are_not_mixed_in_a_table(queries: Path, tmp_path: Path) -> None:
    for language in ("cn", "en"):
        rows = {"language": language, "results": [{"query_id": "album1-V", "predictions": []}]}
        (tmp_path / f"{language}.json").write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(RigError, match="the files are in en and zh"):
        rig("score", tmp_path / "cn.json", tmp_path / "en.json", "--queries", queries)


def test_hostile_text_comes_out_inert(queries: Path, tmp_path: Path) -> None:
    name = "[red]x[|red]\x1b[31m\u202e"
    rows = {"model_name": name, "results": [{"query_id": "album1-V", "predictions": ["\x1b]0;x\x07"]}]}
    (tmp_path / "p.json").write_text(json.dumps(rows), encoding="utf-8")
    shown = rig("score", tmp_path / "p.json", "--queries", queries)
    assert "[red]x[|red]\\x1b[31m\\u202e" in shown
    assert "\x1b" not in shown
    assert json.loads(rig("score", tmp_path / "p.json", "--queries", queries, "--json"))["systems"][0]["system"] == name


def test_a_release_without_ground_truth_is_refused(tmp_path: Path, good: Path) -> None:
    rows = [{"query_cn": "海", "query_en": "sea", "Source": "V"}]
    (tmp_path / "album1_test.json").write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(RigError, match="none of 1 has a ground truth"):
        rig("score", good, "--queries", tmp_path / "album1_test.json")


def test_a_photobench_file_and_submission_score_without_ids(tmp_path: Path) -> None:
    rows = [
        {"query_cn": "海", "query_en": "sea", "ground_truth": ["a.JPG"], "ground_truth_count": 1, "Source": "V"},
        {"query_cn": "无", "query_en": "none", "ground_truth": [], "ground_truth_count": 0, "Source": "VM"},
    ]
    (tmp_path / "album3_validation.json").write_text(json.dumps(rows), encoding="utf-8")
    sent = [{"album_id": "3", "query_en": "sea", "pred": ["a.JPG"]}, {"album_id": "3", "query_en": "none", "pred": []}]
    (tmp_path / "sent.json").write_text(json.dumps(sent), encoding="utf-8")
    document = json.loads(rig("score", tmp_path / "sent.json", "--queries", tmp_path / "album3_validation.json", "--json"))
    assert document["systems"][0]["headline"]["f1"] == 1.0
    assert document["systems"][0]["rejection"]["A"] == 1


def test_compare_is_one_document_with_counts_and_tests(queries: Path, good: Path, bad: Path) -> None:
    document = json.loads(rig("compare", bad, good, "--queries", queries, "--json"))
    (pair,) = document["pairs"]
    assert document["rules"]["family"] == ["f1", "rej-f1"]
    assert pair["queries"]["paired"] == 16
    f1 = pair["metrics"]["f1"]
    assert (f1["old"], f1["new"], f1["wins"], f1["losses"]) == (0.5, 1.0, 14, 0)
    assert 0 < f1["p"] < 0.001
    assert document["gates_passed"] is True


def test_a_gate_that_fails_is_told_after_the_document(queries: Path, good: Path, bad: Path) -> None:
    with pytest.raises(GateFailed, match=r"1 of 2 gates failed; first: f1>=-1: f1.difference is -50"):
        rig("compare", good, bad, "--queries", queries, "--gate", "f1>=-1", "--gate", "complete", "--json")
    result = CliRunner().invoke(app, ["compare", str(good), str(bad), "--queries", str(queries), "--gate", "f1>=-1", "--json"])
    assert json.loads(result.stdout)["gates_passed"] is False


def test_a_gate_on_an_undeclared_metric_is_refused(queries: Path, good: Path, bad: Path) -> None:
    with pytest.raises(RigError, match="gates on recall, which are not declared; add --metric recall"):
        rig("compare", good, bad, "--queries", queries, "--gate", "recall>=0")


def test_compare_prints_what_it_rests_on(queries: Path, good: Path, bad: Path) -> None:
    shown = rig("compare", bad, good, "--queries", queries, "--aa", good, good, "--margin", "1")
    assert "margin 1 points" in shown
    assert "exploratory" in shown
    assert "rerun noise from good.json and good.json" in shown


def test_a_submission_is_written_and_reads_back_the_same(queries: Path, good: Path, tmp_path: Path) -> None:
    out = tmp_path / "submission.json"
    assert "16 of 16 queries" in rig("export", "submission", good, out, "--queries", queries)
    again = json.loads(rig("score", out, "--queries", queries, "--json"))
    assert again["systems"][0]["headline"]["f1"] == 1.0
    assert again["systems"][0]["complete"] is True


def test_the_old_form_needs_a_language(queries: Path, good: Path, tmp_path: Path) -> None:
    with pytest.raises(RigError, match="does not say its language"):
        rig("export", "submission", good, tmp_path / "old.json", "--queries", queries, "--form", "old")
    rig("export", "submission", good, tmp_path / "old.json", "--queries", queries, "--form", "old", "--language", "en")
    assert json.loads((tmp_path / "old.json").read_text(encoding="utf-8"))["language"] == "en"


@pytest.mark.parametrize("option", ["--averaging", "--missing"])
def test_an_unknown_choice_names_the_known(queries: Path, good: Path, option: str) -> None:
    with pytest.raises(RigError, match=f"{option}: expected one of"):
        rig("score", good, "--queries", queries, option, "best")
