"""Questions, judgements, sessions, agreement and what review does to scores."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from engine_lab import SteadyClock
from review_lab import make_run
from statsmodels.stats.inter_rater import cohens_kappa as oracle

from rig.errors import LockedByAnother, RigError
from rig.metrics.averages import Averaging
from rig.review.agreement import agreements, cohens_kappa
from rig.review.consensus import consensus, disagreements
from rig.review.documents import status_document
from rig.review.judgements import Choice, Judgements, Role, Said, read_all
from rig.review.opening import adjudicating, adjudicators, annotating, annotators, review_folder
from rig.review.questions import Kind, Question, plan_review
from rig.review.rescoring import FIXED, JUDGED, Rescoring, rescore
from rig.review.session import ordered
from rig.run import Run

NONE, CANNOT, YES, NO = (Said(choice) for choice in (Choice.NONE, Choice.CANNOT_TELL, Choice.RELEVANT, Choice.NOT_RELEVANT))


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    made = make_run(tmp_path)
    yield made
    made.ledger.close()


def photo(name: str) -> Said:
    return Said(Choice.PHOTO, name)


def judge(run: Run, name: str, said: dict[str, Said], *, role: Role = Role.ANNOTATOR) -> None:
    """`said` is by "letter query" for thumbnails, by "query photo" for relevance."""
    judgements = Judgements(review_folder(run), role, name)
    clock = SteadyClock()
    with closing(judgements):
        for question in plan_review(run).questions:
            if called(question) in said:
                judgements.add(question, said[called(question)], clock.utc())


def called(question: Question) -> str:
    if question.kind is Kind.MATCH:
        return f"{question.place.letter} {question.place.query}"
    return f"{question.query} {question.photo}"


def test_each_phones_undecided_thumbnail_is_a_question_of_its_own(run: Run) -> None:
    assert [called(question) for question in plan_review(run).matches] == ["A q0", "B q0", "B q1"]


def test_a_returned_photo_is_asked_once_however_many_phones_returned_it(run: Run) -> None:
    assert sorted(called(question) for question in plan_review(run).relevance) == [
        "q0 p0.jpg", "q0 p1.jpg", "q0 p2.jpg", "q1 p3.jpg", "q1 p4.jpg", "q1 p5.jpg"
    ]  # fmt: skip


def test_an_undecided_thumbnail_without_candidates_is_counted_and_not_asked(run: Run) -> None:
    assert plan_review(run).without_candidates == 1


def test_a_run_that_was_not_matched_says_what_to_do(run: Run) -> None:
    trial = run.ledger.trials()[0]
    search = run.ledger.searches(run.ledger.attempts(trial.id)[0].id)[0]
    run.ledger._do("forget_match", search.id)
    with pytest.raises(RigError, match="not matched yet; run: rig match"):
        plan_review(run)


def test_a_new_match_with_other_candidates_is_another_question(run: Run) -> None:
    before = plan_review(run).matches[0]
    judge(run, "ann", {"A q0": photo("p1.jpg")})
    trial = run.ledger.trials()[0]
    search = run.ledger.searches(run.ledger.attempts(trial.id)[0].id)[0]
    placed = run.ledger.placed(search.id)
    other = [placed[0], type(placed[1])(1, placed[1].verdict, None, ("p1.jpg", "p4.jpg"), {}, 0, placed[1].box)]
    run.ledger.save_match(search.id, SteadyClock().utc(), "other", other)
    assert plan_review(run).matches[0].id != before.id
    told = status_document(run)
    assert told["annotators"][0]["of_questions_no_longer_asked"] == 1  # type: ignore[index]
    assert told["annotators"][0]["judged"]["match"] == 0  # type: ignore[index]


def test_annotators_see_the_questions_in_orders_of_their_own_and_the_same_at_every_start(run: Run) -> None:
    questions = plan_review(run).questions
    orders = {name: ordered(questions, name) for name in ("ann", "bob", "cho", "dee")}
    ids = {name: tuple(question.id for question in order) for name, order in orders.items()}
    assert len(set(ids.values())) > 1
    assert orders["ann"] == ordered(questions, "ann")
    assert all(set(order) == {question.id for question in questions} for order in ids.values())


def test_the_photos_of_one_query_follow_each_other(run: Run) -> None:
    asked = [question.query for question in ordered(plan_review(run).questions, "ann") if question.kind is Kind.RELEVANCE]
    assert asked in (["q0"] * 3 + ["q1"] * 3, ["q1"] * 3 + ["q0"] * 3)


def test_a_session_goes_on_where_it_was_left(run: Run) -> None:
    with annotating(run, "ann", relevance=False) as desk:
        first = desk.session.next_open()
        assert first == 0
        desk.session.judge(0, NONE)
    with annotating(run, "ann", relevance=False) as desk:
        assert desk.session.progress.done == 1
        assert desk.session.said(0) == NONE
        assert desk.session.next_open() == 1


def test_a_judgement_is_in_the_file_at_once_with_time_and_name(run: Run) -> None:
    with annotating(run, "Ann 李", relevance=False, clock=SteadyClock()) as desk:
        desk.session.judge(0, CANNOT)
        line = json.loads(desk.session.judgements.path.read_text())
    assert (line["name"], line["choice"], line["number"]) == ("Ann 李", "cannot_tell", 1)
    assert line["at"].startswith("2026-01-01T00:00:00")


def test_undo_opens_the_last_question_again_and_keeps_what_was_said(run: Run) -> None:
    with annotating(run, "ann", relevance=False) as desk:
        desk.session.judge(0, NONE)
        desk.session.judge(1, CANNOT)
        assert desk.session.undo() == 1
        assert desk.session.undo() == 0
        assert desk.session.undo() is None
        lines = desk.session.judgements.path.read_text().splitlines()
    assert [json.loads(line)["choice"] for line in lines] == ["none", "cannot_tell", "withdrawn", "withdrawn"]
    assert annotators(run) == {"ann": {}}


def test_a_judgement_that_replaces_another_counts_and_both_are_kept(run: Run) -> None:
    with annotating(run, "ann", relevance=False) as desk:
        desk.session.judge(0, NONE)
        desk.session.judge(0, CANNOT)
        question = desk.session.questions[0].id
        assert len(desk.session.judgements.history) == 2
    assert annotators(run)["ann"][question].said == CANNOT


def test_a_line_cut_by_a_power_cut_is_dropped_and_the_rest_stands(run: Run) -> None:
    judge(run, "ann", {"A q0": NONE})
    file = review_folder(run) / "annotators" / "ann.jsonl"
    file.write_bytes(file.read_bytes() + b'{"schema_version": 1, "num')
    assert len(annotators(run)["ann"]) == 1
    judge(run, "ann", {"B q0": NONE})
    assert [json.loads(line)["number"] for line in file.read_text().splitlines()] == [1, 2]


def test_an_edited_file_is_refused(run: Run) -> None:
    judge(run, "ann", {"A q0": NONE, "B q0": NONE})
    file = review_folder(run) / "annotators" / "ann.jsonl"
    file.write_text(file.read_text().splitlines(keepends=True)[1])
    with pytest.raises(RigError, match="line 1 is not the judgement of that number"):
        annotators(run)


def test_one_name_is_at_work_once_and_another_may_join(run: Run) -> None:
    with annotating(run, "ann", relevance=False):
        with pytest.raises(LockedByAnother) as refused, annotating(run, "ann", relevance=False):
            pass
        assert refused.value.exit_code == 5
        with annotating(run, "bob", relevance=False) as other:
            assert other.session.progress.total == 3


@pytest.mark.parametrize("name", ["", "  ", "a\x1bb", "x" * 61, "a\nb"], ids=["empty", "blank", "escape", "long", "lines"])
def test_a_name_that_is_none_is_refused(run: Run, name: str) -> None:
    with pytest.raises(RigError, match="expected a name"), annotating(run, name, relevance=False):
        pass


def test_a_name_with_a_path_in_it_stays_in_its_folder(run: Run) -> None:
    with annotating(run, "../../x", relevance=False) as desk:
        assert desk.session.judgements.path.parent == review_folder(run) / "annotators"
    assert list(annotators(run)) == ["../../x"]


def test_one_person_under_two_spellings_is_refused(run: Run) -> None:
    judge(run, "Ann", {"A q0": NONE})
    with pytest.raises(RigError, match="already knows Ann"), annotating(run, "ann", relevance=False):
        pass


def test_an_annotator_does_not_adjudicate(run: Run) -> None:
    judge(run, "ann", {"A q0": NONE})
    with pytest.raises(RigError, match="a third name settles"), adjudicating(run, "ann"):
        pass


@pytest.mark.parametrize("said", [photo("p5.jpg"), YES, Said(Choice.NONE, "p1.jpg"), Said(Choice.PHOTO)])
def test_what_was_not_offered_cannot_be_said(run: Run, said: Said) -> None:
    with pytest.raises(RigError, match="is no answer"):
        judge(run, "ann", {"A q0": said})


TABLES = {
    "mixed": [("a", "a")] * 20 + [("a", "b")] * 5 + [("b", "a")] * 10 + [("b", "b")] * 15,
    "three": [("a", "a"), ("b", "b"), ("c", "a"), ("c", "c"), ("a", "b"), ("b", "b")],
    "worse than chance": [("a", "b"), ("b", "a"), ("a", "a")],
}


@pytest.mark.parametrize("pairs", TABLES.values(), ids=TABLES)
def test_kappa_is_statsmodels_kappa(pairs: Sequence[tuple[str, str]]) -> None:
    labels = sorted({label for pair in pairs for label in pair})
    table = [[sum(pair == (a, b) for pair in pairs) for b in labels] for a in labels]
    assert cohens_kappa(pairs) == pytest.approx(oracle(table, return_results=False))


def test_kappa_worked_by_hand() -> None:
    # po = 35/50, pe = (25·30 + 25·20)/2500 = 0.5, κ = (0.7 − 0.5)/0.5 = 0.4
    assert cohens_kappa(TABLES["mixed"]) == pytest.approx(0.4)


@pytest.mark.parametrize("pairs", [[], [("a", "a")] * 7], ids=["nothing in common", "one category only"])
def test_kappa_that_is_undefined_is_none(pairs: Sequence[tuple[str, str]]) -> None:
    assert cohens_kappa(pairs) is None


def test_what_only_one_has_judged_is_not_a_disagreement(run: Run) -> None:
    judge(run, "ann", {"A q0": photo("p1.jpg"), "B q0": NONE})
    judge(run, "bob", {"A q0": photo("p1.jpg")})
    questions, by = plan_review(run).matches, annotators(run)
    found = agreements(questions, by)[0]
    assert (found.both, found.equal, found.only_first, found.only_second, found.neither) == (1, 1, 1, 0, 1)
    assert found.raw == 1.0
    assert found.kappa is None
    assert disagreements(questions, by) == ()
    assert consensus(questions, by, {}).single == 1


def test_two_who_judged_nothing_in_common_have_no_agreement(run: Run) -> None:
    judge(run, "ann", {"A q0": NONE})
    judge(run, "bob", {"B q0": NONE})
    found = agreements(plan_review(run).matches, annotators(run))[0]
    assert (found.both, found.raw, found.kappa) == (0, None, None)


def test_cannot_tell_is_a_category_and_two_photos_are_a_disagreement(run: Run) -> None:
    judge(run, "ann", {"A q0": CANNOT, "B q0": photo("p1.jpg"), "B q1": CANNOT})
    judge(run, "bob", {"A q0": CANNOT, "B q0": photo("p2.jpg"), "B q1": NONE})
    found = agreements(plan_review(run).matches, annotators(run))[0]
    assert (found.both, found.equal) == (3, 1)
    assert found.table == (("cannot_tell", "cannot_tell", 1), ("cannot_tell", "none", 1), ("photo", "photo", 1))


def test_an_adjudicator_is_asked_what_was_disputed_and_sees_what_but_not_who(run: Run) -> None:
    judge(run, "ann", {"A q0": photo("p1.jpg"), "B q0": NONE})
    judge(run, "bob", {"A q0": photo("p2.jpg"), "B q0": NONE})
    with adjudicating(run, "cho") as desk:
        shown = desk.show(0)
        assert shown["total"] == 1
        question = shown["question"]
        assert sorted(one["candidate"] for one in question["opinions"]) == [0, 1]  # type: ignore[index]
        assert not {"ann", "bob"} & set(json.dumps(question).replace('"', " ").split())
        desk.session.judge(0, photo("p2.jpg"))
    together = consensus(plan_review(run).matches, annotators(run), adjudicators(run))
    assert (together.agreed, together.adjudicated, together.disputed) == (1, 1, ())
    assert {name: len(said) for name, said in annotators(run).items()} == {"ann": 2, "bob": 2}


def f1(rescoring: Rescoring, letter: str, **view: object) -> tuple[float | None, float | None, float | None]:
    for row in rescoring.rows:
        if row.letter == letter and all(getattr(row.view, key) == value for key, value in view.items()):
            found = row.scores.overall[Averaging.POOLED].sets.f1
            return found.low, found.value, found.high
    raise AssertionError(view)


def rescored(run: Run) -> Rescoring:
    return rescore(run, plan_review(run), annotators(run), adjudicators(run))


def test_scores_before_review_stay_beside_those_under_each_annotator(run: Run) -> None:
    judge(run, "ann", {"A q0": photo("p1.jpg")})
    judge(run, "bob", {"A q0": photo("p2.jpg")})
    found = rescored(run)
    # A: q1 is exact, F1 1. q0: {p0, p1} of {p0, p1} is 1; {p0, p2} is 2·1/(2+2) = ½.
    assert f1(found, "A", name=None, together=False) == (0.75, 0.75, 1.0)
    assert f1(found, "A", name="ann", truth=FIXED) == (1.0, 1.0, 1.0)
    assert f1(found, "A", name="bob", truth=FIXED) == (0.75, 0.75, 0.75)


def test_what_is_disputed_stays_undecided_until_it_is_adjudicated(run: Run) -> None:
    judge(run, "ann", {"A q0": photo("p1.jpg")})
    judge(run, "bob", {"A q0": photo("p2.jpg")})
    assert f1(rescored(run), "A", together=True) == (0.75, 0.75, 1.0)
    judge(run, "cho", {"A q0": photo("p1.jpg")}, role=Role.ADJUDICATOR)
    assert f1(rescored(run), "A", together=True) == (1.0, 1.0, 1.0)


def test_none_of_these_is_a_stranger_and_cannot_tell_leaves_it_open(run: Run) -> None:
    judge(run, "ann", {"A q0": NONE})
    judge(run, "bob", {"A q0": CANNOT})
    found = rescored(run)
    # p0 and a stranger against {p0, p1}: ½; with q1's 1, the mean is ¾ and nothing is open.
    assert f1(found, "A", name="ann") == (0.75, 0.75, 0.75)
    assert f1(found, "A", name="bob") == (0.75, 0.75, 1.0)


def test_one_phones_settled_thumbnail_changes_no_other_phone(run: Run) -> None:
    judge(run, "ann", {"A q0": photo("p1.jpg")})
    found = rescored(run)
    assert f1(found, "B", name="ann") == f1(found, "B", name=None, together=False)


def test_judged_relevance_is_a_ground_truth_of_its_own_in_rows_of_its_own(run: Run) -> None:
    judge(run, "ann", {"A q0": photo("p2.jpg"), "q0 p1.jpg": NO, "q0 p2.jpg": YES, "q1 p3.jpg": CANNOT})
    found = rescored(run)
    # Fixed truth {p0, p1}: ½ and 1. Judged truth {p0, p2}: 1 and 1; q1's p3 stays relevant, as nobody could tell.
    assert f1(found, "A", name="ann", truth=FIXED) == (0.75, 0.75, 0.75)
    assert f1(found, "A", name="ann", truth=JUDGED) == (1.0, 1.0, 1.0)
    change = next(change for view, change in found.changes.items() if view.truth == JUDGED)
    assert (change.added, change.removed, change.turned) == (1, 1, ())


def test_a_query_that_loses_its_last_relevant_photo_is_told(run: Run) -> None:
    judge(run, "ann", {"q1 p3.jpg": NO})
    change = next(change for view, change in rescored(run).changes.items() if view.truth == JUDGED)
    assert change.turned == ("q1",)


def test_the_ledger_is_not_written_by_a_review(run: Run) -> None:
    before = [run.ledger.placed(search) for search in (1, 2, 3, 4)]
    judge(run, "ann", {"A q0": photo("p1.jpg")})
    rescored(run)
    assert [run.ledger.placed(search) for search in (1, 2, 3, 4)] == before


def test_relevance_is_asked_in_the_languages_in_which_a_photo_was_returned(tmp_path: Path) -> None:
    run = make_run(tmp_path, languages=("en", "zh"), chinese=("红船", "海边"))
    relevance = [question for question in plan_review(run).relevance if question.query == "q0"]
    assert {tuple(question.text.values()) for question in relevance} == {("红船", "the red boat")}
    run.ledger.close()


def test_read_all_knows_nobody_before_anybody_judged(run: Run) -> None:
    assert read_all(review_folder(run), Role.ANNOTATOR) == {}
