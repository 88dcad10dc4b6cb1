"""What commands share in talking: text from queries and files is data, never instructions to a terminal."""

import json
import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from rig.errors import RigError

AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
"""For what a script would read."""

Choice = TypeVar("Choice", bound=StrEnum)

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})
# Files and pipes have no width; the widest table, twelve scores with bounds, takes about 180 columns.
_WIDTH = 200
_FEW = 10
# Emoji of several people or with a skin are held together by these; they do nothing else.
_JOINERS = frozenset("\u200c\u200d")


def inert(text: object) -> str:
    """The text with every control, format and bidirectional character shown as its escape; nothing else is changed."""
    return "".join(ascii(c)[1:-1] if unicodedata.category(c) in _UNSAFE and c not in _JOINERS else c for c in str(text))


def cell(text: object, style: str = "") -> Text:
    """A table cell of inert text, in which square brackets are square brackets."""
    return Text(inert(text), style=style)


def some(ids: Sequence[str]) -> str:
    """How many there are, and the first few."""
    more = f" and {len(ids) - _FEW} more" if len(ids) > _FEW else ""
    return f"{len(ids)}: {inert(', '.join(ids[:_FEW]))}{more}"


def wide_console() -> Console:
    """Stdout for tables: as wide as the terminal, and wide enough for any table where it is none."""
    console = Console()
    return console if console.is_terminal else Console(width=_WIDTH, soft_wrap=False)


def print_json(document: object) -> None:
    """One JSON document on stdout, with nothing that JSON does not know (no NaN)."""
    typer.echo(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))


def choice(choices: type[Choice], said: str, option: str) -> Choice:
    """The member that an option names; RigError with the ones there are."""
    if said not in set(choices):
        raise RigError(f"{option}: expected one of {', '.join(choices)}, found {said!r}")
    return choices(said)
