"""Settings for searching, set and put back. The values they replaced are handed out before anything else happens,

so that a rig that was killed can put them back at its next start. The keyboard is never touched.
"""

from collections.abc import Mapping

from drivers.android.transport import Transport
from drivers.interface import DriverError

_WANTED = {
    "system/accelerometer_rotation": "0",
    "system/user_rotation": "0",
    "system/screen_off_timeout": "1800000",  # half an hour: longer than any search
    "global/window_animation_scale": "0",
    "global/transition_animation_scale": "0",
    "global/animator_duration_scale": "0",
    "global/stay_on_while_plugged_in": "7",  # AC, USB and wireless
    "global/heads_up_notifications_enabled": "0",
    "global/sysui_demo_allowed": "1",
}
_ZEN = "global/zen_mode"
_DEMO = "am broadcast -a com.android.systemui.demo -e command"
_ZEN_WORDS = {"0": "off", "1": "priority", "2": "none", "3": "alarms"}


def prepare(phone: Transport) -> Mapping[str, str]:
    """Sets what differs from `_WANTED`, do-not-disturb and the status bar's demo mode; returns the values replaced.

    Raises DriverError when a setting does not hold, because a rotated or animated gallery is another gallery.
    """
    before = _read(phone)
    replaced = {key: before[key] for key, value in _WANTED.items() if before[key] != value}
    lines = [_put(key, _WANTED[key]) for key in replaced]
    if before[_ZEN] in ("0", "null", ""):
        replaced[_ZEN] = before[_ZEN]
        lines.append("cmd notification set_dnd on")
    lines += [f"{_DEMO} enter", f"{_DEMO} notifications -e visible false", f"{_DEMO} clock -e hhmm 1200"]
    phone.texts(lines)
    after = _read(phone)
    wrong = [f"{key} is {after[key]} instead of {value}" for key, value in _WANTED.items() if after[key] != value]
    if wrong:
        raise DriverError(f"{phone.address}: settings do not hold: {'; '.join(wrong)}; allow changing them over USB debugging")
    return replaced


def restore(phone: Transport, settings: Mapping[str, str]) -> None:
    """The given settings are in force again; ones that did not exist are deleted."""
    lines = [f"{_DEMO} exit"]
    for key, value in settings.items():
        lines.append(f"cmd notification set_dnd {_ZEN_WORDS.get(value, 'off')}" if key == _ZEN else _put(key, value))
    phone.texts(lines)
    after = _read(phone)
    wrong = [key for key, value in settings.items() if key in after and key != _ZEN and after[key] != (value or "null")]
    if wrong:
        raise DriverError(f"{phone.address}: could not restore {', '.join(wrong)}; set them by hand")


def darken(phone: Transport) -> None:
    """The screen is off, whatever keeps it on; the next search wakes it."""
    phone.text("input keyevent KEYCODE_SLEEP")


def _read(phone: Transport) -> dict[str, str]:
    keys = [*_WANTED, _ZEN]
    return dict(zip(keys, phone.texts([f"settings get {key.replace('/', ' ')}" for key in keys]), strict=True))


def _put(key: str, value: str) -> str:
    space, name = key.split("/")
    if value in ("", "null"):
        return f"settings delete {space} {name}"
    return f"settings put {space} {name} {value}"
