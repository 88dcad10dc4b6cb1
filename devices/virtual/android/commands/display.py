"""`screencap`, `wm`, `input`, `uiautomator dump`: the screen and what touches it."""

import asyncio

from devices.virtual.android.call import Call, Command, encode
from devices.virtual.android.hierarchy import hierarchy_xml
from devices.virtual.android.keys import key_name

DEFAULT_SWIPE_MS = 300  # of `input swipe` without a duration
DISPLAY_WARNING = (
    b"[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display found.\n"
)
"""What screencap of Android 14 prints before the picture on foldables."""
TEXT_LOST = "Exception occurred while executing 'text':\njava.lang.NullPointerException: Attempt to get length of null array"
"""What `input text` of a real phone says of anything but ASCII."""


async def screencap(call: Call) -> int:
    """`screencap [-p] [-d ID] [FILE]`: PNG only."""
    words = list(call.arguments)
    if "-d" in words:
        at = words.index("-d")
        del words[at : at + 2]
    names = [word for word in words if not word.startswith("-")]
    if "-p" not in words and not names:
        return await call.unknown()
    png = _damaged(await call.phone.camera.png(call.phone.frame()), call.phone.faults.screenshot)
    if names:
        call.phone.files.write(names[0], png, cwd=call.session.cwd)
    else:
        await call.out(png)
    return 0


def _damaged(png: bytes, fault: str) -> bytes:
    if fault == "crlf":
        return png.replace(b"\n", b"\r\n")
    if fault == "text":
        return DISPLAY_WARNING + png
    if fault == "truncated":
        return png[: len(png) * 6 // 10]
    return png


async def window_manager(call: Call) -> int:
    """`wm size|density|dismiss-keyguard`; a keyguard in front wants a PIN, and stays."""
    if call.arguments == ["dismiss-keyguard"]:
        return 0
    width, height = call.phone.gallery.size
    known = {"size": f"Physical size: {width}x{height}", "density": "Physical density: 420"}
    if len(call.arguments) == 1 and call.arguments[0] in known:
        return await call.say(known[call.arguments[0]])
    return await call.unknown()


async def inject(call: Call) -> int:
    """`input [SOURCE] tap|swipe|draganddrop|text|keyevent …`"""
    words = [word for word in call.arguments if word not in ("touchscreen", "keyboard")]
    if words[:1] == ["-d"]:
        words = words[2:]
    verb, *rest = words or [""]
    screen = call.phone.gallery
    if verb == "tap" and len(rest) == 2:
        screen.tap(float(rest[0]), float(rest[1]))
        return 0
    if verb in ("swipe", "draganddrop") and len(rest) in (4, 5):
        x0, y0, x1, y1 = (float(word) for word in rest[:4])
        duration_s = float(rest[4] if rest[4:] else DEFAULT_SWIPE_MS) / 1000
        screen.drag(x0, y0, x1, y1, duration_s)
        await asyncio.sleep(duration_s)
        return 0
    if verb == "text" and len(rest) == 1:
        return await _type(call, rest[0])
    if verb == "keyevent" and rest:
        return await _keys(call, [word for word in rest if not word.startswith("--")])
    return await call.unknown()


async def _type(call: Call, text: str) -> int:
    if not text.isascii():
        return await call.complain(TEXT_LOST, 255)
    composing = call.phone.props["persist.sys.locale"].startswith("zh")
    call.phone.gallery.type_text(text.replace("%s", " "), composing=composing)
    return 0


async def _keys(call: Call, keys: list[str]) -> int:
    for key in keys:
        name = key_name(key)
        if name is None:
            return await call.unknown()
        call.phone.gallery.key(name)
    return 0


async def uiautomator(call: Call) -> int:
    """`uiautomator dump [FILE]`; fails while u2's server holds UiAutomation, as on a real phone."""
    if call.arguments[:1] != ["dump"]:
        return await call.unknown()
    if call.phone.processes.ui_server is not None:
        return await call.complain("java.lang.IllegalStateException: UiAutomationService already registered!", 137)
    names = [word for word in call.arguments[1:] if not word.startswith("-")] or ["/sdcard/window_dump.xml"]
    xml = encode(hierarchy_xml(call.phone.gallery.tree()))
    if names[0] == "/dev/tty":
        await call.out(xml)
        return 0
    call.phone.files.write(names[0], xml, cwd=call.session.cwd)
    return await call.say(f"UI hierchary dumped to: {names[0]}")


COMMANDS: dict[str, Command] = {"screencap": screencap, "wm": window_manager, "input": inject, "uiautomator": uiautomator}
