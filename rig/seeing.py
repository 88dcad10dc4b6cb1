"""Following a result list screen by screen: the same eyes while the phone is searched and, later, at the desk.

screens ─ find_grid ─ Stitcher ─ positions        a screen without a grid is never an empty list
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from drivers.interface import Ending, Invalid
from matching.cells import find_grid
from matching.decode import load_image
from matching.model import Box, Grid, Image, Position
from matching.stitch import Step, Stitcher
from rig.records import Reading

BACKS = 3
"""Times in a row that the reader scrolls back to find the overlap again before it gives up."""

CAPPED = "capped"
"""How a list ended that the reader itself closed, having seen enough."""


class NotAnAnswer(Exception):
    """The screens do not show a result list."""

    def __init__(self, reason: Invalid, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Look:
    """One screen as the eyes need it: the picture's file, and what the UI tree said of it."""

    file: Path
    viewport: Box
    cells: Sequence[Box] | None
    labels: Sequence[str] | None


class Stitches(Protocol):
    """What joins grids into one list."""

    def add(self, image: Image, grid: Grid) -> Step:
        """Takes the next screen."""

    @property
    def positions(self) -> tuple[Position, ...]:
        """Every place of the list seen so far, in order."""


class Eyes:
    """How pictures are seen. One class, so that a test may see with simpler ones."""

    @property
    def version(self) -> str:
        """Changes whenever what is seen may change."""
        return eyes_version()

    def image(self, file: Path) -> Image:
        """The pixels of a file. Raises UnreadableImage."""
        return load_image(file)

    def grid(self, image: Image, look: Look) -> Grid:
        """The result grid on a screen."""
        return find_grid(image, hints=look.cells, viewport=look.viewport, labels=look.labels)

    def stitcher(self) -> Stitches:
        """Something that joins grids into one list."""
        return Stitcher()


@cache
def eyes_version() -> str:
    """A hash over matching's own source and the libraries it sees with."""
    folder = Path(__file__).resolve().parent.parent / "matching"
    seen = sha256()
    for file in sorted(folder.glob("*.py")):
        seen.update(file.name.encode() + file.read_bytes())
    for package in ("numpy", "opencv-python-headless", "pillow"):
        seen.update(f"{package}={version(package)}".encode())
    return seen.hexdigest()[:16]


class Follower:
    """Follows one result list from its first screen to its end."""

    def __init__(self, eyes: Eyes, max_results: int) -> None:
        self.eyes = eyes
        self.max_results = max_results
        self.lost = False
        """True when the last screen does not overlap those before it."""
        self.image: Image | None = None
        """The last screen that shows a grid."""
        self._stitcher = eyes.stitcher()
        self._partial: set[tuple[int, Box]] = set()
        self._screens = 0
        self._backs = 0
        self._without_grid = ""

    def look(self, look: Look) -> None:
        """Takes the next screen. Raises NotAnAnswer, UnreadableImage.

        A first screen without a grid is kept in mind: only the gallery's own "nothing found" makes it an answer.
        """
        if self._without_grid:
            raise NotAnAnswer(Invalid.UNKNOWN_SCREEN, self._without_grid)
        image = self.eyes.image(look.file)
        grid = self.eyes.grid(image, look)
        if not grid.found:
            self._without_grid = f"no result grid on screen {self._screens}: {grid.reason}"
            if self._screens:
                raise NotAnAnswer(Invalid.UNKNOWN_SCREEN, self._without_grid)
            return
        self.image = image
        self.lost = self._stitcher.add(image, grid).lost
        self._partial |= {(self._screens, cell.box) for cell in grid.cells if cell.partial}
        self._screens += 1
        self._backs = self._backs + 1 if self.lost else 0
        if self._backs > BACKS:
            raise NotAnAnswer(Invalid.SCROLL_LOST, f"no overlap found again after scrolling back {BACKS} times")
        # Each screen but the last few brings a row; far more screens than results means that nothing ends this list.
        if self._screens > self.max_results + 20:
            raise NotAnAnswer(Invalid.SCROLL_LOST, f"{self._screens} screens and no end")

    @property
    def seen(self) -> int:
        """Positions seen so far."""
        return len(self._stitcher.positions)

    def whole_here(self) -> tuple[tuple[Position, Box], ...]:
        """The wanted positions that the last screen shows whole and loaded, each with where on it."""
        last = self._screens - 1
        return tuple(
            (position, box)
            for position in self._stitcher.positions[: self.max_results]
            for screen, box in position.sightings
            if screen == last and (screen, box) not in self._partial and position.loaded and not self.lost
        )

    @property
    def enough(self) -> bool:
        """True when there are more positions than wanted, and each wanted one was seen whole."""
        positions = self._stitcher.positions
        if self.lost or len(positions) <= self.max_results:
            return False
        return all(set(position.sightings) - self._partial for position in positions[: self.max_results])

    def reading(self, ending: str) -> Reading:
        """What the list is, given how it ended. Raises NotAnAnswer."""
        positions = self._stitcher.positions
        if self.lost:
            raise NotAnAnswer(Invalid.SCROLL_LOST, "the list ended on a screen that does not overlap the one before")
        if ending == Ending.NO_RESULTS:
            if self._screens:
                raise NotAnAnswer(Invalid.UNKNOWN_SCREEN, 'the gallery says "nothing found" below a result grid')
            return Reading(self.eyes.version, (), end_proven=True, capped=False)
        if self._without_grid or not self._screens or not positions:
            raise NotAnAnswer(Invalid.UNKNOWN_SCREEN, self._without_grid or "no screen of results was shown")
        capped = len(positions) > self.max_results
        proven = ending in (Ending.END_PROVEN, CAPPED)
        return Reading(self.eyes.version, positions[: self.max_results], end_proven=proven, capped=capped)
