"""What annotators judged may be published: their agreement and the scores after review, never their names."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from review_lab import MATCHED, OPEN, make_run
from typer.testing import CliRunner, Result

from rig.cli import app
from rig.clock import SystemClock
from rig.errors import GateFailed, RigError
from rig.publish.secrets import secrets_of
from rig.review.judgements import Choice, Judgements, Role, Said
from rig.review.opening import review_folder
from rig.review.questions import Question, plan_review
from rig.run import Run

ANNOTATORS = ("Annabel Quist", "Bobakov")
ADJUDICATOR = "Chow-Ling"
PHONES = {
    "A": {"q0": [(MATCHED, "p0.jpg", ()), (OPEN, None, ("p1.jpg", "p2.jpg"))], "q1": [(MATCHED, "p3.jpg", ())]},
    "B": {"q0": [(MATCHED, "p0.jpg", ()), (OPEN, None, ("p1.jpg", "p2.jpg"))], "q1": [(MATCHED, "p4.jpg", ())]},
}
"""q0 is answered by p0 and p1, q1 by p3."""


def judge(run: Run, role: Role, name: str, *said: tuple[Question, Said]) -> None:
    with closing(Judgements(review_folder(run), role, name)) as judgements:
        for question, one in said:
            judgements.add(question, one, SystemClock().utc())


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Both find p1 on A's thumbnail, differ on B's (settled: none of these), and find p4 relevant to q1, p0 to q0."""
    run = make_run(tmp_path_factory.mktemp("reviewed"), PHONES)
    plan = plan_review(run)
    on_a, on_b = plan.matches
    relevance = {(question.query, question.photo): question for question in plan.relevance}
    p1, none, relevant = Said(Choice.PHOTO, "p1.jpg"), Said(Choice.NONE), Said(Choice.RELEVANT)
    both = ((on_a, p1), (relevance["q0", "p0.jpg"], relevant), (relevance["q1", "p4.jpg"], relevant))
    judge(run, Role.ANNOTATOR, ANNOTATORS[0], *both, (on_b, p1))
    judge(run, Role.ANNOTATOR, ANNOTATORS[1], *both, (on_b, none))
    judge(run, Role.ADJUDICATOR, ADJUDICATOR, (on_b, none))
    yield run
    run.ledger.close()


def publish(run: Run, to: Path, study: str, *words: str) -> Result:
    return CliRunner().invoke(app, ["publish", str(run.folder), "--study", study, "--to", str(to), *words])


@pytest.fixture(scope="module")
def export(reviewed: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("export") / "out"
    result = publish(reviewed, to, "boats", "--review")
    assert result.exception is None, result.exception
    return to


def cells(export: Path, run: Run) -> dict[str, dict[str, object]]:
    """The rows of the review table, by the letter that a phone has in its run."""
    content = json.loads((run.folder.parent.parent / "private" / "studies" / "boats.json").read_text())
    letters = {phone["letter"]: phone["name"].removeprefix("phone-") for phone in content["phones"]}
    document = json.loads((export / "publication.json").read_text())
    table = next(table for table in document["sections"][0]["tables"] if table["key"] == "review")
    return {letters[row["name"].removeprefix("Phone ")]: row["cells"] for row in table["rows"]}


def percent(cell: object) -> float | None:
    return cell["percent"] if isinstance(cell, dict) else None


def test_each_phone_has_its_thumbnails_and_scores_as_settled(export: Path, reviewed: Run) -> None:
    a, b = (cells(export, reviewed)[letter] for letter in "AB")
    assert [a[key] for key in ("undecided", "to_a_photo", "to_none")] == [1, 1, 0]
    assert [b[key] for key in ("undecided", "to_a_photo", "to_none")] == [1, 0, 1]
    # A: q0 p0 and p1 of p0 and p1, q1 p3 of p3. B: q0 p0 and a stranger: P 1/2, R 1/2; q1 p4 of p3: 0.
    assert [percent(a[key]) for key in ("precision", "recall", "f1")] == [100, 100, 100]
    assert [percent(b[key]) for key in ("precision", "recall", "f1")] == [25, 25, 25]


def test_relevance_judgements_are_counted_and_make_scores_of_their_own(export: Path, reviewed: Run) -> None:
    a, b = (cells(export, reviewed)[letter] for letter in "AB")
    # Judged among what each surely returned: p0 of q0 on A; p0 of q0 and p4 of q1 on B.
    assert (a["judged"], percent(a["found_relevant"])) == (1, 100)
    assert (b["judged"], percent(b["found_relevant"])) == (2, 100)
    # With p4 relevant to q1 beside p3: A finds one of two, B one of two. R of A: (1 + 1/2) / 2, of B: (1/2 + 1/2) / 2.
    assert (percent(a["judged_recall"]), percent(b["judged_recall"])) == (75, 50)
    assert (percent(a["judged_precision"]), percent(b["judged_precision"])) == (100, 75)


def test_agreement_is_stated_with_what_it_rests_on(export: Path) -> None:
    notes = json.loads((export / "publication.json").read_text())["footnotes"]
    # Thumbnails: two judged by both, one alike; photos p1, p1 against p1, none: pe = 1 · 1/2, κ = 0.
    assert "Review of Phone A, Phone B: 2 annotators, 1 adjudicator; 2 about undecided thumbnails, " in " ".join(notes)
    assert "Agreement on undecided thumbnails, annotators 1 and 2: 2 judged by both, equal 50.0 %, Cohen's κ 0.00." in notes
    # Relevance: two judged by both, both relevant: one category throughout.
    assert (
        "Agreement on relevance of returned photos, annotators 1 and 2: 2 judged by both, equal 100.0 %, Cohen's κ undefined."
    ) in notes


def test_no_file_names_a_reviewer(export: Path) -> None:
    for file in export.rglob("*"):
        text = file.read_text("utf-8") if file.is_file() else ""
        assert not [name for name in (*ANNOTATORS, ADJUDICATOR) if name.casefold() in text.casefold()]


def test_reviewers_are_searched_for_in_every_export(reviewed: Run, tmp_path: Path) -> None:
    hidden = {secret.text for secret in secrets_of([reviewed]) if secret.kind == "name of a reviewer"}
    assert hidden == {*ANNOTATORS, ADJUDICATOR}
    result = publish(reviewed, tmp_path / "out", f"a study by {ANNOTATORS[1]}")
    assert isinstance(result.exception, GateFailed)
    assert "name of a reviewer" in str(result.exception)
    assert ANNOTATORS[1] not in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_the_review_is_left_out_unless_it_is_asked_for(reviewed: Run, tmp_path: Path) -> None:
    assert publish(reviewed, tmp_path / "out", "plain").exception is None
    text = (tmp_path / "out" / "publication.json").read_text()
    assert '"review"' not in text
    assert "annotator" not in text


def test_every_form_has_the_table(export: Path) -> None:
    assert (export / "tables" / "en-review.csv").is_file()
    for name in ("index.html", "tables.md", "tables.tex"):
        assert "After review" in (export / name).read_text("utf-8")


def test_a_single_annotator_is_said_to_be_one(tmp_path: Path) -> None:
    run = make_run(tmp_path, PHONES)
    judge(run, Role.ANNOTATOR, ANNOTATORS[0], (plan_review(run).matches[0], Said(Choice.PHOTO, "p1.jpg")))
    assert publish(run, tmp_path / "out", "boats", "--review").exception is None
    row = cells(tmp_path / "out", run)["A"]
    run.ledger.close()
    assert (row["to_a_photo"], percent(row["f1"]), row["judged_f1"]) == (1, 100, None)
    assert "What the only annotator of a run said" in (tmp_path / "out" / "tables.md").read_text("utf-8")


def test_a_run_that_nobody_reviewed_has_no_review_to_publish(tmp_path: Path) -> None:
    run = make_run(tmp_path, PHONES)
    result = publish(run, tmp_path / "out", "boats", "--review")
    run.ledger.close()
    assert isinstance(result.exception, RigError)
    assert "nobody has reviewed it" in str(result.exception)
