"""The instrument's own error on virtual phones: what they say they truly showed, against what the run recorded.

Nothing here is used during a run. Each search's recorded list is laid beside the true list by the cheapest alignment,
so that one missed thumbnail is one miss and not a shift of everything after it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reports.model import Honesty
from rig.analysis import answered_searches
from rig.model import Verdict
from rig.records import Placed, Trial
from rig.run import Run

MISSED_OR_EXTRA = 1.0
WRONG = 1.5
"""Dearer than a miss, cheaper than a miss and an extra: a wrong trace of a shown thumbnail is called wrong."""
UNDECIDED = 0.5


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the thumbnails of one list."""

    shown: int = 0
    right: int = 0
    wrong: int = 0
    undecided: int = 0
    missed: int = 0
    twice: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        """The sum, field by field."""
        return Tally(
            self.shown + other.shown,
            self.right + other.right,
            self.wrong + other.wrong,
            self.undecided + other.undecided,
            self.missed + other.missed,
            self.twice + other.twice,
        )


def honesty_of(run: Run, letter: str, truth: Sequence[Mapping[str, Any]]) -> Honesty:
    """One phone's honesty row over its answered searches. `truth` is its control socket's `shown` log, oldest first."""
    last_shown = {str(entry["text"]): entry for entry in truth}
    total = Tally()
    for trial in (trial for trial in run.ledger.trials() if trial.letter == letter):
        total += _of_trial(run, trial, last_shown)
    return Honesty(letter, total.shown, total.right, total.wrong, total.undecided, total.missed, total.twice)


def _of_trial(run: Run, trial: Trial, last_shown: Mapping[str, Mapping[str, Any]]) -> Tally:
    material = run.materials[trial.album]
    texts = {query.id: query.text for query in material.queries}
    ids = {photo.device_name: photo.id for photo in material.album.photos}
    total = Tally()
    for key, search in answered_searches(run, trial).items():
        entry = last_shown.get(texts[key.query][key.language])
        true = [ids.get(name, name) for name in true_list(entry)][: run.protocol.max_results]
        total += compare(true, run.ledger.placed(search.id))
    return total


def true_list(entry: Mapping[str, Any] | None) -> Sequence[str]:
    """The file names of the list that a search ended on: "view all" where it was tapped. Empty when nothing was found."""
    if entry is None or not entry["lists"]:
        return ()
    names: Sequence[str] = entry["lists"][-1]["names"]
    return names


def compare(true: Sequence[str], placed: Sequence[Placed]) -> Tally:
    """The tally of one list.

    A match to a twin class is right when the true photo is in the class. What was recorded but not shown counts as `twice`.

    >>> compare(["a", "b"], [])
    Tally(shown=2, right=0, wrong=0, undecided=0, missed=2, twice=0)
    """
    cost = _costs(true, placed)
    tally = Tally(shown=len(true))
    i, j = len(true), len(placed)
    while i or j:
        if i and j and cost[i, j] == cost[i - 1, j - 1] + _pair(true[i - 1], placed[j - 1]):
            i, j = i - 1, j - 1
            tally += _judge(true[i], placed[j])
        elif i and cost[i, j] == cost[i - 1, j] + MISSED_OR_EXTRA:
            i -= 1
            tally += Tally(missed=1)
        else:
            j -= 1
            tally += Tally(twice=1)
    return tally


def _costs(true: Sequence[str], placed: Sequence[Placed]) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """Edit distances of all beginnings of the two lists, shape (len(true) + 1, len(placed) + 1)."""
    cost = np.zeros((len(true) + 1, len(placed) + 1))
    cost[:, 0] = np.arange(len(true) + 1) * MISSED_OR_EXTRA
    cost[0, :] = np.arange(len(placed) + 1) * MISSED_OR_EXTRA
    for i, name in enumerate(true, start=1):
        for j, place in enumerate(placed, start=1):
            aligned = cost[i - 1, j - 1] + _pair(name, place)
            cost[i, j] = min(aligned, cost[i - 1, j] + MISSED_OR_EXTRA, cost[i, j - 1] + MISSED_OR_EXTRA)
    return cost


def _pair(name: str, place: Placed) -> float:
    judged = _judge(name, place)
    return WRONG if judged.wrong else UNDECIDED if judged.undecided else 0.0


def _judge(name: str, place: Placed) -> Tally:
    if place.verdict is not Verdict.MATCHED:
        return Tally(undecided=1)
    return Tally(right=1) if name == place.photo or name in place.candidates else Tally(wrong=1)
