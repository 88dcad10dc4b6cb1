"""TOML from outside becomes a type, or one sentence that names the key."""

from pathlib import Path

import pytest

from rig.config import AdaptiveIndex, FixedIndex, load_lab, load_profile, load_protocol
from rig.errors import RigError
from rig.model import Language

SMALL = """
schema_version = 1
name = "small"
languages = ["zh", "en"]
[index]
mode = "fixed"
hours = 1
"""

LAB = """
schema_version = 1
[[phone]]
name = "desk-1"
platform = "android"
address = "127.0.0.1:5555"
profile = "samsung"
[[phone]]
name = "desk-2"
platform = "android"
address = "R58M"
profile = "mine/own.toml"
options = { adb = "/opt/adb" }
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "file.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_appendix_f_is_a_day_of_waiting_and_a_hundred_results() -> None:
    protocol = load_protocol("photobench")
    assert protocol.index == FixedIndex(mode="fixed", hours=24, signal_every_s=600)
    assert protocol.max_results == 100
    assert protocol.reset.require_factory
    assert protocol.languages == (Language.ZH, Language.EN)


@pytest.mark.parametrize("name", ["photobench", "nightly", "demo", "smoke"])
def test_the_house_s_protocols_are_valid(name: str) -> None:
    assert load_protocol(name).name == name


def test_the_adaptive_wait_says_when_it_ends() -> None:
    rules = load_protocol("nightly").index
    assert isinstance(rules, AdaptiveIndex)
    assert rules.floor_s < rules.cap_s


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param(
            SMALL + "[health]\nbatery_low = 5\n",
            'unknown key "health.batery_low"; did you mean "battery_low"?',
            id="in a table",
        ),
        pytest.param("max_result = 5\n" + SMALL, 'unknown key "max_result"; did you mean "max_results"?', id="at the top"),
        pytest.param(SMALL + "zz = 5\n", 'unknown key "index.zz"; known here: hours, mode, signal_every_s', id="nothing near"),
        pytest.param(
            SMALL.replace("hours = 1", "hour = 1"),
            'unknown key "index.hour"; did you mean "hours"? (and 1 more)',
            id="in a union",
        ),
        pytest.param(SMALL.replace('name = "small"', "name = 5"), 'key "name": expected a valid string, found 5', id="type"),
        pytest.param(
            SMALL + '[query]\ndeadline_s = "10"\n', 'key "query.deadline_s": expected a valid number, found "10"', id="number"
        ),
        pytest.param(SMALL.replace('"en"', '"fr"'), "key \"languages.1\": expected 'zh' or 'en', found \"fr\"", id="choice"),
        pytest.param(
            SMALL.replace("schema_version = 1", "schema_version = 2"), 'key "schema_version": expected 1, found 2', id="version"
        ),
        pytest.param(SMALL.replace("hours = 1", ""), 'key "index.hours" is missing', id="missing"),
        pytest.param(SMALL + "[health]\nbattery_low = 90\n", "battery_low 90 must be below battery_high 80", id="hysteresis"),
        pytest.param("name = ", "not TOML: Invalid value (at end of document)", id="not toml"),
    ],
)
def test_a_wrong_protocol_is_told_in_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(RigError) as error:
        load_protocol(written(tmp_path, text))
    assert str(error.value).startswith(f"{tmp_path / 'file.toml'}: ")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_an_unknown_protocol_name_gets_the_nearest_one() -> None:
    with pytest.raises(RigError, match='there is no "photobensh"; did you mean "photobench"'):
        load_protocol("photobensh")


def test_comments_and_spacing_do_not_change_what_a_protocol_is(tmp_path: Path) -> None:
    plain = load_protocol(written(tmp_path, SMALL)).digest
    assert load_protocol(written(tmp_path, "# a remark\n\n" + SMALL.replace(" = ", "="))).digest == plain
    assert load_protocol(written(tmp_path, SMALL.replace("hours = 1", "hours = 2"))).digest != plain
    assert load_protocol(written(tmp_path, SMALL + "[match]\nescalations_per_search = 9\n")).digest == plain
    assert load_protocol(written(tmp_path, SMALL + "[match]\nescalate = true\n")).digest != plain


def test_a_lab_s_own_profiles_are_found_beside_it(tmp_path: Path) -> None:
    first, second = load_lab(written(tmp_path, LAB))
    assert first.profile == "samsung"
    assert second.profile == str(tmp_path / "mine" / "own.toml")
    assert second.options == {"adb": "/opt/adb"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LAB.replace("address = \"R58M\"", "adress = \"R58M\""), 'unknown key "phone.1.adress"; did you mean "address"?'),
        (LAB.replace("desk-2", "desk-1"), 'two phones are called "desk-1"; give each its own name'),
        ("schema_version = 1", 'key "phone" is missing'),
    ],
)  # fmt: skip
def test_a_wrong_lab_is_told_in_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(RigError) as error:
        load_lab(written(tmp_path, text))
    assert sentence in str(error.value)


PROFILE = """
schema_version = 1
name = "own"
title = "Own"
platform = "android"
package = "own.gallery"
[elements]
field = [{ id = "input" }]
no_results = [{ text = "None" }]
"""


def test_a_profile_becomes_the_drivers_own_type(tmp_path: Path) -> None:
    profile = load_profile(written(tmp_path, PROFILE))
    assert profile.elements.field[0].id == "input"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (PROFILE.replace("[elements]", "[elements]\nspiner = []"), 'unknown key "elements.spiner"; did you mean "spinner"?'),
        (
            PROFILE.replace('{ id = "input" }', '{ ident = "input" }'),
            'unknown key "elements.field.0.ident"; did you mean "id"?',
        ),
        (
            PROFILE.replace("[elements]", "keyboard_stays = 1\n[elements]"),
            'key "keyboard_stays": expected a valid boolean, found 1',
        ),
        (PROFILE.replace("schema_version = 1", ""), 'key "schema_version": expected 1'),
        (PROFILE.replace('{ id = "input" }', ""), "elements.field: at least one candidate is needed"),
    ],
)
def test_a_wrong_profile_is_told_in_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(RigError) as error:
        load_profile(written(tmp_path, text))
    assert sentence in str(error.value)
