"""What lies around and over the gallery: bars, keyboard, dialogs, notification, lock screen, launcher, other apps."""

from collections.abc import Iterator, Sequence

from devices.virtual.gallery.elements import Do, Element, Paint
from devices.virtual.gallery.skin import DialogLook
from devices.virtual.gallery.stage import Stage
from devices.virtual.interface import Box, Role

NOTIFICATION_NAME = "expanded"
"""Resource id of a heads-up message in Android's system UI."""

_KEY_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def status_bar(stage: Stage) -> tuple[Element, ...]:
    """Clock and battery. No part of the tree: dumps of the app's windows do not have it."""
    height, width = stage.ceiling, stage.width
    time = (stage.dp(14), 0, stage.dp(90), height)
    battery = (width - stage.dp(14) - height, 0, width - stage.dp(14), height)
    clock = f"{stage.wall.hour:02}:{stage.wall.minute:02}"
    ink = stage.skin.colours.text
    return (
        Element(Role.TEXT, time, text=clock, paint=stage.paint(12, bold=True), in_tree=False),
        Element(Role.IMAGE, battery, paint=Paint(icon="battery", ink=ink), in_tree=False),
    )


def navigation_bar(stage: Stage) -> tuple[Element, ...]:
    """The gesture bar at the bottom."""
    height = stage.skin.screen.navigation_px
    if not height:
        return ()
    top, middle, half = stage.floor, stage.width // 2, stage.dp(54)
    pill = (middle - half, top + height // 2 - 3, middle + half, top + height // 2 + 3)
    ground = Paint(fill=stage.skin.colours.background)
    ink = Paint(fill=stage.skin.colours.muted, radius_px=3)
    return (
        Element(Role.GROUP, (0, top, stage.width, stage.height), paint=ground, do=Do.NOTHING, in_tree=False),
        Element(Role.GROUP, pill, paint=ink, in_tree=False),
    )


def keyboard_top(stage: Stage) -> int:
    """Top of the keyboard when it is open."""
    return round(stage.height * (1 - stage.skin.screen.keyboard_share))


def keyboard(stage: Stage) -> tuple[Element, ...]:
    """The keyboard; only its action key does anything: text comes through `type_text`."""
    top, package = keyboard_top(stage), stage.around.keyboard
    row = (stage.floor - top) // 4
    keys = [key for line, letters in enumerate(_KEY_ROWS) for key in _key_row(stage, letters, top + line * row, row)]
    bottom = top + 3 * row
    gap = stage.dp(3)
    action = (stage.width - stage.dp(80), bottom + gap, stage.width - gap, bottom + row - gap)
    space = (stage.dp(80), bottom + gap, stage.width - stage.dp(84), bottom + row - gap)
    keys.append(Element(Role.BUTTON, space, paint=_key_paint(stage), in_tree=False))
    label = "搜索" if stage.locale.startswith("zh") else "Search"
    keys.append(stage.button(action, label, Do.SUBMIT, filled=True, package=package))
    look = Paint(fill=_between(stage))
    return (
        Element(
            Role.KEYBOARD, (0, top, stage.width, stage.height), package=package, paint=look, do=Do.NOTHING, children=tuple(keys)
        ),
    )


def _between(stage: Stage) -> tuple[int, int, int]:
    """A ground that stands out a little from keys and page."""
    a, b = stage.skin.colours.background, stage.skin.colours.muted
    return (a[0] * 3 + b[0]) // 4, (a[1] * 3 + b[1]) // 4, (a[2] * 3 + b[2]) // 4


def _key_paint(stage: Stage) -> Paint:
    colours = stage.skin.colours
    return Paint(fill=colours.background, radius_px=stage.dp(5), ink=colours.text, text_px=stage.dp(18), centred=True)


def _key_row(stage: Stage, letters: str, top: int, height: int) -> Iterator[Element]:
    width, gap = stage.width / 10, stage.dp(3)
    left = (stage.width - width * len(letters)) / 2
    for index, letter in enumerate(letters):
        box = (round(left + index * width) + gap, top + gap, round(left + (index + 1) * width) - gap, top + height - gap)
        yield Element(Role.BUTTON, box, text=letter, paint=_key_paint(stage), in_tree=False)


def scrim(stage: Stage) -> Element:
    """Everything below is dark and out of reach."""
    return Element(Role.GROUP, (0, 0, stage.width, stage.height), paint=Paint(dims=True), do=Do.NOTHING, in_tree=False)


def first_run_dialog(stage: Stage, look: DialogLook) -> tuple[Element, ...]:
    """A dialog of the first run; its buttons answer by their index."""
    buttons = [(stage.told(button.text), button.name) for button in look.buttons]
    package = look.package or stage.skin.package
    lines = (stage.told(look.title), stage.told(look.text))
    if look.sheet:
        return _sheet(stage, lines, buttons, package, look.name)
    return dialog(stage, lines, buttons, package, name=look.name, do=Do.ANSWER_DIALOG)


def dialog(
    stage: Stage, lines: tuple[str, str], buttons: Sequence[tuple[str, str]], package: str, *, do: Do, name: str = ""
) -> tuple[Element, ...]:
    """A box over the dimmed screen: a title, a text, and buttons (text, name) one below the other."""
    edge, row = stage.dp(24), stage.dp(44)
    title = _wrapped(stage, lines[0], 17)
    text = _wrapped(stage, lines[1], 14)
    title_px = stage.dp(26) * (title.count("\n") + 1)
    text_px = stage.dp(22) * (text.count("\n") + 1) if text else 0
    height = edge + title_px + stage.dp(8) + text_px + stage.dp(12) + row * len(buttons) + stage.dp(12)
    bottom = stage.floor - stage.dp(16)
    box = (stage.dp(14), bottom - height, stage.width - stage.dp(14), bottom)
    y = box[1] + edge
    inner = [_line(stage, (box[0] + edge, y, box[2] - edge, y + title_px), title, 17, package, bold=True)]
    y += title_px + stage.dp(8)
    if text:
        inner.append(_line(stage, (box[0] + edge, y, box[2] - edge, y + text_px), text, 14, package))
    y += text_px + stage.dp(12)
    for index, (words, button_name) in enumerate(buttons):
        spot = (box[0] + edge, y + row * index, box[2] - edge, y + row * (index + 1))
        inner.append(stage.button(spot, words, do, name=button_name, index=index, package=package))
    look = Paint(fill=stage.skin.colours.surface, radius_px=stage.dp(22))
    return scrim(stage), Element(
        Role.DIALOG, box, name=name, text="", package=package, paint=look, do=Do.NOTHING, children=tuple(inner)
    )


def _line(stage: Stage, box: Box, drawn: str, size_dp: float, package: str, *, bold: bool = False) -> Element:
    # The tree has the text as it was written, without the breaks of its lines.
    text = drawn.replace("\n", "" if stage.locale.startswith("zh") else " ")
    return Element(Role.TEXT, box, text=text, drawn=drawn, package=package, paint=stage.paint(size_dp, bold=bold))


def _wrapped(stage: Stage, text: str, size_dp: float) -> str:
    """`text` broken into lines of the dialog's width; a Latin letter is about half as wide as it is high."""
    room = (stage.width - stage.dp(90)) / stage.dp(size_dp)
    lines, line, used = [], "", 0.0
    for word in _pieces(text):
        width = sum(1.0 if ord(character) > 0x2E80 else 0.56 for character in word)
        if used + width > room and line:
            lines.append(line.rstrip())
            line, used = "", 0.0
        line, used = line + word, used + width
    return "\n".join([*lines, line.rstrip()])


def _pieces(text: str) -> Iterator[str]:
    """Words with the space behind them; single Chinese characters."""
    word = ""
    for character in text:
        word += character
        if character == " " or ord(character) > 0x2E80:
            yield word
            word = ""
    if word:
        yield word


def _sheet(
    stage: Stage, lines: tuple[str, str], buttons: Sequence[tuple[str, str]], package: str, name: str
) -> tuple[Element, ...]:
    """A page of its own (What's New), with its buttons at the bottom."""
    box = (0, stage.ceiling + stage.dp(10), stage.width, stage.height)
    top, row = box[1] + stage.dp(90), stage.dp(56)
    inner = [
        Element(
            Role.TEXT,
            (0, top, stage.width, top + stage.dp(40)),
            text=lines[0],
            package=package,
            paint=stage.paint(24, bold=True, centred=True),
        ),
        Element(
            Role.TEXT,
            (0, top + stage.dp(60), stage.width, top + stage.dp(90)),
            text=lines[1],
            paint=stage.paint(14, centred=True),
        ),
    ]
    for index, (words, button_name) in enumerate(buttons):
        y = stage.floor - stage.dp(20) - row * (len(buttons) - index)
        spot = (stage.dp(24), y, stage.width - stage.dp(24), y + row - stage.dp(8))
        inner.append(
            stage.button(spot, words, Do.ANSWER_DIALOG, name=button_name, index=index, filled=index == 0, package=package)
        )
    look = Paint(fill=stage.skin.colours.background, radius_px=stage.dp(14))
    return (
        scrim(stage),
        Element(Role.DIALOG, box, name=name, package=package, paint=look, do=Do.NOTHING, children=tuple(inner)),
    )


def notification(stage: Stage, sender: str, text: str) -> tuple[Element, ...]:
    """A heads-up message."""
    package = stage.around.system_ui
    box = (stage.dp(8), stage.ceiling + stage.dp(4), stage.width - stage.dp(8), stage.ceiling + stage.dp(76))
    middle = (box[1] + box[3]) // 2
    left, right = box[0] + stage.dp(16), box[2] - stage.dp(16)
    lines = (
        Element(
            Role.TEXT,
            (left, box[1] + stage.dp(8), right, middle),
            text=sender,
            package=package,
            paint=stage.paint(14, bold=True),
        ),
        Element(Role.TEXT, (left, middle, right, box[3] - stage.dp(8)), text=text, package=package, paint=stage.paint(13)),
    )
    look = Paint(fill=stage.skin.colours.surface, radius_px=stage.dp(20))
    return (
        Element(
            Role.GROUP,
            box,
            name=NOTIFICATION_NAME,
            package=package,
            paint=look,
            do=Do.NOTHING,
            children=lines,
            label=f"{sender}: {text}",
        ),
    )


def lock_screen(stage: Stage) -> tuple[Element, ...]:
    """The keyguard: a swipe up unlocks."""
    package, whole = stage.around.system_ui, (0, 0, stage.width, stage.height)
    clock = (0, stage.dp(120), stage.width, stage.dp(190))
    hint = (0, stage.height - stage.dp(90), stage.width, stage.height - stage.dp(60))
    words = "上滑解锁" if stage.locale.startswith("zh") else "Swipe up to unlock"
    white = (255, 255, 255)
    time = f"{stage.wall.hour:02}:{stage.wall.minute:02}"
    return (
        Element(Role.GROUP, whole, name="keyguard_root_view", package=package, paint=Paint(fill=(28, 38, 62)), do=Do.NOTHING),
        Element(Role.TEXT, clock, name="clock", text=time, package=package, paint=stage.paint(54, ink=white, centred=True)),
        Element(Role.TEXT, hint, name="hint", text=words, package=package, paint=stage.paint(14, ink=white, centred=True)),
    )


def launcher(stage: Stage, apps: Sequence[tuple[str, str]]) -> tuple[Element, ...]:
    """The home screen with an icon for each app (title, package): `Element.index` counts them."""
    package, whole = stage.around.launcher, (0, 0, stage.width, stage.height)
    ground = Element(Role.GROUP, whole, name="workspace", package=package, paint=Paint(fill=(70, 96, 140)), do=Do.NOTHING)
    return (ground, *(icon for index, app in enumerate(apps) for icon in _app_icon(stage, index, app[0], package)))


def _app_icon(stage: Stage, index: int, title: str, package: str) -> Iterator[Element]:
    column, side = stage.width // 4, stage.dp(56)
    left = column * (index % 4) + (column - side) // 2
    top = stage.height - stage.dp(180)
    white = (255, 255, 255)
    look = Paint(fill=white, radius_px=stage.dp(14), icon="app", ink=stage.skin.colours.accent)
    box = (left, top, left + side, top + side)
    yield Element(Role.IMAGE, box, paint=look, in_tree=False)
    spot = (column * (index % 4), top, column * (index % 4 + 1), top + side + stage.dp(24))
    text = (spot[0], box[3], spot[2], spot[3])
    yield Element(Role.TEXT, text, text=title, paint=stage.paint(12, ink=white, centred=True), in_tree=False)
    yield Element(Role.BUTTON, spot, name="icon", text=title, drawn="", label=title, package=package, do=Do.LAUNCH, index=index)


def other_app(stage: Stage, title: str, package: str) -> tuple[Element, ...]:
    """Any app that is not the gallery."""
    whole = (0, 0, stage.width, stage.height)
    bar = (0, stage.ceiling, stage.width, stage.ceiling + stage.dp(56))
    return (
        Element(Role.GROUP, whole, package=package, paint=Paint(fill=stage.skin.colours.surface), do=Do.NOTHING),
        Element(Role.TEXT, bar, text=title, package=package, paint=stage.paint(22, bold=True, pad_dp=16)),
    )
