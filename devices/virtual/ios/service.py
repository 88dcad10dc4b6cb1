"""An iPhone of the lab, made from its description."""

from pathlib import Path

from devices.virtual.description import PhoneDescription
from devices.virtual.ios.faults import FAULTS
from devices.virtual.ios.hardware import NamePlate, new_udid
from devices.virtual.ios.phone import IPhone, Make
from devices.virtual.service import PhoneService, gallery_of, skin_of


async def serve_phone(description: PhoneDescription, folder: Path, port: int) -> PhoneService[IPhone]:
    """The phone is made and served; `folder` is its storage. Raises LabError for a skin that is no iPhone's."""
    skin = skin_of(description)
    plate = NamePlate(
        name=description.name,
        udid=description.serial or new_udid(f"{description.name} {description.seed}"),
        model=description.model or skin.model,
        ios=description.os_version or skin.version,
        locale=description.locale or skin.locale,
        timezone=description.timezone or skin.zone,
    )
    make = Make(plate, description.capacity_mb << 20, description.boot_s, can_reset=description.can_reset)
    phone = IPhone(make, folder / "files", gallery_of(description, plate.locale, plate.timezone))
    service = PhoneService(phone, FAULTS, folder)
    await service.begin(port)
    return service
