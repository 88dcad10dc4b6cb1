"""The phones: those of the lab file, asked who they are, and whatever else is attached. Nothing on them is changed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from drivers import open_driver
from drivers.discovery import Attached
from drivers.interface import DriverError, GalleryDriver, Health, Identity
from drivers.profile import GalleryProfile
from rig.config import HOME, load_profile
from rig.desk.calibrations import calibrations_file, gallery_of, why_uncalibrated
from rig.desk.checks import UNREACHABLE, Check, Level
from rig.model import Phone

Opener = Callable[[Phone, GalleryProfile], GalleryDriver]

SKEW_S = 5.0
"""As in a protocol's health rules: more between phone and host makes dates doubtful."""


@dataclass(frozen=True, slots=True)
class Met:
    """One phone, as far as it could be met."""

    name: str
    """The operator's; "" for a phone that stands in no lab file."""
    platform: str
    address: str
    about: str
    """What tells it apart from another of the same serial."""
    problem: str
    """Why it cannot be used and what to do next; "" when it can."""
    identity: Identity | None = None
    health: Health | None = None
    profile: str = ""
    """The profile of the gallery it has; "" when none of ours fits."""
    uncalibrated: str = ""
    """Why its profile is not to be trusted on it; "" when it is, and for virtual phones."""


def open_phone(phone: Phone, profile: GalleryProfile) -> GalleryDriver:
    """Its driver. Raises DriverError."""
    return open_driver(phone.platform, phone.address, profile, phone.options)


def meet(phone: Phone, profile: GalleryProfile, opener: Opener = open_phone, about: str = "") -> Met:
    """A phone of the lab, asked who and how it is."""
    try:
        with closing(opener(phone, profile)) as driver:
            identity, health = driver.identify(), driver.health()
    except DriverError as error:
        return Met(phone.name, phone.platform, phone.address, about, str(error))
    fits = bool(identity.gallery_version)
    why = "" if identity.virtual or not fits else _why_uncalibrated(phone.platform, identity, profile)
    missing = f"{profile.package} of profile {profile.name} is not installed; name the profile of the gallery it has"
    problem = "" if fits else missing
    name = profile.name if fits else ""
    return Met(phone.name, phone.platform, phone.address, about, problem, identity, health, name, why)


def meet_lab(phones: Sequence[Phone]) -> tuple[Met, ...]:
    """Every phone of the lab, in its order. Raises RigError for a profile that cannot be read, before any is asked."""
    profiles = [load_profile(phone.profile) for phone in phones]
    return tuple(meet(phone, profile) for phone, profile in zip(phones, profiles, strict=True))


def meet_attached(attached: Sequence[Attached], opener: Opener = open_phone) -> tuple[Met, ...]:
    """Phones that are attached, each with the first of our profiles whose gallery it has."""
    return tuple(_meet_attached(phone, opener) for phone in attached)


def check_lab(met: Sequence[Met]) -> Iterator[Check]:
    """The lab's phones as checks."""
    for phone in met:
        place = f"{UNREACHABLE}{phone.name}"
        if phone.problem or phone.identity is None:
            yield Check(place, Level.FAIL, phone.problem, "see there, then again: rig doctor")
            continue
        identity = phone.identity
        told = f"{identity.model}, {identity.os_version}, {identity.gallery_package} {identity.gallery_version}"
        yield Check(place, Level.OK, f"{told}, {identity.locale}")
        if phone.uncalibrated:
            fix = f"rig calibrate {phone.name} --lab FILE, or sweep it with --uncalibrated"
            yield Check(f"calibration.{phone.name}", Level.WARN, phone.uncalibrated, fix)
        yield from _health_checks(phone)


def check_attached(attached: Sequence[Attached], lab: Sequence[Phone]) -> Iterator[Check]:
    """Phones that are attached and stand in no lab file, each with the next step."""
    ours = {phone.address for phone in lab} | {phone.options.get("serial", "") for phone in lab}
    for phone in attached:
        place = f"attached.{phone.platform}.{phone.address}"
        if phone.next_step:
            yield Check(place, Level.WARN, f"{phone.state} ({phone.about})", phone.next_step)
        elif phone.address not in ours and phone.serial not in ours:
            yield Check(place, Level.OK, f"{phone.state} ({phone.about})", "rig devices shows what it is")


def _meet_attached(phone: Attached, opener: Opener) -> Met:
    about = phone.about
    if not phone.ready:
        return Met("", phone.platform, phone.address, about, f"{phone.state}: {phone.next_step}")
    met = Met("", phone.platform, phone.address, about, "no profile for its platform")
    for profile in _profiles(phone.platform):
        met = meet(Phone("", phone.platform, phone.address, profile.name), profile, opener, about)
        if not met.problem or met.identity is None:
            return met
    found = 'none of our profiles fits a gallery on it; see docs/desk.md, "A new gallery"'
    return Met("", phone.platform, phone.address, about, found, met.identity, met.health)


def _profiles(platform: str) -> list[GalleryProfile]:
    every = [load_profile(file) for file in sorted(Path(HOME / "devices").glob("*.toml"))]
    return [profile for profile in every if profile.platform == platform]


def _why_uncalibrated(platform: str, identity: Identity, profile: GalleryProfile) -> str:
    return why_uncalibrated(gallery_of(platform, identity), profile, calibrations_file())


def _health_checks(phone: Met) -> Iterator[Check]:
    health = phone.health
    if health is None:
        return
    place = f"health.{phone.name}"
    if health.battery_percent is not None and health.battery_percent < 20:
        yield Check(place, Level.WARN, f"battery {health.battery_percent} %", "charge it: a sweep pauses below 20 %")
    if health.clock_skew_s is not None and abs(health.clock_skew_s) > SKEW_S:
        yield Check(place, Level.WARN, f"its clock is {health.clock_skew_s:+.0f} s from this computer's", "set it")
    if health.locked:
        yield Check(place, Level.WARN, "it is locked", "take away its PIN: the rig wakes it, and cannot unlock it")
