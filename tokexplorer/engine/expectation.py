"""The lattices of all chunks of a corpus in compact form: expected counts (the E step) and best segmentations. The hot
loops of Unigram training live here."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, log
from typing import Final

from tokexplorer.engine.lattice import Edges, edge_probabilities, log_backward
from tokexplorer.engine.suffixes import Tick

BLOCK: Final = 24
"""Symbols over which probabilities are multiplied without rescaling: 24 of 1e-12 each still fit into a float."""
BATCH: Final = 256
"""Words between two calls of a tick"""
TINY: Final = 1e-250
"""What is smaller is worked out in logarithms: factors of it may already have lost digits."""

Short = tuple[int, int, bytes, bytes, tuple[int, ...]]
"""(symbols, weight, starts, ends, pieces) of the edges of a word of at most BLOCK symbols, by start, then by end"""


@dataclass(frozen=True, slots=True)
class Long:
    """The edges of a longer word in blocks by start: (first start of the block, starts, ends, pieces)."""

    size: int
    weight: int
    blocks: tuple[tuple[int, array[int], array[int], tuple[int, ...]], ...]


class CorpusLattice:
    """The edges of every word (unique chunk) of a corpus. Immutable. Pieces are known by number; every word has at
    least one segmentation."""

    def __init__(self, short: Sequence[Short], long: Sequence[Long], longest: int) -> None:
        self.short = short
        self.long = long
        self.longest = longest

    @classmethod
    def build(
        cls, words: Iterable[str], weights: Iterable[int], ids: Mapping[str, int], longest: int, tick: Tick
    ) -> CorpusLattice:
        """Look up all substrings of the words, up to `longest` symbols, among the pieces."""
        short: list[Short] = []
        long: list[Long] = []
        for number, (word, weight) in enumerate(zip(words, weights, strict=True), 1):
            if not number % BATCH:
                tick(BATCH)
            size = len(word)
            if size <= BLOCK:
                starts, ends, pieces = _look_up(word, 0, ids, longest)
                short.append((size, weight, bytes(starts), bytes(ends), pieces))
                continue
            tick(0)
            blocks = []
            for first in range(0, size, BLOCK):
                starts, ends, pieces = _look_up(word, first, ids, longest)
                blocks.append((first, array("I", starts), array("I", ends), pieces))
            long.append(Long(size, weight, tuple(blocks)))
        return cls(short, long, longest)

    def keeping(self, kept: Container[int], tick: Tick) -> CorpusLattice:
        """The lattices without the edges of pieces that are not `kept`."""
        short: list[Short] = []
        for number, (size, weight, starts, ends, pieces) in enumerate(self.short, 1):
            if not number % BATCH:
                tick(BATCH)
            left = [edge for edge in zip(starts, ends, pieces, strict=True) if edge[2] in kept]
            if len(left) == len(pieces):
                short.append((size, weight, starts, ends, pieces))
            else:
                a, b, c = zip(*left, strict=True)
                short.append((size, weight, bytes(a), bytes(b), c))
        long: list[Long] = []
        for word in self.long:
            tick(1)
            blocks = []
            for first, *columns in word.blocks:
                a, b, c = zip(*(edge for edge in zip(*columns, strict=True) if edge[2] in kept), strict=True)
                blocks.append((first, array("I", a), array("I", b), c))
            long.append(Long(word.size, word.weight, tuple(blocks)))
        return CorpusLattice(short, long, self.longest)

    def expect(self, probabilities: Sequence[float], tick: Tick) -> tuple[list[float], float]:
        """The E step: how often each piece is expected in the corpus under its posterior over all segmentations, and
        the log likelihood of the corpus in nats. Forward-backward in plain probabilities, rescaled at block borders.
        """
        counts = [0.0] * len(probabilities)
        likelihood = 0.0
        for number, (size, weight, starts, ends, pieces) in enumerate(self.short, 1):
            if not number % BATCH:
                tick(BATCH)
            before = [0.0] * (size + 1)
            before[0] = 1.0
            for i, j, k in zip(starts, ends, pieces, strict=True):
                before[j] += before[i] * probabilities[k]
            total = before[size]
            if total < TINY:
                edges = _edges_by_start(size, [(starts, ends, pieces)])
                likelihood += weight * _expect_slowly(edges, weight, probabilities, counts)
                continue
            likelihood += weight * log(total)
            after = [0.0] * (size + 1)
            after[size] = weight / total
            for i, j, k in zip(reversed(starts), reversed(ends), reversed(pieces), strict=True):
                share = probabilities[k] * after[j]
                after[i] += share
                counts[k] += before[i] * share
        for word in self.long:
            tick(1)
            likelihood += word.weight * _expect_long(word, self.longest, probabilities, counts)
        return counts, likelihood

    def segment(self, weights: Sequence[int], lengths: Sequence[int], tick: Tick) -> tuple[list[int], int]:
        """The best segmentation of every word (see `lattice`): how often each piece is used in it (weighted), and the
        tokens of the corpus. `weights` are those of `lattice.weigh`, `lengths` the symbols of each piece."""
        uses = [0] * len(weights)
        tokens = 0
        for number, (size, weight, starts, ends, pieces) in enumerate(self.short, 1):
            if not number % BATCH:
                tick(BATCH)
            edges = zip(reversed(starts), reversed(ends), reversed(pieces), strict=True)
            tokens += _use(edges, size, weight, weights, lengths, uses)
        for word in self.long:
            tick(1)
            backwards = (
                edge
                for _, starts, ends, pieces in reversed(word.blocks)
                for edge in zip(reversed(starts), reversed(ends), reversed(pieces), strict=True)
            )
            tokens += _use(backwards, word.size, word.weight, weights, lengths, uses)
        return uses, tokens


Columns = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""starts, ends, pieces"""


def _look_up(word: str, first: int, ids: Mapping[str, int], longest: int) -> Columns:
    """The edges of a word that start in [first, first + BLOCK)."""
    get = ids.get
    size = len(word)
    found = [
        (start, end, piece)
        for start in range(first, min(first + BLOCK, size))
        for end in range(start + 1, min(start + longest, size) + 1)
        if (piece := get(word[start:end])) is not None
    ]
    starts, ends, pieces = zip(*found, strict=True)
    return starts, ends, pieces


_NONE: Final = -(1 << 200)


def _use(
    edges: Iterable[tuple[int, int, int]],
    size: int,
    weight: int,
    weights: Sequence[int],
    lengths: Sequence[int],
    uses: list[int],
) -> int:
    """Viterbi from the right over edges in falling order; the longest of equals is met first."""
    best = [_NONE] * size
    best.append(0)
    choice = [0] * size
    for i, j, k in edges:
        total = weights[k] + best[j]
        if total > best[i]:
            best[i] = total
            choice[i] = k
    at = tokens = 0
    while at < size:
        piece = choice[at]
        uses[piece] += weight
        tokens += weight
        at += lengths[piece]
    return tokens


def _expect_long(word: Long, longest: int, probabilities: Sequence[float], counts: list[float]) -> float:
    """Add the expected counts of a long word; returns the log of its probability."""
    size = word.size
    before = [0.0] * (size + 1)
    before[0] = 1.0
    scale = 0.0
    scales = []
    for first, starts, ends, pieces in word.blocks:
        scale += _rescale(before, first, min(first + longest, size))
        scales.append(scale)
        for i, j, k in zip(starts, ends, pieces, strict=True):
            before[j] += before[i] * probabilities[k]
    if before[size] < TINY or scale == -inf:
        return _expect_slowly(_edges_of_long(word), word.weight, probabilities, counts)
    total = scale + log(before[size])
    own_counts: defaultdict[int, float] = defaultdict(float)
    after = [0.0] * (size + 1)
    after[size] = 1.0
    scale = 0.0
    end = size
    for (first, starts, ends, pieces), own in zip(reversed(word.blocks), reversed(scales), strict=True):
        scale += _rescale(after, end, min(end + longest, size))
        if scale == -inf:
            return _expect_slowly(_edges_of_long(word), word.weight, probabilities, counts)
        factor = word.weight * exp(own + scale - total)
        for i, j, k in zip(reversed(starts), reversed(ends), reversed(pieces), strict=True):
            share = probabilities[k] * after[j]
            after[i] += share
            own_counts[k] += before[i] * share * factor
        end = first
    for k, share in own_counts.items():
        counts[k] += share
    return total


def _rescale(values: list[float], first: int, last: int) -> float:
    """Bring the largest of values[first..last] to 1; returns the log of what it was, -inf where it is tiny."""
    top = max(values[first : last + 1])
    if top < TINY:
        return -inf
    values[first : last + 1] = [value / top for value in values[first : last + 1]]
    return log(top)


def _edges_of_long(word: Long) -> Edges:
    return _edges_by_start(word.size, [block[1:] for block in word.blocks])


def _edges_by_start(size: int, parts: Iterable[tuple[Sequence[int], Sequence[int], Sequence[int]]]) -> Edges:
    edges: Edges = [[] for _ in range(size)]
    for starts, ends, pieces in parts:
        for start, end, piece in zip(starts, ends, pieces, strict=True):
            edges[start].append((end, piece))
    return edges


def _expect_slowly(edges: Edges, weight: int, probabilities: Sequence[float], counts: list[float]) -> float:
    """The same in logarithms, for words whose probability is too small for a float."""
    scores = {piece: log(probabilities[piece]) if probabilities[piece] else -inf for own in edges for _, piece in own}
    for _, _, piece, share in edge_probabilities(edges, scores):
        counts[piece] += weight * share
    return log_backward(edges, scores)[0]
