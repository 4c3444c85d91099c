"""Reading typed values out of TOML tables; every error names the file and the key."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any, Final

from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe

_NAMES: Final[dict[type, str]] = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


class Table:
    """A TOML table at a place in a file. What was not asked for by the time of `finish` is an error."""

    def __init__(self, file: str, path: str, data: Mapping[str, Any]) -> None:
        self.file = file
        self.path = path
        self._data = data
        self._asked: set[str] = set()

    def place(self, key: str = "") -> str:
        """File and key, as errors name them."""
        path = f"{self.path}.{key}" if self.path and key else self.path or key
        return f"{self.file}: {path}" if path else self.file

    def fail(self, key: str, reason: str) -> InputError:
        """The error for a key."""
        return InputError(f"{self.place(safe(key))}: {reason}")

    def has(self, key: str) -> bool:
        """Whether a key is there."""
        return key in self._data

    def get(self, key: str, kind: type, required: bool = False) -> Any:
        """The value of a key in a type, None where it is not there. InputError on another type."""
        self._asked.add(key)
        if key not in self._data:
            if required:
                raise self.fail(key, "is missing")
            return None
        value = self._data[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.fail(key, f"must be {_NAMES[kind]}")
        return value

    def any(self, key: str) -> Any:
        """The value of a key that must be there, of any type."""
        self._asked.add(key)
        if key not in self._data:
            raise self.fail(key, "is missing")
        return self._data[key]

    def text(self, key: str, required: bool = False) -> str | None:
        """A text."""
        value: str | None = self.get(key, str, required)
        return value

    def need_text(self, key: str) -> str:
        """A text that must be there and may not be empty."""
        value = self.text(key, required=True)
        if not value or not value.strip():
            raise self.fail(key, "is empty")
        return value

    def one_of(self, key: str, allowed: Collection[str]) -> str | None:
        """A text out of some."""
        value = self.text(key)
        if value is not None and value not in allowed:
            raise self.fail(key, f"{safe(value)} is none of {', '.join(sorted(allowed))}")
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of texts."""
        values = self.get(key, list)
        if values is None:
            return None
        if not all(isinstance(value, str) for value in values):
            raise self.fail(key, "must be a list of texts")
        return tuple(values)

    def number(self, key: str, lowest: int = 0) -> int | None:
        """A whole number from `lowest` on."""
        value: int | None = self.get(key, int)
        if value is not None and value < lowest:
            raise self.fail(key, f"must be at least {lowest}")
        return value

    def table(self, key: str) -> Table | None:
        """A table within this one."""
        value = self.get(key, dict)
        return None if value is None else Table(self.file, self._below(key), value)

    def tables(self, key: str) -> list[Table]:
        """A list of tables, empty where the key is not there; they count from 1 in messages."""
        values = self.get(key, list) or []
        if not all(isinstance(value, dict) for value in values):
            raise self.fail(key, "must be a list of tables")
        return [Table(self.file, f"{self._below(key)}[{n}]", value) for n, value in enumerate(values, 1)]

    def named_tables(self, key: str) -> dict[str, Table]:
        """A table of tables by name."""
        found = self.table(key)
        if found is None:
            return {}
        names = list(found.keys())
        return {name: found.need_table(name) for name in names}

    def need_table(self, key: str) -> Table:
        """A table that must be there."""
        self.get(key, dict, required=True)
        found = self.table(key)
        assert found is not None
        return found

    def keys(self) -> Collection[str]:
        """All keys."""
        return self._data.keys()

    def rest(self) -> dict[str, Any]:
        """What has not been asked for, all of which counts as asked for from here on."""
        found = {key: value for key, value in self._data.items() if key not in self._asked}
        self._asked.update(found)
        return found

    def finish(self, *also: str) -> None:
        """InputError on a key that nobody asked for; `also` are others that would have been allowed."""
        known = sorted(self._asked | set(also))
        for key in self._data:
            if key not in self._asked:
                near = get_close_matches(key, known, n=1)
                raise self.fail(key, f"is not known here; did you mean {near[0]}?" if near else "is not known here")

    def _below(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key
