"""TOML tables into frozen dataclasses: every key known, every value of its type, or one sentence that says where not."""

import dataclasses
import difflib
import types
import typing
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar, cast

T = TypeVar("T")


class TableError(ValueError):
    """A table has a key or value that does not fit. The message names it and the nearest right one."""


def build(kind: type[T], table: Mapping[str, Any], where: str) -> T:
    """An instance of the dataclass `kind` made of `table`. Raises TableError."""
    hints = typing.get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(cast(Any, kind))]
    for key in table:
        if key not in names:
            near = difflib.get_close_matches(key, names, n=1)
            raise TableError(f"{where}: unknown key {key!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    values = {key: _value(hints[key], value, f"{where}.{key}") for key, value in table.items()}
    try:
        return kind(**values)
    except TypeError as error:
        raise TableError(f"{where}: {error}") from error


def changed(value: T, changes: Mapping[str, Any], where: str) -> T:
    """`value`, a dataclass, with some fields replaced. Raises TableError."""
    part = build(type(value), changes, where)
    return cast(T, dataclasses.replace(cast(Any, value), **{name: getattr(part, name) for name in changes}))


def _value(hint: Any, value: Any, where: str) -> Any:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return _value(next(part for part in typing.get_args(hint) if part is not types.NoneType), value, where)
    if origin is tuple:
        return _tuple(typing.get_args(hint), value, where)
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, dict):
            raise TableError(f"{where}: expected a table, found {value!r}")
        return build(cast("type[Any]", hint), value, where)
    return _scalar(hint, value, where)


def _tuple(parts: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise TableError(f"{where}: expected a list, found {value!r}")
    kinds = [parts[0]] * len(value) if len(parts) == 2 and parts[1] is Ellipsis else list(parts)
    if len(kinds) != len(value):
        raise TableError(f"{where}: expected {len(kinds)} values, found {len(value)}")
    return tuple(_value(kind, item, f"{where}[{index}]") for index, (kind, item) in enumerate(zip(kinds, value, strict=True)))


def _scalar(hint: Any, value: Any, where: str) -> Any:
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        try:
            return hint(value)
        except ValueError as error:
            raise TableError(f"{where}: expected one of {', '.join(hint)}, found {value!r}") from error
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not hint:
        raise TableError(f"{where}: expected {hint.__name__}, found {value!r}")
    return value
