"""Texts to look at: documents as one run of bytes, their tokens at any place, and how many there are in all."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import accumulate
from typing import Final

from tokexplorer.engine.corpus import Cancelled, Document, TextDocument
from tokexplorer.engine.splits import Split
from tokexplorer.tokenizers.base import Encoded, SpecialMode, Tokenizer

VIEW_PIECE: Final = 4096
"""Bytes of text that are encoded at once for looking at."""
BULK_PIECE: Final = 1 << 16
"""Bytes of text that are encoded at once for counting."""


class Text:
    """Documents after each other, without a gap; no chunk crosses a border. Immutable but for what it remembers."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = tuple(documents)
        self.offsets = (0, *accumulate(d.size for d in documents))
        self._starts: dict[tuple[str, int], array[int]] = {}

    @classmethod
    def of(cls, name: str, data: bytes) -> Text:
        """A text in memory."""
        return cls([TextDocument(name, data)])

    @property
    def size(self) -> int:
        """Bytes in all."""
        return self.offsets[-1]

    def document_at(self, offset: int) -> int:
        """The number of the document that holds byte `offset`."""
        return min(max(bisect_right(self.offsets, offset) - 1, 0), len(self.documents) - 1)

    def read(self, start: int, end: int) -> bytes:
        """The bytes [start, end)."""
        parts = []
        start, end = max(0, start), min(end, self.size)
        while start < end:
            number = self.document_at(start)
            base, stop = self.offsets[number], min(end, self.offsets[number + 1])
            parts.append(self.documents[number].read(start - base, stop - base))
            start = stop
        return b"".join(parts)

    def find(self, what: bytes, start: int) -> int | None:
        """The byte offset of the next place of `what` at or after `start`, from the beginning again; None: nowhere."""
        for first, last in ((start, self.size), (0, min(self.size, start + len(what)))):
            at = first
            while at < last:
                found = self.read(at, at + BULK_PIECE + len(what)).find(what)
                if found >= 0:
                    return at + found
                at += BULK_PIECE
        return None

    def pieces(self, split: Split | None, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The pieces that overlap bytes [start, end): cut where a chunk border is certain, so that encoding piece by
        piece equals encoding the whole. Without a known split a document is one piece."""
        end = min(end, self.size)
        start = max(0, start)
        while start < end:
            number = self.document_at(start)
            base, size = self.offsets[number], self.documents[number].size
            starts = self._piece_starts(split, number, min(end - base, size))
            at = bisect_right(starts, start - base) - 1
            while at + 1 < len(starts) and base + starts[at] < end:
                yield base + starts[at], base + starts[at + 1]
                at += 1
            start = base + starts[at]

    def _piece_starts(self, split: Split | None, number: int, until: int) -> array[int]:
        """The starts of the pieces of a document at least up to byte `until`, the end of the last one included."""
        key = (split.pattern if split is not None else "", number)
        starts = self._starts.get(key)
        if starts is None:
            starts = self._starts[key] = array("q", (0,))
        document = self.documents[number]
        while starts[-1] < until:
            starts.append(_next_cut(document, split, starts[-1]))
        return starts


def _next_cut(document: Document, split: Split | None, at: int) -> int:
    """The end of the piece that starts at byte `at`."""
    want = 2 * VIEW_PIECE
    while split is not None:
        data = document.read(at, at + want)
        cut = split.safe_cut(data, VIEW_PIECE)
        if cut is not None:
            return at + cut
        if at + want >= document.size:
            break
        want *= 4
    return document.size


def _encode_piece(text: Text, tokenizer: Tokenizer, special: SpecialMode, start: int, end: int) -> Encoded:
    return tokenizer.encode(text.read(start, end), special)


class TokenizedText:
    """A text through a tokenizer: the tokens of any part of it, piece by piece, remembered. Immutable to look at."""

    def __init__(self, text: Text, tokenizer: Tokenizer, special: SpecialMode = SpecialMode.TEXT) -> None:
        self.text = text
        self.tokenizer = tokenizer
        self.special = special
        # Remembered without a reference to itself, so that it goes as soon as the next one is looked at.
        self.encode_piece = lru_cache(maxsize=128)(partial(_encode_piece, text, tokenizer, special))

    def pieces(self, start: int, end: int) -> Iterator[tuple[int, Encoded]]:
        """(start in bytes, its tokens) of each piece that overlaps [start, end)."""
        for a, b in self.text.pieces(self.tokenizer.split, start, end):
            yield a, self.encode_piece(a, b)

    def count(
        self,
        on_progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> int:
        """How many tokens the whole text has. Raises Cancelled where `should_stop` says so."""
        total, begin, stop = 0, 0, 0
        size = self.text.size
        for a, b in self.text.pieces(self.tokenizer.split, 0, size):
            if stop - begin >= BULK_PIECE or self._borders(a):
                total += self._count(begin, stop)
                begin = a
                if on_progress is not None:
                    on_progress(a, size)
                if should_stop is not None and should_stop():
                    raise Cancelled
            stop = b
        return total + self._count(begin, stop)

    def _borders(self, offset: int) -> bool:
        return offset in self.text.offsets

    def _count(self, start: int, end: int) -> int:
        return len(self.tokenizer.encode(self.text.read(start, end), self.special)) if start < end else 0
