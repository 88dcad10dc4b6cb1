"""How well thumbnails are found: on the real gallery screens of ../shared per source project, and on screens drawn at random.

Run with `python -m tests.bench.cells [--drawn N] [--seed N] [SCREEN …]`; with names, only those screens are looked at.

All projects were looked at while the cell finder's constants were chosen, none of which belongs to a project, so the real
lines are development numbers. The check that is not: screens drawn from seeds never looked at (`--seed`). Cells less than
half visible or of unknown extent (the data set's "ignore") are neither asked for nor held against the reading.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from rich.console import Console

from matching.cells import find_grid
from matching.decode import load_image
from matching.model import Box, Grid, Image
from tests.unit.gallery_screens import album_photos, draw_page, painted_photo, random_look

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
SCREENS = SHARED / "gallery-screens"
GOOD = 0.9
"""Intersection over union from which a cell is found."""


@dataclass
class Tally:
    """What was asked and answered on some screens."""

    found: int = 0
    asked: int = 0
    false: int = 0
    negatives: int = 0
    fooled: int = 0
    partial_found: int = 0
    partial_asked: int = 0

    def add(self, other: "Tally") -> None:
        """Counts another tally in."""
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def line(self, name: str) -> str:
        """Recall, precision, cut cells, and negatives read as a grid."""
        recall, precision = 100 * self.found / max(self.asked, 1), 100 * self.found / max(self.found + self.false, 1)
        cells = f"recall {self.found}/{self.asked} = {recall:6.2f} %   precision {precision:6.2f} % ({self.false} false)"
        cut = f"cut {self.partial_found}/{self.partial_asked}"
        return f"{name:44} {cells}   {cut}   no grid, read as one {self.fooled}/{self.negatives}"


@dataclass(frozen=True)
class Case:
    """One screen with its truth."""

    name: str
    group: str
    image: Image
    wanted: tuple[tuple[Box, bool], ...]
    """Boxes to be found, and whether each is cut."""
    pardoned: tuple[Box, ...]
    is_grid: bool


def overlap(one: Box, other: Box) -> float:
    """Intersection over union."""
    both = _shared(one, other)
    return both / (_area(one) + _area(other) - both)


def inside(one: Box, other: Box) -> float:
    """The share of `one` that lies in `other`."""
    return _shared(one, other) / _area(one)


def _shared(one: Box, other: Box) -> int:
    wide, high = min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1])
    return max(0, wide) * max(0, high)


def _area(box: Box) -> int:
    return max(1, (box[2] - box[0]) * (box[3] - box[1]))


def judge(grid: Grid, case: Case) -> tuple[Tally, list[Box], list[Box]]:
    """The screen's tally, the missed boxes and the false ones."""
    free = [cell.box for cell in grid.cells]
    missed: list[Box] = []
    cut = 0
    for box, partial in case.wanted:
        best = max(free, key=lambda b: overlap(b, box), default=None)
        if best is not None and overlap(best, box) >= GOOD:
            free.remove(best)
            cut += partial
        else:
            missed.append(box)
    false = [b for b in free if not any(inside(b, p) >= 0.7 or overlap(b, p) >= 0.5 for p in case.pardoned)]
    asked, partial_asked = len(case.wanted), sum(partial for _, partial in case.wanted)
    fooled = grid.found and not case.is_grid
    tally = Tally(asked - len(missed), asked, len(false), not case.is_grid, fooled, cut, partial_asked)
    return tally, missed, false


def real_cases(names: Sequence[str]) -> Iterator[Case]:
    """The annotated screens."""
    for truth in json.loads((SCREENS / "annotations.json").read_text())["images"]:
        if names and truth["id"] not in names:
            continue
        cells = truth["cells"] if truth["usable_result_grid"] else []
        wanted = tuple((tuple(cell["box"]), cell["partial"]) for cell in cells)
        pardoned = tuple(tuple(item[key]) for item in truth["ignore"] for key in ("box", "full_box"))
        image = load_image(SCREENS / truth["file"])
        yield Case(truth["id"], truth["source"]["repo"], image, wanted, pardoned, truth["usable_result_grid"])


def drawn_cases(first: int, count: int) -> Iterator[Case]:
    """Screens drawn at random, with photos of the album where there are any."""
    folder = SHARED / "album"
    rng = np.random.default_rng(0)
    photos = album_photos(folder, 120) if folder.exists() else [painted_photo(rng) for _ in range(60)]
    for seed in range(first, first + count):
        rng = np.random.default_rng(seed)
        page = draw_page(rng, random_look(rng), photos, int(rng.integers(1, 120)))
        image, seen = page.screen(int(rng.integers(0, page.end + 1)) if page.end else 0)
        wanted = tuple((box, share < 0.985) for box, share in seen if share >= 0.5)
        yield Case(f"drawn {seed}", "drawn", image, wanted, tuple(box for box, share in seen if share < 0.5), is_grid=True)


def main() -> None:
    """Prints a line per project, one for the drawn screens, and the time a screen takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("screens", nargs="*")
    parser.add_argument("--drawn", type=int, default=60, help="how many screens to draw")
    parser.add_argument("--seed", type=int, default=0, help="the first one's seed")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    out = Console(soft_wrap=True, highlight=False)
    tallies: dict[str, Tally] = {}
    times: list[float] = []
    cases = [real_cases(options.screens)] if SCREENS.exists() else []
    cases += [] if options.screens else [drawn_cases(options.seed, options.drawn)]
    for case in (case for some in cases for case in some):
        start = time.process_time()
        grid = find_grid(case.image)
        times.append((time.process_time() - start) * 1000)
        tally, missed, false = judge(grid, case)
        tallies.setdefault(case.group, Tally()).add(tally)
        if options.screens or missed or false or tally.fooled:
            found = f"{tally.found}/{tally.asked}, {tally.false} false, {times[-1]:.0f} ms; {grid.reason}"
            out.print(f"{case.name}: {found}; missed {missed[:4]}; false {false[:4]}", markup=False)
    real = Tally()
    for group, tally in tallies.items():
        out.print(tally.line(group))
        if group != "drawn":
            real.add(tally)
    out.print(real.line("all real screens"))
    times.sort()
    out.print(
        f"CPU ms a screen: median {times[len(times) // 2]:.0f}, 95 % {times[int(0.95 * len(times))]:.0f}, worst {times[-1]:.0f}"
    )


if __name__ == "__main__":
    main()
