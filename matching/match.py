"""Thumbnails of one search in, their source photos out."""

from collections.abc import Sequence

from matching.fine import SecondLook
from matching.index import SourceIndex
from matching.model import Image, Match, Verdict
from matching.search import Search
from matching.thumbnails import Thumbnail
from matching.verdict import CALIBRATED, Thresholds


def match_grid(
    index: SourceIndex,
    crops: Sequence[Image],
    *,
    labels: Sequence[str | None] | None = None,
    thresholds: Thresholds = CALIBRATED,
) -> tuple[Match, ...]:
    """The verdict on each crop, in order. All crops come from one search of one phone, from as many screens as it took."""
    if not crops or not len(index):
        return tuple(Match(Verdict.STRANGER, None) for _ in crops)
    looked = Search(index, [Thumbnail(crop) for crop in crops]).look()
    return tuple(_verdict(index, look, thresholds) for look in looked.second)


def _verdict(index: SourceIndex, look: SecondLook, thresholds: Thresholds) -> Match:
    best = int(look.rows[0])
    twins = index.twin_rows.get(best, (best,))
    others = [rival for rival in look.rivals if rival.row not in twins]
    decided = min((rival.t for rival in others), default=1.0)
    evidence = {
        "likeness": look.explained.likeness(0),
        "decided": decided,
        "detail": look.explained.variance,
        "kept": look.explained.kept_share,
        "residual": float(look.explained.residual[0]),
    }
    if evidence["likeness"] < thresholds.likeness or evidence["kept"] < thresholds.kept:
        return Match(Verdict.STRANGER, None, (), evidence)
    names = [index.names[row] for row in twins]
    if evidence["detail"] < thresholds.detail or decided < thresholds.decided:
        rivals = [index.names[rival.row] for rival in others if rival.t < thresholds.decided]
        return Match(Verdict.AMBIGUOUS, None, (*names, *rivals), evidence)
    return Match(Verdict.MATCHED, names[0], tuple(names) if len(names) > 1 else (), evidence)
