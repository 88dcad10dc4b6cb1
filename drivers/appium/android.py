"""An Android phone through Appium's UiAutomator2 driver: its screen through the session, shell and files over adb.

The Appium server is told the port of the rig's adb server, so both see the phone under one address. A phone on another host
is reached when both can: by `adb connect HOST:PORT` as the address.
"""

from collections.abc import Mapping
from typing import Any

from drivers.android.driver import AndroidPhone, open_transport
from drivers.appium.session import Session
from drivers.appium.uiautomator2 import SETTINGS, UiAutomator2
from drivers.interface import Operator
from drivers.options import deadline_scale, read_port
from drivers.phone import PhoneDriver
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
) -> PhoneDriver:
    """A driver of the Android phone `address`. Raises DriverError, PhoneLost."""
    wanted = dict(_CAPABILITIES) | {"appium:udid": address}
    port = read_port(options, "system_port")
    if port is not None:
        wanted["appium:systemPort"] = port
    phone = open_transport(address, options)
    wanted["appium:adbPort"] = phone.server.port
    session = Session(url, address, wanted, SETTINGS, deadline_scale(options))
    return PhoneDriver(AndroidPhone(phone, UiAutomator2(session), profile, options, operator), profile, options)
