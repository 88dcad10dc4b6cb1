"""An iPhone through Appium's XCUITest driver: its screen through the session, everything else through its services.

WebDriverAgent has to run on the phone already, as for the rig's own driver; Appium is told where (`webDriverAgentUrl`), and
needs neither a Mac nor Xcode then. Where is always a forward of the rig's own to the phone whose services it asks: an agent
cannot say whose it is, so an address from elsewhere could put one phone's screens under another's name.
"""

from collections.abc import Mapping
from typing import Any

from drivers.appium.session import Session
from drivers.appium.xcuitest import AppiumAgent
from drivers.interface import DriverError, Operator
from drivers.ios.agent import SETTINGS
from drivers.ios.driver import IosDriver, deadline_scale
from drivers.ios.services import Address, open_services
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
_AGENT_PORT = "8100"


def open_phone(
    url: str, address: str, profile: GalleryProfile, options: Mapping[str, str], operator: Operator | None
) -> IosDriver:
    """A driver of the iPhone at `address`, as `drivers.ios` reads it. Raises DriverError, PhoneLost."""
    faults = profile.faults()
    if faults:
        raise DriverError(f"profile {profile.name} cannot be used: {'; '.join(faults)}")
    port = options.get("wda_port", _AGENT_PORT)
    if not port.isdigit():
        raise DriverError(f"option wda_port is {port!r}: expected a port number")
    scale = deadline_scale(options)
    services = open_services(Address.parse(address), options.get("services", ""), scale)
    try:
        services.pair()
        wanted = dict(_CAPABILITIES) | {
            "appium:udid": services.udid(),
            "appium:platformVersion": str(services.values()["ProductVersion"]),
            "appium:webDriverAgentUrl": f"http://{services.forward(int(port))}",
        }
        agent = AppiumAgent(Session(url, address, wanted, SETTINGS, scale))
        driver = IosDriver(services, agent, profile, options, operator)
        driver.expect(options.get("serial", ""))
    except BaseException:
        services.close()
        raise
    return driver
