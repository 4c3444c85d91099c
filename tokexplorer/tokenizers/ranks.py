"""The embedded vocabularies: their packed form (a pair of parents per token), written and read back to ranks.

A packed file is: `bpe1`, the 256 single bytes in id order, the number of merges (4 bytes, little endian), then six
zlib streams, each after its length (4 bytes): the low, middle and high bytes of all left ids, then of all right ids.
Merge i makes id 256 + i. Columns of like bytes pack better than the tokens' own bytes do, unpack faster, and the
parents come for nothing. zlib, since many a Python is built without lzma.
"""

from __future__ import annotations

import sys
import threading
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from tokexplorer.engine.errors import InputError
from tokexplorer.tokenizers.parents import recover_pair

MAGIC: Final = b"bpe1"
BYTES: Final = 256
PACKED: Final = ("r50k_base", "cl100k_base", "o200k_base")
"""The vocabularies that have a file of their own; p50k_base is made from r50k_base."""

_P50K_HOLE: Final = 50256
_P50K_SPACES: Final = range(2, 26)
_PLANES: Final = 3
_LOCK: Final = threading.Lock()


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """A vocabulary: `tokens[id]` are a token's bytes (None: no token has this id), `ids` the way back, and
    `left[id - 256]`, `right[id - 256]` the parents of a token of two bytes and more."""

    tokens: list[bytes | None]
    ids: dict[bytes, int]
    left: array[int]
    right: array[int]

    def pair(self, token_id: int) -> tuple[int, int] | None:
        """The two ids that a token was merged from; None for single bytes and for ids that are no token."""
        if not BYTES <= token_id < len(self.tokens) or self.tokens[token_id] is None:
            return None
        return self.left[token_id - BYTES], self.right[token_id - BYTES]

    def merges(self) -> list[tuple[int, int, int]]:
        """All merges as (left id, right id, new id), in rank order."""
        numbered = zip(self.left, self.right, range(BYTES, len(self.tokens)))
        return [merge for merge in numbered if self.tokens[merge[2]] is not None]


def pack(base: bytes, pairs: Sequence[tuple[int, int]]) -> bytes:
    """The packed form of the single bytes in id order and the parents of ids 256, 257, ...; ids stay below 2**24."""
    parts = [MAGIC, base, len(pairs).to_bytes(4, "little")]
    for column in ([left for left, _ in pairs], [right for _, right in pairs]):
        for shift in range(0, 8 * _PLANES, 8):
            stream = _smallest(bytes(value >> shift & 0xFF for value in column))
            parts += [len(stream).to_bytes(4, "little"), stream]
    return b"".join(parts)


def _smallest(data: bytes) -> bytes:
    strategies = (zlib.Z_DEFAULT_STRATEGY, zlib.Z_FILTERED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE)
    packers = [zlib.compressobj(9, zlib.DEFLATED, 15, 9, strategy) for strategy in strategies]
    return min((packer.compress(data) + packer.flush() for packer in packers), key=len)


def unpack(data: bytes) -> Ranks:
    """The vocabulary of a packed file; ValueError where it is no such file."""
    at = len(MAGIC) + BYTES
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError("not a packed vocabulary")
    base = data[len(MAGIC) : at]
    count = int.from_bytes(data[at : at + 4], "little")
    at += 4
    planes: list[bytes] = []
    for _ in range(2 * _PLANES):
        size = int.from_bytes(data[at : at + 4], "little")
        planes.append(zlib.decompress(data[at + 4 : at + 4 + size], bufsize=max(count, 1)))
        at += 4 + size
    left, right = _column(planes[:_PLANES]), _column(planes[_PLANES:])
    tokens: list[bytes] = [base[i : i + 1] for i in range(BYTES)]
    append = tokens.append
    for a, b in zip(left, right):
        append(tokens[a] + tokens[b])
    return Ranks([*tokens], dict(zip(tokens, range(len(tokens)))), left, right)


def _column(planes: Sequence[bytes]) -> array[int]:
    raw = bytearray(4 * len(planes[0]))
    for place, plane in enumerate(planes):
        raw[place::4] = plane
    column = array("I", bytes(raw))
    if sys.byteorder == "big":
        column.byteswap()
    return column


def load_ranks(name: str) -> Ranks:
    """The embedded vocabulary: one of PACKED, or p50k_base. It is read once and shared; safe from any thread.
    InputError where the installation lacks the file."""
    with _LOCK:
        return _load(name)


@cache
def _load(name: str) -> Ranks:
    if name == "p50k_base":
        return _with_runs_of_spaces(_load("r50k_base"))
    from importlib.resources import files  # 10 ms, which the first screen need not wait for

    try:
        data = files("tokexplorer.data").joinpath(f"{name}.pairs").read_bytes()
    except OSError as error:
        raise InputError(f"the embedded vocabulary {name} cannot be read: {error.strerror or error}") from error
    return unpack(data)


def _with_runs_of_spaces(r50k: Ranks) -> Ranks:
    """p50k_base: r50k_base, then the runs of 2 to 25 spaces as ids 50257 to 50280; id 50256 is no token here."""
    tokens: list[bytes | None] = [*r50k.tokens, None]
    ids = dict(r50k.ids)
    left, right = r50k.left[:], r50k.right[:]
    left.append(0)
    right.append(0)
    for width in _P50K_SPACES:
        run = b" " * width
        ids[run] = len(tokens)
        tokens.append(run)
        pair = recover_pair(run, ids)
        assert pair is not None, "a run of spaces comes down to two shorter ones"
        left.append(pair[0])
        right.append(pair[1])
    assert tokens[_P50K_HOLE] is None
    return Ranks(tokens, ids, left, right)
