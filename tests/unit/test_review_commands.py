"""`rig review status` and `rig review scores`, as people and scripts read them."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from review_lab import MATCHED, PROTOCOL, make_run
from typer.testing import CliRunner, Result

from rig.cli import app
from rig.clock import SystemClock
from rig.config import load_protocol
from rig.review.judgements import Choice, Judgements, Role, Said
from rig.review.opening import review_folder
from rig.review.questions import plan_review
from rig.run import Run


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """ann and bob differ on the first thumbnail, agree on the second, and only ann judged the third; cho settled the first.

    ann also finds p2 relevant to q0.
    """
    run = make_run(tmp_path_factory.mktemp("review"))
    plan = plan_review(run)
    first, second, third = plan.matches
    p2 = next(question for question in plan.relevance if question.photo == "p2.jpg")
    right, wrong = Said(Choice.PHOTO, "p1.jpg"), Said(Choice.PHOTO, "p2.jpg")
    none = Said(Choice.NONE)
    for role, name, said in (
        (Role.ANNOTATOR, "ann", {first: right, second: none, third: none}),
        (Role.ANNOTATOR, "bob", {first: wrong, second: none}),
        (Role.ADJUDICATOR, "cho", {first: right}),
    ):
        with closing(Judgements(review_folder(run), role, name)) as judgements:
            for question, one in said.items():
                judgements.add(question, one, SystemClock().utc())
            if name == "ann":
                judgements.add(p2, Said(Choice.RELEVANT), SystemClock().utc())
    yield run
    run.ledger.close()


def rig(*arguments: str) -> Result:
    result = CliRunner().invoke(app, ["review", *arguments])
    assert result.exception is None, result.exception
    return result


def test_status_tells_agreement_with_its_n(judged: Run) -> None:
    told = json.loads(rig("status", str(judged.folder), "--json").stdout)
    match = next(pair for pair in told["agreement"] if pair["kind"] == "match")
    assert (match["n"], match["equal"], match["only_first"], match["only_second"]) == (2, 1, 1, 0)
    # Labels (p1, none) against (p2, none): po = 1/2, pe = 1/4, κ = (1/2 − 1/4) / (3/4) = 1/3.
    assert match["raw_agreement"] == 0.5
    assert match["kappa"] == pytest.approx(1 / 3)
    assert (told["agreed"], told["adjudicated"], told["disputed"], told["judged_by_one_only"]) == (1, 1, 0, 2)
    assert told["undecided_without_candidates"] == 1


def test_agreement_over_nothing_is_null(judged: Run) -> None:
    told = json.loads(rig("status", str(judged.folder), "--json").stdout)
    relevance = next(pair for pair in told["agreement"] if pair["kind"] == "relevance")
    assert (relevance["n"], relevance["raw_agreement"], relevance["kappa"]) == (0, None, None)


def test_status_is_a_table_for_people(judged: Run) -> None:
    told = rig("status", str(judged.folder)).stdout
    assert "ann and bob" in told
    assert "0.333" in told
    assert "50.0" in told


def test_scores_stand_beside_each_other_and_ground_truths_apart(judged: Run) -> None:
    told = json.loads(rig("scores", str(judged.folder), "--json").stdout)
    assert [(view["view"], view["ground_truth"]) for view in told["views"]] == [
        ("before review", "fixed"),
        ("under ann", "fixed"),
        ("under ann, judged relevance", "judged"),
        ("under bob", "fixed"),
        ("adjudicated", "fixed"),
    ]
    f1 = {row["view"]: row["normal"]["pooled"]["f1"] for row in told["scores"] if row["phone"] == "A"}
    assert f1["before review"] == {"value": 0.75, "low": 0.75, "high": 1.0}
    assert f1["adjudicated"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert f1["under bob"]["value"] == 0.75
    # Truth {p0, p1, p2}: {p0, p1} has P 1, R 2/3, F1 0.8; with q1's 1 the mean is 0.9.
    assert f1["under ann, judged relevance"]["value"] == pytest.approx(0.9)


def test_tables_of_scores_keep_judged_relevance_in_a_table_of_its_own(judged: Run) -> None:
    told = rig("scores", str(judged.folder)).stdout
    fixed, judged_part = told.split("against ground truth as annotators judged it")
    assert "A · before review" in fixed
    assert "A · adjudicated" in fixed
    assert "judged relevance" not in fixed
    assert "A · under ann, judged relevance" in judged_part
    assert "relevant photos +1 −0" in judged_part


def test_a_protocol_may_ask_for_relevance() -> None:
    assert load_protocol("photobench").review.relevance
    assert not load_protocol("smoke").review.relevance


def test_what_people_are_asked_does_not_change_what_was_measured(tmp_path: Path) -> None:
    plain, asking = tmp_path / "plain.toml", tmp_path / "asking.toml"
    text = PROTOCOL.replace("LANGUAGES", '["en"]')
    plain.write_text(text)
    asking.write_text(text + "[review]\nrelevance = true\n")
    assert load_protocol(plain).digest == load_protocol(asking).digest


def test_nothing_is_served_where_nothing_is_undecided(tmp_path: Path) -> None:
    run = make_run(tmp_path, {"A": {"q0": [(MATCHED, "p0.jpg", ())], "q1": []}})
    run.ledger.close()
    told = rig(str(run.folder), "--as", "ann")
    assert told.stdout == ""
    assert "nothing to review" in told.stderr
