"""Which pair is merged next: by frequency, with a named rule for ties."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from tokexplorer.engine.merging import WordTable


class TieRule(StrEnum):
    """Which of several pairs with the highest count wins."""

    FIRST = "first"
    """the pair whose first occurrence in the text comes first: what `max()` over a fresh recount gives"""
    LOWEST = "lowest"
    """the smallest (left id, right id)"""


@dataclass(frozen=True, slots=True)
class Choice:
    """The next winner: its pair (a string of two symbols), its count, and how many pairs share that count."""

    pair: str
    count: int
    tied: int


Key = tuple[int, int, str]
"""(-count, number of the first word, pair) for `first`, (-count, 0, pair) for `lowest`; the smallest is the best, and
for `first` the leftmost of those that share count and word. Symbols are in the order of their ids, so strings of
symbols compare as id pairs do."""


class FrequencyChooser:
    """The most frequent pair. A heap with lazy refresh: a pair's count can only fall after it was created and its
    first word only move right, so a stale entry stands too early, never too late. (A position inside a word is no part
    of an entry: it falls when something left of it is merged.) Undoing raises counts: the raised pairs must be pushed.
    """

    def __init__(self, table: WordTable, ties: TieRule) -> None:
        self.table = table
        self.ties = ties
        self._heap: list[Key] = []
        self.rebuild()

    def rebuild(self) -> None:
        """Start afresh from the table's counts."""
        if self.ties is TieRule.LOWEST:
            self._heap = [(-count, 0, pair) for pair, count in self.table.counts.items()]
        else:
            self._heap = [(-count, self.table.first_place(pair)[0], pair) for pair, count in self.table.counts.items()]
        heapq.heapify(self._heap)

    def push(self, pairs: Iterable[str]) -> None:
        """Enter the pairs whose counts were raised."""
        if len(self._heap) > 4 * len(self.table.counts) + 1000:
            self.rebuild()
            return
        counts = self.table.counts
        for pair in pairs:
            if pair in counts:
                heapq.heappush(self._heap, self._key(pair, counts[pair]))

    def _key(self, pair: str, count: int) -> Key:
        if self.ties is TieRule.LOWEST:
            return -count, 0, pair
        return -count, self.table.first_place(pair)[0], pair

    def best(self) -> Choice | None:
        """The next winner, None where no pair is left."""
        heap, counts = self._heap, self.table.counts
        while heap:
            entry = heap[0]
            pair = entry[2]
            count = counts.get(pair, 0)
            if not count:
                heapq.heappop(heap)
                continue
            key = self._key(pair, count) if self.ties is TieRule.FIRST or -entry[0] != count else entry
            if key == entry:
                if self.ties is TieRule.FIRST:
                    pair = self._leftmost(entry)
                return Choice(pair, count, self.table.histogram[count])
            heapq.heapreplace(heap, key)
        return None

    def _leftmost(self, top: Key) -> str:
        """Of the pairs with the count and the first word of `top` the one that stands first in that word."""
        heap, counts = self._heap, self.table.counts
        level = top[:2]
        group: set[Key] = set()
        while heap and heap[0][:2] == level:
            entry = heapq.heappop(heap)
            count = counts.get(entry[2], 0)
            key = self._key(entry[2], count) if count else None
            if key == entry:
                group.add(entry)
            elif key is not None:
                heapq.heappush(heap, key)
        for entry in group:
            heapq.heappush(heap, entry)
        word = self.table.words[top[1]]
        return min((entry[2] for entry in group), key=word.find) if len(group) > 1 else top[2]

    def top(self, limit: int) -> list[tuple[str, int]]:
        """The best `limit` pairs with their counts, in the order in which they would win."""
        counts = self.table.counts
        if limit >= len(counts):
            chosen = list(counts.items())
        else:
            floor = heapq.nlargest(limit, counts.values())[-1]
            above = [item for item in counts.items() if item[1] > floor]
            level = [item for item in counts.items() if item[1] == floor]
            chosen = above + self._earliest(level, limit - len(above))
        if self.ties is TieRule.LOWEST:
            return sorted(chosen, key=lambda item: (-item[1], item[0]))
        return sorted(chosen, key=lambda item: (-item[1], *self.table.first_place(item[0])))

    def _earliest(self, level: list[tuple[str, int]], limit: int) -> list[tuple[str, int]]:
        """Of pairs with equal counts those that win first. Only so many are looked up that a frame stays short."""
        if self.ties is TieRule.LOWEST:
            return heapq.nsmallest(limit, level)
        return heapq.nsmallest(limit, level, key=lambda item: self.table.first_place(item[0]))
