"""What one phone makes of the calibration album: every thumbnail's own mark says what the rig should have made of it.

The matcher never sees a mark: it is hidden in the photos of the index and in the crops alike.
"""

import statistics
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import Event

import cv2
import numpy as np

from drivers.interface import Ask, Screen, SearchFailed
from matching.decode import load_image
from matching.index import SourceIndex
from matching.match import match_grid
from matching.model import Grid, Image, Match, Position, Verdict
from rig.clock import Clock
from rig.desk.album import MarkedAlbum
from rig.desk.marks import Mark, find_marks, hide, mark_box
from rig.desk.measured import Measured, Scroll, Searched, Typed
from rig.desk.walk import DeskDriver
from rig.disk import write_file
from rig.seeing import CAPPED, Eyes, Follower, Look, NotAnAnswer

MOST_RESULTS = 100
"""As many as a protocol records."""

AWKWARD = (
    "It's \"Mom's\" $HOME & 50%s \\n",
    "海边 日落",
    "é/e\u0301",
    "👨‍👩‍👧 family",
    "  spaces  around  ",
    "-dash; `tick` | pipe <tag>",
    "long " * 40 + "end",
)
"""What shells, keyboards and autocorrection are known to spoil (quotes, %s, spaces, emoji, both forms of é, length)."""

INDEX_POLL_S = 3.0


class _Watching(Eyes):
    """Sees as always, and remembers what it saw."""

    def __init__(self) -> None:
        self.seen: list[tuple[Image, Grid]] = []

    def grid(self, image: Image, look: Look) -> Grid:
        """As `Eyes.grid`."""
        grid = super().grid(image, look)
        self.seen.append((image, grid))
        return grid


def build_index(album: MarkedAlbum, folder: Path) -> SourceIndex:
    """The index of the album's photos without their marks."""
    bare: dict[str, Path] = {}
    for item in album.items:
        image = load_image(item.path)
        file = folder / "bare" / f"{Path(item.device_name).stem}.png"
        hidden = cv2.cvtColor(hide(image, mark_box(image.shape[0])), cv2.COLOR_RGB2BGR)
        write_file(file, cv2.imencode(".png", hidden)[1].tobytes())
        bare[item.device_name] = file
    return SourceIndex.build(bare, folder / "index", workers=1)


@dataclass(frozen=True, slots=True)
class Rule:
    """What thumbnails are measured against: the album and its index without marks; a folder for the screens, and a clock."""

    album: MarkedAlbum
    index: SourceIndex
    folder: Path
    clock: Clock


def measure(driver: DeskDriver, rule: Rule, queries: Sequence[str]) -> Measured:
    """Each query searched once, each awkward text typed once. Raises PhoneLost, DriverError."""
    searches = tuple(_measured(driver, rule, number, text) for number, text in enumerate(queries))
    return Measured(len(rule.album.items), searches, tuple(_typed(driver, text) for text in AWKWARD))


def await_index(driver: DeskDriver, rule: Rule, query: str, wait_s: float) -> int:
    """Searches until the whole album is found or `wait_s` has passed; returns how many different photos were seen last."""
    until = rule.clock.elapsed_s() + wait_s
    while True:
        eyes = _Watching()
        _follow(driver, rule, query, eyes, "waiting")
        found = len({mark.number for image, _ in eyes.seen for mark in find_marks(image)})
        if found >= len(rule.album.items) or rule.clock.elapsed_s() >= until:
            return found
        rule.clock.wait(INDEX_POLL_S, Event())


def _measured(driver: DeskDriver, rule: Rule, number: int, text: str) -> Searched:
    """One search, followed to its end and laid beside what its thumbnails say of themselves."""
    eyes = _Watching()
    ending, seconds, positions = _follow(driver, rule, text, eyes, f"query-{number}")
    marks = [find_marks(image) for image, _ in eyes.seen]
    grids = [(image, seen) for (image, grid), seen in zip(eyes.seen, marks, strict=True) if grid.found]
    placed = [_mark_at(position, grids) for position in positions]
    numbers = {mark.number for seen in marks for mark in seen}
    tally = _judge(rule, positions, placed, grids)
    return Searched(
        query=text,
        ending=ending,
        seconds=seconds,
        shown=len(numbers),
        missed=len(numbers - {mark.number for mark in placed if mark is not None}),
        scrolls=tuple(scrolls(marks)),
        **tally,
    )


def _follow(driver: DeskDriver, rule: Rule, text: str, eyes: Eyes, place: str) -> tuple[str, float, tuple[Position, ...]]:
    """(how the list ended or why it is none, seconds, its positions)."""
    follower = Follower(eyes, MOST_RESULTS)
    began = rule.clock.elapsed_s()
    try:
        ending = _followed(driver, text, follower, rule.folder / place)
        return ending, rule.clock.elapsed_s() - began, follower.reading(ending).positions
    except (SearchFailed, NotAnAnswer) as failed:
        return str(failed), rule.clock.elapsed_s() - began, ()


def _followed(driver: DeskDriver, text: str, follower: Follower, folder: Path) -> str:
    ask: Ask | None = None
    number = 0
    with closing(driver.search(text)) as screens:
        while True:
            try:
                screen = screens.send(ask)
            except StopIteration as end:
                return str(end.value)
            follower.look(_kept(folder / f"{number:03d}.png", screen))
            if follower.enough:
                return CAPPED
            ask = Ask.BACK if follower.lost else Ask.ON
            number += 1


def _kept(file: Path, screen: Screen) -> Look:
    write_file(file, screen.png)
    return Look(file, screen.viewport, screen.cells, screen.labels)


def _mark_at(position: Position, grids: Sequence[tuple[Image, Sequence[Mark]]]) -> Mark | None:
    """The mark in the best sighting of a position."""
    screen, box = position.sightings[0]
    return next((mark for mark in grids[screen][1] if mark.lies_in(box)), None)


def _judge(
    rule: Rule,
    positions: Sequence[Position],
    placed: Sequence[Mark | None],
    grids: Sequence[tuple[Image, Sequence[Mark]]],
) -> dict[str, int]:
    """How many positions were matched right, wrong, not at all; and how many do not say which photo they are of."""
    known = [(position, mark) for position, mark in zip(positions, placed, strict=True) if mark is not None]
    crops = [_bare_crop(position, mark, grids) for position, mark in known]
    tally = {"right": 0, "wrong": 0, "undecided": 0, "unread": len(positions) - len(known)}
    for (_, mark), match in zip(known, match_grid(rule.index, crops), strict=True):
        tally[_verdict(match, rule.album.name_of.get(mark.number, ""))] += 1
    return tally


def _bare_crop(position: Position, mark: Mark, grids: Sequence[tuple[Image, Sequence[Mark]]]) -> Image:
    screen, (left, top, right, bottom) = position.sightings[0]
    return np.ascontiguousarray(hide(grids[screen][0], mark.box)[top:bottom, left:right])


def _verdict(match: Match, name: str) -> str:
    if match.verdict is not Verdict.MATCHED:
        return "undecided"
    return "right" if name == match.photo or name in match.candidates else "wrong"


def scrolls(marks: Sequence[Sequence[Mark]]) -> list[Scroll]:
    """Between screens that share a mark. A number that one screen shows twice says nothing of how far it moved."""
    found = []
    for before, after in pairwise(marks):
        old, new = _once(before), _once(after)
        moves = [(old[number].centre, new[number].centre) for number in old.keys() & new.keys()]
        if moves:
            down = [a[1] - b[1] for a, b in moves]
            aside = max(abs(a[0] - b[0]) for a, b in moves)
            found.append(Scroll(statistics.median(down), aside, max(down) - min(down)))
    return found


def _once(marks: Sequence[Mark]) -> Mapping[int, Mark]:
    numbers = [mark.number for mark in marks]
    return {mark.number: mark for mark in marks if numbers.count(mark.number) == 1}


def _typed(driver: DeskDriver, text: str) -> Typed:
    try:
        driver.show_search_page()
        return Typed(text, driver.enter(text))
    except SearchFailed as failed:
        return Typed(text, f"({failed})")
