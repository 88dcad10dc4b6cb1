"""An Android phone through Appium's UiAutomator2 driver: its screen through the session, shell and files over adb.

The Appium server is told the port of the rig's adb server, so both see the phone under one address. A phone on another host
is reached when both can: by `adb connect HOST:PORT` as the address.
"""

from collections.abc import Mapping
from typing import Any

from drivers.android.driver import AndroidDriver, deadline_scale, open_transport, refuse_faulty
from drivers.appium.session import Session
from drivers.appium.uiautomator2 import SETTINGS, UiAutomator2
from drivers.interface import DriverError, Operator
from drivers.profile import GalleryProfile

_IDLE_S = 7200  # longer than any pause between two searches, so that Appium does not end the session in it
_CAPABILITIES: Mapping[str, Any] = {
    "platformName": "Android",
    "appium:automationName": "UiAutomator2",
    "appium:autoLaunch": False,
    "appium:noReset": True,
    "appium:skipUnlock": True,
    "appium:skipLogcatCapture": True,
    "appium:skipDeviceInitialization": True,  # spares the phone Appium's settings app and the permissions it is given
    "appium:suppressKillServer": True,  # the adb server has other phones
    "appium:ignoreHiddenApiPolicyError": True,
    "appium:newCommandTimeout": _IDLE_S,
}


def open_phone(
    url: str, address: str, profile: GalleryProfile, options: Mapping[str, str], operator: Operator | None
) -> AndroidDriver:
    """A driver of the Android phone `address`. Raises DriverError, PhoneLost."""
    wanted = dict(_CAPABILITIES) | {"appium:udid": address}
    port = options.get("system_port", "")
    if port and not port.isdigit():
        raise DriverError(f"option system_port is {port!r}: expected a port number")
    if port:
        wanted["appium:systemPort"] = int(port)
    refuse_faulty(profile)
    phone = open_transport(address, options)
    wanted["appium:adbPort"] = phone.server.port
    session = Session(url, address, wanted, SETTINGS, deadline_scale(options))
    return AndroidDriver(phone, profile, options, operator, automation=UiAutomator2(session))
