"""The name plate of a virtual Android phone. Nothing here is taken from a real device."""

from dataclasses import dataclass

ANDROID_VERSION = "15"


@dataclass(frozen=True, slots=True)
class NamePlate:
    """What the phone says of itself; the same seed gives the same phone."""

    name: str
    serial: str
    brand: str = "Virtual"
    model: str = "Virtual Phone"
    android: str = ANDROID_VERSION
    sdk: int = 35
    locale: str = "zh-CN"
    timezone: str = "Asia/Shanghai"

    def props(self, build: int) -> dict[str, str]:
        """The read-only properties; `build` counts the updates it was given."""
        device = "virtual_" + "".join(char if char.isalnum() else "_" for char in self.model.lower())
        number = f"VRT{self.sdk}.{build:03d}"
        fingerprint = f"{self.brand}/{device}/{device}:{self.android}/{number}/{build}:user/release-keys"
        return {
            "ro.serialno": self.serial,
            "ro.boot.serialno": self.serial,
            "ro.product.brand": self.brand,
            "ro.product.manufacturer": self.brand,
            "ro.product.model": self.model,
            "ro.product.name": device,
            "ro.product.device": device,
            "ro.product.cpu.abi": "arm64-v8a",
            "ro.product.cpu.abilist": "arm64-v8a",
            "ro.product.locale": self.locale,
            "persist.sys.locale": self.locale,
            "persist.sys.timezone": self.timezone,
            "ro.build.version.release": self.android,
            "ro.build.version.sdk": str(self.sdk),
            "ro.build.version.incremental": str(build),
            "ro.build.id": number,
            "ro.build.display.id": number,
            "ro.build.type": "user",
            "ro.build.tags": "release-keys",
            "ro.build.fingerprint": fingerprint,
            "ro.debuggable": "0",
            "ro.secure": "1",
            # How the phone says that it is made of software, as emulators do.
            "ro.hardware": "virtual",
            "ro.boot.qemu": "1",
            "ro.kernel.qemu": "1",
            "ro.frp.pst": "/dev/block/persistent",
        }
