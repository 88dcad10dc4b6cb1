"""The name plate of a virtual iPhone. Nothing here is taken from a real device."""

from dataclasses import dataclass

from devices.virtual.hardware import made_up

PRODUCT_PREFIX = "VirtualPhone"
"""How it says that it is made of software: the start of lockdown's ProductType, where real ones say iPhone."""


@dataclass(frozen=True, slots=True)
class NamePlate:
    """What the phone says of itself; the same seed gives the same phone."""

    name: str
    udid: str
    model: str = "iPhone14,6"
    """Apple's name of the model that it resembles."""
    ios: str = "26.1"
    locale: str = "zh-CN"
    timezone: str = "Asia/Shanghai"

    def values(self, build: int) -> dict[str, object]:
        """Lockdown's read-only values; `build` counts the updates it was given."""
        number = f"{23 if self.ios.startswith('26') else 22}V{100 + build}"
        return {
            "DeviceClass": "iPhone",
            "DeviceName": "iPhone",
            "ProductType": f"{PRODUCT_PREFIX}-{self.model}",
            "HardwareModel": "V00AP",
            "ProductName": "iPhone OS",
            "ProductVersion": self.ios,
            "BuildVersion": number,
            "UniqueDeviceID": self.udid,
            "SerialNumber": made_up(f"serial {self.udid}", 10).upper(),
            "UniqueChipID": int(made_up(f"chip {self.udid}", 12), 16),
            "WiFiAddress": "02:00:00:00:00:01",
            "RegionInfo": "CH/A",
            "CPUArchitecture": "arm64e",
            "TimeZone": self.timezone,
            "PasswordProtected": False,
            "DevicePublicKey": _public_key(self.udid),
        }


def new_udid(seed: str) -> str:
    """In the form of phones since 2018: 8 and 16 hexadecimal digits. Chip 0000FFFF is none of Apple's."""
    return f"0000FFFF-{made_up(seed, 16).upper()}"


def _public_key(udid: str) -> bytes:
    """A PEM as lockdownd gives it: PKCS#1 of a 2048-bit modulus. Nothing is ever encrypted with it."""
    from base64 import encodebytes

    modulus = bytes([0xC1]) + bytes.fromhex("".join(made_up(f"{udid} {part}", 64) for part in range(8)))[:254] + b"\x0b"
    integer = b"\x02\x82\x01\x01\x00" + modulus
    exponent = b"\x02\x03\x01\x00\x01"
    body = integer + exponent
    der = b"\x30\x82" + len(body).to_bytes(2, "big") + body
    return b"-----BEGIN RSA PUBLIC KEY-----\n" + encodebytes(der) + b"-----END RSA PUBLIC KEY-----\n"
