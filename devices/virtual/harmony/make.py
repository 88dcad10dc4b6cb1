"""How a virtual HarmonyOS phone is built: its name plate, its gallery, what it can do. Nothing here changes later."""

from dataclasses import dataclass

OS_VERSION = "6.0.0"
BOOT_S = 1.5
ADMIN = "com.example.rigadmin"
"""The lab's device management app, as an enterprise would install it: it may reset the phone."""


@dataclass(frozen=True, slots=True)
class Make:
    """How a phone is built and what it can do."""

    name: str
    serial: str
    udid: str
    model: str
    bundle: str
    """The gallery's bundle name."""
    ability: str
    version: str
    brand: str = "Virtual"
    os_version: str = OS_VERSION
    api: int = 21
    """Below 21 the media library has no folders; `mediatool send` imports."""
    locale: str = "zh-CN"
    timezone: str = "Asia/Shanghai"
    capacity_bytes: int = 64 << 30
    boot_s: float = BOOT_S
    boots: int = 6
    """Boots in its life before."""
    can_reset: bool = True
    """False: no device management app is installed."""

    def parameters(self, build: int) -> dict[str, str]:
        """The system parameters; `build` counts the updates it was given."""
        return {
            "const.ohos.apiversion": str(self.api),
            "const.ohos.fullname": f"OpenHarmony-{self.os_version}",
            "const.product.brand": self.brand,
            "const.product.name": self.model,
            "const.product.model": self.model,
            "const.product.devicetype": "phone",
            "const.product.software.version": f"{self.model} {self.os_version}.{100 + build}(VIRT)",
            # How the phone says that it is made of software.
            "const.product.hardwareversion": "virtual",
            "const.product.cpu.abilist": "arm64-v8a",
            "ohos.boot.sn": self.serial,
            "persist.global.locale": self.locale,
            "persist.time.timezone": self.timezone,
        }
