"""The phones that every driver's contract is tried on. A driver joins the suite by one line in `SUBJECTS`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import devices.virtual
from drivers.interface import Invalid
from drivers.profile import GalleryProfile, Patience
from rig.config import load_profile

PATIENCE = Patience(results_s=20.0, launch_s=30.0)
"""Longer than anything takes on a host that does much else."""
IMPATIENCE = Patience(results_s=2.5, launch_s=6.0)
"""For faults, which have to be waited for: a virtual phone answers within half a second."""

SCREEN_FAULTS: Mapping[str, Invalid] = {
    "spinner_forever": Invalid.STILL_LOADING,
    "anr_dialog": Invalid.NOT_RESPONDING,
    "indexing_banner": Invalid.INDEXING,
    "permission_prompt": Invalid.PERMISSION,
    "lock": Invalid.LOCKED,
    "screen_off": Invalid.BLACK_FRAME,
    "black_frame": Invalid.BLACK_FRAME,
    "keyboard_stuck": Invalid.KEYBOARD_OVER_GRID,
    "notification": Invalid.NOTIFICATION,
    "text_garbled": Invalid.INPUT_MISMATCH,
    "wrong_app": Invalid.WRONG_APP,
    "suggestions_only": Invalid.SUGGESTIONS_ONLY,
    "system_update_dialog": Invalid.DIALOG,
    "cells_missing": Invalid.UNKNOWN_SCREEN,
}
"""What a fault of the screen makes of the search that meets it, on every platform that can have it."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One driver with a virtual phone to drive."""

    name: str
    platform: str
    skin: str
    profile: str
    options: Mapping[str, str] = field(default_factory=dict)
    cannot: frozenset[str] = frozenset()
    """Faults of the screen that this platform does not have."""

    def gallery(self, patience: Patience = PATIENCE) -> GalleryProfile:
        """Its profile, with a test's patience."""
        return replace(load_profile(self.profile), patience=patience)

    def describe(self, name: str, seed: int) -> str:
        """The phone's part of a lab description: quick, and with an engine that misses nothing."""
        return (
            f'[[phone]]\nname = "{name}"\nplatform = "{self.platform}"\nskin = "{self.skin}"\nprofile = "{self.profile}"\n'
            f"seed = {seed}\nspeed = 5.0\nengine = {{ misses = 0.0, forgets = 0.0, confuses = 0.0, english = 1.0 }}\n"
        )


HDC = Path(devices.virtual.__file__).parent / "harmony" / "bin" / "hdc"

SUBJECTS = (
    Subject("android", "android", "xiaomi", "xiaomi"),
    Subject(
        "ios",
        "ios",
        "ios_photos_18",
        "ios_photos",
        cannot=frozenset({"anr_dialog", "screen_off"}),  # iOS ends an app that does not answer; a dark screen is a locked one
    ),
    Subject(
        "harmony",
        "harmony",
        "harmony_photos",
        "harmony_photos",
        options={"hdc": str(HDC), "mdm": "com.example.rigadmin/ResetAbility"},
    ),
)
