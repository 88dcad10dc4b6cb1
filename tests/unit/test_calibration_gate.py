"""No sweep on a phone whose profile was never tried on its gallery, or the report says so."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from engine_lab import PROFILE, FakeLab, FakePhone, reopened

from drivers.interface import Identity
from drivers.profile import GalleryProfile, Patience, Selector
from rig.analysis import match_run
from rig.config import load_profile
from rig.desk.calibrations import Calibration, gallery_of, language_of, look_of, read_calibrations, remember, why_uncalibrated
from rig.errors import RigError
from rig.records import Parked
from rig.run_report import build_report
from rig.runner import sweep

PHONE = Identity("S1", "Fake 1", "b1", "1", "fake.gallery", "g1", "zh-Hans-CN", "1")
NEVER = "profile fake was never calibrated for fake.gallery g1 in en"


@pytest.fixture
def profile(tmp_path: Path) -> GalleryProfile:
    (tmp_path / "fake.toml").write_text(PROFILE)
    return load_profile(tmp_path / "fake.toml")


def made(profile: GalleryProfile, identity: Identity = PHONE) -> Calibration:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Calibration(gallery_of("fake", identity), profile.name, look_of(profile), at, "bundle", with_album=False)


def test_what_was_never_calibrated_is_said(tmp_path: Path, profile: GalleryProfile) -> None:
    why = why_uncalibrated(gallery_of("fake", PHONE), profile, tmp_path / "none.json")
    assert why == "profile fake was never calibrated for fake.gallery g1 in zh"


def test_a_calibration_holds_for_its_gallery_version_and_language_only(tmp_path: Path, profile: GalleryProfile) -> None:
    file = tmp_path / "calibrations.json"
    remember(made(profile), file)

    def why(**changes: str) -> str:
        return why_uncalibrated(gallery_of("fake", replace(PHONE, **changes)), profile, file)

    assert why() == ""
    assert why(serial="S2", locale="zh_TW") == ""
    assert why(gallery_version="g2") != ""
    assert why(locale="en-US") != ""


def test_a_profile_that_looks_elsewhere_has_to_be_calibrated_again(tmp_path: Path, profile: GalleryProfile) -> None:
    file = tmp_path / "calibrations.json"
    remember(made(profile), file)
    other = replace(profile, elements=replace(profile.elements, field=(Selector(id="other"),)))
    assert "was changed since" in why_uncalibrated(gallery_of("fake", PHONE), other, file)
    patient = replace(profile, patience=Patience(results_s=99))
    assert why_uncalibrated(gallery_of("fake", PHONE), patient, file) == ""


def test_a_later_calibration_of_the_same_gallery_takes_the_place_of_the_earlier(
    tmp_path: Path, profile: GalleryProfile
) -> None:
    file = tmp_path / "calibrations.json"
    remember(made(profile), file)
    remember(replace(made(profile), bundle="second"), file)
    assert [entry.bundle for entry in read_calibrations(file)] == ["second"]


def test_a_broken_list_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "calibrations.json"
    file.write_text("[]")
    with pytest.raises(RigError, match="not a list of calibrations"):
        read_calibrations(file)


@pytest.mark.parametrize(
    ("locale", "language"), [("zh-Hans-CN", "zh"), ("zh_CN", "zh"), ("EN-us", "en"), ("zh", "zh"), ("", "")]
)
def test_a_language_is_the_first_part_of_a_locale(locale: str, language: str) -> None:
    assert language_of(locale) == language


def real_lab(folder: Path) -> FakeLab:
    return FakeLab(folder, {"A": FakePhone(folder / "A", virtual=False)}, confirm=("phone-A",))


def test_a_real_phone_without_calibration_is_refused_before_it_is_erased(tmp_path: Path) -> None:
    lab = real_lab(tmp_path)
    with lab.planned() as run:
        sweep(lab.setup(run, why_uncalibrated=lambda _phone, _identity: NEVER))
        (phone,) = run.ledger.phones()
    assert phone.parked is Parked.REFUSED
    assert phone.cause == (
        f'Phone A ("phone-A"): {NEVER}; '
        "calibrate it with: rig calibrate phone-A --lab FILE, or measure it all the same with --uncalibrated"
    )
    assert lab.phones["A"].read()["erased"] == 0


def test_with_leave_it_is_measured_and_its_row_says_so(tmp_path: Path) -> None:
    lab = real_lab(tmp_path)
    with lab.planned() as run:
        sweep(lab.setup(run, why_uncalibrated=lambda _phone, _identity: NEVER, allow_uncalibrated=True))
        match_run(run, workers=1)
        report = build_report(run, tmp_path / "report")
    assert [row.note for row in report.sections[0].rows] == ["uncalibrated"]


def test_leave_once_given_holds_for_the_whole_run(tmp_path: Path) -> None:
    lab = real_lab(tmp_path)
    with lab.planned() as run:
        stopped = lab.setup(run, why_uncalibrated=lambda _phone, _identity: NEVER, allow_uncalibrated=True)
        stopped.stop.set()
        sweep(stopped)
        lab.stop.clear()
        lab.locks.release()
        again = reopened(run)
        ended = sweep(lab.setup(again, why_uncalibrated=lambda _phone, _identity: NEVER))
        again.ledger.close()
    assert [phone.parked for phone in ended.phones] == [None]


def test_a_reset_that_brings_back_another_gallery_is_met_before_the_album_goes_in(tmp_path: Path) -> None:
    lab = real_lab(tmp_path)
    seen: list[int] = []

    def why(_phone: object, _identity: Identity) -> str:
        erased = lab.phones["A"].read()["erased"]
        seen.append(erased)
        return NEVER if erased else ""

    with lab.planned() as run:
        ended = sweep(lab.setup(run, why_uncalibrated=why))
    assert seen == [0, 1]
    assert ended.phones[0].parked is Parked.REFUSED
    assert lab.phones["A"].read()["album"] == {}


def test_a_virtual_phone_is_never_asked(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")})
    with lab.planned() as run:
        ended = sweep(lab.setup(run, why_uncalibrated=lambda _phone, _identity: NEVER))
    assert [phone.parked for phone in ended.phones] == [None]
