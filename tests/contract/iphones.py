"""Two virtual iPhones of two iOS versions in a lab of their own, with a small album."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic, sleep

from driver_subjects import PATIENCE
from marked_album import Marked, make_album

from devices.virtual.control import Control
from devices.virtual.lab import running_lab
from drivers.interface import Operator, PushItem
from drivers.ios import open_driver
from drivers.ios.services import Address
from drivers.ios.usbmux import UsbmuxServices
from drivers.phone import PhoneDriver
from drivers.profile import Patience
from rig.config import load_profile

OLD, NEW = "ios-18", "ios-26"
PHOTOS = tuple(Marked(f"DOG_{number:03}.jpg", number, ("dog",)) for number in range(1, 31))
_PHONE = (
    '[[phone]]\nname = "{}"\nplatform = "ios"\nskin = "{}"\nprofile = "ios_photos"\nseed = {}\nspeed = 5.0\n'
    "boot_s = 0.3\nengine = {{ misses = 0.0, confuses = 0.0 }}\n"
)


@dataclass(frozen=True, slots=True)
class IPhones:
    """The lab and the album."""

    control: Control
    items: tuple[PushItem, ...]

    def address(self, phone: str) -> str:
        """Of the usbmuxd that it is attached to."""
        return str(self.control.ask("status", phone)["address"])

    @contextmanager
    def driver(
        self, phone: str, patience: Patience = PATIENCE, operator: Operator | None = None, **options: str
    ) -> Iterator[PhoneDriver]:
        """A driver of a phone; afterwards it is closed and the phone is well."""
        driver = open_driver(self.address(phone), replace(load_profile("ios_photos"), patience=patience), options, operator)
        try:
            yield driver
        finally:
            driver.close()
            self.control.clear(phone)

    @contextmanager
    def services(self, phone: str) -> Iterator[UsbmuxServices]:
        """Our own client of its services, paired."""
        services = UsbmuxServices(Address.parse(self.address(phone)), 1.0)
        try:
            services.pair()
            yield services
        finally:
            services.close()

    def with_album(self, driver: PhoneDriver, phone: str) -> None:
        """The album is on the phone and indexed."""
        driver.push(self.items, lambda _done, _total: None)
        until = monotonic() + 20
        while True:
            driver.index_signals()
            told = self.control.ask("status", phone)
            if told["photos"] == told["indexed"] == len(self.items):
                return
            assert monotonic() < until, told
            sleep(0.05)


@contextmanager
def running_iphones(folder: Path) -> Iterator[IPhones]:
    """The lab is up."""
    described = folder / "iphones.toml"
    text = _PHONE.format(OLD, "ios_photos_18", 31) + _PHONE.format(NEW, "ios_photos_26", 32)
    described.write_text(f'name = "iphones"\n{text}', "utf-8")
    items = make_album(folder / "album", PHOTOS)
    with running_lab(str(described), folder / "lab") as control:
        yield IPhones(control, items)
