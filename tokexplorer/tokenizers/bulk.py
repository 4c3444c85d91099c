"""tiktoken's encoder for any bytes of any length: broken UTF-8 is kept, and what would make tiktoken panic, or take
much memory, is divided first."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
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

THREADED: Final = 1 << 20
"""Bytes of text from which on pieces are encoded in threads, while the caller works on those before."""

THREADS: Final = 2

ATTEMPTS: Final = 16
"""Places where the next window may start before the whole chunk is merged at once."""


class BulkEncoder:
    """Ordinary text to ids, through a `tiktoken.Encoding`. `ranks`: token bytes -> id; `split`: one of the GPT splits,
    whose pattern is the encoding's own. `splits_alike` says of a text whether tiktoken's regular expressions are sure
    to cut it as the split does; what they may not is split here."""

    def __init__(
        self,
        encoding: tiktoken.Encoding,
        ranks: Mapping[bytes, int],
        split: Split,
        splits_alike: Callable[[str], bool] = lambda text: True,
    ) -> None:
        self._encoding = encoding
        self._ranks = ranks
        self._split = split
        self._splits_alike = splits_alike

    def encode(self, text: bytes) -> Iterator[array[int]]:
        """The ids of `text`, special strings as plain text, in batches that end where chunks end."""
        parts = pieces(self._split, text, PIECE_SIZE)
        if len(text) < THREADED:
            for piece in parts:
                yield from self._encode_piece(piece)
            return
        with ThreadPoolExecutor(THREADS) as pool:
            ahead = deque(pool.submit(self._encode_whole, piece) for piece in islice(parts, THREADS + 1))
            while ahead:
                found = ahead.popleft().result()
                ahead.extend(pool.submit(self._encode_whole, piece) for piece in islice(parts, 1))
                yield from found

    def _encode_whole(self, piece: bytes) -> list[array[int]]:
        return list(self._encode_piece(piece))

    def _encode_piece(self, piece: bytes, divide: bool = True) -> Iterator[array[int]]:
        text = _for_tiktoken(piece)
        if text is not None and self._splits_alike(text):
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
