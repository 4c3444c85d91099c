"""A byte-level tokenizer with any merges, done the slow and obvious way; and small texts to try on tokenizers."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise, product

from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.engine.splits import Split, named
from tokexplorer.tokenizers.base import Encoded, SpecialMode


class PairTokenizer:
    """The 256 bytes, then one token for each pair (left id, right id), in that order of ranks."""

    name = "pairs"
    specials: Mapping[str, int] = {}

    def __init__(self, pairs: Sequence[tuple[int, int]], split: str = "none") -> None:
        self.pairs = list(pairs)
        self.split: Split | None = named(split)
        self.table = [bytes([b]) for b in range(256)]
        for left, right in pairs:
            self.table.append(self.table[left] + self.table[right])
        self.joined = {pair: 256 + i for i, pair in reversed([*enumerate(self.pairs)])}
        self.size = len(self.table)

    def merge(self, data: bytes) -> list[int]:
        """The leftmost pair of the lowest rank is merged, until none is left."""
        ids = list(data)
        while True:
            found = [(self.joined[p], at) for at, p in enumerate(pairwise(ids)) if p in self.joined]
            if not found:
                return ids
            new, at = min(found)
            ids[at : at + 2] = [new]

    def encode(self, text: bytes, special: SpecialMode = SpecialMode.TEXT) -> Encoded:
        assert self.split is not None
        ids = [i for chunk in self.split.chunks(to_text(text)) for i in self.merge(to_bytes(chunk))]
        return Encoded(text, ids, array("q", accumulate(len(self.table[i]) for i in ids)))

    def decode(self, ids: Sequence[int]) -> bytes:
        return b"".join(self.table[i] for i in ids)

    def token_bytes(self, token_id: int) -> bytes | None:
        return self.table[token_id] if 0 <= token_id < self.size else None

    def label(self, token_id: int) -> str:
        return to_text(self.table[token_id])

    def parents(self, token_id: int) -> tuple[int, int] | None:
        return self.pairs[token_id - 256] if token_id >= 256 else None

    def is_special(self, token_id: int) -> bool:
        return False


def small_texts(chars: str, longest: int) -> Iterator[bytes]:
    """All texts over some characters, up to a length."""
    for length in range(1, longest + 1):
        for text in product(chars, repeat=length):
            yield "".join(text).encode()
