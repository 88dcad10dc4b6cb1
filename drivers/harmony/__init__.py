"""HarmonyOS phones over the `hdc` command and uitest's JSON calls: a thin client of our own.

driver     the verbs of the contract
  touch      a phone for `drivers.screens` < gestures, uitest, states, tree
  album      push and verify · reset < proof · settings · condition · signals
    phone      one phone behind hdc < hdc (the command, its deadlines, its words for failure)
"""

from drivers.harmony.driver import open_driver

__all__ = ["open_driver"]
