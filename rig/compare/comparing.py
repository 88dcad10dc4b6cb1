"""Compares sides over a declared family of metrics, with everything that says how much a difference is worth."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rig.compare.measuring import FAMILY, Measured, check_metric, measure, measure_queries
from rig.compare.pairing import Pairs, pair_up
from rig.metrics.averages import Averaging, QueryScore, by_album, normal
from rig.model import SourceType
from rig.questions import Questions
from rig.sides import Side
from rig.statistics import Interval, PValue, benjamini_hochberg, holm, mcnemar_test

MARGIN_POINTS = 2.0
"""How much worse a score may be and still count as no regression, unless the user says otherwise."""
SEED = 20_260_301
"""Any number; the same one gives the same p values again."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How a comparison is made; declared before looking."""

    metrics: tuple[str, ...] = FAMILY
    margin: float = MARGIN_POINTS / 100
    """A fraction: a score may fall by this much."""
    averaging: Averaging = Averaging.POOLED
    seed: int = SEED


@dataclass(frozen=True, slots=True)
class Judged:
    """One metric of the family, with its verdicts."""

    measured: Measured
    p_holm: float | None
    """Adjusted over the family: the declared metrics of every pair."""
    non_inferior: bool | None
    """True when the interval lies above minus the margin, False when below it, None when it holds it or cannot be had."""
    noise: float | None
    """The largest difference that the A/A pair's interval allows; None without an A/A pair."""

    @property
    def beyond_noise(self) -> bool | None:
        """True when the difference is larger than a rerun's may be; None when that is not known."""
        if self.noise is None or self.measured.difference is None:
            return None
        return abs(self.measured.difference) > self.noise


@dataclass(frozen=True, slots=True)
class SliceOf:
    """An exploratory slice: the first declared metric of single queries, on some of the queries."""

    kind: str
    """"source type" or "album"."""
    name: str
    measured: Measured
    p_bh: float | None
    """Benjamini-Hochberg over the slices of its kind."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One query that the two sides answer differently."""

    old: QueryScore
    new: QueryScore
    difference: float | None
    """Of F1; None for a zero-ground-truth query."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One pair of sides."""

    old: Side
    new: Side
    pairs: Pairs
    family: tuple[Judged, ...]
    slices: tuple[SliceOf, ...]
    rejections_zero: PValue
    """McNemar: do they reject zero-ground-truth queries alike?"""
    rejections_normal: PValue
    """McNemar: do they reject normal queries alike?"""
    changed: tuple[Changed, ...]
    """The largest change of F1 first, then changed rejections."""
    same: tuple[Side, Side] | None
    """The A/A pair that this pair's noise floor comes from: the same thing measured twice."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every pair, under one family of tests."""

    questions: Questions
    rules: Rules
    compared: tuple[Compared, ...]


def compare(
    questions: Questions,
    sides: Sequence[tuple[Side, Side]],
    rules: Rules = Rules(),
    *,
    same: Sequence[tuple[Side, Side]] = (),
) -> Comparison:
    """Compares each (old, new). RigError when a pair may not be compared.

    `same` are the A/A pairs; a lone one serves every pair, of several each pair takes that of its own phone and language.
    """
    for metric in rules.metrics:
        check_metric(metric)
    pairs = [pair_up(questions, old, new) for old, new in sides]
    measured = [[measure(p, metric, rules.averaging, seed=rules.seed) for metric in rules.metrics] for p in pairs]
    adjusted = adjust([m.p_value for of_pair in measured for m in of_pair], holm)
    compared = []
    for (old, new), p, of_pair in zip(sides, pairs, measured, strict=True):
        holms, adjusted = adjusted[: len(of_pair)], adjusted[len(of_pair) :]
        twice = _same_for(old, new, same)
        noise = _noise_floor(questions, rules, twice)
        family = tuple(
            Judged(m, p_holm, _non_inferior(m, rules.margin), noise.get(m.metric))
            for m, p_holm in zip(of_pair, holms, strict=True)
        )
        compared.append(_compared(old, new, p, family, rules, same=twice))
    return Comparison(questions, rules, tuple(compared))


def adjust(p_values: Sequence[PValue | None], method: Callable[[Sequence[float]], list[float]]) -> list[float | None]:
    """The adjusted p values. One that could not be had stays None and counts as 1: the family keeps its declared size."""
    adjusted = method([1.0 if value is None else value.p for value in p_values])
    return [None if value is None else p for value, p in zip(p_values, adjusted, strict=True)]


def _same_for(old: Side, new: Side, same: Sequence[tuple[Side, Side]]) -> tuple[Side, Side] | None:
    if len(same) < 2:
        return same[0] if same else None
    kept = [twice for twice in same if twice[0].language in (None, old.language, new.language)]
    return next((twice for twice in kept if twice[0].letter in (new.letter, old.letter)), None)


def _noise_floor(questions: Questions, rules: Rules, same: tuple[Side, Side] | None) -> Mapping[str, float]:
    """Per metric, the largest difference between reruns that the A/A pair's interval holds."""
    if same is None:
        return {}
    pairs = pair_up(questions, *same)
    intervals = {name: measure(pairs, name, rules.averaging, seed=rules.seed).interval for name in rules.metrics}
    return {name: max(abs(i.low), abs(i.high)) for name, i in intervals.items() if i is not None}


def _non_inferior(measured: Measured, margin: float) -> bool | None:
    interval: Interval | None = measured.interval
    if interval is None:
        return None
    if interval.low > -margin:
        return True
    return False if interval.high < -margin else None


def _compared(
    old: Side, new: Side, pairs: Pairs, family: tuple[Judged, ...], rules: Rules, *, same: tuple[Side, Side] | None
) -> Compared:
    rejected = [(o.query.is_rejection, o.empty is True, n.empty is True) for o, n in zip(pairs.old, pairs.new, strict=True)]
    return Compared(
        old=old,
        new=new,
        pairs=pairs,
        family=family,
        slices=(*_by_type(pairs, rules), *_by_album(pairs, rules)),
        rejections_zero=mcnemar_test(rejected.count((True, True, False)), rejected.count((True, False, True))),
        rejections_normal=mcnemar_test(rejected.count((False, True, False)), rejected.count((False, False, True))),
        changed=_changed(pairs),
        same=same,
    )


def _slice_metric(rules: Rules) -> str:
    return next((name for name in rules.metrics if not name.startswith("rej-")), "f1")


def _by_type(pairs: Pairs, rules: Rules) -> list[SliceOf]:
    kinds = {kind: [i for i, q in enumerate(pairs.old) if q.query.source_type is kind] for kind in SourceType}
    return _slices(pairs, "source type", {kind.value: places for kind, places in kinds.items()}, rules)


def _by_album(pairs: Pairs, rules: Rules) -> list[SliceOf]:
    albums = {name: {q.query.id for q in queries} for name, queries in by_album(pairs.old).items()}
    places = {name: [i for i, q in enumerate(pairs.old) if q.query.id in ids] for name, ids in albums.items()}
    return _slices(pairs, "album", places, rules) if len(places) > 1 else []


def _slices(pairs: Pairs, kind: str, places: Mapping[str, Sequence[int]], rules: Rules) -> list[SliceOf]:
    metric, measured = _slice_metric(rules), {}
    for name, of_slice in places.items():
        old, new = (normal([side[i] for i in of_slice]) for side in (pairs.old, pairs.new))
        if old:
            measured[name] = measure_queries(old, new, metric, rules.averaging, seed=rules.seed)
    adjusted = adjust([m.p_value for m in measured.values()], benjamini_hochberg)
    return [SliceOf(kind, name, m, p) for (name, m), p in zip(measured.items(), adjusted, strict=True)]


def _changed(pairs: Pairs) -> tuple[Changed, ...]:
    changes = [Changed(o, n, _f1_difference(o, n)) for o, n in zip(pairs.old, pairs.new, strict=True) if _differ(o, n)]
    return tuple(sorted(changes, key=lambda c: -1.0 if c.difference is None else abs(c.difference), reverse=True))


def _differ(old: QueryScore, new: QueryScore) -> bool:
    """For a zero-ground-truth query only the rejection counts; for a normal one what was returned, in its order."""
    if old.query.is_rejection:
        return old.empty != new.empty
    return old.returned != new.returned


def _f1_difference(old: QueryScore, new: QueryScore) -> float | None:
    a, b = (None if q.sets is None else q.sets.f1.value for q in (old, new))
    return None if a is None or b is None else b - a
