"""Android phones over adb and uiautomator2.

driver     the verbs of the contract
  search     one search        < settle, entering, entry < hands < automation, page, states, tree, picture
  album      push and verify · reset · settings · condition · signals · viewer
    transport  one phone behind the adb server < link (deadlines, foreign errors) < server (the rig's own adb server)
"""

from drivers.android.driver import AndroidDriver, open_driver

__all__ = ["AndroidDriver", "open_driver"]
