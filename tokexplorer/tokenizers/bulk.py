"""tiktoken's encoder for any bytes: broken UTF-8 is kept, and what would make tiktoken panic goes another way."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.engine.splits import PIECE_SIZE, Split

if TYPE_CHECKING:
    import tiktoken

BROKEN_PIECE: Final = 2048
"""Bytes around broken UTF-8 that are split here and not by tiktoken."""

BLANK_BLOCK: Final = 250_000
"""A run of white space of twice this many characters always fills one such block. From a million on, tiktoken's regular
expressions overflow their stack: it panics, and the report goes to stderr past any handler, onto the user's screen."""


class BulkEncoder:
    """Ordinary text to ids, through a `tiktoken.Encoding`. `ranks`: token bytes -> id; `split`: a split whose pattern
    is the encoding's own."""

    def __init__(self, encoding: tiktoken.Encoding, ranks: Mapping[bytes, int], split: Split) -> None:
        self._encoding = encoding
        self._ranks = ranks
        self._split = split

    def encode(self, text: bytes) -> Iterator[array[int]]:
        """The ids of `text`, special strings as plain text, in batches that end where chunks end."""
        for piece in pieces(self._split, text, PIECE_SIZE):
            yield from self._encode_piece(piece)

    def _encode_piece(self, piece: bytes, divide: bool = True) -> Iterator[array[int]]:
        try:
            text = piece.decode()
        except UnicodeDecodeError:
            if not divide:
                yield self._encode_chunks(piece)
                return
            for part in pieces(self._split, piece, BROKEN_PIECE):
                yield from self._encode_piece(part, divide=False)
        else:
            yield self._encode_chunks(piece) if _long_blank(text) else self._encode_valid(text)

    def _encode_valid(self, text: str) -> array[int]:
        # The buffer has four bytes a token, a list of Python's ints would have forty.
        ids = array("I")
        ids.frombytes(memoryview(self._encoding._core_bpe.encode_to_tiktoken_buffer(text, set())).cast("B"))
        return ids

    def _encode_chunks(self, piece: bytes) -> array[int]:
        ids = array("I")
        text = to_text(piece)
        for start, end in self._split.spans(text):
            chunk = to_bytes(text[start:end])
            whole = self._ranks.get(chunk)
            if whole is None:
                ids.extend(self._encoding._encode_single_piece(chunk))
            else:
                ids.append(whole)
        return ids


def pieces(split: Split, text: bytes, size: int) -> Iterator[bytes]:
    """`text` in pieces of at least `size` bytes (but the last), cut only where a chunk border is certain."""
    at = 0
    while at < len(text):
        cut = split.safe_cut(text, at + size)
        yield text[at:cut]
        at = len(text) if cut is None else cut


def _long_blank(text: str) -> bool:
    return any(text[i : i + BLANK_BLOCK].isspace() for i in range(0, len(text) - BLANK_BLOCK + 1, BLANK_BLOCK))
