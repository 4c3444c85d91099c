"""What the token view shows: a text as bytes, its tokens anywhere in it, and what is marked. Immutable values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Mark(StrEnum):
    """Why a token stands out."""

    NONE = ""
    NEXT = "next"
    """part of a place where the next winner (or the pair that was looked up) stands"""
    MADE = "made"
    """what the last merge made"""
    SPECIAL = "special"
    """a special token"""
    UNKNOWN = "unknown"
    """`<unk>`, [UNK]: the text was not in the vocabulary"""
    DIFFERS = "differs"
    """its borders differ from those of another tokenizer"""


@dataclass(frozen=True, slots=True)
class ShownToken:
    """One token to show: span [start, end) in bytes of the text; `chunk_start`: a chunk border lies before it."""

    id: int
    start: int
    end: int
    mark: Mark = Mark.NONE
    chunk_start: bool = False
    note: str = ""


class TokenModel(Protocol):
    """A text and its tokens. Cheap to ask for any part of it, whatever its size; equal questions, equal answers."""

    @property
    def size(self) -> int:
        """Bytes of the text."""

    def read(self, start: int, end: int) -> bytes:
        """The bytes [start, end) of the text."""

    def tokens(self, start: int, end: int) -> Sequence[ShownToken]:
        """The tokens that overlap [start, end), in order; they tile the text."""
