"""How numbers are written, the same in every table: per cent with one decimal, an em dash where undefined."""

from reports.model import Coverage, Score

UNDEFINED = "—"


def percent(score: Score | None) -> str:
    """`41.7`; `41.7 [40.2–43.1]` when the bounds differ at the printed precision; an em dash when undefined."""
    if score is None:
        return UNDEFINED
    value = UNDEFINED if score.value is None else f"{100 * score.value:.1f}"
    low, high = f"{100 * score.low:.1f}", f"{100 * score.high:.1f}"
    return value if low == high == value else f"{value} [{low}–{high}]"


def covered(coverage: Coverage) -> str:
    """`24/24`, or `22/24 incomplete`."""
    counts = f"{coverage.answered}/{coverage.planned}"
    return counts if coverage.complete else f"{counts} incomplete"
