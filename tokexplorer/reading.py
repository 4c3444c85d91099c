"""Plain values (of TOML or JSON) -> frozen dataclasses, each value checked against its field's type; and back to JSON.

Text that stands for bytes is kept as text decoded with `surrogateescape`, so it stays readable and loses nothing.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe

T = TypeVar("T")

_WORDS: Final[dict[object, str]] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    bytes: "a text",
    tuple: "a list",
    dict: "a table",
}
_SHOWN: Final = 40
"""Cells that a wrong value takes in a message."""


_HINTS: Final[dict[type, dict[str, Any]]] = {}


def _hints(cls: type) -> dict[str, Any]:
    """The types of a dataclass's fields. Finding them is slow, and there are few dataclasses."""
    hints = _HINTS.get(cls)
    if hints is None:
        hints = _HINTS[cls] = get_type_hints(cls)
    return hints


def read_as(cls: type[T], values: Mapping[str, object], where: str, strict: bool = False) -> T:
    """A dataclass from its fields by name; fields that are not given keep their defaults.

    Fields may be bool, int, float, str, bytes, a StrEnum, tuples, mappings from str, other such dataclasses, one of
    these or None, and `object` for anything. InputError says `where: key: what was expected`; with `strict` also for
    unknown names.
    """
    hints = _hints(cls)
    if strict:
        for name in values:
            if name not in hints:
                raise InputError(f"{where}: {safe(name, _SHOWN)}: there is no such key{_hint(name, hints)}")
    given = {name: take(hints[name], values[name], f"{where}: {name}") for name in hints if name in values}
    for entry in fields(cls):  # type: ignore[arg-type]
        if entry.name not in given and entry.default is MISSING and entry.default_factory is MISSING:
            raise InputError(f"{where}: {entry.name} is missing")
    return cls(**given)


def _hint(name: str, known: Mapping[str, object]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def take(kind: Any, value: object, where: str) -> Any:
    """A value as the type `kind`; InputError says what was expected at `where`."""
    origin = get_origin(kind)
    if kind is object:
        return value
    if origin is Union or origin is types.UnionType:
        return _take_union(kind, value, where)
    if origin is tuple:
        return _take_tuple(get_args(kind), value, where)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _take_mapping(get_args(kind)[1], value, where)
    if is_dataclass(kind):
        return read_as(kind, _table(value, where), where)  # type: ignore[arg-type]
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return _take_name(kind, value, where)
    return _take_plain(kind, value, where)


def _take_union(kind: Any, value: object, where: str) -> Any:
    if value is None and types.NoneType in get_args(kind):
        return None
    (inner,) = [k for k in get_args(kind) if k is not types.NoneType]
    return take(inner, value, where)


def _take_tuple(kinds: tuple[Any, ...], value: object, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _wrong(tuple, value, where)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        if kinds[0] is int and all(type(v) is int for v in value):
            return tuple(value)
        return tuple([take(kinds[0], v, f"{where}, entry {n}") for n, v in enumerate(value, 1)])
    if len(value) != len(kinds):
        raise InputError(f"{where}: expected {len(kinds)} values, found {len(value)}")
    if kinds == (int, int) and type(value[0]) is type(value[1]) is int:
        return tuple(value)
    return tuple([take(k, v, where) for k, v in zip(kinds, value, strict=True)])


def _take_mapping(kind: Any, value: object, where: str) -> dict[str, Any]:
    return {name: take(kind, v, f"{where}.{safe(name, _SHOWN)}") for name, v in _table(value, where).items()}


def _table(value: object, where: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _wrong(dict, value, where)
    return value


def _take_name(kind: type[StrEnum], value: object, where: str) -> StrEnum:
    names = [entry.value for entry in kind]
    if not isinstance(value, str) or value not in names:
        raise InputError(f"{where}: expected one of {', '.join(names)}, found {shown_value(value)}")
    return kind(value)


def _take_plain(kind: Any, value: object, where: str) -> Any:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) < 1 << 53 else math.inf
    if kind is bytes and isinstance(value, str):
        try:
            return to_bytes(value)
        except UnicodeEncodeError as error:
            raise InputError(f"{where}: holds a character that stands for no bytes") from error
    if type(value) is not kind or (isinstance(value, float) and not math.isfinite(value)):
        raise _wrong(kind, value, where)
    return value


def shown_value(value: object) -> str:
    """A value as a message shows it: short and safe."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return safe(f'"{value[:200]}"' if isinstance(value, str) else repr(value), _SHOWN)


def _wrong(kind: Any, value: object, where: str) -> InputError:
    return InputError(f"{where}: expected {_WORDS[kind]}, found {shown_value(value)}")


def to_json(value: object) -> str:
    """A dataclass that `read_as` reads as one line of ASCII JSON."""
    return json.dumps(value, default=_plain, separators=(",", ":"))


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return to_text(value)
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in fields(value)}
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
