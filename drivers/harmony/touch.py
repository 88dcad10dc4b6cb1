"""A HarmonyOS phone for the steps of a search: uitest's connection for the screen, hdc for the picture of record."""

import tempfile
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import Any, NoReturn

from drivers.harmony.condition import read_pin
from drivers.harmony.gestures import drag_points
from drivers.harmony.hdc import Refused
from drivers.harmony.phone import Phone
from drivers.harmony.states import classify, is_blank
from drivers.harmony.tree import as_dumped, parse_layout
from drivers.harmony.uitest import CallTimedOut, UiError, UiTest
from drivers.interface import Invalid, PhoneLost, SearchFailed
from drivers.phone import Pin
from drivers.profile import GalleryProfile
from drivers.screens.hands import NotFound, Until
from drivers.screens.picture import BrokenPicture, whole_png
from drivers.screens.states import State
from drivers.screens.tree import Element, Tree

_SHOT = "/data/local/tmp/rig-screen.png"
_SHOT_S = 20.0
_ENTER, _DELETE = 2054, 2055  # @ohos.multimodalInput.keyCode
_PASTE_API = 20  # InputTextMode, which forces the clipboard
_MOST_TYPED = 200  # longer texts go through the clipboard by themselves
_NO_KEY = "。"  # a letter that no key has: a text with it is pasted whole
_BLANK_S = 5.0  # one seen was still white after 10 s; a gallery that is well draws its first page in 2
_STARTS = 3
_PANEL_S = 0.5


class HarmonyTouch:
    """Implements `drivers.screens.hands.Touch`."""

    def __init__(self, phone: Phone, ui: UiTest, profile: GalleryProfile, pin: Pin, api: int) -> None:
        """`api` is the phone's API level."""
        self._phone, self._ui, self._profile, self._pin, self._api = phone, ui, profile, pin, api
        self._streams = True

    def dump(self) -> Tree:
        """As in the protocol."""
        try:
            return parse_layout(self._ui.layout())
        except UiError:
            return Tree(())
        except ValueError as error:
            raise PhoneLost(f"{self._phone.address}: {error}") from error

    def classify(self, tree: Tree) -> State:
        """As in the protocol."""
        return classify(tree, self._profile)

    def glance(self) -> bytes:
        """The first JPEG of uitest's stream of captures; on a phone that streams none, the picture of record."""
        if self._streams:
            try:
                return self._ui.frame()
            except UiError:
                self._streams = False
        return self.photograph()

    def photograph(self) -> bytes:
        """As in the protocol. uitest writes the picture on the phone, hdc fetches it."""
        with tempfile.TemporaryDirectory(prefix="gallery-rig-") as made:
            target = Path(made) / "screen.png"
            said = self._phone.text(f"uitest screenCap -p {_SHOT}", _SHOT_S)
            try:
                self._phone.receive(_SHOT, target)
            except Refused as error:
                raise BrokenPicture(f"no picture: {error}; uitest said {said[:100]!r}") from error
            return whole_png(target.read_bytes() if target.is_file() else b"")

    def tap(self, element: Element) -> None:
        """As in the protocol."""
        self.tap_at(*element.centre)

    def tap_at(self, x: int, y: int) -> None:
        """As in the protocol."""
        self._done("Driver.click", x, y)

    def drag(self, x: int, y_from: int, y_to: int) -> None:
        """As in the protocol."""
        points = drag_points(x, y_from, y_to)
        matrix = self._done("PointerMatrix.create", 1, len(points), this=None)
        for step, point in enumerate(points):
            self._done("PointerMatrix.setPoint", 0, step, point, this=matrix)
        self._done("Driver.injectMultiPointerAction", matrix, 2000)

    def back(self) -> None:
        """As in the protocol."""
        self._done("Driver.pressBack")

    def enter(self) -> None:
        """As in the protocol."""
        self._done("Driver.triggerKey", _ENTER)

    def close_keyboard(self) -> None:
        """Back closes a keyboard before anything else."""
        self.back()

    def keyboard_is_shown(self) -> bool:
        """The keyboard's window is in the tree when there is one; nothing else tells."""
        return False

    def set_text(self, field: Element, text: str, attempt: int) -> None:
        """Through the clipboard: keys would go through the input method, and a Chinese one composes Latin letters.

        Phones without the mode for it paste what no key can type: a letter without a key is put behind the text and deleted.
        """
        component = self._component(field)
        if not text:
            self._done("Component.clearText", this=component)
        elif self._api >= _PASTE_API and attempt < 2:
            self._done("Component.inputText", text, {"paste": True, "addition": False}, this=component)
        elif text.isascii() and len(text) <= _MOST_TYPED:
            self._done("Component.inputText", text + _NO_KEY, this=component)
            self._done("Driver.triggerKey", _DELETE)
        else:
            self._done("Component.inputText", text, this=component)

    def read_text(self, field: Element) -> str:
        """As in the protocol."""
        return str(self._done("Component.getText", this=self._component(field)) or "")

    def as_dumped(self, text: str) -> str:
        """As in the protocol."""
        return as_dumped(text)

    def launch(self, *, fresh: bool) -> str:
        """As in the protocol. A cold start that shows a white page is a start that failed: it is made again."""
        for number in range(_STARTS):
            said = self._start(fresh=fresh or number > 0)
            if said or not self._stays_blank():
                return said
        return ""

    def unlock(self) -> None:
        """The screen is on; a lock without a code goes with a swipe up."""
        self._done("Driver.wakeUpDisplay")
        sleep(_PANEL_S)
        size = self._done("Driver.getDisplaySize")
        width, height = int(size["x"]), int(size["y"])
        self.drag(width // 2, round(0.85 * height), round(0.25 * height))

    def check_phone(self) -> bool:
        """As in the protocol. A connection that has held cannot lead to another phone or another boot."""
        if self._ui.connected:
            try:
                self._done("Driver.wakeUpDisplay")
            except PhoneLost:
                self._ui.stop()
            else:
                return True
        self._done("Driver.wakeUpDisplay")  # first: the connection that was just made is then known to be this phone's
        self._pin.require(read_pin(self._phone))
        with suppress(UiError):
            if self._ui.call("Driver.getDisplayRotation"):
                self._ui.call("Driver.setDisplayRotation", 0)
        return True

    def recover(self, lost: PhoneLost) -> NoReturn:
        """As in the protocol."""
        self._ui.stop()
        self._phone.reconnect()
        self._pin.require(read_pin(self._phone))
        reason = Invalid.TIMEOUT if isinstance(lost, CallTimedOut) else Invalid.CONNECTION
        raise SearchFailed(reason, str(lost)) from lost

    def _start(self, *, fresh: bool) -> str:
        profile = self._profile
        stop = f"aa force-stop {profile.package}; " if fresh else ""
        said = self._phone.text(f"{stop}aa start -a {profile.activity} -b {profile.package}")
        return "" if "start ability successfully" in said else said[-200:] or "no answer"

    def _stays_blank(self) -> bool:
        until = Until.after(_BLANK_S)
        while is_blank(self.dump(), self._profile.package):
            if until.over:
                return True
            sleep(0.1)
        return False

    def _component(self, field: Element) -> str:
        """uitest's handle for a field. Criteria are chained, because each call makes a selector of its own. Raises NotFound."""
        selector = "On#seed"
        for criterion, value in (("id", field.id), ("type", field.kind)):
            if value:
                selector = str(self._done(f"On.{criterion}", value, this=selector))
        found = self._done("Driver.findComponents", selector) or []
        if len(found) != 1:
            raise NotFound(f"{len(found)} components are {field.kind} {field.id!r}: expected one")
        return str(found[0])

    def _done(self, api: str, *arguments: Any, this: str | None = "Driver#0") -> Any:
        try:
            return self._ui.call(api, *arguments, this=this)
        except UiError as error:
            raise NotFound(f"{api}: {error}") from error
