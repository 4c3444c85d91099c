"""What each piece of a Unigram vocabulary is worth: the loss of likelihood without it, and the order of removal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Final

from tokexplorer.engine.lattice import best_path, build_edges
from tokexplorer.engine.suffixes import Tick

_STEPS: Final = 2**20
BATCH: Final = 512
"""Pieces between two calls of a tick"""


def losses(
    ids: Mapping[str, int], uses: Sequence[int], weights: Sequence[int], tokens: int, longest: int, tick: Tick
) -> dict[int, float]:
    """For each piece of more than one symbol what the corpus loses without it, in nats (Kudo 2018, as estimated in
    SentencePiece's `PruneSentencePieces`).

    The corpus is held in its best segmentation, `uses` of each piece and `tokens` in all, each piece with its share as
    its probability. Where a piece stands its own next best segmentation is put, whose pieces then have higher counts;
    the loss is the log probability of those places before, less that after. Pieces that are not used lose nothing.
    """
    found: dict[int, float] = {}
    for number, (text, piece) in enumerate(ids.items(), 1):
        if not number % BATCH:
            tick(0)
        if len(text) == 1:
            continue
        own = uses[piece]
        if not own:
            found[piece] = 0.0
            continue
        edges = build_edges(text, ids, longest)
        edges[0].remove((len(text), piece))
        parts = Counter(part for _, part in best_path(edges, weights) or ())
        after = tokens + own * (parts.total() - 1)
        others = sum(n * log((uses[part] + n * own) / after) for part, n in parts.items())
        found[piece] = own * (log(own / tokens) - others)
    return found


def removal_order(found: Mapping[int, float], expected: Sequence[float], texts: Sequence[str]) -> list[int]:
    """The pieces in the order in which they are removed: by loss, then by expected count, both in steps of 2**-20 so
    that rounding decides nothing, then by text."""
    return sorted(found, key=lambda k: (round(found[k] * _STEPS), round(expected[k] * _STEPS), texts[k]))


def normalized(counts: Sequence[float], kept: Iterable[int], floor: Mapping[int, float]) -> list[float]:
    """The M step: probabilities in proportion to the counts of the `kept` pieces, 0 for the others. `floor`: the least
    count of some pieces."""
    values = [0.0] * len(counts)
    for k in kept:
        values[k] = counts[k]
    for k, least in floor.items():
        values[k] = max(values[k], least)
    total = sum(values) or 1.0
    return [value / total for value in values]
