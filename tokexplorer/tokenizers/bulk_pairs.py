"""The fast way for vocabularies with a merge list: tiktoken's encoder, wherever its rule is proved to give the same."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tokexplorer.engine.splits import Split
from tokexplorer.tokenizers.bulk import BulkEncoder
from tokexplorer.tokenizers.parents import recover_pair

SPLITS: Final = ("gpt2", "cl100k", "o200k")
"""What tiktoken is known to split as we do."""


class RenumberedEncoder:
    """tiktoken's encoder over tokens numbered in the order of their merges, with the ids of the file put in."""

    def __init__(self, encoder: BulkEncoder, ids: Sequence[int]) -> None:
        self._encoder = encoder
        self._ids = ids

    def encode(self, text: bytes) -> Iterator[array[int]]:
        """The ids of `text`, in batches that end where chunks end."""
        ids = self._ids
        for batch in self._encoder.encode(text):
            yield array("I", map(ids.__getitem__, batch))


def bulk_pairs(
    name: str,
    base: Sequence[int],
    rows: Sequence[tuple[int, int, int]],
    tokens: Mapping[int, bytes],
    split: Split | None,
) -> RenumberedEncoder | None:
    """A fast encoder for BPE over bytes with the merges `rows` (left id, right id, new id) in rank order; None where
    tiktoken's might differ from the plain way.

    tiktoken joins any two neighbours whose bytes make a token, in the order of ranks; the plain way only the
    pairs of the list. The two part only where a token can be joined in another way than its row says. Merges within a
    token's bytes happen in the same order whatever stands around them, so it is enough that for each token byte-pair
    encoding of its own bytes, with lower ranks alone, ends in the pair of its row.
    """
    if split is None or split.name not in SPLITS or min(base) < 0:
        return None
    ids = [*base, *(new for _, _, new in rows)]
    ranks = {tokens[token]: number for number, token in enumerate(ids)}
    number_of = {token: number for number, token in enumerate(ids)}
    if len(ranks) < len(ids) or len(number_of) < len(ids):
        return None
    for left, right, new in rows:
        if recover_pair(tokens[new], ranks) != (number_of.get(left), number_of.get(right)):
            return None

    import tiktoken

    encoding = tiktoken.Encoding(name, pat_str=split.pattern, mergeable_ranks=ranks, special_tokens={})
    return RenumberedEncoder(BulkEncoder(encoding, ranks, split), ids)
