"""PhotoBench's files become queries, whatever their shape, and answers become its submissions."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from rig.album.manifest import load_queries, write_queries
from rig.errors import RigError
from rig.metrics.scoring import score
from rig.model import Answer, Depth, Language, Outcome, Query, Result, SourceType, Verdict
from rig.photobench import OddityKind, fit_to_album, read_queries, read_release
from rig.photobench.sidecars import TakenWhere, read_faces, read_metadata
from rig.photobench.submission import Form, make_submission

RELEASE = Path(__file__).parents[2].parent / "shared" / "data" / "photobench"
needs_release = pytest.mark.skipif(not RELEASE.is_dir(), reason="the published query files are not here")


def row(zh: str, en: str, *, truth: list[str] | None = None, count: int | None = None, source: str = "V") -> dict[str, object]:
    content: dict[str, object] = {"query_cn": zh, "query_en": en}
    if truth is not None:
        content |= {"ground_truth": truth, "ground_truth_count": len(truth) if count is None else count}
    return content | {"Location": None, "Time": "cognitive", "Person": None, "Object": "fact", "Source": source}


def write(folder: Path, name: str, content: object) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, ensure_ascii=False, indent=2), encoding="utf-8")
    return file


def test_a_row_with_ground_truth_becomes_a_query(tmp_path: Path) -> None:
    file = write(tmp_path, "album2_validation.json", [row("海边", "beach", truth=["IMG_1.JPG"], source="VM")])
    (query,) = read_queries(file)
    assert query.album == "album2"
    assert query.text == {Language.ZH: "海边", Language.EN: "beach"}
    assert query.source_type is SourceType.VM
    assert query.relevant == {"IMG_1.JPG"}
    assert query.dimensions == {"Time": Depth.COGNITIVE, "Object": Depth.FACT}


def test_the_documented_field_names_are_understood(tmp_path: Path) -> None:
    documented = {
        "Query_id": 17,
        "Album_id": "3",
        "Query": "海边",
        "Source_type": "FV",
        "GroundTruth": ["a.jpg"],
        "Reasoning_type": "location",
    }
    release = read_release(write(tmp_path, "validation.json", [documented]))
    (query,) = release.queries
    assert (query.album, query.text, query.source_type) == ("album3", {Language.ZH: "海边"}, SourceType.VF)
    assert release.own_ids == {"17": (query.id,)}


def test_empty_ground_truth_is_a_rejection_and_missing_ground_truth_is_not(tmp_path: Path) -> None:
    rows = [row("一", "one", truth=[]), row("二", "two")]
    nothing, unknown = read_queries(write(tmp_path, "album1.json", rows))
    assert nothing.is_rejection
    assert not unknown.is_rejection
    with pytest.raises(RigError, match="1 queries have no ground truth"):
        score([nothing, unknown], [])


def test_unknown_ground_truth_stays_unknown_in_our_own_file(tmp_path: Path) -> None:
    queries = read_queries(write(tmp_path, "album1.json", [row("一", "one", truth=[]), row("二", "two")]))
    assert load_queries(write_queries(queries, tmp_path / "album")) == queries


def test_ids_are_the_same_again_and_differ_by_place_text_and_album(tmp_path: Path) -> None:
    rows = [row("一", "one"), row("一", "one"), row("二", "one")]
    first = read_queries(write(tmp_path, "album1/query.json", rows))
    again = read_queries(write(tmp_path, "copy/album1/query.json", rows))
    other = read_queries(write(tmp_path, "album2/query.json", rows))
    assert [q.id for q in first] == [q.id for q in again]
    assert len({q.id for q in (*first, *other)}) == 6
    assert first[0].id == "album1-0000-" + first[1].id[-8:]


def test_the_album_is_told_by_argument_then_row_then_file_then_folder_then_guessed(tmp_path: Path) -> None:
    rows = [row("一", "one", truth=[])]
    assert read_queries(write(tmp_path, "album2/query.json", rows))[0].album == "album2"
    assert read_queries(write(tmp_path, "album2/Album3_validation.json", rows))[0].album == "album3"
    assert read_queries(write(tmp_path, "album2/x.json", [rows[0] | {"album_id": 1}]))[0].album == "album1"
    assert read_queries(write(tmp_path, "album2/query.json", rows), "mine")[0].album == "mine"
    guessed = read_release(write(tmp_path, "holiday.json", rows))
    assert guessed.queries[0].album == "holiday"
    assert [odd.kind for odd in guessed.oddities] == [OddityKind.ALBUM_GUESSED]


def test_a_folder_is_read_album_by_album(tmp_path: Path) -> None:
    for n in (1, 2, 3):
        write(tmp_path, f"album{n}/query.json", [row("一", f"one of {n}")])
    assert [query.album for query in read_queries(tmp_path)] == ["album1", "album2", "album3"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(RigError, match=r"found no query\.json"):
        read_queries(tmp_path / "empty")


def test_shared_texts_wrong_counts_and_repeated_names_are_reported(tmp_path: Path) -> None:
    rows = [row("一", "one", truth=["a", "a"], count=3), row("二", "one", truth=[])]
    oddities = read_release(write(tmp_path, "album1.json", rows)).oddities
    assert [odd.kind for odd in oddities] == [OddityKind.REPEATED_NAME, OddityKind.COUNT, OddityKind.SAME_TEXT]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param({"queries": []}, "expected an array", id="no array"),
        pytest.param([["beach"]], "row 0 must be an object", id="row is no object"),
        pytest.param([{"Source": "V"}], "expected query_cn or query_en", id="no text"),
        pytest.param([row("一", "one", source="X")], "Source must be one of", id="unknown source type"),
        pytest.param([row("一", "one") | {"Time": "maybe"}], "Time must be null, fact or cognitive", id="unknown depth"),
        pytest.param([row("一", "one") | {"ground_truth": "a.jpg"}], "must be a list of strings", id="truth is no list"),
    ],
)
def test_a_file_of_another_shape_is_refused_with_its_place(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(RigError, match=message):
        read_queries(write(tmp_path, "album1.json", content))


def test_names_are_fitted_to_the_albums_photos_and_every_deviation_is_told() -> None:
    ids = ["in/IMG_1.JPG", "IMG_2.jpeg", "IMG_2.JPG", "a/b.jpg", "c/b.jpg", "é.jpg"]
    names = ["IMG_1.JPG", "IMG_2.JPG", "img_2.JPEG", "b.jpg", "e\u0301.jpg", "gone.jpg", "copy.jpg"]
    query = Query("q", "one", {}, SourceType.V, frozenset(names))
    (fitted,), oddities = fit_to_album([query], ids, same_as={"copy.jpg": "IMG_2.JPG"})
    # img_2.JPEG is IMG_2.jpeg but for case; copy.jpg is a copy of IMG_2.JPG; b.jpg is two photos; gone.jpg is none
    assert fitted.relevant == {"in/IMG_1.JPG", "IMG_2.JPG", "IMG_2.jpeg", "b.jpg", "é.jpg", "gone.jpg"}
    assert sorted(odd.kind for odd in oddities) == sorted(
        [OddityKind.CASE, OddityKind.CASE, OddityKind.AMBIGUOUS_NAME, OddityKind.MISSING_PHOTO, OddityKind.SAME_BYTES]
    )


def test_a_query_whose_photos_are_all_missing_does_not_become_a_rejection() -> None:
    (fitted,), _ = fit_to_album([Query("q", "one", {}, SourceType.V, frozenset({"gone.jpg"}))], ["a.jpg"])
    assert not fitted.is_rejection


def test_metadata_has_gaps_and_they_stay_gaps(tmp_path: Path) -> None:
    content = {
        "a.jpg": {"latitude": 31.2304, "longitude": 121.4737, "time": "2023-05-01T13:05:35"},
        "b.jpg": {"latitude": None, "longitude": None, "time": ""},
    }
    metadata = read_metadata(write(tmp_path, "metadata.json", content))
    assert metadata["a.jpg"] == TakenWhere(31.2304, 121.4737, datetime(2023, 5, 1, 13, 5, 35))  # noqa: DTZ001 - no zone is given
    assert metadata["b.jpg"] == TakenWhere(None, None, None)


def test_a_nickname_of_two_people_is_reported(tmp_path: Path) -> None:
    content = {
        "face_id_to_nicknames": {"1": ["me", "myself"], "2": ["Little Chen"], "11": ["Little Chen"]},
        "image_to_face_ids": {"a.jpg": ["1", "11"]},
    }
    faces = read_faces(write(tmp_path, "face_info_en.json", content))
    assert faces.people == {"a.jpg": frozenset({"1", "11"})}
    assert [odd.about for odd in faces.oddities] == ["Little Chen"]


@needs_release
def test_the_published_files_are_read_in_full() -> None:
    releases = {n: read_release(RELEASE / f"album{n}_query.json") for n in (1, 2, 3)}
    assert {n: len(release.queries) for n, release in releases.items()} == {1: 483, 2: 336, 3: 369}
    shared = {n: sum(odd.kind is OddityKind.SAME_TEXT for odd in release.oddities) for n, release in releases.items()}
    assert shared == {1: 1, 2: 0, 3: 3}
    assert not any(query.truth_known for release in releases.values() for query in release.queries)
    assert SourceType.F not in {query.source_type for query in releases[2].queries}


@needs_release
def test_the_published_samples_hold_nine_rejections_among_sixty() -> None:
    queries = read_queries(RELEASE)
    assert (len(queries), sum(query.is_rejection for query in queries)) == (60, 9)


# Submissions


def _answer(query: str, *names: str, outcome: Outcome = Outcome.ANSWERED) -> Answer:
    return Answer(query, Language.ZH, outcome, tuple(Result(i, Verdict.MATCHED, name) for i, name in enumerate(names)))


def _query(name: str, english: str, album: str = "album1") -> Query:
    return Query(name, album, {Language.ZH: name, Language.EN: english}, SourceType.V, frozenset())


def test_both_submission_forms_have_the_published_fields() -> None:
    queries, answers = [_query("q", "beach")], [_answer("q", "in/b.JPG", "a.JPG", "in/b.JPG")]
    current = make_submission(queries, answers, form=Form.CURRENT, model_name="Phone A", language=Language.ZH)
    assert current.content == [{"album_id": "1", "query_en": "beach", "pred": ["b.JPG", "a.JPG"]}]
    old = make_submission(queries, answers, form=Form.OLD, model_name="Phone A", language=Language.ZH)
    assert old.content == {
        "model_name": "Phone A",
        "language": "cn",
        "results": [{"query_id": "q", "predictions": ["b.JPG", "a.JPG"]}],
    }


def test_queries_without_an_answer_are_left_out_and_never_written_as_empty() -> None:
    queries = [_query("a", "one"), _query("b", "two"), _query("c", "three"), _query("d", "four")]
    stranger = Answer("d", Language.ZH, Outcome.ANSWERED, (Result(0, Verdict.STRANGER, None),))
    answers = [_answer("a"), _answer("b", outcome=Outcome.INVALID), stranger]
    submission = make_submission(queries, answers, form=Form.CURRENT, model_name="x", language=Language.ZH)
    assert submission.content == [{"album_id": "1", "query_en": "one", "pred": []}]
    assert submission.unanswered == (("b", "invalid"), ("c", "not run"), ("d", "no result could be named"))


def test_keys_that_several_queries_share_are_named() -> None:
    queries = [_query("a", "mom photos"), _query("b", "mom photos"), _query("c", "mom photos", "album2")]
    answers = [_answer("a"), _answer("b"), _answer("c")]
    submission = make_submission(queries, answers, form=Form.CURRENT, model_name="x", language=Language.ZH)
    assert submission.ambiguous == (("album1", "mom photos", 2),)


def test_two_matches_to_a_pair_of_twins_are_both_of_them() -> None:
    twin = Result(0, Verdict.MATCHED, "a.jpg", ("a.jpg", "b.jpg"))
    answers = [Answer("q", Language.ZH, Outcome.ANSWERED, (twin, twin, twin))]
    submission = make_submission([_query("q", "x")], answers, form=Form.CURRENT, model_name="x", language=Language.ZH)
    assert submission.content == [{"album_id": "1", "query_en": "x", "pred": ["a.jpg", "b.jpg"]}]
    assert submission.unnamed == 1


def test_an_album_that_is_not_photobenchs_cannot_be_put_into_the_current_form() -> None:
    with pytest.raises(RigError, match="use --form old"):
        make_submission([_query("q", "x", "demo")], [_answer("q")], form=Form.CURRENT, model_name="x", language=Language.ZH)
