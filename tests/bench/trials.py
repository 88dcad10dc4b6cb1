"""`python -m tests.bench.trials [PHOTOS]`: how well thumbnails are traced as in a run.

A run's phone holds the album and nothing else, and its searches, which find four photos or forty, are all drawn alike. So each
profile has one lattice, 96 thumbnails of other searches teach it, and every photo shown is in the album. Photos closer than
1 grey level RMS (twins) and flat ones are not asked for. Thresholds for this were chosen with both halves of the photos and all
profiles in view: another seed draws other lattices, decorations and searches, not other photos.
"""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from rich.console import Console
from rich.table import Table

from matching.index import FLAT, SourceIndex
from matching.kin import LEARNED_FROM, learned_from
from matching.match import match_grid
from matching.model import Verdict
from matching.twins import TWIN_RMS
from matching.verdict import CALIBRATED, CLOSED
from tests.bench.bursts import Frame, Picture, is_tuned_on, made_or_found, seed_of
from tests.bench.grids import CELLS, RenderedGrid, rendered_grids
from tests.bench.matching import SHARED_PHOTOS
from tests.bench.phone_profiles import HARSHEST, TUNED, UNSEEN, PhoneProfile, lattice_of

SIZES = (4, 6, 12, 20, 48)
"""Thumbnails a search."""


@dataclass
class Tally:
    """What was asked and answered."""

    asked: int = 0
    right: int = 0
    wrong: int = 0

    def __str__(self) -> str:
        return f"{100 * self.right / max(self.asked, 1):.1f} % ({self.wrong} wrong) of {self.asked}"


class Trials:
    """An album of bursts and its index."""

    def __init__(self, photos: Path, kept: Path) -> None:
        self.kept = kept
        self.frames = made_or_found(photos, kept)
        self.index = SourceIndex.build({path.name: path for path in (kept / "album").iterdir()}, kept / "index")
        self.rows = {name: row for row, name in enumerate(self.index.names)}

    def run(self, profile: PhoneProfile, frames: Sequence[Frame], grids: int, seed: int) -> dict[object, Tally]:
        """By size of search, and by which thresholds (with all sizes together)."""
        lattice = lattice_of(profile, np.random.default_rng(seed_of(f"{profile.name}{seed}")))
        drawn = list(rendered_grids(_turned(frames, seed), self.kept, profile, count=grids + 2, lattice=lattice))
        taught = [crop for grid in drawn[:2] for crop in grid.crops][:LEARNED_FROM]
        kin = learned_from(self.index, taught)
        found: dict[object, Tally] = defaultdict(Tally)
        for shown, crops in _searches(drawn[2:]):
            for which in (CALIBRATED, CLOSED):
                for frame, match in zip(shown, match_grid(self.index, crops, thresholds=which, kin=kin), strict=True):
                    if self._is_asked(frame):
                        right = frame.name in {match.photo, *match.candidates}
                        taken = match.verdict is Verdict.MATCHED
                        for tally in (found[which], *([found[len(crops)]] if which is CLOSED else [])):
                            tally.asked += 1
                            tally.right += taken and right
                            tally.wrong += taken and not right
        return found

    def _is_asked(self, frame: Frame) -> bool:
        row = self.rows[frame.name]
        return bool(self.index.nearest_rms[row] >= TWIN_RMS and self.index.detail[row] >= FLAT)


def _turned(frames: Sequence[Frame], seed: int) -> list[Frame]:
    """The frames in another order: other searches."""
    return [frames[place] for place in np.random.default_rng(seed).permutation(len(frames))]


def _searches(grids: Sequence[RenderedGrid]) -> Iterator[tuple[Sequence[Frame], Sequence[Picture]]]:
    """Every second grid whole, the others as searches that find few."""
    for number, grid in enumerate(grids):
        start = 0
        for size in (CELLS,) if number % 2 else SIZES[:-1]:
            yield grid.frames[start : start + size], grid.crops[start : start + size]
            start += size


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=Path, nargs="?", default=SHARED_PHOTOS)
    parser.add_argument("--grids", type=int, default=8, help="grids of 48 a profile, every second one cut into searches")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kept", type=Path, default=Path(tempfile.gettempdir()) / "gallery-rig-bench")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    trials = Trials(asked.photos, asked.kept)
    present = [frame for frame in trials.frames if frame.kind in {"single", "burst"}]
    table = Table("phone", "calibrated", "closed", *(f"{size} found" for size in SIZES), title="accepted and right (wrong)")
    for profile in (*TUNED, *UNSEEN):
        frames = [frame for frame in present if is_tuned_on(frame.base) == (profile in TUNED)]
        found = trials.run(profile, frames, asked.grids, asked.seed)
        name = profile.name + (" (harshest)" if profile.name in HARSHEST else "") + (" unseen" if profile in UNSEEN else "")
        table.add_row(name, *(str(found[which]) for which in (CALIBRATED, CLOSED, *SIZES)))
    Console(width=200, highlight=False).print(table)


if __name__ == "__main__":
    main()
