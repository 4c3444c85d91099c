"""The pairs that a vocabulary of ranks was merged from: rank files keep the tokens only, the merges are found again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Recovered:
    """The merges of a rank-only vocabulary. `merges`: (left id, right id, new id) in rank order; `failed`: ids of
    tokens of two bytes and more that do not come down to two tokens of lower rank."""

    merges: tuple[tuple[int, int, int], ...]
    failed: tuple[int, ...]


def recover_pair(token: bytes, ranks: Mapping[bytes, int]) -> tuple[int, int] | None:
    """The two ids that `token` was merged from: what is left when byte-pair encoding runs over the token's own bytes
    and only pairs of a lower rank than the token may merge. None for a single byte, for a token that is not in
    `ranks`, and where it does not end in two tokens.

    The idea is that of `bpe` and `recover_merges` in minbpe's gpt4.py (Karpathy); the scan keeps each neighbour's rank,
    so that a token of n bytes takes n short scans instead of n look-ups of all its pairs.
    """
    limit = ranks.get(token)
    if limit is None or len(token) < 2:
        return None
    parts = [token[i : i + 1] for i in range(len(token))]
    costs = [ranks.get(token[i : i + 2], limit) for i in range(len(token) - 1)]
    while len(parts) > 2:
        lowest = min(costs)
        if lowest >= limit:
            return None
        at = costs.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del costs[at]
        if at > 0:
            costs[at - 1] = ranks.get(parts[at - 1] + parts[at], limit)
        if at < len(costs):
            costs[at] = ranks.get(parts[at] + parts[at + 1], limit)
    left, right = ranks.get(parts[0]), ranks.get(parts[1])
    return None if left is None or right is None else (left, right)


def recover_merges(ranks: Mapping[bytes, int]) -> Recovered:
    """All merges of a vocabulary (token bytes -> rank = id), lowest rank first; see `recover_pair`."""
    merges: list[tuple[int, int, int]] = []
    failed: list[int] = []
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) < 2:
            continue
        pair = recover_pair(token, ranks)
        if pair is None:
            failed.append(rank)
        else:
            merges.append((*pair, rank))
    return Recovered(tuple(merges), tuple(failed))
