"""Writing: safe text and tables for readers, JSON and bytes for programs, narration on stderr. Nothing else prints.

`engine.glyphs` is imported where it is used: it takes long, and --help has no use for it.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import IO, Any, Final

from tokexplorer.engine.errors import InputError

TOKEN_COLOURS: Final = (153, 157, 223, 219, 229, 195)
"""Backgrounds of the 256-colour palette, light enough for black letters; neighbours never share one."""
BASIC_COLOURS: Final = (46, 42, 43, 45, 47, 106)
"""The same where a terminal has 16 colours."""
RESET: Final = "\x1b[0m"
BATCH: Final = 1000
"""Parts that are written at once."""


def is_terminal(stream: object) -> bool:
    """Whether a stream, which may be closed or absent, is a terminal."""
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return False


def is_utf8(stream: object) -> bool:
    """Whether a stream takes any character; streams without an encoding do."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return codecs.lookup(encoding).name == "utf-8"


def narrate(message: str) -> None:
    """One safe line on stderr; a closed stderr is no error."""
    from tokexplorer.engine.glyphs import safe

    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(safe(message, ascii=not is_utf8(sys.stderr)) + "\n")
        sys.stderr.flush()


class Out:
    """Standard output. `ascii`: it takes nothing else; `colours`: backgrounds for tokens, none but on a terminal."""

    def __init__(self) -> None:
        if sys.stdout is None:
            raise InputError("standard output is closed")
        self._stream = sys.stdout
        self.terminal = is_terminal(self._stream)
        self.ascii = not is_utf8(self._stream)
        self.colours: tuple[str, ...] = ()
        term = os.environ.get("TERM", "")
        if self.terminal and not os.environ.get("NO_COLOR") and term not in ("", "dumb"):
            many = "256" in term or bool(os.environ.get("COLORTERM"))
            codes = [f"38;5;16;48;5;{c}" for c in TOKEN_COLOURS] if many else [f"30;{c}" for c in BASIC_COLOURS]
            self.colours = tuple(f"\x1b[{code}m" for code in codes)

    def show(self, data: bytes | str, limit: int | None = None) -> str:
        """A token as it may be printed here, spaces as stand-ins."""
        from tokexplorer.engine.glyphs import show

        return show(data, limit, self.ascii)

    def safe(self, text: bytes | str) -> str:
        """A sentence as it may be printed here, spaces as they are."""
        from tokexplorer.engine.glyphs import safe

        return safe(text, ascii=self.ascii)

    def line(self, text: str = "") -> None:
        """One line of text that is safe already."""
        self._stream.write(text + "\n")

    def lines(self, lines: Iterable[str]) -> None:
        """Many lines, as `line`."""
        self.write(line + "\n" for line in lines)

    def write(self, parts: Iterable[str]) -> None:
        """Parts of text that is safe already, without line ends; a stream may be unbuffered, so many go at once."""
        parts = iter(parts)
        while batch := "".join(islice(parts, BATCH)):
            self._stream.write(batch)

    def data(self, data: bytes) -> None:
        """Bytes as they are."""
        binary: IO[bytes] | None = getattr(self._stream, "buffer", None)
        if binary is None:
            self._stream.write(data.decode("utf-8", "surrogateescape"))
            return
        self._stream.flush()
        binary.write(data)

    def object(self, head: Mapping[str, Any], key: str = "", rows: Iterable[str] = (), **more: Any) -> None:
        """One JSON object in ASCII: the members of `head`, then the list `key` with its rows (JSON texts), one a line,
        then `more`."""
        members = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in head.items()]
        self._stream.write("{" + ", ".join(members))
        if key:
            self._stream.write(f"{', ' if members else ''}{json.dumps(key)}: [")
            self.write(_list_parts(rows))
        for name, value in more.items():
            self._stream.write(f", {json.dumps(name)}: {json.dumps(value)}")
        self._stream.write("}\n")


def columns(align: str, rows: Sequence[Sequence[str]], heads: Sequence[str] = ()) -> Iterator[str]:
    """Rows of safe text as lines in columns, `<` or `>` for each, under their heads where there are any."""
    from tokexplorer.engine.glyphs import cells

    every = [heads, *rows] if heads else rows
    widths = [max(map(cells, column)) for column in zip(*every)]
    for row in every:
        padding = [" " * (width - cells(text)) for text, width in zip(row, widths)]
        parts = [text + pad if side == "<" else pad + text for text, pad, side in zip(row, padding, align)]
        yield "  ".join(parts).rstrip(" ")


def _list_parts(rows: Iterable[str]) -> Iterator[str]:
    separator = "\n"
    for row in rows:
        yield separator + row
        separator = ",\n"
    yield "]" if separator == "\n" else "\n]"


def text_or_none(data: bytes) -> str | None:
    """Bytes as text for JSON; None where they are not valid UTF-8 alone."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def several(value: int, thing: str) -> str:
    """A number with its noun: `1 token`, `2 tokens`."""
    return f"{value:,} {thing}{'' if value == 1 else 's'}"


def ratio(a: float, b: float) -> str:
    """a / b with two decimals, `-` where b is 0."""
    return f"{a / b:.2f}" if b else "-"
