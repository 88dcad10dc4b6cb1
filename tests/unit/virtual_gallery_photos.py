"""A tiny album for the tests of the virtual gallery: real files with EXIF and XMP, small and quick to make."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image
from PIL.PngImagePlugin import PngInfo

from devices.virtual.gallery.app import GalleryApp, build_gallery

NOON_2026_S = datetime(2026, 2, 3, 4, 0, tzinfo=UTC).timestamp()
"""12:00 on Tuesday 3 February 2026 in Shanghai: the time at which the tests' phones wake up."""


class Clock:
    """A clock that goes only when it is told to."""

    def __init__(self, now_s: float = NOON_2026_S) -> None:
        self.now_s = now_s

    def __call__(self) -> float:
        return self.now_s

    def wait(self, seconds: float) -> None:
        self.now_s += seconds


@dataclass(frozen=True)
class Shot:
    """One photo to be written."""

    name: str
    keywords: Sequence[str] = ()
    people: Sequence[str] = ()
    taken: str | None = "2024:05:03 10:00:00"
    offset: str | None = "+08:00"
    at: tuple[float, float] | None = None
    size: tuple[int, int] = (48, 36)
    orientation: int = 1


def xmp(keywords: Sequence[str], people: Sequence[str]) -> bytes:
    subject = "".join(f"<rdf:li>{escape(word)}</rdf:li>" for word in keywords)
    persons = "".join(f"<rdf:li>{escape(name)}</rdf:li>" for name in people)
    return (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">'
        f"<dc:subject><rdf:Bag>{subject}</rdf:Bag></dc:subject>"
        f"<Iptc4xmpExt:PersonInImage><rdf:Bag>{persons}</rdf:Bag></Iptc4xmpExt:PersonInImage>"
        "</rdf:Description></rdf:RDF></x:xmpmeta>"
    ).encode()


def exif(shot: Shot) -> Image.Exif:
    data = Image.Exif()
    data[ExifTags.Base.Orientation] = shot.orientation
    times = data.get_ifd(ExifTags.IFD.Exif)
    if shot.taken:
        times[ExifTags.Base.DateTimeOriginal] = shot.taken
    if shot.offset:
        times[ExifTags.Base.OffsetTimeOriginal] = shot.offset
    if shot.at:
        gps = data.get_ifd(ExifTags.IFD.GPSInfo)
        gps[ExifTags.GPS.GPSLatitude] = (abs(shot.at[0]), 0.0, 0.0)
        gps[ExifTags.GPS.GPSLatitudeRef] = "S" if shot.at[0] < 0 else "N"
        gps[ExifTags.GPS.GPSLongitude] = (abs(shot.at[1]), 0.0, 0.0)
        gps[ExifTags.GPS.GPSLongitudeRef] = "W" if shot.at[1] < 0 else "E"
    return data


def picture(name: str, size: tuple[int, int]) -> Image.Image:
    """A picture of its own for each name: a flat colour with a darker frame."""
    seed = sum(ord(letter) * (place + 1) for place, letter in enumerate(name))
    pixels: NDArray[np.uint8] = np.zeros((size[1], size[0], 3), np.uint8)
    pixels[:] = (60 + seed * 37 % 190, 60 + seed * 91 % 190, 60 + seed * 53 % 190)
    pixels[:4] = pixels[:4] // 2
    return Image.fromarray(pixels)


def write(folder: Path, shots: Sequence[Shot], *, mtime_s: float = NOON_2026_S - 86400 * 100) -> None:
    """The photos are in `folder`, all modified at the same time."""
    folder.mkdir(parents=True, exist_ok=True)
    for shot in shots:
        path = folder / shot.name
        packet = xmp(shot.keywords, shot.people)
        image, about = picture(shot.name, shot.size), exif(shot).tobytes()
        if path.suffix == ".png":
            text = PngInfo()
            text.add_itxt("XML:com.adobe.xmp", packet.decode())
            image.save(path, exif=about, pnginfo=text)
        else:
            image.save(path, exif=about, xmp=packet, quality=90)
        os.utime(path, (mtime_s, mtime_s))


def beach_shots(count: int) -> list[Shot]:
    """`count` photos of a beach, one a minute, B000.jpg the oldest."""
    return [
        Shot(f"B{number:03}.jpg", ["beach", "海滩"], taken=f"2024:05:03 {10 + number // 60:02}:{number % 60:02}:00")
        for number in range(count)
    ]


SHARP_EYES = {"misses": 0.0, "confuses": 0.0, "forgets": 0.0, "english": 1.0}
"""No photo is misjudged, so that the tests can count; what else the skin's search does amiss stays."""


class Phone:
    """A virtual phone in a test: the app, its clock and its folder."""

    def __init__(self, folder: Path, skin: str, shots: Sequence[Shot], *, seed: int = 1, locale: str | None = None) -> None:
        self.clock = Clock()
        self.storage = folder
        write(folder / "DCIM" / "Camera", shots)
        self.app: GalleryApp = build_gallery(skin, folder, seed=seed, clock=self.clock, locale=locale, engine=SHARP_EYES)

    def ready(self) -> "Phone":
        """Photos scanned and indexed, first-run dialogs answered, the gallery on its home page."""
        self.app.scan()
        self.app.key("sleep")
        self.app.index_signals()
        self.clock.wait(600)
        assert self.app.index_signals().indexed == len([row for row in self.app.rows() if row.width_px])
        self.app.key("wake")
        self.app.launch(self.app.skin.package)
        for look in self.app.skin.first_run:
            button = next(button for button in look.buttons if button.accepts)
            self.tap_text(button.text.told(self.app.locale))
        return self

    def settle(self, seconds: float = 3.0) -> None:
        """Time passes, with the screen looked at now and then."""
        for _ in range(6):
            self.clock.wait(seconds / 6)
            self.app.frame()

    def tap_node(self, matches: Callable[[object], bool], what: str) -> None:
        node = next((node for node in self.app.tree().walk() if matches(node)), None)
        assert node is not None, f"no {what} on the screen: {self.texts()}"
        left, top, right, bottom = node.box
        self.app.tap((left + right) / 2, (top + bottom) / 2)

    def tap_text(self, text: str) -> None:
        self.tap_node(lambda node: text in (node.text, node.label), text)  # type: ignore[attr-defined]

    def texts(self) -> list[str]:
        return [node.text for node in self.app.tree().walk() if node.text]

    def open_search(self) -> None:
        skin = self.app.skin
        words = skin.texts.entry.told(self.app.locale)
        self.tap_text(words)
        if not any(node.focused for node in self.app.tree().walk()):
            self.tap_node(lambda node: node.editable, "field")  # type: ignore[attr-defined]

    def search(self, text: str) -> None:
        """The text is entered and submitted, the results are there, the keyboard is closed."""
        if not any(node.editable for node in self.app.tree().walk()):
            self.open_search()
        self.tap_node(lambda node: node.editable, "field")  # type: ignore[attr-defined]
        assert self.app.set_text(text)
        self.app.key("enter")
        if self.app.keyboard_shown:
            self.app.key("back")
        self.settle()

    def names(self) -> list[str]:
        """The whole list of the last search that reached the screen, as the log of truth has it."""
        lists = self.app.truth.as_json()[-1]["lists"]
        return list(lists[-1]["names"]) if lists else []
