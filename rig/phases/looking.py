"""One search: text in, screens on the disk one by one, and what list they show."""

import contextlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from drivers.interface import Ask, Ending, Invalid, Screen, SearchFailed
from matching.model import UnreadableImage
from rig.disk import write_file
from rig.phases.bench import Bench
from rig.records import Reading
from rig.seeing import CAPPED, Follower, Look, NotAnAnswer

Keep = Callable[[int, Screen], Path]
"""Puts a screen, given its number, on the disk and says where."""

BeforeScrolling = Callable[[int, Follower], None]
"""Told, after each screen was seen, its number and the follower; may use the phone, as long as the list stays where it is."""

GRACE_S = 60.0
"""Beyond a search's deadline, after which the thread counts as hanging: one driver call may begin just before the deadline."""


def look_up(
    bench: Bench,
    text: str,
    keep: Keep,
    before_scrolling: BeforeScrolling = lambda _number, _follower: None,
    spare_s: float = 0.0,
) -> tuple[str, Reading]:
    """(how the list ended, what it shows). Each screen is kept before the next is asked for.

    What `before_scrolling` takes, at most `spare_s` in all, does not count towards the search's deadline.

    Raises SearchFailed for whatever is not an answer, and what the driver raises when the phone cannot go on.
    """
    try:
        with bench.within(bench.protocol.query.deadline_s + GRACE_S + spare_s, f"search {text!r:.40}"):
            return _follow(bench, text, keep, before_scrolling)
    except NotAnAnswer as error:
        raise SearchFailed(error.reason, error.detail) from error
    except UnreadableImage as error:
        raise SearchFailed(Invalid.BROKEN_IMAGE, str(error)) from error


def _follow(bench: Bench, text: str, keep: Keep, before_scrolling: BeforeScrolling) -> tuple[str, Reading]:
    follower = Follower(bench.eyes, bench.protocol.max_results)
    until_s = bench.clock.elapsed_s() + bench.protocol.query.deadline_s
    ask: Ask | None = None
    number = 0
    with contextlib.closing(bench.link.driver.search(text)) as screens:
        while True:
            try:
                screen = screens.send(ask)
            except StopIteration as end:
                ending = Ending(end.value)
                return ending, follower.reading(ending)
            follower.look(Look(keep(number, screen), screen.viewport, screen.cells, screen.labels))
            paused_s = bench.clock.elapsed_s()
            before_scrolling(number, follower)
            until_s += bench.clock.elapsed_s() - paused_s
            if follower.enough:
                return CAPPED, follower.reading(CAPPED)
            if bench.clock.elapsed_s() > until_s:
                raise SearchFailed(
                    Invalid.TIMEOUT, f"no end within {bench.protocol.query.deadline_s:.0f} s, {follower.seen} results seen"
                )
            ask = Ask.BACK if follower.lost else Ask.ON
            number += 1


def save_screen(file: Path, png: bytes) -> str:
    """The screen is on the disk, whole; returns its sha256. Raises DiskFull."""
    write_file(file, png)
    return sha256(png).hexdigest()
