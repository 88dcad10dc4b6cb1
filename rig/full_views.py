"""What photos opened in full say of the thumbnails they were opened from. Needs no phone, and can be done again.

undecided ─ opened: one candidate ─► matched         fewer candidates ─► undecided between these
matched   ─ opened: another photo ─► undecided between both: two looks that contradict each other prove nothing
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from matching.decode import load_image
from matching.model import Match, Position, UnreadableImage, Verdict
from matching.opened import match_opened
from rig.records import Opened

CLAIMED = "opened_claimed"
"""Evidence, 1 where an opened photo is not taken because another thumbnail of the search is matched to it."""


def judged(
    matches: Sequence[Match],
    positions: Sequence[Position],
    opened: Sequence[Opened],
    *,
    folder: Path,
    photos: Mapping[str, Path],
    twins: Collection[Collection[str]],
) -> tuple[Match, ...]:
    """`matches` of `positions`, with what was `opened` in full heard where it decides. `folder` is the run's.

    A picture that cannot be read changes nothing.
    """
    told = list(matches)
    for view in opened:
        rank = _rank(positions, view)
        if rank is None or told[rank].verdict is Verdict.STRANGER:
            continue
        found = _look(told[rank], view, folder, photos, twins)
        if found is not None:
            others = {match.photo for place, match in enumerate(told) if place != rank}
            told[rank] = _together(told[rank], found, others)
    return tuple(told)


def _rank(positions: Sequence[Position], view: Opened) -> int | None:
    """The position that was touched: other eyes may have put its box a little elsewhere."""
    x, y = (view.box[0] + view.box[2]) // 2, (view.box[1] + view.box[3]) // 2
    for rank, position in enumerate(positions):
        for screen, (left, top, right, bottom) in position.sightings:
            if screen == view.screen and left <= x < right and top <= y < bottom:
                return rank
    return None


def _look(
    match: Match, view: Opened, folder: Path, photos: Mapping[str, Path], twins: Collection[Collection[str]]
) -> Match | None:
    """What the full view says of all that the thumbnail was ever thought to be; None where it cannot be read."""
    if view.path is None or view.viewport is None:
        return None
    names = [name for name in (match.photo, *match.candidates, *view.candidates) if name in photos]
    candidates = {name: photos[name] for name in dict.fromkeys(names) if name is not None}
    try:
        return match_opened(load_image(folder / view.path), view.viewport, candidates, twins=twins)
    except UnreadableImage:
        return None


def _together(match: Match, found: Match, others: Collection[str | None]) -> Match:
    """One verdict of two looks at the same result; `others`: photos that other thumbnails of the search are matched to."""
    evidence = {**match.evidence, **found.evidence}
    if found.verdict is not Verdict.MATCHED:
        narrowed = match.verdict is Verdict.AMBIGUOUS and "opened_decided" in found.evidence
        return replace(match, candidates=found.candidates if narrowed else match.candidates, evidence=evidence)
    if match.verdict is Verdict.MATCHED:
        return replace(match, evidence=evidence) if match.photo == found.photo else _either(match, found, evidence)
    if found.photo in others:
        return replace(match, evidence={**evidence, CLAIMED: 1.0})
    return replace(found, evidence=evidence)


def _either(match: Match, found: Match, evidence: Mapping[str, float]) -> Match:
    names = (match.photo, *match.candidates, found.photo, *found.candidates)
    candidates = tuple(dict.fromkeys(name for name in names if name is not None))
    return Match(Verdict.AMBIGUOUS, None, candidates, evidence)
