"""A virtual lab for the contract of drivers: two phones a subject, the first with an album, and a reader of their screens."""

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import cv2
import numpy as np
import pytest
from driver_subjects import PATIENCE, SUBJECTS, Subject
from marked_album import Marked, make_album, read_number
from numpy.typing import NDArray

from devices.virtual.control import Control
from devices.virtual.lab import running_lab
from drivers import open_driver
from drivers.android.server import AdbServer, end_server, find_adb
from drivers.interface import Ask, Ending, GalleryDriver, Invalid, PushItem, Screen, SearchFailed
from drivers.profile import Patience

# More than a hundred of the sea, some with flowers, two of them twins; twelve cats; three names that try what names may be.
PHOTOS = (
    *(Marked(f"IMG_{number:04}.jpg", number, ("beach", "flower") if number <= 24 else ("beach",)) for number in range(1, 101)),
    Marked("TWIN_A.jpg", 200, ("beach", "sunset")),
    Marked("TWIN_B.jpg", 200, ("beach", "sunset")),
    *(Marked(f"CAT_{number:03}.jpg", number, ("cat",)) for number in range(301, 313)),
    Marked("照片 (1).jpg", 401, ("dog",)),
    Marked("-dash.jpg", 402, ("dog",)),
    Marked("🐶 pup.jpg", 403, ("dog",)),
)
NUMBER = {photo.device_name: photo.number for photo in PHOTOS}


@dataclass(frozen=True, slots=True)
class Bench:
    """One subject's two phones in the lab."""

    subject: Subject
    control: Control
    items: tuple[PushItem, ...]

    @property
    def phone(self) -> str:
        """The lab's name of the phone with the album."""
        return self.subject.name

    @property
    def other(self) -> str:
        """The lab's name of the phone without."""
        return f"{self.subject.name}-other"

    def address(self, phone: str) -> str:
        """Where a phone answers now."""
        return str(self.control.ask("status", phone)["address"])

    @contextmanager
    def driver(
        self, phone: str = "", options: Mapping[str, str] | None = None, patience: Patience = PATIENCE
    ) -> Iterator[GalleryDriver]:
        """A driver of a phone, closed at the end."""
        subject = self.subject
        given = {**subject.options, **(options or {})}
        driver = open_driver(subject.platform, self.address(phone or self.phone), subject.gallery(patience), given)
        try:
            yield driver
        finally:
            driver.close()

    def last_shown(self) -> tuple[str, list[int]]:
        """What the phone says of its last search: the text in the field, and the numbers of the whole list in order."""
        search = self.control.shown(self.phone)["searches"][-1]
        names = search["lists"][-1]["names"] if search["lists"] else []
        return search["field_text"], [NUMBER[name] for name in names]

    def wait_until_indexed(self, driver: GalleryDriver, phone: str) -> None:
        """Until all its photos can be found; some phones index only between two looks at the screen."""

        def indexed() -> bool:
            driver.index_signals()
            told = self.control.ask("status", phone)
            return bool(told["photos"]) and told["photos"] == told["indexed"]

        self.wait_for(indexed)

    def wait_for(self, holds: Callable[[], bool], seconds: float = 20.0) -> None:
        """Until something is so in the lab."""
        until = monotonic() + seconds
        while not holds():
            assert monotonic() < until, "the lab did not come to be as it was waited for"
            sleep(0.05)


@contextmanager
def private_adb_server() -> Iterator[None]:
    """Drivers opened within use an adb server of their own, which is ended by its pid."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANDROID_ADB_SERVER_PORT", str(port))
        yield
        end_server(AdbServer(find_adb(), port))


@contextmanager
def running_bench(folder: Path) -> Iterator[Mapping[str, Bench]]:
    """The lab is up, the first phone of each subject has the album and has indexed it."""
    text = 'name = "contract"\n'
    for seed, subject in enumerate(SUBJECTS):
        text += subject.describe(subject.name, 2 * seed) + subject.describe(f"{subject.name}-other", 2 * seed + 1)
    described = folder / "contract.toml"
    described.write_text(text, "utf-8")
    items = make_album(folder / "album", PHOTOS)
    with private_adb_server(), running_lab(str(described), folder / "lab") as control:
        yield {subject.name: Bench(subject, control, items) for subject in SUBJECTS}


def number_in_full(screen: Screen) -> int | None:
    """The number of the photo that fills the width of an upright screen, in its middle."""
    pixels = _grey(screen)
    height, width = pixels.shape
    top = (height - width) // 2
    return read_number(np.asarray(pixels[top : top + width], np.uint8))


def _grey(screen: Screen) -> NDArray[np.uint8]:
    pixels = cv2.imdecode(np.frombuffer(screen.png, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert pixels is not None
    return np.asarray(pixels, np.uint8)


def numbers(screen: Screen) -> list[int]:
    """The numbers of the cells that are whole, in the order given."""
    pixels = _grey(screen)
    assert screen.cells is not None
    whole = [box for box in screen.cells if abs((box[2] - box[0]) - (box[3] - box[1])) <= 2]
    read = [read_number(np.asarray(pixels[top:bottom, left:right], np.uint8)) for left, top, right, bottom in whole]
    assert None not in read, "a thumbnail shows no number"
    return [number for number in read if number is not None]


def read_all(driver: GalleryDriver, text: str, most: int = 1000) -> tuple[list[int], Ending | None]:
    """Reads a search as the rig does: each position once, asking back where two screens do not overlap."""
    read: list[int] = []
    ask: Ask | None = None
    asking = driver.search(text)
    try:
        while len(read) < most:
            joined = _joined(read, numbers(asking.send(ask)))
            ask = Ask.BACK if joined is None else Ask.ON
            read = read if joined is None else joined
    except StopIteration as end:
        return read, end.value
    asking.close()
    return read[:most], None


def _joined(read: list[int], seen: list[int]) -> list[int] | None:
    """`read` and what `seen` adds to it; None when they do not overlap."""
    for start in range(len(read)):
        common = read[start : start + len(seen)]
        if common == seen[: len(common)]:
            return read[:start] + seen if len(seen) > len(common) else read
    return seen if not read else None


def reason(driver: GalleryDriver, text: str) -> Invalid:
    """Why this search is not an answer."""
    try:
        read_all(driver, text)
    except SearchFailed as failed:
        return failed.reason
    raise AssertionError("the search was an answer")
