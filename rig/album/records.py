"""One JSON object from outside, read field by field: each complaint names the file, the place in it, and what was expected."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn, TypeVar

from rig.errors import RigError

Choice = TypeVar("Choice", bound=StrEnum)
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON object and where it stands; every reader raises RigError on a missing or ill-typed field."""

    fields: dict[str, Any]
    place: str

    @property
    def keys(self) -> tuple[str, ...]:
        """The object's keys, in file order."""
        return tuple(self.fields)

    def text(self, key: str) -> str:
        """A string."""
        value = self._required(key)
        if not isinstance(value, str):
            self._complain(key, "a string", value)
        return value

    def optional_text(self, key: str) -> str | None:
        """A string, or None when null or absent."""
        return None if self.fields.get(key) is None else self.text(key)

    def number(self, key: str) -> float:
        """A finite number; true and false are none."""
        value = self._required(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self._complain(key, "a number", value)
        return value

    def optional_number(self, key: str) -> float | None:
        """A finite number, or None when null or absent."""
        return None if self.fields.get(key) is None else self.number(key)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings."""
        value = self._required(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._complain(key, "a list of strings", value)
        return tuple(value)

    def records(self, key: str, *, optional: bool = False) -> tuple["Record", ...]:
        """A list of objects; empty when absent and `optional`."""
        value = self.fields.get(key, []) if optional else self._required(key)
        if not isinstance(value, list):
            self._complain(key, "a list", value)
        return tuple(record_of(item, f"{self.place}: {key}[{number}]") for number, item in enumerate(value))

    def record(self, key: str, *, optional: bool = False) -> "Record":
        """An object; empty when absent and `optional`."""
        return record_of(self.fields.get(key, {}) if optional else self._required(key), f"{self.place}: {key}")

    def choice(self, key: str, choices: type[Choice]) -> Choice:
        """One of a StrEnum's values."""
        value = self.text(key)
        if value not in set(choices):
            self._complain(key, f"one of {', '.join(choices)}", value)
        return choices(value)

    def choice_of_key(self, key: str, choices: type[Choice]) -> Choice:
        """The StrEnum member that `key` itself names."""
        if key not in set(choices):
            raise RigError(f"{self.place}: the key {key!r} is none of {', '.join(choices)}")
        return choices(key)

    def parsed(self, key: str, parse: Callable[[str], Value]) -> Value:
        """A string run through `parse`, whose ValueError becomes the complaint."""
        value = self.text(key)
        try:
            return parse(value)
        except ValueError as error:
            raise RigError(f"{self.place}: {key} cannot be understood: {error}") from error

    def _required(self, key: str) -> Any:
        if key not in self.fields:
            raise RigError(f"{self.place}: {key} is missing")
        return self.fields[key]

    def _complain(self, key: str, expected: str, found: object) -> NoReturn:
        raise RigError(f"{self.place}: {key} must be {expected}, found {found!r:.60}")


def record_of(value: object, place: str) -> Record:
    """`value` as a Record; RigError when it is no JSON object."""
    if not isinstance(value, dict):
        raise RigError(f"{place} must be an object, found {type(value).__name__}")
    return Record(value, place)
