"""Settings for searching, set and put back, as far as hdc reaches them.

hdc can keep the screen on; uitest turns a rotated screen back as it connects. Do-not-disturb, animations and the keyboard have
no public command: a notification over the results is seen and the search repeated, and text never goes through the keyboard.
"""

from collections.abc import Mapping

from drivers.harmony.condition import read_timeout
from drivers.harmony.phone import Phone
from drivers.interface import DriverError

_TIMEOUT = "screen_off_timeout_ms"
_AWAKE_MS = 1_800_000  # half an hour: longer than any search


def prepare(phone: Phone) -> Mapping[str, str]:
    """The screen stays on; returns the value replaced. Raises DriverError when the setting does not hold."""
    before = read_timeout(phone)
    if before is None or before >= _AWAKE_MS:
        return {}
    said = phone.text(f"power-shell timeout -o {_AWAKE_MS}")
    after = read_timeout(phone)
    if after != _AWAKE_MS:
        raise DriverError(f"{phone.address}: the screen's timeout is {after} ms instead of {_AWAKE_MS} ms: {said[:100]}")
    return {_TIMEOUT: str(before)}


def restore(phone: Phone, settings: Mapping[str, str]) -> None:
    """The values of `prepare` are in force again. The override is lifted, so that the phone's own value counts."""
    wanted = settings.get(_TIMEOUT)
    if wanted is None:
        return
    phone.text("power-shell timeout -r")
    after = read_timeout(phone)
    if after is not None and str(after) != wanted:
        raise DriverError(f"{phone.address}: the screen's timeout is {after} ms, it was {wanted} ms; set it by hand")


def darken(phone: Phone) -> None:
    """The screen is off; the next search wakes it."""
    phone.text("power-shell suspend")
