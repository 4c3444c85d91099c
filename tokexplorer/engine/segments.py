"""A chunk cut into pieces: the value that every encoder of pieces returns, and the words for what is unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Segment:
    """One token of a chunk: its id and its span [start, end) in symbols of the chunk (characters, or bytes where the
    alphabet is bytes). `unknown` says why it is not an ordinary token; empty for ordinary ones."""

    id: int
    start: int
    end: int
    unknown: str = ""


class Encoder(Protocol):
    """An immutable vocabulary that cuts chunks."""

    def encode(self, chunk: str) -> tuple[Segment, ...]:
        """The tokens of a chunk; their spans tile it."""


def name_character(char: str) -> str:
    """How a reason names a character: `character U+00E9`, or `byte 0xFF` for a byte that is not valid UTF-8."""
    point = ord(char)
    return f"byte 0x{point - 0xDC00:02X}" if 0xDC80 <= point <= 0xDCFF else f"character U+{point:04X}"
