"""An Android phone for the steps of a search: its automation for the screen, its shell for everything else."""

from time import sleep
from typing import NoReturn, Protocol

from drivers.android import link
from drivers.android.condition import PIN_COMMAND, parse_pin, read_pin
from drivers.android.link import CallTimedOut
from drivers.android.states import classify
from drivers.android.transport import Transport
from drivers.interface import Invalid, PhoneLost, SearchFailed
from drivers.phone import Pin
from drivers.profile import GalleryProfile
from drivers.screens.hands import NotFound
from drivers.screens.states import State
from drivers.screens.tree import Element, Tree

_PASTE_ATTEMPT = 2  # the last: it goes through the clipboard, for fields that refuse ACTION_SET_TEXT
_PANEL_S = 0.5  # the panel lights up after the command has returned
_AWAKE = "dumpsys power | grep mWakefulness="
_KEYBOARD_SHOWN = "dumpsys input_method | grep mInputShown"
_WAKE = "input keyevent KEYCODE_WAKEUP; wm dismiss-keyguard"


class UiAutomation(Protocol):
    """What works the screen of an Android phone: uiautomator2's server, or Appium's.

    Every call raises PhoneLost, of which CallTimedOut and AutomationDown are kinds; with a field, link.NotFound, too.
    """

    def dump(self) -> Tree:
        """As in `Touch`."""

    def glance(self) -> bytes:
        """As in `Touch`."""

    def photograph(self) -> bytes:
        """As in `Touch`."""

    def tap(self, element: Element) -> None:
        """As in `Touch`."""

    def tap_at(self, x: int, y: int) -> None:
        """As in `Touch`."""

    def drag(self, x: int, y_from: int, y_to: int) -> None:
        """As in `Touch`."""

    def press(self, key: str) -> None:
        """back, home, enter."""

    def set_text(self, field: Element, text: str) -> None:
        """The field holds `text` only, past every keyboard."""

    def paste_text(self, field: Element, text: str) -> None:
        """The same, through the clipboard."""

    def read_text(self, field: Element) -> str:
        """The exact text of a field."""

    def as_dumped(self, text: str) -> str:
        """What a dump shows for `text`."""

    def stop(self) -> None:
        """It is ended; the next call starts it anew."""


class AndroidTouch:
    """Implements `drivers.screens.hands.Touch`."""

    def __init__(self, phone: Transport, automation: UiAutomation, profile: GalleryProfile, pin: Pin, keyboard: str) -> None:
        """`keyboard` is the package of the phone's input method."""
        self._phone, self._automation, self._profile, self._pin = phone, automation, profile, pin
        self._keyboard = keyboard
        self.dump = automation.dump
        self.glance = automation.glance
        self.photograph = automation.photograph
        self.tap = automation.tap
        self.tap_at = automation.tap_at
        self.drag = automation.drag
        self.as_dumped = automation.as_dumped

    def classify(self, tree: Tree) -> State:
        """As in the protocol."""
        return classify(tree, self._profile, self._keyboard)

    def back(self) -> None:
        """The back key."""
        self._automation.press("back")

    def enter(self) -> None:
        """The enter key."""
        self._automation.press("enter")

    def close_keyboard(self) -> None:
        """The back key closes a keyboard before anything else."""
        self.back()

    def keyboard_is_shown(self) -> bool:
        """As in the protocol."""
        return "mInputShown=true" in self._phone.text(_KEYBOARD_SHOWN)

    def set_text(self, field: Element, text: str, attempt: int) -> None:
        """As in the protocol."""
        try:
            if attempt < _PASTE_ATTEMPT:
                self._automation.set_text(field, text)
            else:
                self._automation.paste_text(field, text)
        except link.NotFound as error:
            raise NotFound(str(error)) from error

    def read_text(self, field: Element) -> str:
        """As in the protocol; the tree would show emoji as full stops."""
        try:
            return self._automation.read_text(field)
        except link.NotFound as error:
            raise NotFound(str(error)) from error

    def launch(self, *, fresh: bool) -> str:
        """As in the protocol."""
        profile = self._profile
        stop = f"am force-stop {profile.package}; " if fresh else ""
        if profile.activity:
            start = f"am start -n {profile.package}/{profile.activity}"
        else:
            start = f"monkey -p {profile.package} -c android.intent.category.LAUNCHER 1"
        ran = self._phone.shell(stop + start)
        said = ran.text + ran.err.decode("utf-8", "replace")
        return said.strip()[-200:] or "no answer" if ran.code or "Error" in said or "monkey aborted" in said else ""

    def unlock(self) -> None:
        """As in the protocol."""
        self._phone.text(_WAKE)
        sleep(_PANEL_S)

    def check_phone(self) -> bool:
        """As in the protocol."""
        said = self._phone.text(f"{PIN_COMMAND}; {_AWAKE}").splitlines()
        self._pin.require(parse_pin("\n".join(said[:2]), self._phone.address))
        power = "\n".join(said[2:])
        if "mWakefulness=" not in power or "mWakefulness=Awake" in power:
            return True
        self.unlock()
        return "mWakefulness=Awake" in self._phone.text(_AWAKE)

    def recover(self, lost: PhoneLost) -> NoReturn:
        """As in the protocol."""
        self._automation.stop()
        self._phone.reconnect()
        self._pin.require(read_pin(self._phone))
        reason = Invalid.TIMEOUT if isinstance(lost, CallTimedOut) else Invalid.CONNECTION
        raise SearchFailed(reason, str(lost)) from lost
