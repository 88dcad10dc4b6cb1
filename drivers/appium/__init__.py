"""Phones through an Appium server, for labs that run one already.

driver    which platform
  android   the Android driver with other hands and eyes < uiautomator2
  ios       the iOS driver with another agent            < xcuitest
    session   one session: deadlines, foreign errors
"""

from drivers.appium.driver import open_driver

__all__ = ["open_driver"]
