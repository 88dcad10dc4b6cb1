"""An iPhone through Appium's XCUITest driver: its screen through the session, everything else through its services.

WebDriverAgent has to run on the phone already, as for the rig's own driver; Appium is told where (`webDriverAgentUrl`), and
needs neither a Mac nor Xcode then. Where is always a forward of the rig's own to the phone whose services it asks: an agent
cannot say whose it is, so an address from elsewhere could put one phone's screens under another's name.
"""

from collections.abc import Mapping
from typing import Any

from drivers.appium.session import Session
from drivers.appium.xcuitest import AppiumAgent
from drivers.interface import Operator
from drivers.ios.agent import SETTINGS
from drivers.ios.driver import AGENT_PORT, drive
from drivers.ios.services import Services
from drivers.options import deadline_scale, read_port
from drivers.phone import PhoneDriver
from drivers.profile import GalleryProfile

_IDLE_S = 7200  # longer than any pause between two searches, so that Appium does not end the session in it
_CAPABILITIES: Mapping[str, Any] = {
    "platformName": "iOS",
    "appium:automationName": "XCUITest",
    "appium:noReset": True,
    "appium:autoLaunch": False,
    "appium:shouldUseSingletonTestManager": False,
    "appium:skipLogCapture": True,
    "appium:newCommandTimeout": _IDLE_S,
}


def open_phone(
    url: str, address: str, profile: GalleryProfile, options: Mapping[str, str], operator: Operator | None
) -> PhoneDriver:
    """A driver of the iPhone at `address`, as `drivers.ios` reads it. Raises DriverError, PhoneLost."""
    port = read_port(options, "wda_port") or AGENT_PORT

    def agent_of(services: Services) -> AppiumAgent:
        wanted = dict(_CAPABILITIES) | {
            "appium:udid": services.udid(),
            "appium:platformVersion": str(services.values()["ProductVersion"]),
            "appium:webDriverAgentUrl": f"http://{services.forward(port)}",
        }
        return AppiumAgent(Session(url, address, wanted, SETTINGS, deadline_scale(options)))

    return drive(address, profile, options, operator, agent_of)
