"""tiktoken's encoder for any bytes of any length: broken UTF-8 is kept, and what would make tiktoken panic, or take
much memory, is divided first."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.engine.splits import PIECE_SIZE, Split

if TYPE_CHECKING:
    import tiktoken

SMALL_PIECE: Final = 2048
"""Bytes around broken UTF-8, or before a very long chunk, that are split here and not by tiktoken."""

LONG_PIECE: Final = 2 * PIECE_SIZE
"""Bytes from which a piece that cannot be cut is split here. On a million blanks in a row tiktoken's regular
expressions overflow their stack: it panics, and the report goes to stderr past any handler, onto the user's screen."""

WINDOW: Final = 1 << 17
"""Bytes of a very long chunk that are merged at once: tiktoken takes 45 bytes of memory for each."""

OVERLAP: Final = 16
"""Tokens at the end of a window that are given up, since what follows could change them."""

ATTEMPTS: Final = 16
"""Places where the next window may start before the whole chunk is merged at once."""


class BulkEncoder:
    """Ordinary text to ids, through a `tiktoken.Encoding`. `ranks`: token bytes -> id; `split`: one of the GPT splits,
    whose pattern is the encoding's own."""

    def __init__(self, encoding: tiktoken.Encoding, ranks: Mapping[bytes, int], split: Split) -> None:
        self._encoding = encoding
        self._ranks = ranks
        self._split = split

    def encode(self, text: bytes) -> Iterator[array[int]]:
        """The ids of `text`, special strings as plain text, in batches that end where chunks end."""
        for piece in pieces(self._split, text, PIECE_SIZE):
            yield from self._encode_piece(piece)

    def _encode_piece(self, piece: bytes, divide: bool = True) -> Iterator[array[int]]:
        text = _for_tiktoken(piece)
        if text is not None:
            yield array("I", self._encoding.encode_ordinary(text))
        elif divide:
            for part in pieces(self._split, piece, SMALL_PIECE):
                yield from self._encode_piece(part, divide=False)
        else:
            yield self._encode_chunks(piece)

    def _encode_chunks(self, piece: bytes) -> array[int]:
        ids = array("I")
        text = to_text(piece)
        for start, end in self._split.spans(text):
            chunk = to_bytes(text[start:end])
            whole = self._ranks.get(chunk)
            if whole is None:
                ids.extend(self._encode_chunk(chunk))
            else:
                ids.append(whole)
        return ids

    def _encode_chunk(self, chunk: bytes) -> list[int]:
        """The ids of one chunk (not empty); of a very long one window by window.

        Tokens are the encoding of their text if and only if each two neighbours are the encoding of theirs: merges
        inside a region with final borders happen in the same order with and without what lies around it. So two
        windows may be joined where the tokens on both sides of the joint stand together (see the `bpe` crate of
        github/rust-gems)."""
        encode, size = self._encoding._encode_single_piece, self._encoding.decode_single_token_bytes
        ids = encode(chunk[:WINDOW])
        at = WINDOW
        while at < len(chunk):
            end = at
            for attempt in range(ATTEMPTS):
                given_up = 1 if attempt else OVERLAP
                if len(ids) <= given_up:
                    return encode(chunk)
                at -= sum(len(size(i)) for i in ids[-given_up:])
                del ids[-given_up:]
                following = encode(chunk[at : at + WINDOW])
                if encode(size(ids[-1]) + size(following[0])) == [ids[-1], following[0]]:
                    break
            else:
                return encode(chunk)
            ids += following
            at += WINDOW
            if at <= end:
                return encode(chunk)
        return ids


def pieces(split: Split, text: bytes, size: int) -> Iterator[bytes]:
    """`text` in pieces of at least `size` bytes (but the last), cut only where a chunk border is certain."""
    at = 0
    while at < len(text):
        cut = split.safe_cut(text, at + size)
        yield text[at:cut]
        at = len(text) if cut is None else cut


def _for_tiktoken(piece: bytes) -> str | None:
    """The piece as text; None where it is too long, or broken UTF-8."""
    if len(piece) > LONG_PIECE:
        return None
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return None
