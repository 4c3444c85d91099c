"""What is saved of a session, and its form on disk: a line of JSON with the heading, and one with all the rest."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from zlib import compress, decompressobj
from zlib import error as ZlibError

from tokexplorer import __version__
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe
from tokexplorer.reading import read_as, to_json
from tokexplorer.session import Settings

VERSION: Final = 1
"""The version of the form on disk. It changes only when an older program would misread it: fields may be added without,
since unknown ones are passed over and missing ones have defaults."""

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SavedDocument:
    """A text that was open: a file by its absolute `path`, or else the text itself, `packed`."""

    name: str
    size: int
    """bytes"""
    sha256: str
    path: str | None = None
    modified: int = 0
    """the file's time of change in nanoseconds, 0 where it is not known"""
    packed: str | None = None
    """the bytes, through zlib and base64"""

    def unpacked(self) -> bytes:
        """The bytes of a packed text. InputError where they are not what was packed."""
        try:
            unpacker = decompressobj()
            data = unpacker.decompress(b64decode(self.packed or "", validate=True), self.size + 1)
        except (ValueError, ZlibError) as error:
            raise InputError(f"{safe(self.name)}: the saved text is broken ({error})") from error
        if len(data) != self.size:
            raise InputError(f"{safe(self.name)}: the saved text is broken (not {self.size:,} bytes)")
        return data


def pack(data: bytes) -> str:
    """Bytes in the form of `SavedDocument.packed`."""
    return b64encode(compress(data, 1)).decode("ascii")


@dataclass(frozen=True, slots=True)
class SavedBranch:
    """A branch: its merges in order and the tokens in the corpus after each. Of the branch that the session stands on
    both are empty, since the session has them."""

    name: str
    pairs: tuple[Pair, ...]
    tokens: tuple[int, ...] = ()
    parent: str = ""
    """the branch that it left, at step `start`; empty for the main line, as a name is"""
    start: int = 0
    step: int = 0
    """where the user stood on it last"""


@dataclass(frozen=True, slots=True)
class SavedSession:
    """All that brings a session back. `pairs` are all known merges, `step` of them made; `chosen` lists the steps at
    which the user took another pair than the winner. `position` maps a pane to its cursor; `extra` holds plain values
    (texts, numbers, lists, tables) of whoever needs more."""

    documents: tuple[SavedDocument, ...] = ()
    settings: Settings = field(default_factory=Settings)
    word_counts: bool | None = None
    step: int = 0
    pairs: tuple[Pair, ...] = ()
    chosen: tuple[int, ...] = ()
    branches: tuple[SavedBranch, ...] = ()
    branch: str = ""
    """the name of the branch that the session stands on"""
    probe: bytes | None = None
    watches: tuple[str, ...] = ()
    tokenizer: str = ""
    position: Mapping[str, int] = field(default_factory=dict)
    theme: str | None = None
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Heading:
    """The first line of a session's file: enough to list it without reading the rest. Times are UTC, ISO 8601."""

    version: int
    program: str = __version__
    created: str = ""
    updated: str = ""
    clean_end: bool = False
    """whether the program ended as it should"""
    step: int = 0
    names: tuple[str, ...] = ()
    """of the documents"""


HEADING_LIMIT: Final = 1 << 20
"""Bytes that a heading may have."""
_NAMES: Final = 20
"""Documents that a heading names."""


class Unreadable(InputError):
    """The bytes are no saved session, or a broken one: the file may be set aside."""


def heading_for(session: SavedSession, created: str, updated: str, clean_end: bool) -> Heading:
    """The heading of a session that is about to be written."""
    names = tuple(d.name for d in session.documents[:_NAMES])
    return Heading(VERSION, __version__, created, updated, clean_end, session.step, names)


def to_file(heading: Heading, session: SavedSession) -> bytes:
    """The content of a session's file."""
    return f"{to_json(heading)}\n{to_json(session)}\n".encode("ascii")


def with_clean_end(data: bytes, where: str) -> bytes:
    """The same file, but ended as it should."""
    line, _, rest = data.partition(b"\n")
    heading = replace(heading_from(line, where), clean_end=True)
    return to_json(heading).encode("ascii") + b"\n" + rest


def heading_from(line: bytes, where: str) -> Heading:
    """The heading from the first line of a file. Unreadable where it is none; InputError where a newer program wrote
    it, whose file must be left as it is."""
    values = _object(line, where)
    version = values.get("version")
    if type(version) is not int or version < 1:
        raise Unreadable(f"{where}: is not a saved session")
    if version > VERSION:
        program = safe(str(values.get("program", "")), 20)
        raise InputError(
            f"{where}: was saved by a newer tokexplorer ({program}, form {version}; this one reads {VERSION}); "
            "it is left as it is"
        )
    try:
        return read_as(Heading, values, where)
    except InputError as error:
        raise Unreadable(str(error)) from error


def session_from(data: bytes, where: str) -> tuple[Heading, SavedSession]:
    """A whole file. Raises what `heading_from` raises."""
    first, _, rest = data.partition(b"\n")
    heading = heading_from(first, where)
    if not rest.endswith(b"\n"):
        raise Unreadable(f"{where}: is cut off")
    try:
        session = read_as(SavedSession, _object(rest, where), where)
    except InputError as error:
        raise Unreadable(str(error)) from error
    if session.step < 0 or (session.pairs and session.step > len(session.pairs)):
        raise Unreadable(f"{where}: step {session.step} is beyond the {len(session.pairs)} saved merges")
    return heading, session


def _object(line: bytes, where: str) -> dict[str, object]:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{where}: is not a saved session, or broken ({safe(str(error), 80)})") from error
    if not isinstance(values, dict):
        raise Unreadable(f"{where}: is not a saved session")
    return values
