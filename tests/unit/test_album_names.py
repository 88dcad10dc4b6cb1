"""Which names a photo may have on a phone."""

import pytest

from rig.album.names import device_names, key_of, why_not


@pytest.mark.parametrize(
    "name",
    [
        "IMG_0001.JPG",
        "照片 (1).jpg",
        "100% #1 & more;x=y.jpg",
        "-rf.jpg",
        "é.jpg",
        "e\u0301.jpg",
        "👨‍👩‍👧.jpg",
        "a" * 251 + ".jpg",
    ],
)
def test_these_names_are_fine(name: str) -> None:
    assert why_not(name) is None


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("12:30.jpg", "':'"),
        ("what?.jpg", "'?'"),
        ("tab\tname.jpg", "'\\t'"),
        ("line\nbreak.jpg", "'\\n'"),
        ("照" * 84 + ".jpg", "256 bytes"),
        ("photo.", "dot or a space"),
        ("photo ", "dot or a space"),
        ("bad\udcff.jpg", "UTF-8"),
    ],
)
def test_a_name_that_phones_refuse_says_why(name: str, part: str) -> None:
    # 84 Chinese characters of 3 bytes and ".jpg": 252 + 4 = 256 bytes.
    assert part in (why_not(name) or "")


def test_names_that_differ_in_case_or_accents_only_are_one_file_on_a_phone() -> None:
    assert key_of("IMG_1.JPG") == key_of("img_1.jpg")
    assert key_of("é.jpg") == key_of("e\u0301.jpg") == key_of("É.JPG")


def test_a_flat_name_is_kept() -> None:
    assert device_names(["b.jpg", "a.jpg"]) == ({"a.jpg": "a.jpg", "b.jpg": "b.jpg"}, {})


def test_the_shallowest_photo_keeps_its_name_and_the_others_take_their_folders() -> None:
    named, refused = device_names(["trip/day1/a.jpg", "trip/a.jpg", "a.jpg"])
    assert named == {"a.jpg": "a.jpg", "trip/a.jpg": "trip_a.jpg", "trip/day1/a.jpg": "trip_day1_a.jpg"}
    assert not refused


def test_a_name_made_of_folders_avoids_those_that_are_taken() -> None:
    named, _ = device_names(["a.jpg", "x/a.jpg", "x_a.jpg"])
    assert named == {"a.jpg": "a.jpg", "x_a.jpg": "x_a.jpg", "x/a.jpg": "x_a_2.jpg"}


def test_two_names_of_one_folder_that_a_phone_takes_for_one_cannot_both_be_used() -> None:
    named, refused = device_names(["IMG_1.jpg", "IMG_1.JPG"])
    assert named == {"IMG_1.JPG": "IMG_1.JPG"}
    assert "IMG_1.JPG" in refused["IMG_1.jpg"]


def test_a_folder_name_that_phones_refuse_matters_only_when_it_is_needed() -> None:
    named, refused = device_names(["x:y/a.jpg", "x:y/b.jpg", "a.jpg"])
    assert named == {"a.jpg": "a.jpg", "x:y/b.jpg": "b.jpg"}
    assert "':'" in refused["x:y/a.jpg"]
