"""What all pages are drawn with: sizes, colours, words and the look of common pieces."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from devices.virtual.gallery.elements import Colour, Do, Element, Paint, Picture
from devices.virtual.gallery.library import LibraryPhoto
from devices.virtual.gallery.skin import Skin, Texts, Words
from devices.virtual.gallery.system import SURROUNDINGS, Surroundings
from devices.virtual.interface import Box, Role

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class Stage:
    """One moment of one phone, as far as drawing needs it."""

    skin: Skin
    locale: str
    now_s: float
    wall: datetime
    """The phone's wall clock, naive."""
    picture: Callable[[LibraryPhoto, int, Box], Picture]
    """The picture of a photo at a position of the list in front, for a cell at a box: a placeholder until it is loaded."""

    @property
    def width(self) -> int:
        """Of the screen, pixels."""
        return self.skin.screen.width_px

    @property
    def height(self) -> int:
        """Of the screen, pixels."""
        return self.skin.screen.height_px

    @property
    def texts(self) -> Texts:
        """What the gallery says."""
        return self.skin.texts

    @property
    def around(self) -> Surroundings:
        """The packages around the gallery."""
        return SURROUNDINGS[self.skin.platform]

    @property
    def floor(self) -> int:
        """Top of the navigation bar: nothing of an app stands below it."""
        return self.height - self.skin.screen.navigation_px

    @property
    def ceiling(self) -> int:
        """Bottom of the status bar."""
        return self.skin.screen.status_bar_px

    def dp(self, size: float) -> int:
        """Pixels of a length given for a screen 360 wide."""
        return max(1, round(size * self.width / 360))

    def told(self, words: Words) -> str:
        """`words` in the phone's language."""
        return words.told(self.locale)

    def paint(
        self, size_dp: float, *, ink: Colour | None = None, bold: bool = False, centred: bool = False, pad_dp: float = 0
    ) -> Paint:
        """Text of that size."""
        pad = self.dp(pad_dp) if pad_dp else 0
        return Paint(ink=ink or self.skin.colours.text, text_px=self.dp(size_dp), bold=bold, centred=centred, pad_px=pad)

    def button(
        self, box: Box, text: str, do: Do, *, name: str = "", index: int = 0, filled: bool = False, package: str = ""
    ) -> Element:
        """A button with a text in the accent colour, or on it."""
        colours = self.skin.colours
        ink = (255, 255, 255) if filled else colours.accent
        fill = colours.accent if filled else None
        look = Paint(fill=fill, radius_px=self.dp(20), ink=ink, text_px=self.dp(14), bold=True, centred=True)
        return Element(Role.BUTTON, box, name=name, text=text, paint=look, do=do, index=index, package=package)

    def icon(self, box: Box, icon: str, do: Do, *, name: str = "", label: str = "", ink: Colour | None = None) -> Element:
        """A button with an icon and an accessibility label."""
        look = Paint(icon=icon, ink=ink or self.skin.colours.text)
        return Element(Role.BUTTON, box, name=name, label=label, paint=look, do=do)

    def cell_label(self, photo: LibraryPhoto, position: int, *, video: bool, taken: datetime) -> str:
        """What the accessibility service says of a cell; "" where the gallery says nothing."""
        words = self.texts.video if video and self.told(self.texts.video) else self.texts.photo
        return self.told(words).format(when=self.date(taken), n=position + 1, name=photo.row.name)

    def date(self, moment: datetime) -> str:
        """A date and time as this gallery writes it."""
        parts = {
            "y": moment.year, "m": moment.month, "d": moment.day, "H": moment.hour, "M": moment.minute, "S": moment.second,
            "h": moment.hour % 12 or 12, "AP": "AM" if moment.hour < 12 else "PM", "ap": "am" if moment.hour < 12 else "pm",
            "mon": _MONTHS[moment.month - 1], "month": moment.strftime("%B"),
        }  # fmt: skip
        return self.told(self.texts.when).format(**parts)
