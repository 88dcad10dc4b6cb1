"""Which gallery, in which version and language, a profile was tried on at this desk.

A record names the look of the profile as well: whoever changes a selector has to calibrate again. Virtual phones need none:
what their galleries show is drawn from the same identifiers as the profiles, and the tests try every one of them.
"""

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from platformdirs import user_data_path

from drivers.interface import Identity
from drivers.profile import GalleryProfile
from rig.disk import Lock, write_file
from rig.errors import RigError

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Gallery:
    """What a calibration holds for."""

    platform: str
    package: str
    version: str
    language: str
    """Two letters of the phone's locale: what the gallery's texts are in."""

    @property
    def words(self) -> str:
        """For a sentence."""
        return f"{self.package} {self.version or 'of unknown version'} in {self.language or 'an unknown language'}"


@dataclass(frozen=True, slots=True)
class Calibration:
    """One calibration that went well."""

    gallery: Gallery
    profile: str
    profile_look: str
    """`look_of` the profile."""
    at: datetime
    bundle: str
    """Where the evidence lies."""
    with_album: bool


def calibrations_file() -> Path:
    """Where this user's calibrations are remembered."""
    return user_data_path("gallery-rig") / "calibrations.json"


def gallery_of(platform: str, identity: Identity) -> Gallery:
    """The gallery that a phone has now."""
    return Gallery(platform, identity.gallery_package, identity.gallery_version, language_of(identity.locale))


def language_of(locale: str) -> str:
    """`zh` of zh-Hans-CN, zh_CN or zh; "" when the phone tells no locale."""
    return locale.replace("_", "-").partition("-")[0].lower()


def look_of(profile: GalleryProfile) -> str:
    """A sha256 over all of a profile that decides what is recognised and pressed; not over titles and patience."""
    looked = (profile.package, profile.activity, profile.submit, profile.keyboard_stays, profile.elements, profile.dialogs)
    return sha256(repr(looked).encode()).hexdigest()


def read_calibrations(file: Path) -> tuple[Calibration, ...]:
    """All that is remembered, oldest first; none where there is no file. Raises RigError when it cannot be read."""
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        if told["schema_version"] != SCHEMA_VERSION:
            raise RigError(f"{file}: schema_version {SCHEMA_VERSION} expected, {told['schema_version']} found; update the rig")
        return tuple(
            Calibration(**{**entry, "gallery": Gallery(**entry["gallery"]), "at": datetime.fromisoformat(entry["at"])})
            for entry in told["calibrations"]
        )
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RigError(f"{file}: not a list of calibrations ({error}); move it away and calibrate again") from error


def remember(made: Calibration, file: Path) -> None:
    """The calibration stands in `file`, in place of an earlier one of the same gallery and profile."""
    lock = Lock(file.with_suffix(".lock"), f"the calibrations {file}")
    lock.acquire(wait=True)
    try:
        kept = [entry for entry in read_calibrations(file) if (entry.gallery, entry.profile) != (made.gallery, made.profile)]
        entries = [{**asdict(entry), "at": entry.at.isoformat()} for entry in (*kept, made)]
        text = {"schema_version": SCHEMA_VERSION, "calibrations": entries}
        write_file(file, (json.dumps(text, ensure_ascii=False, indent=2) + "\n").encode())
    finally:
        lock.release()


def why_uncalibrated(gallery: Gallery, profile: GalleryProfile, file: Path) -> str:
    """Why this profile cannot be trusted on this gallery; "" when it was calibrated for it as it is now."""
    known = [entry for entry in read_calibrations(file) if entry.profile == profile.name and entry.gallery == gallery]
    if not known:
        return f"profile {profile.name} was never calibrated for {gallery.words}"
    if known[-1].profile_look != look_of(profile):
        return f"profile {profile.name} was changed since it was calibrated for {gallery.words}"
    return ""
