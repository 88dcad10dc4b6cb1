"""All thumbnails of one search, looked at together.

shortlist ─ first look ─ geometry, covered blocks ─ first look again
          ─ finer geometry and tone from the sure ones ─ second look ─ geometry of each photo size ─ second look where it moved
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from matching.coarse import FirstLook, first_looks
from matching.colour import Mix, mix_of
from matching.descriptor import describe
from matching.fine import WEIGHTS, SecondLook, half_step, remainder, second_look, worth_a_second_look
from matching.index import SourceIndex
from matching.noise import Noise, noise_of
from matching.placing import SLIDES, Placing, Room, Wish, room_of
from matching.pooling import (
    DETAILED,
    ISOLATED_RMS,
    ROUNDS,
    SAMPLED,
    SURE,
    SURER,
    agreed_by_size,
    coarse_wish,
    covered_blocks,
    sure_ones,
    voted,
    weight_of,
)
from matching.registration import Geometry
from matching.residual import Mask, spread
from matching.shortlist import nearest, shortlist
from matching.shown import Shown, squares
from matching.thumbnails import Thumbnail
from matching.tone import ENOUGH, Pair, Tone, tone_of
from matching.views import BLUR_SIGMA, COARSE, FINE

Floats = NDArray[np.float32]
Move = Callable[[Placing, Sequence[Wish]], Placing]

_PLACINGS = 5
_PLACED = 0.0008
"""Each way of placing ends when the grid moves by less than 0.05 px at 64 px, or after so many times."""
_FREE = 0.02
"""Share of a side that a doubted thumbnail may be moved by: a lattice 4 px off at 200 px."""
_MOVED = 0.00026
"""0.05 px at FINE: a smaller move changes no verdict."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What thumbnails of one phone's grid have in common."""

    placing: Placing = field(default_factory=Placing)
    mix: Mix | None = None
    tone: Tone = field(default_factory=Tone)
    noise: Noise = field(default_factory=Noise)
    covered: Mask | None = None


@dataclass(frozen=True, slots=True)
class Looked:
    """What was seen of one search."""

    shared: Shared
    first: Sequence[FirstLook]
    second: Sequence[SecondLook]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two pictures that were compared, and where: float32, (FINE, FINE)."""

    seen: Floats
    shown: Floats
    weights: Floats


def _kept(rows: NDArray[np.intp], allowed: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The rows that are allowed; the first alone where none is, to be found no match."""
    kept = rows[allowed[rows]]
    return kept if len(kept) else rows[:1]


def _filled(coarse: Floats, covered: Mask | None) -> Floats:
    """A coarse thumbnail with what is covered grown over from around it."""
    if covered is None or not covered.any():
        return coarse
    hole = (spread(covered, COARSE) > 0).astype(np.uint8)
    grown = cv2.inpaint(np.clip(coarse, 0, 255).astype(np.uint8), hole, 3, cv2.INPAINT_TELEA)
    return np.asarray(grown, dtype=np.float32)


class Search:
    """The thumbnails of one search and what they have been found to share."""

    def __init__(
        self,
        index: SourceIndex,
        thumbnails: Sequence[Thumbnail],
        shown: Shown | None = None,
        like: Shared | None = None,
        sampled: int = SAMPLED,
    ) -> None:
        """`shown`: what they are compared with (centre squares); `like`: what is known of them already, from their kin.

        `sampled`: sure thumbnails that geometry, tone and noise are taken from, at most.
        """
        self._index = index
        self._thumbnails = thumbnails
        self._shown = shown or squares(index)
        self._known = like is not None
        known = like or Shared()
        self._placing, self._mix, self._tone, self._noise = known.placing, known.mix, known.tone, known.noise
        self._covered = known.covered
        self._placed: dict[int, Geometry] = {}
        self._sampled = sampled

    def look(self) -> Looked:
        """Looks at everything."""
        first = self._first()
        if not self._known:
            self._refine(first)
        second = [self._second(place, look.rows, look.explained.residual) for place, look in enumerate(first)]
        if self._noise.learned:
            second = self._by_size(second)
        second = [self._doubted(place, look) for place, look in enumerate(second)]
        shared = Shared(self._placing, self._mix, self._tone, self._noise, self._covered)
        return Looked(shared, first, second)

    def compared(self, place: int, row: int, look: SecondLook) -> Compared:
        """A thumbnail beside one of its candidates, as they were compared; to be asked after `look`."""
        seen = self._seen(place, self._placed[place])
        candidate = int(np.nonzero(look.rows == row)[0][0])
        reference = self._shown.fine[row].astype(np.float32)
        fitted = look.explained.fit
        shown = fitted.gain[candidate] * reference + fitted.bias[candidate]
        return Compared(seen, np.asarray(shown, dtype=np.float32), spread(look.explained.keep, FINE) * WEIGHTS)

    def _first(self) -> list[FirstLook]:
        pictures = self._shown.coarse
        coarse = [thumbnail.coarse(self._placing.box) for thumbnail in self._thumbnails]
        lists = self._shortlists(coarse)
        looks = first_looks(coarse, lists, pictures, self._covered)
        if self._known:
            return looks
        self._place(coarse, lists, looks)
        coarse = [thumbnail.coarse(self._lies(look)) for thumbnail, look in zip(self._thumbnails, looks, strict=True)]
        looks = first_looks(coarse, lists, pictures)
        self._covered = covered_blocks(looks)
        return self._sought_again(coarse, looks)

    def _sought_again(self, coarse: Sequence[Floats], looks: list[FirstLook]) -> list[FirstLook]:
        """Thumbnails that nothing explains yet are looked for once more, now that place and covered parts are known."""
        poor = [place for place, look in enumerate(looks) if look.likeness < SURE]
        if not poor:
            return looks
        clean = [_filled(coarse[place], self._covered) for place in poor]
        found = first_looks([coarse[place] for place in poor], self._shortlists(clean, poor), self._shown.coarse, self._covered)
        for place, look in zip(poor, found, strict=True):
            if look.likeness > looks[place].likeness:
                looks[place] = look
        return looks

    def _place(self, coarse: Sequence[Floats], lists: Sequence[NDArray[np.intp]], looks: Sequence[FirstLook]) -> None:
        """Places the grid by a sample, looking again each time it moved: while it is misplaced, the frame of a burst that fits
        best is the one whose shake makes up for that, and hides it."""
        sample = sure_ones(looks, self._index.nearest_rms, self._sampled)
        seen, sampled = [coarse[place] for place in sample], [looks[place] for place in sample]
        for way, times in (
            *((partial(self._voted, alike=alike), 1) for alike in ROUNDS),
            *((partial(self._wished, how=how), _PLACINGS) for how in (Placing.together, Placing.apart)),
        ):
            for _ in range(times):
                before, self._placing = self._placing, way(sampled, seen)
                if self._placing.moved_from(before) < _PLACED:
                    break
                seen = [self._thumbnails[place].coarse(self._lies(look)) for place, look in zip(sample, sampled, strict=True)]
                sampled = first_looks(seen, [lists[place] for place in sample], self._shown.coarse)

    def _voted(self, looks: Sequence[FirstLook], seen: Sequence[Floats], *, alike: float) -> Placing:
        """The placing that most candidates of most thumbnails would have."""
        return replace(self._placing, box=self._placing.box.after(voted(looks, seen, self._shown.coarse, alike)))

    def _wished(self, looks: Sequence[FirstLook], seen: Sequence[Floats], *, how: Move) -> Placing:
        """The placing that the best candidates would have."""
        wishes = []
        for look, picture in zip(looks, seen, strict=True):
            row = int(look.rows[0])
            wish = coarse_wish(
                look, picture, self._shown.coarse, weight_of(float(self._index.nearest_rms[row])), self._room(row)
            )
            wishes += [wish] if wish is not None else []
        return how(self._placing, wishes)

    def _shortlists(self, coarse: Sequence[Floats], places: Sequence[int] | None = None) -> list[NDArray[np.intp]]:
        allowed = self._shown.allowed if places is None or self._shown.allowed is None else self._shown.allowed[list(places)]
        rows, cosines = nearest(describe(np.stack(coarse)), self._shown.descriptors, allowed)
        lists = [shortlist(rows[place], cosines[place], self._index.neighbours) for place in range(len(coarse))]
        if allowed is None:
            return lists
        return [_kept(found, mask) for found, mask in zip(lists, allowed, strict=True)]

    def _refine(self, first: Sequence[FirstLook]) -> None:
        """Finer geometry, then tone, from a sample of the sure thumbnails: those whose photos have no like first."""
        near = self._index.nearest_rms
        sample = sure_ones(first, near, self._sampled)
        for last in (False, True):
            pairs = [self._pair(place, first[place], exact=last) for place in sample]
            wishes = []
            for place, pair in zip(sample, pairs, strict=True):
                row = int(first[place].rows[0])
                step = half_step(pair.seen, pair.reference, pair.weights)
                if step is not None:
                    wishes.append(Wish(step, weight_of(float(near[row])), self._room(row)))
            self._placing = self._placing.apart(wishes)
            if last:
                pairs = self._remixed([(place, self._lies(first[place])) for place in sample], pairs)
                self._tone = tone_of(pairs)
                self._noise = self._noise_of(pairs)

    def _remixed(self, sample: Sequence[tuple[int, Geometry]], pairs: list[Pair]) -> list[Pair]:
        """Finds the grid's mix of colours, if it has one of its own; returns the pairs as seen then."""
        if len(pairs) < ENOUGH:
            return pairs
        rough = [self._thumbnails[place].colours_roughly(lies) for place, lies in sample]
        self._mix = mix_of(rough, [pair.reference for pair in pairs], [pair.weights for pair in pairs])
        if self._mix is None:
            return pairs
        colours = [self._thumbnails[place].colours(lies) for place, lies in sample]
        return [replace(pair, seen=self._mix.of(picture)) for pair, picture in zip(pairs, colours, strict=True)]

    def _seen(self, place: int, geometry: Geometry) -> Floats:
        """A thumbnail as the references would show it, up to gain and bias."""
        thumbnail = self._thumbnails[place]
        plain = thumbnail.seen(geometry).fine if self._mix is None else self._mix.of(thumbnail.colours(geometry))
        return self._tone.undone(plain)

    def _noise_of(self, pairs: Sequence[Pair]) -> Noise:
        """The noise that the sampled pairs leave once placed and toned."""
        left = [remainder(self._tone.undone(pair.seen), pair.reference, pair.weights) for pair in pairs]
        steps = [item.step for item in left if item.step is not None]
        return noise_of([item.residual for item in left], [item.slope for item in left], steps)

    def _pair(self, place: int, look: FirstLook, *, exact: bool) -> Pair:
        """Tone needs an exact sampling, for a rough one is less sharp."""
        if exact:
            seen = self._thumbnails[place].seen(self._lies(look)).fine
        else:
            seen = np.asarray(cv2.GaussianBlur(self._thumbnails[place].roughly(self._lies(look)), (0, 0), BLUR_SIGMA))
        reference = self._shown.fine[int(look.rows[0])].astype(np.float32)
        return Pair(seen, reference, WEIGHTS * spread(look.explained.keep, FINE))

    def _second(self, place: int, rows: NDArray[np.intp], residuals: Floats, geometry: Geometry | None = None) -> SecondLook:
        self._placed[place] = geometry or self._placing.of(self._room(int(rows[0])))
        candidates = worth_a_second_look(rows, residuals)
        return second_look(self._seen(place, self._placed[place]), candidates, self._shown.fine, self._covered)

    def _doubted(self, place: int, look: SecondLook) -> SecondLook:
        """Where too few thumbnails tell how photos lie, a sibling may only be worse because it was not let move.

        Each rival of the best's own burst is compared once more, both where they fit best; t becomes the lesser of the two.
        """
        if self._noise.learned and self._room(int(look.rows[0])) in self._placing.known:
            return look
        siblings = [rival for rival in look.rivals if rival.rms < ISOLATED_RMS]
        if not siblings:
            return look
        weights = WEIGHTS * spread(look.explained.keep, FINE)
        least = self._least_left(place, int(look.rows[0]), weights)
        rivals = []
        for rival in look.rivals:
            t = rival.t
            if rival in siblings:
                t = min(t, 0.5 + (self._least_left(place, rival.row, weights) - least) / max(2 * rival.rms**2, 1e-3))
            rivals.append(replace(rival, t=t))
        return replace(look, rivals=tuple(rivals))

    def _least_left(self, place: int, row: int, weights: Floats) -> float:
        """The residual of a photo where it fits the thumbnail best."""
        reference = self._shown.fine[row].astype(np.float32)
        geometry = self._placed[place]
        step = half_step(self._seen(place, geometry), reference, weights)
        if step is not None and np.abs(step.move).max() < _FREE:
            geometry = geometry.after(step.move * self._free_for(row))
        return remainder(self._seen(place, geometry), reference, weights).residual

    def _free_for(self, row: int) -> NDArray[np.float64]:
        """(4,) 1 for what is not known of where a photo lies: in a grid that is placed, its slide at most."""
        if not self._noise.learned:
            return np.ones(4)
        return np.array(SLIDES[self._room(row)])

    def _by_size(self, second: list[SecondLook]) -> list[SecondLook]:
        """Second looks again at thumbnails whose photos' size lies elsewhere than the grid."""
        wishes = []
        for look in second:
            row = int(look.rows[0])
            if look.step is not None and look.explained.likeness(0) > SURER and look.explained.variance > DETAILED:
                wishes.append(Wish(look.step, weight_of(float(self._index.nearest_rms[row])), self._room(row), self._size(row)))
        moves = agreed_by_size(wishes)
        looks = []
        for place, look in enumerate(second):
            move = moves.get(self._size(int(look.rows[0])), np.zeros(4))
            if np.abs(move).max() < _MOVED:
                looks.append(look)
            else:
                looks.append(self._second(place, look.rows, look.explained.residual, self._placed[place].after(move)))
        return looks

    def _lies(self, look: FirstLook) -> Geometry:
        """Where a thumbnail's photo lies if its best candidate is right."""
        return self._placing.of(self._room(int(look.rows[0])))

    def _room(self, row: int) -> Room:
        return room_of(*self._size(row)) if self._shown.cropped else Room.NOWHERE

    def _size(self, row: int) -> tuple[int, int]:
        entry = self._index.catalogue.entries[row]
        return (entry.width, entry.height)
