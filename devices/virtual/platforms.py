"""The platforms that virtual phones are made for, and what the lab needs of a phone of any of them."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from devices.virtual.description import LabError, PhoneDescription


class VirtualPhone(Protocol):
    """A phone that is being served, as the lab sees it."""

    @property
    def address(self) -> str:
        """Where the rig reaches it."""

    async def plug(self, port: int) -> None:
        """It answers at loopback `port`."""

    def unplug(self) -> None:
        """Its cable is out until `plug`."""

    def status(self) -> Mapping[str, Any]:
        """How it is now; JSON values only."""

    def shown(self) -> Mapping[str, Any]:
        """What it has truly shown; JSON values only."""

    def fault(self, name: str, options: Mapping[str, Any]) -> None:
        """A fault begins. Raises LabError for one that it cannot have."""

    def clear(self) -> None:
        """All faults end."""


PhoneFactory = Callable[[PhoneDescription, Path, int], Awaitable[VirtualPhone]]
"""(description, the phone's own folder, port or 0) → a phone that is being served."""


async def _android(description: PhoneDescription, folder: Path, port: int) -> VirtualPhone:
    # Imported here so that a phone's process loads its own platform only.
    from devices.virtual.android.service import serve_android

    return await serve_android(description, folder, port)


async def _ios(description: PhoneDescription, folder: Path, port: int) -> VirtualPhone:
    from devices.virtual.ios.service import serve_ios

    return await serve_ios(description, folder, port)


async def _harmony(description: PhoneDescription, folder: Path, port: int) -> VirtualPhone:
    from devices.virtual.harmony.service import serve_harmony

    return await serve_harmony(description, folder, port)


PLATFORMS: Mapping[str, PhoneFactory] = {"android": _android, "harmony": _harmony, "ios": _ios}

RIG_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "harmony": {
        "hdc": str(Path(__file__).parent / "harmony" / "bin" / "hdc"),
        "mdm": "com.example.rigadmin/ResetAbility",
    },
}
"""What the rig's lab file says of every virtual phone of a platform, unless the description of the phone says otherwise."""


def phone_factory(platform: str) -> PhoneFactory:
    """How phones of a platform are made. Raises LabError."""
    if platform not in PLATFORMS:
        raise LabError(f"no virtual phones for platform {platform}; there are: {', '.join(PLATFORMS)}")
    return PLATFORMS[platform]
