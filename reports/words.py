"""How numbers and foreign text are written, the same in every table: per cent with one decimal, an em dash where undefined."""

import unicodedata

from reports.model import Coverage, Score

UNDEFINED = "—"
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
# Emoji of several people or with a skin are held together by these; they do nothing else.
_JOINERS = frozenset("\u200c\u200d")


def percent(score: Score | None) -> str:
    """`41.7`; `41.7 [40.2–43.1]` when the bounds differ at the printed precision; an em dash when undefined."""
    value, ends = value_and_ends(score)
    return f"{value} {ends}" if ends else value


def value_and_ends(score: Score | None, *, signed: bool = False) -> tuple[str, str]:
    """The printed value, and `[low–high]` or "" when they do not differ from it as printed."""
    if score is None:
        return UNDEFINED, ""
    form = "+.1f" if signed else ".1f"
    value = UNDEFINED if score.value is None else _plain_zero(f"{100 * score.value:{form}}")
    low, high = (_plain_zero(f"{100 * end:{form}}") for end in (score.low, score.high))
    return value, "" if low == high == value else f"[{low}–{high}]"


def _plain_zero(text: str) -> str:
    return text.replace("-0.0", "0.0") if text == "-0.0" else text


def covered(coverage: Coverage) -> str:
    """`24/24`, or `22/24 incomplete`."""
    counts = f"{coverage.answered}/{coverage.planned}"
    return counts if coverage.complete else f"{counts} incomplete"


def visible(text: object) -> str:
    """The text with every control, format and bidirectional character shown as its escape; nothing else is changed."""
    return "".join(ascii(c)[1:-1] if unicodedata.category(c) in _UNSAFE and c not in _JOINERS else c for c in str(text))
