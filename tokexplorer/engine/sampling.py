"""Subword regularisation: BPE-dropout and drawing from the Unigram model, seeded, with frequencies over draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from random import Random
from typing import Generic, TypeVar

from tokexplorer.engine.corpus import Cancelled, ShouldStop
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.merge_encoder import MergeEncoder
from tokexplorer.engine.unigram import Segmentation, UnigramModel

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Drawn(Generic[T]):
    """A segmentation with the number of draws that gave it."""

    segmentation: T
    count: int


def drop_merges(
    ids: Sequence[int],
    ranks: Mapping[tuple[int, int], int],
    new_ids: Sequence[int],
    dropout: float,
    random: Random,
) -> tuple[int, ...]:
    """Encode base symbols with BPE-dropout (Provilkov et al. 2020, algorithm 1).

    Of all places where a merge could be made each is left out with probability `dropout`; of the others the one with
    the lowest rank is merged, the leftmost first; again, until none remains. 0 is the plain encoding, 1 leaves the
    base symbols. `ranks`: (left id, right id) -> rank; `new_ids`: rank -> new id, ranks beyond its end do not count
    (for merges learned here `range(n, n + steps)` with n base symbols).
    """
    limit = len(new_ids)
    word = list(ids)
    while True:
        best, place = limit, -1
        for at, pair in enumerate(pairwise(word)):
            rank = ranks.get(pair, limit)
            if rank < limit and (not dropout or random.random() >= dropout) and rank < best:
                best, place = rank, at
        if place < 0:
            return tuple(word)
        word[place : place + 2] = [new_ids[best]]


def draw_many(
    draw: Callable[[Random], T], count: int, seed: int, should_stop: ShouldStop | None = None
) -> tuple[Drawn[T], ...]:
    """The results of `count` draws with one seeded generator, the most frequent first; of equals the one met first.

    UsageError on a count below 1; Cancelled when `should_stop` says so.
    """
    if count < 1:
        raise UsageError(f"the number of draws is {count}; it must be 1 or more")
    random = Random(seed)
    counter: Counter[T] = Counter()
    for _ in range(count):
        if should_stop is not None and should_stop():
            raise Cancelled
        counter[draw(random)] += 1
    return tuple(Drawn(segmentation, n) for segmentation, n in counter.most_common())


def sample_merges(
    ids: Sequence[int],
    ranks: Mapping[tuple[int, int], int],
    new_ids: Sequence[int],
    dropout: float,
    count: int,
    seed: int,
    should_stop: ShouldStop | None = None,
) -> tuple[Drawn[tuple[int, ...]], ...]:
    """`count` draws of `drop_merges`. UsageError where `dropout` is not from 0 to 1."""
    if not 0 <= dropout <= 1:
        raise UsageError(f"the dropout is {dropout}; it must be from 0 to 1")
    return draw_many(lambda random: drop_merges(ids, ranks, new_ids, dropout, random), count, seed, should_stop)


def sample_bpe(
    encoder: MergeEncoder, chunk: str, dropout: float, count: int, seed: int, should_stop: ShouldStop | None = None
) -> tuple[Drawn[Segmentation], ...]:
    """`count` draws of a chunk by BPE-dropout with an encoder's merges, as segments. UsageError as `sample_merges`."""
    new_ids = [row.new for row in encoder.rows[: encoder.limit]]
    drawn = sample_merges(encoder.base_ids(chunk), encoder.ranks, new_ids, dropout, count, seed, should_stop)
    return tuple(Drawn(encoder.segments(chunk, d.segmentation), d.count) for d in drawn)


def sample_unigram(
    model: UnigramModel,
    chunk: str,
    alpha: float,
    count: int,
    seed: int,
    should_stop: ShouldStop | None = None,
) -> tuple[Drawn[Segmentation], ...]:
    """`count` segmentations of a chunk, drawn in proportion to their probability to the power `alpha` (see
    `UnigramModel.drawer`). UsageError where `alpha` is negative or not finite."""
    if not 0 <= alpha < inf:
        raise UsageError(f"alpha is {alpha}; it must be 0 or more, and finite")
    return draw_many(model.drawer(chunk, alpha), count, seed, should_stop)
