"""What the token view shows: a text as bytes, its tokens anywhere in it, and what is marked. Immutable values."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple, Protocol, runtime_checkable


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


class ShownToken(NamedTuple):
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
        """The tokens that overlap [start, end), in order; they tile the text.

        Empty tokens (some tokenizers make them) are given where start <= token.start < end.
        """


@runtime_checkable
class MarkFinder(Protocol):
    """A model that knows where its marked tokens are; others are searched token by token."""

    def find_mark(self, offset: int, forward: bool) -> int | None:
        """The start of the first marked token that starts after `offset`, or of the last one that starts before."""


SEARCHED: Final = 4096
"""Bytes for which tokens are asked at once in the search for a mark."""


def find_mark(model: TokenModel, offset: int, forward: bool) -> int | None:
    """As MarkFinder's, for any model: one that does not know where its marks are is searched token by token."""
    if isinstance(model, MarkFinder):
        return model.find_mark(offset, forward)
    at = offset
    while 0 <= at < model.size:
        start, end = (at, min(model.size, at + SEARCHED)) if forward else (max(0, at - SEARCHED), at)
        tokens = model.tokens(start, end) if start < end else []
        for token in tokens if forward else reversed(tokens):
            if token.mark and (token.start > offset if forward else token.start < offset):
                return token.start
        if not tokens:
            break
        at = tokens[-1].end if forward else tokens[0].start
    return None


class SequenceModel:
    """A text whose tokens are all known: token i has id `ids[i]` and ends at byte `ends[i]`.

    `marks` and `notes` map token indices to marks and notes; `chunk_starts` holds the byte offsets of chunk borders.
    """

    def __init__(
        self,
        text: bytes,
        ids: Sequence[int],
        ends: Sequence[int],
        *,
        marks: Mapping[int, Mark] | None = None,
        notes: Mapping[int, str] | None = None,
        chunk_starts: Container[int] = (),
    ) -> None:
        self._text = text
        self._ids = ids
        self._ends = ends
        self._marks = marks or {}
        self._marked = sorted(index for index, mark in self._marks.items() if mark)
        self._notes = notes or {}
        self._chunk_starts = chunk_starts

    @property
    def size(self) -> int:
        """Bytes of the text."""
        return len(self._text)

    def read(self, start: int, end: int) -> bytes:
        """The bytes [start, end) of the text."""
        return self._text[start:end]

    def tokens(self, start: int, end: int) -> list[ShownToken]:
        """The tokens that overlap [start, end), in order."""
        first = bisect_right(self._ends, start)
        while first and self._ends[first - 1] == start and self._start(first - 1) == start:
            first -= 1
        last = bisect_left(self._ends, end, first) + 1 if end > start else first
        found = [self._token(index) for index in range(first, min(last, len(self._ends)))]
        return [token for token in found if token.start < end]

    def find_mark(self, offset: int, forward: bool) -> int | None:
        """See MarkFinder."""
        marked = self._marked
        if forward:
            at = bisect_right(marked, offset, key=self._start)
            return self._start(marked[at]) if at < len(marked) else None
        at = bisect_left(marked, offset, key=self._start)
        return self._start(marked[at - 1]) if at else None

    def _start(self, index: int) -> int:
        return self._ends[index - 1] if index else 0

    def _token(self, index: int) -> ShownToken:
        start = self._start(index)
        mark = self._marks.get(index, Mark.NONE)
        border = start in self._chunk_starts
        return ShownToken(self._ids[index], start, self._ends[index], mark, border, self._notes.get(index, ""))
