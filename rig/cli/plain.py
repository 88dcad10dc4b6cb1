"""Text from queries and files on a terminal: data, never instructions to it."""

import unicodedata

from rich.text import Text

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})
# Emoji of several people or with a skin are held together by these; they do nothing else.
_JOINERS = frozenset("\u200c\u200d")


def inert(text: object) -> str:
    """The text with every control, format and bidirectional character shown as its escape; nothing else is changed."""
    return "".join(ascii(c)[1:-1] if unicodedata.category(c) in _UNSAFE and c not in _JOINERS else c for c in str(text))


def cell(text: object, style: str = "") -> Text:
    """A table cell of inert text, in which square brackets are square brackets."""
    return Text(inert(text), style=style)
