"""What a search needs of an iPhone besides its screen: a seam of few verbs, so that another tool can take a tool's place.

usbmux            our own client of usbmuxd; sessions that need no encryption: virtual phones
pymobiledevice3   the command of that name, never imported (it is GPL): real phones
"""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from drivers.interface import DriverError

DEFAULT_SOCKET = "/var/run/usbmuxd"
TOOL = "pymobiledevice3"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a phone is attached: `UDID`, `HOST:PORT` of a usbmuxd with one phone, or `UDID@HOST:PORT`."""

    udid: str
    """"": the only one there."""
    usbmuxd: str
    """`host:port` or the path of a socket."""
    text: str

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Reads an address of the lab file."""
        udid, at, where = text.rpartition("@")
        if at or ":" in text:
            return cls(udid, where, text)
        return cls(text, os.environ.get("USBMUXD_SOCKET_ADDRESS", DEFAULT_SOCKET), text)


@dataclass(frozen=True, slots=True)
class Upload:
    """One file to be put on the phone: from a path here, or bytes; and its path there."""

    source: Path | bytes
    target: str


class Services(Protocol):
    """One phone's services. Every call has its own deadline and raises PhoneLost; NotPaired where the phone wants trust."""

    def udid(self) -> str:
        """Of the phone that is attached now."""

    def values(self, domain: str = "") -> Mapping[str, Any]:
        """Lockdown's values of a domain."""

    def clock(self) -> float | None:
        """Seconds since 1970 by the phone's clock, read now; None where it tells none."""

    def plain_values(self) -> Mapping[str, Any]:
        """What lockdown tells every computer: no trust is needed for it, and nobody is asked for any."""

    def pair(self) -> None:
        """The phone trusts this host. Raises NotPaired with the next step."""

    def is_paired(self) -> bool:
        """True when the phone takes this host's pair record. Nobody is asked for trust."""

    def apps(self) -> Mapping[str, str]:
        """Versions of the apps that were installed, by bundle; the system's own are not among them."""

    def app_version(self, bundle: str) -> str:
        """Of any app; "" when it is not installed."""

    def gauge(self) -> Mapping[str, Any]:
        """The battery's own readings: CurrentCapacity, IsCharging, ExternalConnected, Temperature in hundredths of a degree."""

    def erase(self) -> None:
        """All content and settings are being erased. Raises Refused when the phone will not."""

    def activate(self) -> None:
        """The phone is activated, or on its way. Raises DriverError with the next step."""

    def listing(self, folder: str, app: str = "") -> list[str]:
        """Names in a folder of the media (or of an app's container), without . and ..; empty when there is no such folder."""

    def read(self, path: str, app: str = "") -> bytes | None:
        """A whole file; None when there is none."""

    def size(self, path: str, app: str = "") -> int | None:
        """Bytes of a file; None when there is none or it may not be looked at."""

    def write(self, uploads: Sequence[Upload], app: str = "", done: Callable[[int], None] = lambda _: None) -> None:
        """Every file is there under its own name, whole; `done(count)` after each."""

    def remove(self, path: str, app: str = "") -> None:
        """The file or folder is not there."""

    def forward(self, port: int) -> str:
        """`host:port` on this host that leads to a port of this phone and of no other."""

    def close(self) -> None:
        """Connections and forwards have ended."""


class NotPaired(DriverError):
    """The phone does not trust this host."""


class EraseRefused(Exception):
    """The phone will not erase itself; nothing was erased."""


def epoch_s(values: Mapping[str, Any]) -> float | None:
    """The clock among lockdown's values; None where it is not told."""
    told = values.get("TimeIntervalSince1970")
    return float(told) if isinstance(told, int | float) else None


def open_services(address: Address, kind: str, scale: float) -> Services:
    """The services of the phone at `address`: `kind` is usbmux, pymobiledevice3 or "" for what fits."""
    # Imported on use: neither needs the other's code.
    if kind in ("usbmux", "") and not (kind == "" and _needs_tool(address)):
        from drivers.ios.usbmux import UsbmuxServices

        return UsbmuxServices(address, scale)
    if kind in (TOOL, ""):
        from drivers.ios.pymobiledevice import ToolServices

        return ToolServices(address, scale)
    raise DriverError(f"{address.text}: services = {kind!r}: expected usbmux or {TOOL}")


def _needs_tool(address: Address) -> bool:
    """A phone by its UDID on the system's own usbmuxd is a real one, and its sessions are encrypted."""
    return "@" not in address.text and ":" not in address.text and shutil.which(TOOL) is not None
