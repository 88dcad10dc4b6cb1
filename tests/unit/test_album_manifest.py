"""Album folders on disk, read back and refused."""

import json
from pathlib import Path

import pytest
from album_samples import a_query, draw

from rig.album.manifest import load_album, load_probes, load_queries, write_album, write_queries
from rig.album.scan import scan_folder
from rig.errors import RigError
from rig.model import Language


@pytest.fixture
def album_folder(tmp_path: Path) -> Path:
    draw(tmp_path / "photos" / "a.png", 1)
    draw(tmp_path / "photos" / "b.png", 2)
    (tmp_path / "photos" / "notes.txt").write_text("x")
    write_album(scan_folder(tmp_path / "photos", name="trip"), tmp_path / "album")
    return tmp_path / "album"


def edit(file: Path, **changes: object) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_an_album_is_read_back_as_it_was_written(tmp_path: Path, album_folder: Path) -> None:
    assert load_album(album_folder) == scan_folder(tmp_path / "photos", name="trip")


def test_an_album_folder_that_holds_its_photos_can_be_moved(tmp_path: Path) -> None:
    draw(tmp_path / "here" / "photos" / "a.png", 1)
    write_album(scan_folder(tmp_path / "here" / "photos"), tmp_path / "here")
    (tmp_path / "here").rename(tmp_path / "there")
    assert load_album(tmp_path / "there").photos[0].path == tmp_path / "there" / "photos" / "a.png"


def test_a_plain_folder_is_scanned_and_nothing_is_written(tmp_path: Path) -> None:
    draw(tmp_path / "a.png", 1)
    assert [photo.id for photo in load_album(tmp_path).photos] == ["a.png"]
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_a_photo_that_is_gone_is_named(tmp_path: Path, album_folder: Path) -> None:
    (tmp_path / "photos" / "b.png").unlink()
    with pytest.raises(RigError, match=r"1 of 2 photos are missing .* first: b\.png"):
        load_album(album_folder)


def test_a_photo_of_another_size_is_named(tmp_path: Path, album_folder: Path) -> None:
    with (tmp_path / "photos" / "a.png").open("ab") as file:
        file.write(b"more")
    with pytest.raises(RigError, match=r"have another size; first: a\.png"):
        load_album(album_folder)


def test_an_edited_manifest_does_not_pass_for_the_album(album_folder: Path) -> None:
    content = json.loads((album_folder / "album.json").read_text())
    edit(album_folder / "album.json", photos=content["photos"][:1])
    with pytest.raises(RigError, match="its digest is not that of its photos"):
        load_album(album_folder)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "is not valid JSON"),
        ("[]", "must be an object"),
        ("{}", "schema_version is missing"),
        ('{"schema_version": 2}', "schema_version is 2, this rig reads 1"),
        ('{"schema_version": 1, "root": 5}', "root must be a string, found 5"),
        ('{"schema_version": 1, "root": ".", "photos": [{"id": 1}]}', r"photos\[0\]: id must be a string"),
        ('{"schema_version": 1, "root": ".", "photos": [3]}', r"photos\[0\] must be an object"),
    ],
)
def test_an_unreadable_album_gives_one_clear_sentence(tmp_path: Path, content: str, complaint: str) -> None:
    (tmp_path / "album.json").write_text(content)
    with pytest.raises(RigError, match=complaint) as caught:
        load_album(tmp_path)
    assert "album.json" in str(caught.value)


def test_queries_and_probes_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    queries = (a_query(), a_query("q2", relevant=frozenset()), a_query("q3", relevant=frozenset(), truth_known=False))
    write_queries(queries, tmp_path, probes=[a_query("p1")])
    assert load_queries(tmp_path) == queries == load_queries(tmp_path / "queries.json")
    assert load_probes(tmp_path) == (a_query("p1"),)


def test_an_answer_that_nobody_knows_is_not_an_answer_of_nothing(tmp_path: Path) -> None:
    write_queries([a_query(relevant=frozenset(), truth_known=False)], tmp_path)
    (query,) = load_queries(tmp_path)
    assert not query.truth_known
    assert not query.is_rejection


def test_an_id_given_twice_is_refused(tmp_path: Path) -> None:
    write_queries([a_query(), a_query()], tmp_path)
    with pytest.raises(RigError, match="the id 'q1' is given twice"):
        load_queries(tmp_path)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"source_type": "X"}, r"queries\[0\]: source_type must be one of V, M, F, VM, VF, MF, VMF, found 'X'"),
        ({"text": {"fr": "plage"}}, r"queries\[0\]: text: the key 'fr' is none of zh, en"),
        ({"relevant": "a.png"}, "relevant must be a list of strings"),
        ({"dimensions": {"Object": "deep"}}, "Object must be one of fact, cognitive"),
    ],
)
def test_a_wrong_query_names_its_field(tmp_path: Path, change: dict[str, object], complaint: str) -> None:
    file = write_queries([a_query()], tmp_path)
    content = json.loads(file.read_text())
    content["queries"][0] |= change
    file.write_text(json.dumps(content))
    with pytest.raises(RigError, match=complaint):
        load_queries(file)


def test_photobench_rows_are_queries_too(tmp_path: Path) -> None:
    row = {
        "query_cn": "摆满的书桌",
        "query_en": "cluttered desk",
        "ground_truth": ["IMG_1.JPG"],
        "ground_truth_count": 1,
        **dict.fromkeys(("Location", "Time", "Person", "Concept", "Genre")),
        "Object": "cognitive",
        "Source": "V",
    }
    file = tmp_path / "album1_query.json"
    file.write_text(json.dumps([row]))
    (query,) = load_queries(file)
    assert query.text == {Language.ZH: "摆满的书桌", Language.EN: "cluttered desk"}
    assert query.relevant == {"IMG_1.JPG"}
    assert load_probes(file) == ()
