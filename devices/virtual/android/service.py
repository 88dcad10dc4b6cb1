"""An Android phone of the lab, made from its description."""

from pathlib import Path

from devices.virtual.android.commands.packages import MAIN
from devices.virtual.android.faults import FAULTS
from devices.virtual.android.hardware import ANDROID_VERSION, NamePlate
from devices.virtual.android.make import GalleryPackage, Make
from devices.virtual.android.phone import AndroidPhone
from devices.virtual.android.services import open_service
from devices.virtual.description import PhoneDescription
from devices.virtual.gallery.skin import Skin
from devices.virtual.hardware import made_up
from devices.virtual.service import PhoneService, gallery_of, skin_of


async def serve_phone(description: PhoneDescription, folder: Path, port: int) -> PhoneService[AndroidPhone]:
    """The phone is made and served; `folder` is its storage. Raises LabError for a skin that is no Android phone's."""
    skin = skin_of(description)
    make = Make(
        plate=_name_plate(description, skin),
        gallery=GalleryPackage(skin.package, skin.version, skin.activity or MAIN),
        seed=description.seed,
        capacity_bytes=description.capacity_mb << 20,
        boot_s=description.boot_s,
        can_reset=description.can_reset,
    )
    new_gallery = gallery_of(description, make.plate.locale, make.plate.timezone)
    phone = AndroidPhone(make, folder / "files", new_gallery, open_service)
    service = PhoneService(phone, FAULTS, folder)
    await service.begin(port)
    return service


def _name_plate(description: PhoneDescription, skin: Skin) -> NamePlate:
    return NamePlate(
        name=description.name,
        serial=description.serial or "VIRT" + made_up(f"{description.name} {description.seed}", 8).upper(),
        brand=description.brand,
        model=description.model or skin.model,
        android=description.os_version or ANDROID_VERSION,
        locale=description.locale or skin.locale,
        timezone=description.timezone or skin.zone,
    )
