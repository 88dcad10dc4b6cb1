"""The platforms that virtual phones are made for."""

from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from devices.virtual.description import LabError, PhoneDescription

if TYPE_CHECKING:  # the lab's own process has no use for a gallery
    from devices.virtual.service import PhoneService

PhoneFactory = Callable[[PhoneDescription, Path, int], Awaitable["PhoneService[Any]"]]
"""(description, the phone's own folder, port or 0) → a phone that is being served."""

PLATFORMS = ("android", "harmony", "ios")

RIG_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "harmony": {
        "hdc": str(Path(__file__).parent / "harmony" / "bin" / "hdc"),
        "mdm": "com.example.rigadmin/ResetAbility",
    },
}
"""What the rig's lab file says of every virtual phone of a platform, unless the description of the phone says otherwise."""


def require_platform(platform: str) -> None:
    """Raises LabError for a platform without virtual phones."""
    if platform not in PLATFORMS:
        raise LabError(f"no virtual phones for platform {platform}; there are: {', '.join(PLATFORMS)}")


def phone_factory(platform: str) -> PhoneFactory:
    """How phones of a platform are made: its own code is loaded, no other's. Raises LabError."""
    require_platform(platform)
    return cast(PhoneFactory, import_module(f"devices.virtual.{platform}.service").serve_phone)
