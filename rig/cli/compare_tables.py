"""A comparison as tables for people; points are hundredths of a score."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from rig.cli.grids import NumberGrid
from rig.cli.plain import inert
from rig.cli.score_tables import NOTHING, percent
from rig.compare.comparing import Compared, Comparison
from rig.compare.gates import GateResult
from rig.compare.measuring import Measured
from rig.metrics.averages import QueryScore
from rig.statistics import RESAMPLES

_MOST_CHANGED = 15
_SAID = {True: "yes", False: "no", None: NOTHING}


def comparison_tables(comparison: Comparison, gates: Sequence[Sequence[GateResult]]) -> RenderableType:
    """Every table of `rig compare`."""
    parts: list[RenderableType] = []
    for compared, results in zip(comparison.compared, gates, strict=True):
        parts += [_family(compared, comparison), _slices(compared), _changed(compared)]
        parts.append(Text("\n".join([*_notes(compared), *_gate_lines(results)])))
    parts.append(Text("\n".join(_rules(comparison))))
    return Group(*parts)


def _family(c: Compared, comparison: Comparison) -> NumberGrid:
    values = ("queries", "old", "new", "points", "95 % interval", "p")
    columns = (*values, "p Holm", "better/same/worse", "d_z", "no worse", "> noise")
    spoken = f", {c.new.language}" if c.new.language is not None else ""
    title = (
        f"{inert(c.old.name)} → {inert(c.new.name)}{spoken}: declared metrics; margin {100 * comparison.rules.margin:g} points"
    )
    grid = NumberGrid(title, columns)
    for j in c.family:
        m = j.measured
        effect = NOTHING if m.effect is None else f"{m.effect:+.2f}"
        verdicts = (_p(j.p_holm), f"{m.wins}/{m.ties}/{m.losses}", effect, _SAID[j.non_inferior], _SAID[j.beyond_noise])
        grid.add(m.metric, (*_values(m), *verdicts))
    return grid


def _values(m: Measured) -> tuple[str, ...]:
    interval = NOTHING if m.interval is None else f"{_points(m.interval.low)} to {_points(m.interval.high)}"
    p = None if m.p_value is None else m.p_value.p
    return str(m.queries), percent(m.old), percent(m.new), _difference(m), interval, _p(p)


def _difference(m: Measured) -> str:
    """With what it could be, where thumbnails or lists were left open and it shows at this precision."""
    points = _points(m.difference)
    ends = points if m.bounds is None else f"{_points(m.bounds[0])} to {_points(m.bounds[1])}"
    return points if ends in (points, f"{points} to {points}") else f"{points}\n[{ends}]"


def _points(value: float | None) -> str:
    return NOTHING if value is None else f"{100 * value:+.1f}"


def _p(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.4f}"


def _slices(c: Compared) -> NumberGrid:
    metric = c.slices[0].measured.metric if c.slices else "f1"
    grid = NumberGrid(f"{metric} by slice: exploratory", ("queries", "old", "new", "points", "95 % interval", "p", "p BH"))
    for s in c.slices:
        grid.add(f"{s.kind} {s.name}", (*_values(s.measured), _p(s.p_bh)))
    return grid


def _changed(c: Compared) -> NumberGrid:
    shown = c.changed[:_MOST_CHANGED]
    grid = NumberGrid(f"Queries that changed: {len(shown)} of {len(c.changed)}", ("F1 old", "F1 new", "returned", "text"))
    for change in shown:
        old, new = (None if q.sets is None else q.sets.f1.value for q in (change.old, change.new))
        returned = f"{_returned(change.old)} → {_returned(change.new)}"
        text = next(iter(change.old.query.text.values()), "")
        grid.add(change.old.query.id, (percent(old), percent(new), returned, inert(text)))
    return grid


def _returned(q: QueryScore) -> str:
    return "nothing" if q.empty or q.returned is None else str(len(q.returned.places))


def _notes(c: Compared) -> list[str]:
    zero = sum(q.query.is_rejection for q in c.pairs.old)
    gone_old, gone_new = len(c.pairs.unanswered_old), len(c.pairs.unanswered_new)
    lines = [
        f"{len(c.pairs.old)} queries answered by both ({zero} zero-ground-truth); {c.pairs.excluded} excluded: "
        f"{gone_old} unanswered by {inert(c.old.name)}, {gone_new} by {inert(c.new.name)}",
        f"rejection decisions alike? McNemar p {_p(c.rejections_zero.p)} on zero-ground-truth, "
        f"{_p(c.rejections_normal.p)} on normal queries",
    ]
    if c.pairs.excluded:
        for j in c.family:
            m = j.measured
            lines.append(f"with unanswered queries as 0: {m.metric} {percent(m.old_with_zeros)} → {percent(m.new_with_zeros)}")
    return lines


def _gate_lines(results: Sequence[GateResult]) -> list[str]:
    return [f"gate {inert(r.gate)}: {'passed' if r.passed else 'FAILED'}: {r.why}" for r in results]


def _rules(comparison: Comparison) -> list[str]:
    rules = comparison.rules
    tests = len(rules.metrics) * len(comparison.compared)
    twice = next((c.same for c in comparison.compared if c.same is not None), None)
    noise = (
        "rerun noise unknown (no --aa pair): one index a side confounds the system with its index"
        if twice is None
        else f"rerun noise from {' and '.join(inert(side.source.name) for side in twice)}"
    )
    return [
        f"{rules.averaging}; paired tests with {RESAMPLES} resamples, seed {rules.seed}, exact where all can be tried; "
        f"Holm over {tests} declared tests; conditional on these albums",
        noise,
    ]
