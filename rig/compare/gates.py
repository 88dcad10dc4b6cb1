"""Gates for a vendor's CI: conditions on a comparison, given on the command line; one that cannot be told fails.

f1>=-1             the difference of F1 (new - old), in points, is at least -1
f1.low>-2          the lower end of its interval
rej-f1.new>=30     the new side's value, in points; `old` likewise
f1.p_holm<0.05     the adjusted p value; `p` the plain one
non-inferior       every declared metric's interval lies above minus the margin
complete           both sides answered every query
"""

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rig.compare.comparing import Compared, Judged
from rig.compare.measuring import check_metric
from rig.errors import RigError

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_FORM = re.compile(r"\s*([a-z0-9@-]+?)(?:\.(\w+))?\s*(>=|<=|>|<)\s*([-+]?\d+(?:\.\d+)?)\s*")
_WORDS = ("non-inferior", "complete")


def _points(value: float | None) -> float | None:
    return None if value is None else 100 * value


_PARTS: dict[str, Callable[[Judged], float | None]] = {
    "difference": lambda j: _points(j.measured.difference),
    "low": lambda j: _points(None if j.measured.interval is None else j.measured.interval.low),
    "high": lambda j: _points(None if j.measured.interval is None else j.measured.interval.high),
    "old": lambda j: _points(j.measured.old),
    "new": lambda j: _points(j.measured.new),
    "p": lambda j: None if j.measured.p_value is None else j.measured.p_value.p,
    "p_holm": lambda j: j.p_holm,
}


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition. `metric` and what follows are None for a word."""

    text: str
    metric: str | None = None
    part: str = "difference"
    relation: str = ">="
    limit: float = 0.0


@dataclass(frozen=True, slots=True)
class GateResult:
    """A gate's verdict on one pair, and the sentence that says why."""

    gate: str
    passed: bool
    why: str


def parse_gate(text: str) -> Gate:
    """The gate that the text says. RigError with the forms there are."""
    if text.strip() in _WORDS:
        return Gate(text.strip())
    found = _FORM.fullmatch(text)
    if not found:
        raise RigError(
            f"gate {text!r}: expected METRIC>=POINTS, METRIC.PART>=NUMBER, {' or '.join(_WORDS)}; for example f1>=-1"
        )
    metric, part, relation, limit = found.groups()
    if part is not None and part not in _PARTS:
        raise RigError(f"gate {text!r}: a metric has {', '.join(_PARTS)}, not {part!r}")
    return Gate(text.strip(), check_metric(metric), part or "difference", relation, float(limit))


def undeclared(gates: Sequence[Gate], metrics: Sequence[str]) -> list[str]:
    """Metrics that a gate asks for and the family does not have."""
    return [g.metric for g in gates if g.metric is not None and g.metric not in metrics]


def judge_gates(gates: Sequence[Gate], compared: Compared) -> tuple[GateResult, ...]:
    """Every gate's verdict on this pair."""
    return tuple(_judge(gate, compared) for gate in gates)


def _judge(gate: Gate, compared: Compared) -> GateResult:
    if gate.text == "complete":
        missing = compared.pairs.excluded
        return GateResult(gate.text, missing == 0, f"{missing} queries were not answered by both sides")
    if gate.metric is None:
        return _judge_non_inferior(gate, compared)
    judged = next(j for j in compared.family if j.measured.metric == gate.metric)
    value = _PARTS[gate.part](judged)
    if value is None:
        return GateResult(gate.text, False, f"{gate.metric}.{gate.part} is undefined")
    return GateResult(gate.text, _OPERATORS[gate.relation](value, gate.limit), f"{gate.metric}.{gate.part} is {value:.4g}")


def _judge_non_inferior(gate: Gate, compared: Compared) -> GateResult:
    failing = [j.measured.metric for j in compared.family if j.non_inferior is not True]
    return GateResult(gate.text, not failing, f"not shown for {', '.join(failing)}" if failing else "shown for every metric")
