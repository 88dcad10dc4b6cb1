"""`python -m tests.bench.calibrate PHOTOS`: refits the weights of `matching.verdict.Thresholds`, and prints their curve.

Only tuned profiles and the tuned half of the photos take part. Right matches are told from siblings that stand in for an absent
photo, and from wrong matches, by logistic regression over the terms of `Evidence`.
"""

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from numpy.typing import NDArray
from rich.console import Console

from matching.index import SourceIndex
from matching.search import Search
from matching.thumbnails import Thumbnail
from matching.twins import TWIN_RMS
from matching.verdict import CALIBRATED, Evidence, evidence_of
from matching.views import views_of
from tests.bench.bursts import Frame, is_tuned_on, made_or_found
from tests.bench.grids import file_of, rendered_grids
from tests.bench.phone_profiles import TUNED, PhoneProfile

SAY = Console(soft_wrap=True, highlight=False, markup=False).print

_TERMS = ("per_undecided", "per_excess", "per_unexplained", "per_shift", "per_growth")


@dataclass(frozen=True, slots=True)
class Sample:
    """One thumbnail: its evidence, what it truly is, and how far its photo's nearest other is."""

    profile: str
    kind: str
    right: bool
    nearest_rms: float
    evidence: Evidence


def samples_of(index: SourceIndex, frames: Sequence[Frame], folder: Path, profile: PhoneProfile, count: int) -> list[Sample]:
    """The evidence of `count` grids."""
    rows = {name: row for row, name in enumerate(index.names)}
    found = []
    for grid in rendered_grids(frames, folder, profile, count=count):
        looked = Search(index, [Thumbnail(crop) for crop in grid.crops]).look()
        for frame, look in zip(grid.frames, looked.second, strict=True):
            best = int(look.rows[0])
            twins = index.twin_rows.get(best, (best,))
            row = rows.get(frame.name)
            nearest = float(index.nearest_rms[row]) if row is not None else _rms(file_of(frame, folder), index, best)
            found.append(Sample(profile.name, frame.kind, row in twins, nearest, evidence_of(look, looked.shared.noise, twins)))
    return found


def terms(evidence: Evidence) -> list[float]:
    """The terms of the log-odds, in the order of _TERMS."""
    return [
        min(max(1 - evidence.decided, 0.0), 1.0),
        max(evidence.excess, 0.0),
        float(np.log1p(evidence.unexplained)),
        float(np.log1p(evidence.shift)),
        float(np.log1p(evidence.growth)),
    ]


def fitted(samples: Sequence[Sample]) -> NDArray[np.float64]:
    """The base and the weights of the log-odds: (6,)."""
    told = [
        s for s in samples if s.nearest_rms >= TWIN_RMS and s.kind != "unrelated" and s.evidence.detail >= CALIBRATED.detail
    ]
    design = sm.add_constant(np.array([terms(s.evidence) for s in told]), has_constant="add")
    answer = np.array([s.right for s in told], dtype=float)
    return np.asarray(sm.Logit(answer, design).fit(disp=0).params)


def main() -> None:
    """Prints the fitted weights beside those in use, and the curve over the trust threshold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path, help="folder of single photos to make bursts from")
    parser.add_argument("--grids", type=int, default=12, help="grids a profile")
    parser.add_argument(
        "--kept", type=Path, default=Path(tempfile.gettempdir()) / "gallery-rig-bench", help="where the made album is kept"
    )
    asked = parser.parse_args()
    frames = [frame for frame in made_or_found(asked.photos, asked.kept) if is_tuned_on(frame.base)]
    photos = {path.name: path for path in (asked.kept / "album").iterdir()}
    index = SourceIndex.build(photos, asked.kept / "index")
    samples = [s for profile in TUNED for s in samples_of(index, frames, asked.kept, profile, asked.grids)]
    weights = fitted(samples)
    SAY(f"{'weight':18}{'in use':>8}{'fitted':>8}")
    SAY(f"{'trust_base':18}{CALIBRATED.trust_base:8.2f}{weights[0]:8.2f}")
    for name, value in zip(_TERMS, weights[1:], strict=True):
        SAY(f"{name:18}{getattr(CALIBRATED, name):8.2f}{-value:8.2f}")
    print_curve(samples, weights)


def print_curve(samples: Sequence[Sample], weights: NDArray[np.float64]) -> None:
    """Accepted and right, accepted and wrong, absent siblings accepted, by threshold and profile."""
    scores = np.array([weights[0] + np.dot(weights[1:], terms(s.evidence)) for s in samples])
    able = np.array([s.evidence.decided >= CALIBRATED.decided and s.evidence.likeness >= CALIBRATED.likeness for s in samples])
    SAY(f"\n{'trust ≥':>8} {'profile':10}{'right':>8}{'wrong':>12}{'absent':>8}")
    for threshold in np.arange(0.0, 3.6, 0.4):
        for profile in dict.fromkeys(s.profile for s in samples):
            mine = np.array([s.profile == profile for s in samples])
            inside = np.array([s.kind in {"single", "burst"} and s.nearest_rms >= TWIN_RMS for s in samples]) & mine
            absent = np.array([s.kind == "absent" and s.nearest_rms >= TWIN_RMS for s in samples]) & mine
            right = np.array([s.right for s in samples])
            taken = able & (scores >= threshold)
            wrong = f"{int((taken & inside & ~right).sum())}/{int((taken & inside).sum())}"
            SAY(
                f"{threshold:8.1f} {profile:10}{(taken & inside & right).sum() / max(inside.sum(), 1):8.4f}{wrong:>12}"
                f"{(taken & absent).sum() / max(absent.sum(), 1):8.3f}"
            )


def _rms(file: Path, index: SourceIndex, row: int) -> float:
    mine = views_of(file).square.fine.astype(np.float32)
    return float(np.sqrt(((mine - index.rows.square_fine[row]) ** 2).mean()))


if __name__ == "__main__":
    main()
