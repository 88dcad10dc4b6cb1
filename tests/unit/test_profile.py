"""Gallery profiles: what may stand in them, and the ones that come with the rig."""

from pathlib import Path

import pytest

from drivers import open_driver
from drivers.interface import DriverError
from drivers.profile import Dialog, Elements, GalleryProfile, Selector, Submit
from rig.config import load_profile

DEVICES = Path(__file__).parents[2] / "devices"
ANDROID = ("google_photos", "honor", "huawei", "oppo", "samsung", "vivo", "xiaomi")
LEAST = Elements(field=(Selector(id="field"),), no_results=(Selector(text="Nothing"),))


def profile(elements: Elements = LEAST, submit: Submit = Submit.ENTER, dialogs: tuple[Dialog, ...] = ()) -> GalleryProfile:
    return GalleryProfile("x", "X", "android", "com.x", elements, submit=submit, dialogs=dialogs)


def test_a_profile_with_a_field_and_a_no_results_sign_can_be_used() -> None:
    assert profile().faults() == ()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (profile(Elements(no_results=LEAST.no_results)), "elements.field"),
        (profile(Elements(field=LEAST.field)), "elements.no_results"),
        (profile(submit=Submit.BUTTON), "elements.submit"),
        (profile(dialogs=(Dialog("terms", sign=()),)), "dialogs.terms"),
        (profile(Elements(field=(Selector(),), no_results=LEAST.no_results)), "would fit every element"),
        (profile(Elements(field=(Selector(text_matches="("),), no_results=LEAST.no_results)), "no regular expression"),
    ],
    ids=["no field", "no sign", "no button", "a dialog without a sign", "an empty selector", "a broken pattern"],
)
def test_what_is_wrong_with_a_profile_is_said(wrong: GalleryProfile, said: str) -> None:
    assert any(said in fault for fault in wrong.faults())


@pytest.mark.parametrize("name", ANDROID)
def test_a_profile_of_the_rig_can_be_used_in_both_languages(name: str) -> None:
    loaded = load_profile(DEVICES / f"{name}.toml")
    assert (loaded.name, loaded.platform) == (name, "android")
    for element in (loaded.elements.no_results, loaded.elements.search_entry):
        told = {selector.language for selector in element}
        assert "" in told or told >= {"zh", "en"}
    assert loaded.package in loaded.watch


def test_no_package_is_claimed_by_two_profiles() -> None:
    packages = [load_profile(DEVICES / f"{name}.toml").package for name in ANDROID]
    assert len(set(packages)) == len(packages)


def test_an_unknown_platform_is_refused_with_those_there_are() -> None:
    with pytest.raises(DriverError, match="android, harmony, ios"):
        open_driver("palm", "somewhere", profile(), {})
