"""What every step of a search works with, and the one way out of it that is not an answer."""

from contextlib import suppress
from dataclasses import dataclass
from time import monotonic, sleep

from drivers.android.automation import Automation
from drivers.android.picture import BlackFrame, BrokenPicture, Gray, gray, lit
from drivers.android.states import State, classify
from drivers.android.transport import Transport
from drivers.android.tree import Tree, find
from drivers.interface import DriverError, Invalid, PhoneLost, SearchFailed
from drivers.profile import Dialog, GalleryProfile

_PACE_S = 0.03  # between two looks at a phone that is not ready; a look itself takes longer on a real one
_PICTURES = 4
_PICTURE_WAIT_S = 0.5


@dataclass(slots=True)
class Hands:
    """One phone's connection, its automation and the profile of its gallery."""

    phone: Transport
    ui: Automation
    profile: GalleryProfile
    keyboard: str = ""
    """The package of the phone's input method."""

    def look(self) -> tuple[Tree, State]:
        """The tree now and what it means."""
        tree = self.ui.dump()
        return tree, classify(tree, self.profile, self.keyboard)

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
            self.ui.press("back")
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
