"""Letters of a study: drawn by chance, kept for ever, linked to nothing."""

import stat
from pathlib import Path
from random import Random

import pytest

from rig.errors import RigError
from rig.publish.study import Subject, join_study, read_study, study_file

SIX = [Subject(f"desk-{i}", f"SERIAL{i}", "run-1") for i in range(6)]


def letters(file: Path, subjects: list[Subject], seed: int = 1) -> list[str]:
    study = join_study(file, "s", subjects, Random(seed))
    return [study.label(subject, several=False) for subject in subjects]


def test_six_phones_share_the_first_six_letters(tmp_path: Path) -> None:
    assert sorted(letters(tmp_path / "s.json", SIX)) == list("ABCDEF")


def test_a_phone_keeps_its_letter_when_others_join(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    before = letters(file, SIX)
    more = [Subject("desk-6", "SERIAL6", "run-2"), *SIX[::-1]]
    assert letters(file, more, seed=9) == ["G", *before[::-1]]


def test_the_order_says_nothing(tmp_path: Path) -> None:
    drawn = {tuple(letters(tmp_path / f"{seed}.json", SIX, seed)) for seed in range(20)}
    assert len(drawn) > 15
    assert {order[0] for order in drawn} == set("ABCDEF")  # the first phone gets every letter in some study


def test_a_phone_is_known_by_its_serial_when_it_was_renamed(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    before = letters(file, SIX)
    assert letters(file, [Subject("shelf", "SERIAL3", "run-2")]) == [before[3]]


def test_a_phone_that_never_answered_is_known_by_its_name_and_learns_its_serial(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    (before,) = letters(file, [Subject("desk", "", "run-1")])
    assert letters(file, [Subject("desk", "S1", "run-2")]) == [before]
    assert letters(file, [Subject("desk", "S2", "run-3")]) != [before]  # another phone under the old name


def test_runs_of_a_phone_keep_their_numbers(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    pair = [Subject("desk", "S", "run-2"), Subject("desk", "S", "run-1")]
    study = join_study(file, "s", pair, Random(3))
    before = [study.label(subject, several=True) for subject in pair]
    assert sorted(before) == ["A.1", "A.2"]
    study = join_study(file, "s", [Subject("desk", "S", "run-0"), *pair], Random(4))
    assert [study.label(subject, several=True) for subject in pair] == before


def test_two_studies_share_no_key(tmp_path: Path) -> None:
    one, two = (join_study(tmp_path / f"{name}.json", name, SIX) for name in ("one", "two"))
    assert one.seal("x") != two.seal("x")
    assert one.seal("x") == read_study(tmp_path / "one.json").seal("x")


def test_the_map_is_for_its_owner_only(tmp_path: Path) -> None:
    file = study_file(tmp_path / "private", "a/b: c")
    join_study(file, "a/b: c", SIX)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.parent.parent == tmp_path / "private"


def test_a_damaged_map_is_never_drawn_anew(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text("{")
    with pytest.raises(RigError, match="put back a copy: other letters would be drawn"):
        join_study(file, "s", SIX)
