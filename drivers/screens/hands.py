"""What every step of a search works with, and the one way out of it that is not an answer."""

from contextlib import suppress
from dataclasses import dataclass
from time import monotonic, sleep
from typing import NoReturn, Protocol

from drivers.interface import DriverError, Invalid, PhoneLost, SearchFailed
from drivers.profile import Dialog, GalleryProfile
from drivers.screens.picture import BlackFrame, BrokenPicture, Gray, gray, lit
from drivers.screens.states import State
from drivers.screens.tree import Element, Tree, find

_PACE_S = 0.03  # between two looks at a phone that is not ready; a look itself takes longer on a real one
_PICTURES = 4
_PICTURE_WAIT_S = 0.5


class NotFound(Exception):
    """The element a call was made for is not on the screen."""


class Touch(Protocol):
    """What a platform has to be able to do for a search. Every call has its own deadline; all raise PhoneLost."""

    def dump(self) -> Tree:
        """The UI tree now; an empty one when the phone gives none."""

    def classify(self, tree: Tree) -> State:
        """What it means, by the platform's own table."""

    def glance(self) -> bytes:
        """A picture to tell whether the screen moves, the quickest there is. Raises BrokenPicture."""

    def photograph(self) -> bytes:
        """A lossless PNG for the record, whole from its signature to its end. Raises BrokenPicture."""

    def tap(self, element: Element) -> None:
        """A touch in its middle."""

    def tap_at(self, x: int, y: int) -> None:
        """A touch at (x, y) px."""

    def drag(self, x: int, y_from: int, y_to: int) -> None:
        """A drag that ends at rest, so that nothing flings."""

    def back(self) -> None:
        """One page back, or the platform's nearest."""

    def enter(self) -> None:
        """The keyboard's action key."""

    def close_keyboard(self) -> None:
        """The keyboard is asked to go."""

    def keyboard_is_shown(self) -> bool:
        """Asks the phone itself, for keyboards that are not in the UI tree."""

    def set_text(self, field: Element, text: str, attempt: int) -> None:
        """The field holds `text` only; each attempt (0, 1, 2) may go another way. Raises NotFound."""

    def read_text(self, field: Element) -> str:
        """The exact text of a field. Raises NotFound."""

    def as_dumped(self, text: str) -> str:
        """What a dump shows for `text`."""

    def launch(self, *, fresh: bool) -> str:
        """The gallery is told to come to the front; `fresh` ends it first. Returns why it cannot be, "" when it could."""

    def unlock(self) -> None:
        """The screen is on, and unlocked where no code is set."""

    def check_phone(self) -> bool:
        """The same phone with the same firmware answers; False when its screen stays dark. Raises WrongPhone."""

    def recover(self, lost: PhoneLost) -> NoReturn:
        """The connection is made anew, this search is given up. Raises SearchFailed, or PhoneLost when the phone stays away."""


@dataclass(slots=True)
class Hands:
    """One phone's touch and the profile of its gallery."""

    ui: Touch
    profile: GalleryProfile

    def look(self) -> tuple[Tree, State]:
        """The tree now and what it means."""
        tree = self.ui.dump()
        return tree, self.ui.classify(tree)

    def glance(self) -> Gray:
        """A quick frame that is whole and lit. Raises SearchFailed when there is none after a few tries."""
        return self._picture(quick=True)[1]

    def photograph(self) -> tuple[bytes, Gray]:
        """A whole, lit PNG and its frame. Raises SearchFailed when there is none after a few tries."""
        return self._picture(quick=False)

    def answer(self, dialog: Dialog, tree: Tree) -> None:
        """A known dialog gets its safe answer."""
        button = find(tree, dialog.press, self.profile.package)
        if button is not None:
            self.ui.tap(button)
        elif not dialog.press:
            self.ui.back()
        else:
            raise self.failure(Invalid.DIALOG, f"{dialog.name}: none of its known answers is on the screen")

    def failure(self, reason: Invalid, detail: str) -> SearchFailed:
        """What to raise when this search is not an answer; with a picture of what was on the screen, when it can be had."""
        picture = None
        with suppress(BrokenPicture, PhoneLost, DriverError):
            picture = self.ui.photograph()
        return SearchFailed(reason, detail, picture)

    def pause(self) -> None:
        """A short wait before the next look."""
        sleep(_PACE_S)

    def _picture(self, *, quick: bool) -> tuple[bytes, Gray]:
        """Black and broken pictures are taken again: a screen that wakes up is black for a moment."""
        tries = 0
        while True:
            try:
                data = self.ui.glance() if quick else self.ui.photograph()
                return data, lit(gray(data))
            except BrokenPicture as error:
                tries += 1
                if tries == _PICTURES:
                    reason = Invalid.BLACK_FRAME if isinstance(error, BlackFrame) else Invalid.BROKEN_IMAGE
                    raise self.failure(reason, f"no usable screenshot in {_PICTURES} tries: {error}") from error
                sleep(_PICTURE_WAIT_S)


@dataclass(slots=True)
class Until:
    """A deadline for a loop."""

    ends_at: float

    @classmethod
    def after(cls, seconds: float) -> "Until":
        """A deadline `seconds` from now."""
        return cls(monotonic() + seconds)

    @property
    def over(self) -> bool:
        """True when the time is up."""
        return monotonic() >= self.ends_at


def wait_until(moment: float) -> None:
    """The monotonic time `moment` has passed."""
    sleep(max(0.0, moment - monotonic()))
