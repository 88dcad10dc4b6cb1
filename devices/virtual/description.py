"""A lab of virtual phones as a TOML file says it: which phones there are and how each of them looks and errs.

name = "demo"
[[phone]]
name = "phone-1"          # the operator's name
platform = "android"
skin = "xiaomi"           # how its gallery looks and behaves
profile = "xiaomi"        # what the rig is told of it
seed = 11                 # its own mistakes; the same seed makes the same ones
"""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from devices.virtual.gallery.tables import TableError, build


class LabError(Exception):
    """The lab cannot be set up as described; the message says what to change."""


@dataclass(frozen=True, slots=True)
class PhoneDescription:
    """One virtual phone. Which of the optional values matter is its platform's business."""

    name: str
    platform: str
    skin: str
    profile: str
    seed: int = 0
    serial: str = ""
    """"": made from name and seed."""
    brand: str = "Virtual"
    model: str = ""
    """"": the skin's."""
    os_version: str = ""
    """"": the platform's usual one."""
    locale: str = ""
    """"": the skin's."""
    timezone: str = ""
    """"": the skin's."""
    speed: float = 1.0
    """Divides all waits of its gallery."""
    capacity_mb: int = 65536
    boot_s: float = 1.5
    """How long it is away when it restarts."""
    can_reset: bool = True
    """False for a maker without the unattended reset."""
    engine: Mapping[str, Any] = field(default_factory=dict)
    """Changes to the skin's search engine: how this phone errs."""
    options: Mapping[str, str] = field(default_factory=dict)
    """What the rig's lab file says of it besides its address."""

    def as_json(self) -> dict[str, Any]:
        """Plain values, for another process."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class LabDescription:
    """All phones of a lab; their names differ."""

    name: str
    phones: tuple[PhoneDescription, ...]


def described_labs() -> list[str]:
    """The labs that come with the rig."""
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in (files("devices.virtual") / "labs").iterdir()
        if entry.name[-5:] == ".toml"
    )


def load_lab(lab: str) -> LabDescription:
    """A lab by the path of its file or by the name of one that comes with the rig. Raises LabError."""
    if lab in described_labs():
        text = (files("devices.virtual") / "labs" / f"{lab}.toml").read_text("utf-8")
    elif Path(lab).is_file():
        text = Path(lab).read_text("utf-8")
    else:
        raise LabError(f"lab {lab}: no such file, and no lab of this name; there are: {', '.join(described_labs())}")
    try:
        return read_lab(tomllib.loads(text), lab)
    except tomllib.TOMLDecodeError as error:
        raise LabError(f"lab {lab}: not TOML: {error}") from error


def read_lab(told: Mapping[str, Any], lab: str) -> LabDescription:
    """The description in `told`. Raises LabError with the place that is wrong."""
    if unknown := set(told) - {"name", "phone"}:
        raise LabError(f"{lab}: unknown key {min(unknown)}; known are name and phone")
    phones = tuple(_phone(phone, f"{lab}: phone {number}") for number, phone in enumerate(told.get("phone", ()), 1))
    names = [phone.name for phone in phones]
    if not phones:
        raise LabError(f"{lab}: no phone; write one [[phone]] for each")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise LabError(f"{lab}: two phones have one name: {', '.join(twice)}")
    return LabDescription(str(told.get("name", lab)), phones)


def _phone(told: Mapping[str, Any], place: str) -> PhoneDescription:
    tables = {key: told[key] for key in ("engine", "options") if key in told}
    try:
        phone = build(PhoneDescription, {key: value for key, value in told.items() if key not in tables}, place)
    except TableError as error:
        raise LabError(str(error)) from error
    for key, table in tables.items():
        if not isinstance(table, dict):
            raise LabError(f"{place}: {key} has to be a table, not {table!r}")
    return replace(phone, **tables)
