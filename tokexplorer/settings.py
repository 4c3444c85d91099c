"""The user's preferences, read from a TOML file; what the file does not say has a default."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tokexplorer import paths
from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe
from tokexplorer.engine.splits import compile_split
from tokexplorer.engine.ties import TieRule
from tokexplorer.reading import read_as, shown_value
from tokexplorer.terminal import ColorChoice

if TYPE_CHECKING:
    from tokexplorer.session import Settings

LARGEST: Final = 64 * 1024
"""Bytes that a settings file may have."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a user may set once for all. None means the program's own default."""

    theme: str | None = None
    colors: ColorChoice = ColorChoice.AUTO
    ascii: bool = False
    low_bandwidth: bool = False
    mouse: bool = True
    split: str = "gpt2"
    """a name or a pattern"""
    alphabet: AlphabetKind = AlphabetKind.BYTES
    ties: TieRule = TieRule.FIRST
    target: int | None = None
    """a vocabulary size"""
    min_count: int = 1
    price_per_million: float | None = None
    """of a million tokens, in any currency"""
    model_dimension: int | None = None
    """numbers in an embedding"""
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """action id -> its keys, by the names that Textual gives them"""

    def training(self) -> Settings:
        """The settings of training that a new session starts from."""
        from tokexplorer.session import Settings

        return Settings(
            alphabet=self.alphabet, split=self.split, ties=self.ties, min_count=self.min_count, target=self.target
        )

    def keymap(self) -> dict[str, str]:
        """The keys as Textual's `set_keymap` takes them: binding id -> keys with commas between them."""
        return {action: ",".join(keys) for action, keys in self.keys.items()}


_LONG_NAMES: Final = {",": "comma", " ": "space"}
_LOWEST: Final = {"target": 1, "min_count": 1, "price_per_million": 0, "model_dimension": 1}


def load(path: str | Path | None = None) -> Preferences:
    """The preferences of a file, the user's own where None; defaults where that file does not exist.

    InputError names the file and the key, or the line of a syntax error; also where a file that was named is missing.
    """
    file = Path(path) if path is not None else paths.config_file()
    where = safe(str(file))
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST + 1)
    except FileNotFoundError as error:
        if path is None:
            return Preferences()
        raise InputError(f"{where}: no such file") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{where}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(data) > LARGEST:
        raise InputError(f"{where}: is larger than {LARGEST // 1024} kB, so it is no settings file")
    return parse(data, where)


def parse(data: bytes, where: str) -> Preferences:
    """The preferences of a file's bytes; `where` is its name in messages."""
    try:
        values = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{where}, line {line}: is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(_syntax(where, str(error), data)) from error
    except RecursionError as error:
        raise InputError(f"{where}: is nested too deep") from error
    if "keys" in values:
        values["keys"] = _keys(values["keys"], f"{where}: keys")
    preferences = read_as(Preferences, values, where, strict=True)
    for name, lowest in _LOWEST.items():
        value = getattr(preferences, name)
        if value is not None and value < lowest:
            raise InputError(f"{where}: {name}: expected {lowest} or more, found {shown_value(value)}")
    try:
        compile_split(preferences.split)
    except InputError as error:
        raise InputError(f"{where}: split: {error}") from error
    return preferences


def _syntax(where: str, message: str, data: bytes) -> str:
    """tomllib's message with its place in front."""
    found = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", message, re.DOTALL)
    if found is None:
        return f"{where}: {safe(message)}"
    line = found[2] or data.rstrip().count(b"\n") + 1
    return f"{where}, line {line}: {safe(found[1][:1].lower() + found[1][1:])}"


def _keys(table: object, where: str) -> object:
    """The key map with a list of long key names for each action; what is no table is left for the reader to refuse."""
    if not isinstance(table, dict):
        return table
    return {action: _keys_of(value, f"{where}.{safe(action, 40)}") for action, value in table.items()}


def _keys_of(value: object, where: str) -> list[str]:
    keys = [value] if isinstance(value, str) else value
    if not isinstance(keys, list) or not keys:
        raise InputError(f"{where}: expected a key or a list of keys, found {shown_value(value)}")
    named: list[str] = []
    for key in keys:
        long = _LONG_NAMES.get(key, key) if isinstance(key, str) else ""
        if not long or not long.isprintable() or " " in long or "," in long:
            raise InputError(f"{where}: {shown_value(key)} is not a key; write one key, or a list of keys")
        named.append(long)
    return named


def check_keys(preferences: Preferences, actions: Iterable[str], where: str = "keys") -> None:
    """InputError where the key map names an action that does not exist, or gives one key to two actions."""
    known = list(actions)
    taken: dict[str, str] = {}
    settings = Preferences.__dataclass_fields__
    for action, keys in preferences.keys.items():
        if action not in known:
            near = get_close_matches(action, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            if action in settings:
                hint = "; settings stand above the line [keys]"
            raise InputError(f"{where}: {safe(action, 40)}: there is no such action{hint}")
        for key in keys:
            if taken.setdefault(key, action) != action:
                raise InputError(f"{where}: {action}: the key {safe(key, 40)} is also given to {taken[key]}")


def example() -> str:
    """A settings file with every setting at its default, commented out and explained."""
    return _EXAMPLE


_EXAMPLE: Final = """\
# Settings of tokexplorer. Take away the "# " before a line to change it.

# The look: "tokexplorer-dark", "tokexplorer-light", or "ansi-dark" for the terminal's own colours.
# theme = "tokexplorer-dark"

# Colours: "auto", "true", "256", "16" or "none". The variable NO_COLOR means "none" where this is "auto".
# colors = "auto"

# Borders and stand-ins of ASCII only.
# ascii = false

# No animation and at most two frames a second, for slow links.
# low_bandwidth = false

# Mouse reports. Without them the terminal's own selection works.
# mouse = true

# How text is cut into chunks before merging: "gpt2", "cl100k", "o200k", "none", "lines", "words", or a pattern.
# split = "gpt2"

# Base symbols: "bytes", "chars" or "words" (characters, each word ending in </w>).
# alphabet = "bytes"

# Which of several pairs with the highest count wins: "first" (first in the text) or "lowest" (lowest ids).
# ties = "first"

# The vocabulary size at which a run stops. Without it, one that suits the text.
# target = 5000

# Pairs with a lower count are not merged.
# min_count = 1

# For the budget: the price of a million tokens, and the numbers in one embedding.
# price_per_million = 2.5
# model_dimension = 768

# Your own keys: an action's id and its key, or a list of keys. The help screen shows the ids.
# This part stands at the end of the file.
# [keys]
# step = ["s", "space"]
# quit = "q"
"""
