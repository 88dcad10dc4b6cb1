"""Opens a phone through an Appium server: the screen through Appium, everything else through the platform's own driver."""

from collections.abc import Mapping
from importlib import import_module
from typing import cast
from urllib.parse import urlsplit

from drivers.appium.session import require_server
from drivers.interface import DriverError, GalleryDriver, Operator
from drivers.profile import GalleryProfile

# Imported on use, as in `drivers`: each brings the libraries of its platform.
_PLATFORMS = {"android": "drivers.appium.android", "ios": "drivers.appium.ios"}


def open_driver(
    address: str, profile: GalleryProfile, options: Mapping[str, str], operator: Operator | None = None
) -> GalleryDriver:
    """A driver of the phone that the Appium server knows as `address`. Options, beside those of the platform's own driver:

    appium        URL of the server, http://127.0.0.1:4723
    system_port   Android: the port on the server's host for this phone, when the server shall not choose one
    """
    url = options.get("appium", "")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DriverError(f"option appium is {url!r}: expected the URL of an Appium server, such as http://127.0.0.1:4723")
    module = _PLATFORMS.get(profile.platform)
    if module is None:
        raise DriverError(
            f"profile {profile.name} is for {profile.platform}, which Appium does not drive; leave the option appium out"
        )
    require_server(url)
    return cast(GalleryDriver, import_module(module).open_phone(url, address, profile, options, operator))
