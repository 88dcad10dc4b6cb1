"""How numbers are written, the same in every table: per cent with one decimal, an em dash where undefined."""

from reports.model import Coverage, Interval

UNDEFINED = "—"


def percent(score: Interval | None) -> str:
    """`41.7`, or `40.2–43.1` when the bounds differ at the printed precision, or an em dash when undefined."""
    if score is None:
        return UNDEFINED
    low, high = f"{100 * score.low:.1f}", f"{100 * score.high:.1f}"
    return low if low == high else f"{low}–{high}"


def covered(coverage: Coverage) -> str:
    """`24/24`, or `22/24 incomplete`."""
    counts = f"{coverage.answered}/{coverage.planned}"
    return counts if coverage.complete else f"{counts} incomplete"
