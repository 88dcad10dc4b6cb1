"""Prediction files in four forms become answers; what does not fit is refused or reported."""

import json
from pathlib import Path

import ir_measures
import pytest
from ir_measures import nDCG

from rig.errors import RigError
from rig.metrics.scoring import score
from rig.model import Language, Outcome, Query, SourceType
from rig.predictions import Predictions, read_predictions
from rig.predictions.rows import FileForm


def query(name: str, english: str = "", relevant: tuple[str, ...] = ("a.JPG",), album: str = "album1") -> Query:
    text = {Language.ZH: f"中{name}", Language.EN: english or f"query {name}"}
    return Query(name, album, text, SourceType.V, frozenset(relevant))


Q1, Q2 = query("q1"), query("q2")


def read(folder: Path, content: object, queries: list[Query] | None = None, **how: object) -> Predictions:
    file = folder / "agent.txt"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return read_predictions(file, queries or [Q1, Q2], **how)  # type: ignore[arg-type]


def lists(predictions: Predictions) -> dict[str, list[str | None]]:
    return {answer.query: [result.photo for result in answer.results] for answer in predictions.answers}


EXPECTED = {"q1": ["a.JPG", "b 2.JPG"], "q2": []}
CURRENT = [
    {"album_id": "1", "query_en": "query q1", "pred": ["a.JPG", "b 2.JPG"]},
    {"album_id": "1", "query_en": "query q2", "pred": []},
]
OLD = {
    "model_name": "agent",
    "language": "cn",
    "results": [{"query_id": "q1", "predictions": ["a.JPG", "b 2.JPG"]}, {"query_id": "q2", "predictions": []}],
}


@pytest.mark.parametrize(
    ("content", "form"),
    [
        pytest.param(CURRENT, FileForm.SUBMISSION, id="current"),
        pytest.param(OLD, FileForm.OLD_SUBMISSION, id="old"),
        pytest.param({"q1": ["a.JPG", "b 2.JPG"], "q2": []}, FileForm.MAPPING, id="mapping"),
        pytest.param("\n".join(json.dumps(row) for row in CURRENT) + "\n", FileForm.JSON_LINES, id="lines"),
    ],
)
def test_every_json_form_gives_the_same_answers(tmp_path: Path, content: object, form: FileForm) -> None:
    predictions = read(tmp_path, content)
    assert predictions.form is form
    assert lists(predictions) == EXPECTED
    assert predictions.empty == 1


def test_a_trec_run_is_ranked_by_score_and_may_hold_names_with_spaces(tmp_path: Path) -> None:
    predictions = read(tmp_path, "q1 Q0 b 2.JPG 1 0.5 agent\nq1 Q0 a.JPG 2 0.9 agent\n")
    assert predictions.form is FileForm.TREC_RUN
    assert lists(predictions) == {"q1": ["a.JPG", "b 2.JPG"]}


def test_equal_scores_in_a_trec_run_rank_as_trec_eval_ranks_them(tmp_path: Path) -> None:
    text = "q1 Q0 a.JPG 1 1.0 x\nq1 Q0 z.JPG 2 1.0 x\nq1 Q0 m.JPG 3 1.0 x\n"
    ours = score([Q1], read(tmp_path, text, [Q1]).answers).queries[0].ranking["ndcg@5"].value
    run = list(ir_measures.read_trec_run(text))
    assert ours == pytest.approx(ir_measures.calc_aggregate([nDCG @ 5], [ir_measures.Qrel("q1", "a.JPG", 1)], run)[nDCG @ 5])


def test_a_query_that_a_trec_run_leaves_out_is_not_run_unless_told_otherwise(tmp_path: Path) -> None:
    text = "q1 Q0 a.JPG 1 1.0 x\n"
    assert set(lists(read(tmp_path, text))) == {"q1"}
    assert lists(read(tmp_path, text, absent_is_empty=True)) == {"q1": ["a.JPG"], "q2": []}


def test_a_line_may_say_that_its_search_failed(tmp_path: Path) -> None:
    text = '{"query_id": "q1", "outcome": "invalid", "reason": "timeout"}\n{"query_id": "q2", "pred": []}\n'
    failed, empty = read(tmp_path, text).answers
    assert (failed.outcome, failed.reason) == (Outcome.INVALID, "timeout")
    assert empty.outcome is Outcome.ANSWERED


def test_a_line_separator_inside_a_name_does_not_end_the_line(tmp_path: Path) -> None:
    text = '{"query_id": "q1", "pred": ["a\u2028b.JPG"]}\n{"query_id": "q2", "pred": []}\n'
    assert lists(read(tmp_path, text))["q1"] == ["a\u2028b.JPG"]


def test_the_files_language_counts_and_another_is_refused(tmp_path: Path) -> None:
    assert read(tmp_path, OLD).language is Language.ZH
    assert read(tmp_path, CURRENT).language is None
    assert read(tmp_path, CURRENT, language=Language.EN).answers[0].language is Language.EN
    with pytest.raises(RigError, match="are in zh, asked for en"):
        read(tmp_path, OLD, language=Language.EN)


def test_rows_of_a_shared_key_go_to_its_queries_in_order_only_when_there_are_as_many(tmp_path: Path) -> None:
    queries = [query("q1", "mom photos"), query("q2", "mom photos")]
    rows = [
        {"album_id": "1", "query_en": "mom photos", "pred": ["a.JPG"]},
        {"album_id": "1", "query_en": "mom photos", "pred": []},
    ]
    both = read(tmp_path, rows, queries)
    assert lists(both) == {"q1": ["a.JPG"], "q2": []}
    assert both.ambiguous == (("album1: mom photos", ("q1", "q2"), True),)
    one = read(tmp_path, rows[:1], queries)
    assert lists(one) == {}
    assert one.ambiguous == (("album1: mom photos", ("q1", "q2"), False),)


def test_the_text_key_is_exact_and_within_its_album(tmp_path: Path) -> None:
    queries = [query("q1", "beach"), query("q2", "beach", album="album2")]
    rows = [{"album_id": "2", "query_en": "beach", "pred": []}, {"album_id": "1", "query_en": "Beach", "pred": []}]
    predictions = read(tmp_path, rows, queries)
    assert set(lists(predictions)) == {"q2"}
    assert len(predictions.foreign) == 1


def test_ids_of_the_release_are_known_too(tmp_path: Path) -> None:
    predictions = read(tmp_path, {"17": ["a.JPG"]}, own_ids={"17": ("q2",)})
    assert lists(predictions) == {"q2": ["a.JPG"]}


def test_null_ids_are_explained_and_rows_can_be_taken_by_position(tmp_path: Path) -> None:
    null = {"language": "cn", "results": [{"query_id": None, "predictions": [name]} for name in ("a.JPG", "b.JPG")]}
    with pytest.raises(RigError, match=r"query_id is null.*--by-position"):
        read(tmp_path, null)
    assert lists(read(tmp_path, null, by_position=True)) == {"q1": ["a.JPG"], "q2": ["b.JPG"]}
    with pytest.raises(RigError, match="2 rows for 1 queries"):
        read(tmp_path, null, [Q1], by_position=True)


def test_the_same_row_twice_is_counted_and_a_different_one_is_refused(tmp_path: Path) -> None:
    same = {"query_id": "q1", "predictions": ["a.JPG"]}
    assert read(tmp_path, {"results": [same, same]}).repeated == 1
    with pytest.raises(RigError, match="again and differently"):
        read(tmp_path, {"results": [same, same | {"predictions": []}]})


def test_names_that_differ_in_case_are_told_and_taken_only_when_asked(tmp_path: Path) -> None:
    left = read(tmp_path, {"q1": ["a.jpg"]})
    assert (lists(left)["q1"], left.case_only) == (["a.jpg"], 1)
    taken = read(tmp_path, {"q1": ["a.jpg"]}, fold_case=True)
    assert (lists(taken)["q1"], taken.renamed) == (["a.JPG"], 1)


def test_file_names_find_photos_in_an_albums_folders(tmp_path: Path) -> None:
    predictions = read(tmp_path, {"q1": ["b.JPG"]}, albums={"album1": ["in/b.JPG", "c.JPG"]})
    assert (lists(predictions)["q1"], predictions.renamed) == (["in/b.JPG"], 1)


def test_a_photo_of_another_folder_is_another_photo(tmp_path: Path) -> None:
    queries = [query("q1", relevant=("in/a.JPG",))]
    names = ["out/a.JPG", "a.JPG"]
    assert lists(read(tmp_path, {"q1": names}, queries)) == {"q1": names}
    known = {"album1": ["in/a.JPG", "out/a.JPG"]}
    assert lists(read(tmp_path, {"q1": names}, queries, albums=known, fold_case=True)) == {"q1": names}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param('{"q1": ["a.JPG"], "q1": []}', "the key 'q1' is given twice", id="key twice"),
        pytest.param("", "is empty", id="empty file"),
        pytest.param("[{", "not valid JSON", id="cut short"),
        pytest.param('{"query_id": "q1", "pred": []}\n{"query_id": "q', "line 2 is not valid JSON", id="torn line"),
        pytest.param("q1 Q0 a.JPG 1 0.5\n", "line 1: expected `query Q0 photo rank score tag`", id="short TREC line"),
        pytest.param("q1 Q0 a.JPG 1 best x\n", "score must be a number", id="TREC score"),
        pytest.param({"q1": "a.JPG"}, "must be a list of strings", id="list is a string"),
        pytest.param({"q1": [""]}, r"\[0\] is a blank name", id="blank name"),
        pytest.param([{"query_id": "q1"}], "expected one of pred", id="row without list"),
        pytest.param({"x": []}, "none of its 1 rows names one of the 2 queries", id="other queries"),
        pytest.param({"language": "fr", "results": []}, "language must be cn or en", id="language"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_place(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(RigError, match=message):
        read(tmp_path, content)


def test_hostile_names_are_only_names(tmp_path: Path) -> None:
    names = ["[red]x[/red]", "=1+1", "a\x1b[31m.JPG", "]]>", "../../x"]
    assert lists(read(tmp_path, {"q1": names}))["q1"] == names
