"""The part of the shell's language that hosts use: words, quotes, variables, pipes, lists, groups, redirections.

script   = pipeline (("&&" | "||" | ";" | newline) pipeline)*
pipeline = command ("|" command)*
command  = "(" script ")" | "{" script "}" | assignment* word* redirection*
"""

from dataclasses import dataclass, field
from enum import StrEnum

BLANKS = " \t"
ENDERS = " \t\n;&|()<>"


class ShellSyntaxError(Exception):
    """The text is not a script that this shell understands."""


class Kind(StrEnum):
    """What a piece of a word stands for."""

    TEXT = "text"
    VARIABLE = "variable"
    SUBSTITUTION = "substitution"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a word; `quoted` pieces are neither split nor globbed."""

    kind: Kind
    text: str
    quoted: bool


Word = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Redirection:
    """`2> file`, `>> file`, `< file`, `2>&1`. For a copy, `target` is the other descriptor's number."""

    descriptor: int
    mode: str
    target: Word


@dataclass(frozen=True, slots=True)
class Simple:
    """A command with its words, assignments before it and redirections."""

    words: tuple[Word, ...]
    assignments: tuple[tuple[str, Word], ...]
    redirections: tuple[Redirection, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A script in parentheses or braces."""

    script: "Script"
    redirections: tuple[Redirection, ...]


Command = Simple | Group


@dataclass(frozen=True, slots=True)
class Step:
    """A pipeline, and the operator before it that decides whether it runs."""

    operator: str
    commands: tuple[Command, ...]


Script = tuple[Step, ...]


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = 0

    def ahead(self, what: str) -> bool:
        return self.text.startswith(what, self.at)

    def take(self, what: str) -> bool:
        if found := self.ahead(what):
            self.at += len(what)
        return found

    @property
    def char(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip(self, chars: str) -> None:
        while self.char and self.char in chars:
            self.at += 1

    def until(self, end: str) -> str:
        stop = self.text.find(end, self.at)
        if stop < 0:
            raise ShellSyntaxError(f"no closing quote: {end}")
        found, self.at = self.text[self.at : stop], stop + len(end)
        return found


def parse(text: str) -> Script:
    """The script that `text` is. Raises ShellSyntaxError."""
    reader = _Reader(text)
    script = _script(reader, end="")
    if reader.char:
        raise ShellSyntaxError(f"unexpected '{reader.char}'")
    return script


def _script(reader: _Reader, end: str) -> Script:
    steps: list[Step] = []
    operator = ";"
    while True:
        reader.skip(BLANKS + "\n;" if operator == ";" else BLANKS + "\n")
        if not reader.char or (end and reader.ahead(end)):
            return tuple(steps)
        steps.append(Step(operator, _pipeline(reader)))
        reader.skip(BLANKS)
        if reader.take("&&"):
            operator = "&&"
        elif reader.take("||"):
            operator = "||"
        elif reader.take("&"):
            raise ShellSyntaxError("background jobs are not known here")
        elif reader.char and reader.char in ";\n":
            operator = ";"
        else:
            return tuple(steps)


def _pipeline(reader: _Reader) -> tuple[Command, ...]:
    commands = [_command(reader)]
    reader.skip(BLANKS)
    while reader.ahead("|") and not reader.ahead("||"):
        reader.take("|")
        reader.skip(BLANKS + "\n")
        commands.append(_command(reader))
        reader.skip(BLANKS)
    return tuple(commands)


def _command(reader: _Reader) -> Command:
    for start, end in (("(", ")"), ("{ ", "}")):
        if reader.take(start):
            script = _script(reader, end)
            if not reader.take(end):
                raise ShellSyntaxError(f"'{end}' expected")
            return Group(script, _redirections(reader))
    return _simple(reader)


@dataclass(slots=True)
class _Parts:
    words: list[Word] = field(default_factory=list)
    assignments: list[tuple[str, Word]] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)


def _simple(reader: _Reader) -> Simple:
    parts = _Parts()
    while True:
        reader.skip(BLANKS)
        redirection = _redirection(reader)
        if redirection is not None:
            parts.redirections.append(redirection)
        elif not reader.char or reader.char in ENDERS:
            break
        else:
            _add_word(parts, _word(reader))
    if not (parts.words or parts.assignments or parts.redirections):
        raise ShellSyntaxError(f"unexpected '{reader.char or 'end of file'}'")
    return Simple(tuple(parts.words), tuple(parts.assignments), tuple(parts.redirections))


def _add_word(parts: _Parts, word: Word) -> None:
    first = word[0] if word else None
    if not parts.words and first is not None and first.kind is Kind.TEXT and not first.quoted:
        name, equals, rest = first.text.partition("=")
        if equals and name.isidentifier():
            value = (Piece(Kind.TEXT, rest, quoted=False), *word[1:]) if rest else word[1:]
            parts.assignments.append((name, value))
            return
    parts.words.append(word)


def _redirections(reader: _Reader) -> tuple[Redirection, ...]:
    found: list[Redirection] = []
    while True:
        reader.skip(BLANKS)
        redirection = _redirection(reader)
        if redirection is None:
            return tuple(found)
        found.append(redirection)


def _redirection(reader: _Reader) -> Redirection | None:
    digit = 1 if reader.char.isdigit() and reader.text[reader.at + 1 : reader.at + 2] in ("<", ">") else 0
    mark = reader.text[reader.at + digit : reader.at + digit + 2]
    mode = next((mode for mode in (">>", ">&", ">", "<") if mark.startswith(mode)), None)
    if mode is None:
        return None
    descriptor = int(reader.char) if digit else int(mode != "<")
    reader.at += digit + len(mode)
    reader.skip(BLANKS)
    return Redirection(descriptor, mode, _word(reader))


def _word(reader: _Reader) -> Word:
    pieces: list[Piece] = []
    while reader.char and reader.char not in ENDERS:
        if reader.take("'"):
            pieces.append(Piece(Kind.TEXT, reader.until("'"), quoted=True))
        elif reader.take('"'):
            pieces.extend(_double_quoted(reader))
        elif reader.take("\\"):
            pieces.append(Piece(Kind.TEXT, reader.char, quoted=True))
            reader.at += 1
        elif reader.char in "$`":
            pieces.append(_expansion(reader, quoted=False))
        else:
            start = reader.at
            while reader.char and reader.char not in ENDERS + "'\"\\$`":
                reader.at += 1
            pieces.append(Piece(Kind.TEXT, reader.text[start : reader.at], quoted=False))
    return tuple(pieces)


def _double_quoted(reader: _Reader) -> list[Piece]:
    pieces = [Piece(Kind.TEXT, "", quoted=True)]
    while not reader.take('"'):
        if not reader.char:
            raise ShellSyntaxError('no closing quote: "')
        if reader.char in "$`":
            pieces.append(_expansion(reader, quoted=True))
            continue
        if reader.char == "\\" and reader.text[reader.at + 1 : reader.at + 2] in ('"', "\\", "$", "`", "\n"):
            reader.at += 1
        pieces.append(Piece(Kind.TEXT, reader.char, quoted=True))
        reader.at += 1
    return pieces


def _expansion(reader: _Reader, *, quoted: bool) -> Piece:
    if reader.take("`"):
        return Piece(Kind.SUBSTITUTION, reader.until("`"), quoted)
    reader.take("$")
    if reader.take("("):
        return Piece(Kind.SUBSTITUTION, _balanced(reader), quoted)
    if reader.take("{"):
        return Piece(Kind.VARIABLE, reader.until("}"), quoted)
    start = reader.at
    if reader.char and reader.char in "?$#@":
        reader.at += 1
    else:
        while reader.char.isalnum() or reader.char == "_":
            reader.at += 1
    name = reader.text[start : reader.at]
    return Piece(Kind.VARIABLE, name, quoted) if name else Piece(Kind.TEXT, "$", quoted=True)


def _balanced(reader: _Reader) -> str:
    start, depth = reader.at, 1
    while depth:
        if not reader.char:
            raise ShellSyntaxError("')' expected")
        if reader.take("'"):
            reader.until("'")
            continue
        depth += {"(": 1, ")": -1}.get(reader.char, 0)
        reader.at += 1
    return reader.text[start : reader.at - 1]
