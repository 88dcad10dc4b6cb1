"""The part of NSPredicate that selectors use.

Comparisons, IN, CONTAINS, BEGINSWITH, ENDSWITH, LIKE, MATCHES, each with [c]; AND, OR, NOT and brackets.
"""

import re
from collections.abc import Callable
from typing import Any

from devices.virtual.ios.wda.elements import XElement
from devices.virtual.ios.wda.errors import WdaError, invalid_selector

Test = Callable[[XElement], bool]

_TOKEN = re.compile(
    r"""\s*(?:(?P<str>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
    r"""|(?P<op>==|!=|>=|<=|<>|&&|\|\||[=<>(){},!])"""
    r"""|(?P<word>[A-Za-z_][\w.]*(?:\[[cd]+\])?)"""
    r"""|(?P<number>-?\d+(?:\.\d+)?))""",
    re.DOTALL,
)
_CONSTANTS: dict[str, Any] = {"true": True, "yes": True, "false": False, "no": False, "nil": None, "null": None}
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    ">": lambda a, b: bool(a > b),
    "<": lambda a, b: bool(a < b),
    ">=": lambda a, b: bool(a >= b),
    "<=": lambda a, b: bool(a <= b),
}


def predicate(text: str) -> Test:
    """The test that a predicate describes. Raises WdaError for what is not one."""
    reader = _Reader(_tokens(text), text)
    test = reader.any_of()
    reader.end()
    return test


def _tokens(text: str) -> list[tuple[str, str]]:
    found, place = [], 0
    text = text.rstrip()
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None or token.lastgroup is None:
            raise invalid_selector(f"Unable to parse the format string {text!r}")
        found.append((token.lastgroup, token[token.lastgroup]))
        place = token.end()
    return found


class _Reader:
    """Reads tokens from left to right."""

    def __init__(self, tokens: list[tuple[str, str]], text: str) -> None:
        self._tokens, self._place, self._text = tokens, 0, text

    def any_of(self) -> Test:
        tests = [self._all_of()]
        while self._next_is("OR", "||"):
            tests.append(self._all_of())
        return tests[0] if len(tests) == 1 else lambda element: any(test(element) for test in tests)

    def end(self) -> None:
        if self._place < len(self._tokens):
            raise self._wrong()

    def _all_of(self) -> Test:
        tests = [self._one()]
        while self._next_is("AND", "&&"):
            tests.append(self._one())
        return tests[0] if len(tests) == 1 else lambda element: all(test(element) for test in tests)

    def _one(self) -> Test:
        if self._next_is("NOT", "!"):
            inner = self._one()
            return lambda element: not inner(element)
        if self._next_is("("):
            inner = self.any_of()
            if not self._next_is(")"):
                raise self._wrong()
            return inner
        kind, word = self._take()
        if kind == "word" and word.lower() in ("truepredicate", "true"):
            return lambda _: True
        if kind == "word" and word.lower() in ("falsepredicate", "false"):
            return lambda _: False
        if kind != "word":
            raise self._wrong()
        operator = self._take()[1].upper()
        return _comparison(word, operator, self._value())

    def _value(self) -> Any:
        kind, text = self._take()
        if kind == "str":
            return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
        if kind == "number":
            return float(text)
        if kind == "word" and text.lower() in _CONSTANTS:
            return _CONSTANTS[text.lower()]
        if text == "{":
            values = []
            while not self._next_is("}"):
                values.append(self._value())
                self._next_is(",")
            return values
        raise self._wrong()

    def _take(self) -> tuple[str, str]:
        if self._place >= len(self._tokens):
            raise self._wrong()
        token = self._tokens[self._place]
        self._place += 1
        return token

    def _next_is(self, *words: str) -> bool:
        token = self._tokens[self._place] if self._place < len(self._tokens) else ("", "")
        if token[0] != "str" and token[1].upper() in words:
            self._place += 1
            return True
        return False

    def _wrong(self) -> WdaError:
        return invalid_selector(f"Unable to parse the format string {self._text!r}")


def _comparison(key: str, operator: str, wanted: Any) -> Test:
    operator, _, flags = operator.partition("[")
    folds = "C" in flags
    if operator not in _OPERATORS and operator not in _TEXTUAL:
        raise invalid_selector(f"unknown operator {operator}")

    def test(element: XElement) -> bool:
        try:
            have = element.attribute(key)
        except KeyError as error:
            raise invalid_selector(f"unknown attribute {key}") from error
        return _holds(operator, _folded(have) if folds else have, _folded(wanted) if folds else wanted)

    return test


def _folded(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def _holds(operator: str, have: Any, wanted: Any) -> bool:
    if isinstance(have, bool) and isinstance(wanted, float):
        wanted = bool(wanted)
    work = _OPERATORS.get(operator)
    if work is not None:
        return work(have, wanted)
    return have is not None and _TEXTUAL[operator](str(have) if operator not in _ORDER else have, wanted)


def _like(have: str, wanted: str) -> bool:
    pattern = re.escape(wanted).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(pattern, have, re.DOTALL) is not None


_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda have, wanted: bool(have == wanted),
    "==": lambda have, wanted: bool(have == wanted),
    "!=": lambda have, wanted: bool(have != wanted),
    "<>": lambda have, wanted: bool(have != wanted),
    "IN": lambda have, wanted: have in wanted,
}
_TEXTUAL: dict[str, Callable[[Any, Any], bool]] = {
    **_ORDER,
    "CONTAINS": lambda have, wanted: str(wanted) in have,
    "BEGINSWITH": lambda have, wanted: have.startswith(str(wanted)),
    "ENDSWITH": lambda have, wanted: have.endswith(str(wanted)),
    "LIKE": lambda have, wanted: _like(have, str(wanted)),
    "MATCHES": lambda have, wanted: re.fullmatch(str(wanted), have, re.DOTALL) is not None,
}
