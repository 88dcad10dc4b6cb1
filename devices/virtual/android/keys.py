"""Android key codes that a virtual screen understands."""

CODES = {3: "home", 4: "back", 26: "power", 66: "enter", 84: "search", 160: "enter", 223: "sleep", 224: "wake"}
"""android.view.KeyEvent.KEYCODE_* → the key of `VirtualScreen.key`."""
NAMES = {"HOME": 3, "BACK": 4, "POWER": 26, "ENTER": 66, "SEARCH": 84, "NUMPAD_ENTER": 160, "SLEEP": 223, "WAKEUP": 224}


def key_name(key: str | int) -> str | None:
    """The screen's key for a code (4, "4"), a name ("KEYCODE_BACK", "back") or None when it has none."""
    text = str(key).upper().removeprefix("KEYCODE_")
    return CODES.get(int(text) if text.isdigit() else NAMES.get(text, 0))
