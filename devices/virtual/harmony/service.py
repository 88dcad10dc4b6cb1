"""A HarmonyOS phone of the lab, made from its description."""

from pathlib import Path

from devices.virtual.description import PhoneDescription
from devices.virtual.gallery.skin import Skin
from devices.virtual.hardware import made_up
from devices.virtual.harmony.channel import attach
from devices.virtual.harmony.faults import FAULTS
from devices.virtual.harmony.make import OS_VERSION, Make
from devices.virtual.harmony.phone import HarmonyPhone
from devices.virtual.service import PhoneService, gallery_of, skin_of


async def serve_phone(description: PhoneDescription, folder: Path, port: int) -> PhoneService[HarmonyPhone]:
    """The phone is made and served; `folder` is its storage. Raises LabError for a skin that is no HarmonyOS phone's."""
    make = _make(description, skin_of(description))
    phone = HarmonyPhone(make, folder / "files", gallery_of(description, make.locale, make.timezone), attach)
    service = PhoneService(phone, FAULTS, folder)
    await service.begin(port)
    return service


def _make(description: PhoneDescription, skin: Skin) -> Make:
    seed = f"{description.name} {description.seed}"
    return Make(
        name=description.name,
        serial=description.serial or "VIRT" + made_up(seed, 8).upper(),
        udid=made_up(f"udid {seed}", 64).upper(),
        model=description.model or skin.model,
        bundle=skin.package,
        ability=skin.activity,
        version=skin.version,
        brand=description.brand,
        os_version=description.os_version or OS_VERSION,
        locale=description.locale or skin.locale,
        timezone=description.timezone or skin.zone,
        capacity_bytes=description.capacity_mb << 20,
        boot_s=description.boot_s,
        can_reset=description.can_reset,
    )
