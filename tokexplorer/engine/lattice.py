"""All segmentations of one word into known pieces, as a lattice: the best, the n best, sums over all, and drawing one.

A lattice is a list of edges by start: `edges[i]` holds (end, piece) ascending by end, for each piece that stands at i.
Scores are log probabilities by piece. The order of segmentations is by score, in steps of 2**-32 nats so that sums are
exact; then fewest pieces; then the longest first piece, the longest second piece, and so on.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from math import exp, inf, log
from random import Random
from typing import Final

Edges = list[list[tuple[int, int]]]
Scores = Sequence[float] | Mapping[int, float]
"""piece -> log probability"""

_STEPS: Final = 2**32
_PIECES: Final = 20
"""bits below the score that count pieces"""
_LOWEST: Final = -1000.0
"""stands for the log of a probability that is too small for a float"""


def weigh(score: float) -> int:
    """A log probability as an integer for exact sums: a higher sum is a better segmentation, each piece costs one."""
    return (round(max(score, _LOWEST) * _STEPS) << _PIECES) - 1


def build_edges(word: str, ids: Mapping[str, int], longest: int, unknown: int | None = None) -> Edges:
    """The lattice of a word. Where no piece of one symbol stands, an edge of one symbol is the piece `unknown`."""
    size = len(word)
    edges: Edges = []
    for start in range(size):
        own: list[tuple[int, int]] = []
        for end in range(start + 1, min(start + longest, size) + 1):
            piece = ids.get(word[start:end])
            if piece is not None:
                own.append((end, piece))
            elif end == start + 1 and unknown is not None:
                own.append((end, unknown))
        edges.append(own)
    return edges


def best_path(edges: Edges, weights: Sequence[int] | Mapping[int, int]) -> list[tuple[int, int]] | None:
    """The best segmentation as (end, piece) in order, None where there is none. Viterbi from the right."""
    size = len(edges)
    best: list[int | None] = [None] * size
    best.append(0)
    choice: list[tuple[int, int]] = [(0, 0)] * size
    for start in range(size - 1, -1, -1):
        top: int | None = None
        for edge in edges[start]:
            rest = best[edge[0]]
            if rest is not None:
                total = rest + weights[edge[1]]
                if top is None or total >= top:
                    top = total
                    choice[start] = edge
        best[start] = top
    if best[0] is None:
        return None
    path: list[tuple[int, int]] = []
    at = 0
    while at < size:
        path.append(choice[at])
        at = choice[at][0]
    return path


def best_paths(edges: Edges, weights: Sequence[int], limit: int) -> list[list[tuple[int, int]]]:
    """The `limit` best segmentations, the best first; all of them where there are fewer.

    For each start the best ways to the end of the word, each known by its first edge and the rank of its rest.
    """
    size = len(edges)
    ways: list[list[tuple[int, int, int, int]]] = [[] for _ in range(size)]
    ways.append([(0, 0, 0, 0)])
    for start in range(size - 1, -1, -1):
        options = (
            (way[0] + weights[piece], end, -rank, piece)
            for end, piece in edges[start]
            for rank, way in enumerate(ways[end][:limit])
        )
        chosen = heapq.nlargest(limit, options)
        ways[start] = [(total, end, -rank, piece) for total, end, rank, piece in chosen]
    paths = []
    for rank in range(len(ways[0])):
        path: list[tuple[int, int]] = []
        at = 0
        while at < size:
            _, end, following, piece = ways[at][rank]
            path.append((end, piece))
            at, rank = end, following
        paths.append(path)
    return paths


def _log_sum(terms: list[float]) -> float:
    top = max(terms, default=-inf)
    if top == -inf:
        return -inf
    return top + log(sum([exp(term - top) for term in terms]))


def log_backward(edges: Edges, scores: Scores) -> list[float]:
    """For each start the log of the sum over all segmentations from there to the end; [0] is that of the word."""
    size = len(edges)
    sums = [0.0] * (size + 1)
    for start in range(size - 1, -1, -1):
        sums[start] = _log_sum([scores[piece] + sums[end] for end, piece in edges[start]])
    return sums


def log_forward(edges: Edges, scores: Scores) -> list[float]:
    """For each end the log of the sum over all segmentations from the start of the word to there."""
    terms: list[list[float]] = [[] for _ in range(len(edges) + 1)]
    sums = [0.0] * (len(edges) + 1)
    for start, own in enumerate(edges):
        if start:
            sums[start] = _log_sum(terms[start])
        for end, piece in own:
            terms[end].append(sums[start] + scores[piece])
    if edges:
        sums[-1] = _log_sum(terms[-1])
    return sums


def edge_probabilities(edges: Edges, scores: Scores) -> list[tuple[int, int, int, float]]:
    """(start, end, piece, probability that a segmentation drawn by its probability holds this edge), for all edges."""
    before, after = log_forward(edges, scores), log_backward(edges, scores)
    total = after[0]
    return [
        (start, end, piece, exp(before[start] + scores[piece] + after[end] - total))
        for start, own in enumerate(edges)
        for end, piece in own
    ]


def draw_path(edges: Edges, scores: Scores, sums: Sequence[float], random: Random) -> list[tuple[int, int]]:
    """Draw a segmentation by its probability under `scores`; `sums` is `log_backward` of the same (forward filtering,
    backward sampling, with the directions exchanged)."""
    path: list[tuple[int, int]] = []
    at = 0
    while at < len(edges):
        mark = random.random()
        for end, piece in edges[at]:
            mark -= exp(scores[piece] + sums[end] - sums[at])
            if mark < 0:
                break
        path.append((end, piece))
        at = end
    return path
