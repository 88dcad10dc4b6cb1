"""Thumbnails of one search in, their source photos out."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from matching.fine import SecondLook
from matching.index import SourceIndex
from matching.kin import Kin, looked_at
from matching.labels import possible
from matching.model import Image, Match, Verdict
from matching.search import Looked, Search, Shared
from matching.shapes import Shape, Sized, shapes_of
from matching.shown import parts, squares, wholes
from matching.thumbnails import Thumbnail
from matching.verdict import CALIBRATED, Evidence, Thresholds, evidence_of
from matching.views import FINE


def match_grid(
    index: SourceIndex,
    crops: Sequence[Image],
    *,
    labels: Sequence[str | None] | None = None,
    thresholds: Thresholds = CALIBRATED,
    kin: Sequence[Kin] = (),
) -> tuple[Match, ...]:
    """The verdict on each crop, in order. All crops come from one search of one phone, from as many screens as it took.

    Each photo is claimed once, by the thumbnail that is surest of it; others that claim it are left ambiguous unless they are
    as sure, as when one photo is shown in two sections. `kin` is what `learned_from` learned of the same phone's grid before;
    without it, searches of few thumbnails decide between siblings less often. `labels` (same order as `crops`) narrow by the
    day they name where pixels alone leave a square thumbnail open.
    """
    if not crops or not len(index):
        return tuple(Match(Verdict.STRANGER, None) for _ in crops)
    sized = shapes_of([(crop.shape[1], crop.shape[0]) for crop in crops])
    thumbnails = [Thumbnail(crop) for crop in crops]
    found: dict[int, Match] = {
        place: Match(Verdict.AMBIGUOUS, None, (), {"seen": item.seen})
        for place, item in enumerate(sized)
        if item.shape is Shape.TOO_LITTLE
    }
    shared: Shared | None = None
    whole_squares = _places(sized, Shape.SQUARE)
    if whole_squares:
        alike = [thumbnails[place] for place in whole_squares]
        said = None if labels is None else [labels[place] for place in whole_squares]
        matches, shared = _squares(index, alike, said, kin, thresholds)
        found |= dict(zip(whole_squares, matches, strict=True))
    as_they_are = _places(sized, Shape.WHOLE)
    if as_they_are:
        alike = [thumbnails[place] for place in as_they_are]
        shown = wholes(index, [one.width / one.height for one in alike])
        found |= dict(zip(as_they_are, verdicts(index, Search(index, alike, shown).look(), thresholds), strict=True))
    for place in _places(sized, Shape.CUT):
        found[place] = _cut(index, thumbnails[place], sized[place].seen, shared, thresholds)
    return tuple(_claimed_once([found[place] for place in range(len(crops))], thresholds))


def _squares(
    index: SourceIndex,
    thumbnails: Sequence[Thumbnail],
    labels: Sequence[str | None] | None,
    kin: Sequence[Kin],
    thresholds: Thresholds,
) -> tuple[tuple[Match, ...], Shared]:
    """Square thumbnails among all photos, then those still open once more among the photos that their labels leave possible.

    A label that leaves only photos which do not explain the thumbnail is not believed: labels narrow, they never decide.
    """
    looked = looked_at(index, thumbnails, kin)
    matches = list(verdicts(index, looked, thresholds))
    allowed = None if labels is None else possible(labels, index.taken)
    if allowed is None:
        return tuple(matches), looked.shared
    open_ones = [place for place, match in enumerate(matches) if match.verdict is Verdict.AMBIGUOUS]
    if open_ones:
        alike = [thumbnails[place] for place in open_ones]
        narrowed = Search(index, alike, squares(index, allowed[open_ones]), looked.shared).look()
        for place, match in zip(open_ones, verdicts(index, narrowed, thresholds), strict=True):
            if match.verdict is not Verdict.STRANGER:
                matches[place] = match
    return tuple(matches), looked.shared


def _places(sized: Sequence[Sized], shape: Shape) -> list[int]:
    return [place for place, item in enumerate(sized) if item.shape is shape]


def _cut(index: SourceIndex, thumbnail: Thumbnail, seen: float, like: Shared | None, thresholds: Thresholds) -> Match:
    """The better of the two ways in which an edge can cut a square: from below, or from above."""
    kin = None if like is None else _of_a_band(like)
    ways = [
        verdicts(index, Search(index, [thumbnail], parts(index, top, top + seen), kin).look(), thresholds)[0]
        for top in (0.0, 1.0 - seen)
    ]
    return max(ways, key=lambda match: (match.evidence["likeness"], match.evidence["trust"]))


def _of_a_band(shared: Shared) -> Shared:
    """What is still known of a square cut off: its cut edge lies anywhere within a px, and decorations lie elsewhere in it."""
    placing = replace(shared.placing, box=replace(shared.placing.box, dy=0.0, sy=0.0), slide_y=0.0)
    noise = replace(shared.noise, scatter=_CUT_SCATTER, growth=_CUT_SCATTER, learned=False)
    return replace(shared, placing=placing, noise=noise, covered=None)


_CUT_SCATTER = 1 / FINE
"""A px, as a share of a side."""


def verdicts(index: SourceIndex, looked: Looked, thresholds: Thresholds = CALIBRATED) -> tuple[Match, ...]:
    """The verdicts on what was seen of one search, in order."""
    matches = []
    for look in looked.second:
        best = int(look.rows[0])
        evidence = evidence_of(look, looked.shared.noise, index.twin_rows.get(best, (best,)))
        matches.append(_verdict(index, look, evidence, thresholds))
    return tuple(_claimed_once(matches, thresholds))


def _verdict(index: SourceIndex, look: SecondLook, evidence: Evidence, thresholds: Thresholds) -> Match:
    trust = evidence.trust(thresholds)
    numbers = {**asdict(evidence), "trust": trust}
    if evidence.detail < thresholds.detail:
        return Match(Verdict.AMBIGUOUS, None, tuple(index.names[row] for row in look.rows), numbers)
    alone = evidence.trust_but_for_rivals(thresholds)
    if evidence.likeness < thresholds.likeness or evidence.kept < thresholds.kept or alone < thresholds.foreign:
        return Match(Verdict.STRANGER if thresholds.strangers else Verdict.AMBIGUOUS, None, (), numbers)
    best = int(look.rows[0])
    members = index.twin_rows.get(best, (best,))
    names = tuple(index.names[row] for row in members)
    told = index.detail[best] >= thresholds.detail and evidence.decided >= thresholds.decided
    if told and trust >= thresholds.trust and alone >= thresholds.alone:
        return Match(Verdict.MATCHED, names[0], names if len(names) > 1 else (), numbers)
    return Match(Verdict.AMBIGUOUS, None, _left(index, look, members), numbers)


def _left(index: SourceIndex, look: SecondLook, members: tuple[int, ...]) -> tuple[str, ...]:
    """All that an undecided thumbnail may show: scores span these, so that none may be missing. Empty: anything.

    The best with its twins, every photo looked at that is not ruled out, and what is so like the best that the shortlist may
    have stopped before it. One alone is no answer either: it was refused for another reason than its rivals.
    """
    out = {rival.row for rival in look.rivals if rival.t >= _MAY_BE}
    near = index.neighbours.rows[members[0]][index.neighbours.rms[members[0]] < _LIKE_THE_BEST]
    rows = dict.fromkeys([*members, *(int(row) for row in (*look.rows, *near) if int(row) not in out and row >= 0)])
    return tuple(index.names[row] for row in rows) if len(rows) > 1 else ()


_LIKE_THE_BEST = 12.0
"""Grey levels RMS at FINE: frames of one burst lie nearer."""
_MAY_BE = 0.9
"""Rivals that t puts farther away than this are not what an undecided thumbnail shows."""


def _claimed_once(matches: Sequence[Match], thresholds: Thresholds) -> list[Match]:
    """Each photo is left to the thumbnail that is surest of it; the others, wrong about it, may show anything."""
    surest: dict[str, float] = {}
    for match in matches:
        if match.photo is not None:
            surest[match.photo] = max(surest.get(match.photo, -1e9), match.evidence["trust"])
    return [
        match
        if match.photo is None or match.evidence["trust"] > surest[match.photo] - thresholds.twice
        else replace(match, verdict=Verdict.AMBIGUOUS, photo=None, candidates=())
        for match in matches
    ]
