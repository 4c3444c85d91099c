"""tiktoken's own encodings over the embedded ranks, and byte-pair encoding done the slow, obvious way."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from unittest.mock import patch

import regex
import tiktoken
from tiktoken_ext import openai_public

from tokexplorer.tokenizers.ranks import load_ranks


@cache
def constructed(name: str) -> dict[str, object]:
    """What tiktoken itself passes to `Encoding`, with our ranks in the place of the files it would fetch."""

    def from_url(url: str, expected_hash: str | None = None) -> dict[bytes, int]:
        return load_ranks(url.rsplit("/", 1)[-1].removesuffix(".tiktoken")).ids

    with (
        patch.object(openai_public, "load_tiktoken_bpe", from_url),
        patch.object(openai_public, "data_gym_to_mergeable_bpe_ranks", lambda **_: load_ranks("r50k_base").ids),
    ):
        return openai_public.ENCODING_CONSTRUCTORS[name]()


@cache
def encoding(name: str) -> tiktoken.Encoding:
    """tiktoken's encoding: its pattern, its special tokens."""
    return tiktoken.Encoding(**constructed(name))


def slow_merge(data: bytes, ranks: Mapping[bytes, int], limit: int) -> list[bytes]:
    """Merges the leftmost pair of the lowest rank below `limit`, looking all pairs up again each time."""
    parts = [bytes([b]) for b in data]
    while True:
        found = [(ranks.get(a + b, limit), at) for at, (a, b) in enumerate(pairwise(parts))]
        rank, at = min(found, default=(limit, 0))
        if rank >= limit:
            return parts
        parts = [*parts[:at], parts[at] + parts[at + 1], *parts[at + 2 :]]


def slow_encode(text: bytes, name: str) -> list[int]:
    """Split over the text in which broken bytes are lone surrogates, then `slow_merge` chunk by chunk."""
    built = constructed(name)
    ranks: Mapping[bytes, int] = built["mergeable_ranks"]  # type: ignore[assignment]
    chunks = regex.findall(built["pat_str"], text.decode("utf-8", "surrogateescape"))
    return [
        ranks[part] for chunk in chunks for part in slow_merge(chunk.encode("utf-8", "surrogateescape"), ranks, 1 << 30)
    ]
