"""Merging by an explicit list of pairs, with any ids: what vocabularies from files are encoded with."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping
from typing import Final

Ranks = Mapping[tuple[int, int], tuple[int, int]]
"""(left id, right id) -> (rank, id of the joined token)"""

LONG: Final = 40
"""Symbols from which a heap beats looking at all pairs after every merge."""
_NEVER: Final = (1 << 62, -1)


def merge_ids(ids: list[int], sizes: list[int], ranks: Ranks) -> None:
    """Merge the pairs of `ids` in place: the lowest rank first, of equal ones the leftmost, one place at a time
    (Sennrich et al. 2016, as Hugging Face tokenizers does it, whose lists may make one token in several ways).
    `sizes[i]` is what symbol i spans; spans of merged symbols add up."""
    if len(ids) >= LONG:
        _merge_long(ids, sizes, ranks)
        return
    get = ranks.get
    found = [get(pair, _NEVER) for pair in itertools.pairwise(ids)]
    while found:
        best = min(found)
        if best is _NEVER:
            return
        at = found.index(best)
        ids[at : at + 2] = [best[1]]
        sizes[at : at + 2] = [sizes[at] + sizes[at + 1]]
        del found[at]
        if at:
            found[at - 1] = get((ids[at - 1], ids[at]), _NEVER)
        if at < len(found):
            found[at] = get((ids[at], ids[at + 1]), _NEVER)


def _merge_long(ids: list[int], sizes: list[int], ranks: Ranks) -> None:
    end = len(ids)
    after = [*range(1, end), -1]
    before = [*range(-1, end - 1)]
    gone = bytearray(end)
    heap = []
    for at, pair in enumerate(itertools.pairwise(ids)):
        if pair in ranks:
            rank, new = ranks[pair]
            heap.append((rank, at, new, pair))
    heapq.heapify(heap)
    while heap:
        rank, at, new, pair = heapq.heappop(heap)
        right = after[at]
        if gone[at] or right < 0 or (ids[at], ids[right]) != pair:
            continue
        ids[at] = new
        sizes[at] += sizes[right]
        gone[right] = 1
        after[at] = after[right]
        if after[right] >= 0:
            before[after[right]] = at
        for left in (before[at], at):
            if left >= 0 and after[left] >= 0:
                pair = ids[left], ids[after[left]]
                if pair in ranks:
                    rank, new = ranks[pair]
                    heapq.heappush(heap, (rank, left, new, pair))
    keep = [i for i in range(end) if not gone[i]]
    ids[:] = [ids[i] for i in keep]
    sizes[:] = [sizes[i] for i in keep]
