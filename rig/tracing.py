"""One search's screens traced to photos. Plain data in and out, so that it is done in any process.

    screens ─ reading (positions) ─ crops ─ match_grid against the album's index ─ placed
                                            └ photos opened in full, where the protocol had some opened

A reading made while searching is used again as long as the eyes are the same; other eyes read the screens anew.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np

from matching.index import SourceIndex
from matching.kin import LEARNED_FROM, Kin, learned_from
from matching.match import match_grid
from matching.model import Image, Match, UnreadableImage
from matching.verdict import CALIBRATED, CLOSED
from rig.full_views import judged
from rig.model import Verdict
from rig.records import Opened, Placed, Reading, ScreenRecord
from rig.seeing import CAPPED, Eyes, Follower, Look, NotAnAnswer


@dataclass(frozen=True, slots=True)
class Source:
    """An album to match against: its index, and where its photos lie."""

    index: Path
    photos: Mapping[str, Path]


@dataclass(frozen=True, slots=True)
class Task:
    """One search to be matched. Plain data, so that it can go to another process."""

    search: int
    folder: Path
    screens: tuple[ScreenRecord, ...]
    ending: str
    reading: Reading | None
    """What was seen before; None when the screens are to be read anew."""
    source: Source
    """Of its photos, only for a search that opened some."""
    opened: tuple[Opened, ...]
    max_results: int
    kin: tuple[Kin, ...] = ()
    """What the trial's searches taught of how its phone draws thumbnails."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it; `placed` is empty where the reading has a fault."""

    search: int
    reading: Reading
    placed: tuple[Placed, ...]


_open_indices: dict[Path, SourceIndex] = {}
"""This process's open indices; each is memory-mapped once."""


def learn(teachers: Sequence[Task]) -> tuple[Kin, ...]:
    """What the thumbnails of some searches, each in turn giving one, teach of all of their trial."""
    given = [crops for crops in map(_crops_to_learn_from, teachers) if crops]
    in_turn = [crop for crop in itertools.chain.from_iterable(itertools.zip_longest(*given)) if crop is not None]
    return learned_from(_index(teachers[0].source.index), in_turn[:LEARNED_FROM])


def _crops_to_learn_from(task: Task) -> Sequence[Image]:
    """The thumbnails of a search; none of one that cannot be read, which its own matching will say."""
    if not _as_all_captured(task):
        return ()
    try:
        reading = task.reading or read_screens(task.folder, task.screens, task.ending, task.max_results)
        return _crops(task, replace(reading, positions=reading.positions[:LEARNED_FROM]))
    except UnreadableImage:
        return ()


def trace(task: Task) -> Done:
    """Reads the screens, if that was not done, and matches every thumbnail. What cannot be read is a fault, never an answer."""
    if not _as_all_captured(task):
        return Done(task.search, Reading(Eyes().version, (), end_proven=False, capped=False, fault="screen_changed"), ())
    reading = task.reading or read_screens(task.folder, task.screens, task.ending, task.max_results)
    if reading.fault is not None or not reading.positions:
        return Done(task.search, reading, ())
    index = _index(task.source.index)
    try:
        crops = _crops(task, reading)
    except UnreadableImage as error:
        return Done(task.search, Reading(reading.eyes, (), end_proven=False, capped=False, fault=f"broken_image: {error}"), ())
    labels = [position.label for position in reading.positions]
    matches = match_grid(index, crops, labels=labels, thresholds=CLOSED if task.kin else CALIBRATED, kin=task.kin)
    whole = [view for view in task.opened if view.path and _is_as_captured(task.folder / view.path, view.sha256 or "")]
    if whole:
        photos, twins = task.source.photos, index.twins
        matches = judged(matches, reading.positions, whole, folder=task.folder, photos=photos, twins=twins)
    placed = tuple(_placed(rank, match, reading) for rank, match in enumerate(matches))
    return Done(task.search, reading, placed)


def _index(folder: Path) -> SourceIndex:
    if folder not in _open_indices:
        _open_indices[folder] = SourceIndex.open(folder)
    return _open_indices[folder]


def read_screens(
    folder: Path, screens: Sequence[ScreenRecord], ending: str, max_results: int, eyes: Eyes | None = None
) -> Reading:
    """What the screens of one search show, read anew; a `fault` says why they are no result list."""
    follower = Follower(eyes or Eyes(), max_results)
    try:
        for screen in screens:
            follower.look(Look(folder / screen.path, screen.viewport, screen.cells, screen.labels))
        # Other eyes may see fewer positions than the reader had when it closed the list: then its end is not proven.
        return follower.reading("" if ending == CAPPED and not follower.enough else ending)
    except (NotAnAnswer, UnreadableImage) as error:
        reason = error.reason if isinstance(error, NotAnAnswer) else "broken_image"
        return Reading((eyes or Eyes()).version, (), end_proven=False, capped=False, fault=str(reason))


def _as_all_captured(task: Task) -> bool:
    return all(_is_as_captured(task.folder / screen.path, screen.sha256) for screen in task.screens)


def _is_as_captured(file: Path, digest: str) -> bool:
    """False when a screen is gone or is not the one that was captured: nothing is to be concluded from it."""
    try:
        return sha256(file.read_bytes()).hexdigest() == digest
    except OSError:
        return False


def _crops(task: Task, reading: Reading) -> list[Image]:
    """The best sighting of each position, cut from its screen."""
    eyes = Eyes()
    images: dict[int, Image] = {}
    crops = []
    for position in reading.positions:
        screen, (left, top, right, bottom) = position.sightings[0]
        if screen not in images:
            images[screen] = eyes.image(task.folder / task.screens[screen].path)
        crops.append(np.ascontiguousarray(images[screen][top:bottom, left:right]))
    return crops


def _placed(rank: int, match: Match, reading: Reading) -> Placed:
    screen, box = reading.positions[rank].sightings[0]
    return Placed(rank, Verdict(match.verdict), match.photo, match.candidates, match.evidence, screen, box)
