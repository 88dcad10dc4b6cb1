"""One folder per way to drive a phone; `interface.py` is the contract they all keep.

phone                          the driver: one phone throughout, calls repeated on a fresh connection, searches
  android · ios · harmony      what its verbs are on that platform        appium works the screens of the first two
  screens                      a search on any screen: typed, settled, read, scrolled
options · preflight · readings · waiting     what several platforms need and none owns
profile                        one gallery, as data                       discovery lists what is attached to this host
"""

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from drivers.interface import DriverError, GalleryDriver, Operator
from drivers.profile import GalleryProfile

# Imported on use: each brings its own phone library, and a lab without iPhones needs none of theirs.
_MODULES = {"android": "drivers.android", "ios": "drivers.ios", "harmony": "drivers.harmony"}
_APPIUM = "drivers.appium"


def open_driver(
    platform: str, address: str, profile: GalleryProfile, options: Mapping[str, str], *, operator: Operator | None = None
) -> GalleryDriver:
    """A driver that is connected to the phone at `address`. The thread that opens it is the one that uses and closes it.

    With the option `appium`, a server's URL, it goes through that Appium server.
    `operator` is told when a reset needs a person; without one, only resets that need none are tried.
    Raises DriverError when platform, profile or phone cannot be used, PhoneLost when the phone does not answer.
    """
    module = _MODULES.get(platform)
    if module is None:
        raise DriverError(f"platform {platform!r} is unknown: expected one of {', '.join(sorted(_MODULES))}")
    if faults := profile.faults():
        raise DriverError(f"profile {profile.name} cannot be used: {'; '.join(faults)}")
    opener = import_module(_APPIUM if options.get("appium") else module).open_driver
    asked = {} if operator is None else {"operator": operator}
    return cast(GalleryDriver, opener(address, profile, options, **asked))
