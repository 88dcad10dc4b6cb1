"""Import: a source folder and a query file become an album folder."""

import json
from pathlib import Path

import pytest
from album_samples import a_query, draw
from typer.testing import CliRunner

from rig.album.importing import import_album
from rig.album.manifest import load_album, load_queries, write_queries
from rig.cli.album import album_app
from rig.errors import RigError


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    draw(folder / "a.png", 1)
    draw(folder / "more" / "b.png", 2)
    (folder / "more" / "copy of a.png").write_bytes((folder / "a.png").read_bytes())
    (folder / "broken.jpg").write_bytes(b"\xff\xd8\xff")
    return folder


def queries(tmp_path: Path, *relevant: str, album: str = "trip") -> Path:
    return write_queries([a_query(relevant=frozenset(relevant), album=album)], tmp_path / "asked")


def test_an_import_can_be_loaded_and_points_to_the_source(tmp_path: Path, source: Path) -> None:
    done = import_album(source, tmp_path / "album", queries=queries(tmp_path, "a.png", "more/b.png"))
    album = load_album(tmp_path / "album")
    assert album == done.album
    assert album.name == "trip"
    assert album.root == source
    assert load_queries(tmp_path / "album")[0].relevant == {"a.png", "more/b.png"}
    assert done.oddities == ()


def test_file_names_alone_become_photo_ids(tmp_path: Path, source: Path) -> None:
    done = import_album(source, tmp_path / "album", queries=queries(tmp_path, "b.png"))
    assert done.queries[0].relevant == {"more/b.png"}


def test_a_copy_in_the_ground_truth_stands_for_the_photo_that_is_kept(tmp_path: Path, source: Path) -> None:
    done = import_album(source, tmp_path / "album", queries=queries(tmp_path, "more/copy of a.png"))
    assert done.queries[0].relevant == {"a.png"}
    assert [item.kind for item in done.oddities] == ["same-bytes"]


def test_a_name_that_differs_in_case_is_reported_with_the_photo_it_may_mean(tmp_path: Path, source: Path) -> None:
    done = import_album(source, tmp_path / "album", queries=queries(tmp_path, "B.PNG"))
    assert "'more/b.png'" in done.oddities[0].detail


def test_a_missing_name_never_turns_a_query_into_one_whose_answer_is_nothing(tmp_path: Path, source: Path) -> None:
    done = import_album(source, tmp_path / "album", queries=queries(tmp_path, "gone.png"))
    assert [item.kind for item in done.oddities] == ["missing-photo"]
    assert not done.queries[0].is_rejection


def test_what_the_release_says_beside_its_queries_is_held_against_the_album(tmp_path: Path, source: Path) -> None:
    row = {"query_cn": "猫", "query_en": "cat", "Source": "V", "ground_truth": ["a.png"], "ground_truth_count": 1}
    place = {"latitude": None, "longitude": None, "time": ""}
    faces = {"face_id_to_nicknames": {"1": ["Bo"], "2": ["Bo"]}, "image_to_face_ids": {"b.png": ["1"]}}
    asked = tmp_path / "album1"
    asked.mkdir()
    for name, content in (
        ("query.json", [row]),
        ("metadata.json", {"a.png": place, "gone.png": place}),
        ("face_info_en.json", faces),
    ):
        (asked / name).write_text(json.dumps(content), "utf-8")
    done = import_album(source, tmp_path / "album", queries=asked / "query.json")
    told = {(odd.kind.value, odd.about) for odd in done.oddities}
    assert {("missing-photo", "metadata.json"), ("nickname", "Bo")} <= told
    assert ("missing-photo", "face_info_en.json") not in told


def test_the_source_folder_is_not_written_into(tmp_path: Path, source: Path) -> None:
    before = sorted(path.relative_to(source) for path in source.rglob("*"))
    with pytest.raises(RigError, match="lies in the source folder"):
        import_album(source, source / "album")
    import_album(source, tmp_path / "album")
    assert sorted(path.relative_to(source) for path in source.rglob("*")) == before


def test_an_existing_album_is_not_overwritten(tmp_path: Path, source: Path) -> None:
    import_album(source, tmp_path / "album")
    with pytest.raises(RigError, match="already holds an album"):
        import_album(source, tmp_path / "album")


def test_queries_about_several_albums_need_the_name_of_one(tmp_path: Path, source: Path) -> None:
    file = write_queries([a_query("q1", album="one"), a_query("q2", album="two")], tmp_path / "asked")
    with pytest.raises(RigError, match="asks about one, two, none of them called 'source'"):
        import_album(source, tmp_path / "album", queries=file)
    done = import_album(source, tmp_path / "album", queries=file, name="two")
    assert [query.id for query in done.queries] == ["q2"]


def test_the_command_lists_what_cannot_be_used_and_why(tmp_path: Path, source: Path) -> None:
    found = CliRunner().invoke(album_app, ["import", str(source), "--to", str(tmp_path / "album")])
    assert found.exit_code == 0
    assert "2 photos, 0 queries" in found.stdout
    assert "more/copy of a.png: same bytes as a.png" in found.stdout
    assert "broken.jpg: " in found.stdout


def test_the_command_answers_scripts_in_json(tmp_path: Path, source: Path) -> None:
    asked = queries(tmp_path, "gone.png")
    arguments = ["import", str(source), "--to", str(tmp_path / "album"), "--queries", str(asked), "--json"]
    found = json.loads(CliRunner().invoke(album_app, arguments).stdout)
    assert (found["photos"], found["queries"], len(found["unusable"])) == (2, 1, 2)
    assert found["oddities"][0]["kind"] == "missing-photo"
