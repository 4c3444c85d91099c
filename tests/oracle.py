"""The slow obvious trainer: recount everything, take the best, replace, again. Two functions, as in minbpe."""

from __future__ import annotations

from itertools import pairwise

Word = tuple[int, ...]


def count_pairs(words: list[tuple[Word, int]]) -> dict[tuple[int, int], int]:
    """Pair -> count, in the order of first occurrence."""
    counts: dict[tuple[int, int], int] = {}
    for word, weight in words:
        for pair in pairwise(word):
            counts[pair] = counts.get(pair, 0) + weight
    return counts


def replace_pair(word: Word, pair: tuple[int, int], new: int) -> Word:
    """Left to right, no overlap."""
    out: list[int] = []
    at = 0
    while at < len(word):
        if word[at : at + 2] == pair:
            out.append(new)
            at += 2
        else:
            out.append(word[at])
            at += 1
    return tuple(out)


def choose(counts: dict[tuple[int, int], int], ties: str) -> tuple[int, int]:
    """The winner under a tie rule."""
    if ties == "first":
        return max(counts, key=lambda p: counts[p])
    return min(counts, key=lambda p: (-counts[p], p))
