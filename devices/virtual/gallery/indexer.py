"""On-device indexing: photos become searchable one by one, at the cost of time and processor.

Progress is integrated from elapsed time whenever the phone is asked for anything; nothing sleeps and no thread runs.
`signals` is what a rig may watch from outside: processor seconds and the size of the index, never a percentage.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from devices.virtual.gallery.chance import chance


@dataclass(frozen=True, slots=True)
class IndexCosts:
    """What indexing costs on one phone."""

    seconds_per_photo: float = 0.05
    """Elapsed seconds a photo takes; 0.05 s makes 6 s of a demo album of 120."""
    cpu_share: float = 0.8
    """Processor seconds per elapsed second while it works."""
    start_delay_s: float = 0.3
    """Seconds from the discovery of photos to the start of work."""
    only_screen_off: bool = False
    """True when it rests while the screen is on, as OPPO's and Apple's do."""


@dataclass(frozen=True, slots=True)
class IndexSignals:
    """What can be seen of indexing from outside the gallery, and the truth, which only the control socket tells."""

    cpu_s: float
    """Processor time of the indexing process since it started."""
    database_bytes: int
    working: bool
    indexed: int
    total: int


class Indexer:
    """Which photos (by row id) are searchable now."""

    def __init__(self, costs: IndexCosts, *, seed: int, speed: float = 1.0) -> None:
        """`speed` divides all times."""
        self._costs = costs
        self._speed = speed
        self._seed = seed
        self.clear()

    def clear(self) -> None:
        """Nothing is indexed and no work is waiting."""
        self._queue: list[int] = []
        self._done: set[int] = set()
        self._credit_s = 0.0
        self._cpu_s = 0.0
        self._seen_s: float | None = None
        self._starts_s = 0.0
        self._working = False

    def photos_changed(self, ids: Sequence[int], now_s: float) -> None:
        """The library was scanned: new photos are queued (in an order of the phone's own), gone ones forgotten."""
        current = set(ids)
        self._done &= current
        new = current - self._done - set(self._queue)
        self._queue = [photo for photo in self._queue if photo in current]
        self._queue += sorted(new, key=lambda photo: chance(self._seed, "index order", photo))
        if new and not self._working:
            self._starts_s = now_s + self._costs.start_delay_s / self._speed

    def finish(self) -> None:
        """Every photo that waits is indexed: for a phone that finds its index where it left it."""
        self._done.update(self._queue)
        self._queue.clear()
        self._credit_s, self._working = 0.0, False

    def advance(self, now_s: float, *, screen_on: bool) -> None:
        """The work since the last call is done, on the understanding that the screen was as now since then."""
        since_s, self._seen_s = self._seen_s if self._seen_s is not None else now_s, now_s
        self._working = bool(self._queue) and not (screen_on and self._costs.only_screen_off) and now_s >= self._starts_s
        if not self._working:
            return
        elapsed_s = max(0.0, now_s - max(since_s, self._starts_s))
        wanted_s = len(self._queue) * self._cost_s - self._credit_s
        worked_s = min(elapsed_s, max(0.0, wanted_s))
        self._credit_s += worked_s
        self._cpu_s += worked_s * self._costs.cpu_share
        self._finish_photos()

    def _finish_photos(self) -> None:
        cost_s = self._cost_s
        # The smallest amount keeps a sum of many short steps from missing the last photo by a rounding error.
        count = len(self._queue) if cost_s <= 0 else min(len(self._queue), int(self._credit_s / cost_s + 1e-9))
        self._credit_s -= count * cost_s
        self._done.update(self._queue[:count])
        del self._queue[:count]
        if not self._queue:
            self._credit_s, self._working = 0.0, False

    @property
    def _cost_s(self) -> float:
        return self._costs.seconds_per_photo / self._speed

    @property
    def done(self) -> frozenset[int]:
        """Row ids of the searchable photos."""
        return frozenset(self._done)

    def signals(self) -> IndexSignals:
        """What an observer sees now."""
        # A page of 4 KiB for the empty index and 1 KiB a photo: only its growing matters.
        size = 4096 + 1024 * len(self._done)
        return IndexSignals(round(self._cpu_s, 3), size, self._working, len(self._done), len(self._done) + len(self._queue))
