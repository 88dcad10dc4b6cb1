"""Opening in full, while a search goes on, what its thumbnails leave open and its score hangs on.

    screen seen ─ thumbnails matched ─ undecided between a relevant photo and another? ─ opened ─ back to the list ─ scroll on

One decision: screen by screen, before the list is scrolled on. A list is never scrolled back for this, so that what is seen of
it cannot change by it. Nothing is decided here: the picture is kept, and matching at the desk judges it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from drivers.interface import NotOpened, PhotoOpener, Screen
from matching.index import SourceIndex
from matching.match import match_grid
from matching.model import Box, Image, Match, Position, Verdict
from matching.opened import MOST
from rig.phases.bench import Bench
from rig.phases.looking import BeforeScrolling, save_screen
from rig.phases.places import search_folder
from rig.records import Opened, Search
from rig.run import index_folder
from rig.seeing import Follower

OPENING_S = 30.0
"""The rig's own patience with one opening: a driver waits 5 s for the photo and 5 s for the list, with a few pictures each."""


@dataclass(frozen=True, slots=True)
class Opener:
    """Opens undecided results of one phone's searches."""

    bench: Bench
    index: SourceIndex
    kin: Mapping[str, int]
    """Photo → its twin class; photos without a twin are in none."""

    @classmethod
    def of(cls, bench: Bench) -> Self | None:
        """None when the protocol does not ask for it, or the phone's driver cannot do it, which is told."""
        if not bench.protocol.match.escalate:
            return None
        if not isinstance(bench.link.driver, PhotoOpener):
            bench.tell("cannot_open", detail="this driver cannot show a result in full; undecided results stay undecided")
            return None
        index = SourceIndex.open(index_folder(bench.run, bench.trial.album))
        return cls(bench, index, {name: number for number, members in enumerate(index.twins) for name in members})

    @property
    def spare_s(self) -> float:
        """What all openings of one search may take, seconds."""
        return self.bench.protocol.match.escalations_per_search * OPENING_S

    def for_search(self, search: Search, relevant: frozenset[str]) -> BeforeScrolling:
        """What is to be done after each screen of a search."""
        return _Openings(self, search, relevant).after

    def differs(self, match: Match, relevant: frozenset[str]) -> bool:
        """True when a thumbnail is undecided between a relevant photo and one that is not, twins aside."""
        if match.verdict is not Verdict.AMBIGUOUS or not 1 < len(match.candidates) <= MOST:
            return False
        classes = {(self.kin.get(name, name), name in relevant) for name in match.candidates}
        return any(kin != other and counts != differs for kin, counts in classes for other, differs in classes)


@dataclass(slots=True)
class _Openings:
    """The openings of one search."""

    opener: Opener
    search: Search
    relevant: frozenset[str]
    done: list[tuple[int, Box]] = field(default_factory=list)
    """(screen, box) of each."""

    def after(self, number: int, follower: Follower) -> None:
        """Opens what the last screen leaves open. Raises SearchFailed when the list is lost by it, PhoneLost."""
        here = follower.whole_here()
        most = self.opener.bench.protocol.match.escalations_per_search
        if not here or follower.image is None or len(self.done) >= most:
            return
        matches = match_grid(self.opener.index, _crops(follower.image, here), labels=[position.label for position, _ in here])
        for (position, box), match in zip(here, matches, strict=True):
            if len(self.done) >= most:
                return
            known = any(sighting in self.done for sighting in position.sightings)
            if not known and self.opener.differs(match, self.relevant):
                self._open(number, box, match.candidates)

    def _open(self, number: int, box: Box, candidates: tuple[str, ...]) -> None:
        bench, driver = self.opener.bench, self.opener.bench.link.driver
        if not isinstance(driver, PhotoOpener):
            return
        self.done.append((number, box))
        try:
            shown = driver.open_result(box)
        except NotOpened as error:
            bench.run.ledger.add_opened(self.search.id, Opened(number, box, candidates, None, None, None, str(error)))
            bench.tell("not_opened", query=self.search.key.query, screen=number, box=box, detail=str(error))
        else:
            self._keep(number, box, candidates, shown)

    def _keep(self, number: int, box: Box, candidates: tuple[str, ...], shown: Screen) -> None:
        """File first, row after, as with every screen."""
        bench = self.opener.bench
        file = search_folder(bench, self.search) / f"opened-{len(self.done) - 1:02d}.png"
        digest = save_screen(file, shown.png)
        path = file.relative_to(bench.folder).as_posix()
        bench.run.ledger.add_opened(self.search.id, Opened(number, box, candidates, path, digest, shown.viewport))
        bench.tell("opened", query=self.search.key.query, screen=number, box=box, file=path)


def _crops(image: Image, here: Sequence[tuple[Position, Box]]) -> list[Image]:
    return [np.ascontiguousarray(image[top:bottom, left:right]) for _, (left, top, right, bottom) in here]
