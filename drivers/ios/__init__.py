"""iPhones over WebDriverAgent and the services of lockdownd.

driver     the verbs of the contract
  touch      a phone for `drivers.screens` < agent (WebDriverAgent), states, tree
  album      push and verify · reset · condition · signals
    services   what a search needs of a device besides its screen: pymobiledevice (its command) or usbmux (our own client)
"""

from drivers.ios.driver import open_driver

__all__ = ["open_driver"]
