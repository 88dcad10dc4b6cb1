"""One calibration from the first look to the bundle: who answers, the walk, the album where it is wanted, what is concluded."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from drivers.interface import DriverError, GalleryDriver, Identity, Inspectable
from drivers.profile import GalleryProfile, Selector
from rig.clock import Clock, SystemClock
from rig.config import find_toml
from rig.desk.album import MarkedAlbum, day_queries, draw_album
from rig.desk.bundle import findings_told, write_bundle
from rig.desk.calibrations import Calibration, gallery_of, language_of, look_of
from rig.desk.measured import Measured, measured_told
from rig.desk.measuring import Rule, await_index, build_index, measure
from rig.desk.probing import Finding, probe, problems
from rig.desk.suggestions import as_toml, suggest
from rig.desk.walk import USUAL_QUERIES, DeskDriver, Visit, walk
from rig.disk import write_file
from rig.errors import RigError
from rig.model import Phone


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the operator asked for."""

    phone: Phone
    profile: GalleryProfile
    folder: Path
    """Where the bundle is made."""
    queries: tuple[str, ...] = ()
    """Instead of the usual ones of the phone's language."""
    photos: int = 0
    """Of the calibration album; 0: nothing is pushed."""
    wait_s: float = 60.0
    """How long the gallery may take to find the album."""
    clock: Clock = field(default_factory=SystemClock)
    say: Callable[[str], None] = lambda _text: None


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What was found out."""

    identity: Identity
    visits: tuple[Visit, ...]
    findings: tuple[Finding, ...]
    suggestions: dict[str, tuple[Selector, ...]]
    measured: Measured | None
    problems: tuple[str, ...]
    """Why the profile cannot be trusted on this phone; none when it can."""
    record: Calibration
    """To be remembered when there are no problems."""


def calibrate(driver: GalleryDriver, wanted: Wanted) -> Calibrated:
    """The bundle is in its folder. Raises RigError, and what the driver raises when the phone cannot go on."""
    if not isinstance(driver, Inspectable):
        raise RigError(
            f"phone {wanted.phone.name}: platform {wanted.phone.platform} cannot be calibrated by this rig yet; "
            f"sweep it with --uncalibrated"
        )
    return _calibrated(driver, wanted)


def _calibrated(driver: DeskDriver, wanted: Wanted) -> Calibrated:
    identity = _present(driver, wanted)
    language = language_of(identity.locale)
    album = _pushed(driver, wanted) if wanted.photos else None
    if album is not None:
        rule = Rule(album, build_index(album, wanted.folder / "album"), wanted.folder / "screens", wanted.clock)
        queries = day_queries(language, wanted.queries)
        wanted.say(f"waiting until the gallery finds the album ({wanted.wait_s:.0f} s at most)")
        await_index(driver, rule, queries[0], wanted.wait_s)
    else:
        queries = wanted.queries or USUAL_QUERIES.get(language, USUAL_QUERIES["en"])
    wanted.say("walking through the gallery")
    visits = walk(driver, queries)
    findings = probe(wanted.profile, visits, language)
    found = problems(findings, visits)
    measured = None
    if album is not None:
        wanted.say("measuring")
        measured = measure(driver, rule, queries)
        found += measured.problems
    return _concluded(wanted, _Seen(identity, visits, findings, measured), found)


def _present(driver: GalleryDriver, wanted: Wanted) -> Identity:
    identity = driver.identify()
    if not identity.gallery_version:
        raise DriverError(
            f"phone {wanted.phone.name}: {identity.gallery_package} of profile {wanted.profile.name} is not installed; "
            f"choose the profile of the gallery it has (rig devices shows it)"
        )
    return identity


def _pushed(driver: GalleryDriver, wanted: Wanted) -> MarkedAlbum:
    """The calibration album is on the phone, beside whatever else is."""
    wanted.say(f"drawing {wanted.photos} photos")
    album = draw_album(wanted.folder / "album" / "photos", wanted.photos)
    wanted.say("pushing them")
    driver.push(album.items, lambda _done, _total: None)
    ours = set(album.name_of.values())
    faults = [fault for fault in driver.verify_import(album.items).faults if fault.device_name in ours]
    if faults:
        first = faults[0]
        raise DriverError(
            f"phone {wanted.phone.name}: {len(faults)} of {len(album.items)} photos did not arrive: {first.device_name} "
            f"{first.fault} ({first.expected} expected, {first.found} found); free some space on the phone, then again"
        )
    return album


@dataclass(frozen=True, slots=True)
class _Seen:
    identity: Identity
    visits: tuple[Visit, ...]
    findings: tuple[Finding, ...]
    measured: Measured | None


def _concluded(wanted: Wanted, seen: _Seen, found: Sequence[str]) -> Calibrated:
    gallery = gallery_of(wanted.phone.platform, seen.identity)
    suggested = suggest(seen.findings, seen.visits, wanted.profile.package, gallery.language)
    record = Calibration(
        gallery,
        wanted.profile.name,
        look_of(wanted.profile),
        wanted.clock.utc(),
        str(wanted.folder.resolve()),
        with_album=seen.measured is not None,
    )
    write_file(wanted.folder / "profile.toml", find_toml(wanted.phone.profile, "devices").read_bytes())
    if suggested:
        write_file(wanted.folder / "suggested.toml", as_toml(suggested).encode())
    told = {
        "profile": record.profile,
        "profile_look": record.profile_look,
        "findings": findings_told(seen.findings),
        "measured": measured_told(seen.measured) if seen.measured else None,
        "problems": list(found),
    }
    write_bundle(
        wanted.folder, platform=wanted.phone.platform, identity=seen.identity, at=record.at, visits=seen.visits, told=told
    )
    return Calibrated(seen.identity, seen.visits, seen.findings, suggested, seen.measured, tuple(found), record)
