"""Android phones over adb and uiautomator2.

driver     the verbs of the contract
  touch      a phone for `drivers.screens` < automation, states, tree
  album      push and verify · reset · settings · condition · signals
    transport  one phone behind the adb server < link (deadlines, foreign errors) < server (the rig's own adb server)
"""

from drivers.android.driver import open_driver

__all__ = ["open_driver"]
