"""Which pair WordPiece merges next: by count(ab) / (count(a) * count(b)), compared exactly, with named ties."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.merging import WordTable


@dataclass(frozen=True, slots=True)
class ScoredChoice:
    """The next winner: its pair (a string of two symbols), its three counts, and how many pairs share its score."""

    pair: str
    count: int
    left_count: int
    right_count: int
    tied: int


Entry = tuple[int, int, str]
"""(-score, number of the first word, pair) for `first`, (-score, 0, pair) for `lowest`; the smallest is the best."""


class ScoreChooser:
    """The pair with the highest score among those with `min_count` places or more.

    A score n / (x * y) is kept as the integer floor(2**k * n / (x * y)). With t tokens in the corpus x, y <= t, so two
    scores that differ do so by at least 1 / t**4; as 2**k > t**4, the integers order the scores exactly and are equal
    only where the scores are.

    A merge of a and b changes the score of every pair with a or b in it, so each symbol knows its pairs. Those whose
    score rose enter the heap anew; entries with scores that fell are refreshed when they come up. The first word
    with a pair only moves right while merging, so a stale entry stands too early, never too late; undoing moves it
    left, and the pairs whose count it raised enter anew.
    """

    def __init__(self, table: WordTable, ties: TieRule, min_count: int = 1) -> None:
        self.table = table
        self.ties = ties
        self.min_count = min_count
        self._bits = 4 * table.tokens.bit_length()
        self.rebuild()

    def rebuild(self) -> None:
        """Start afresh from the table's words and counts."""
        symbols: Counter[str] = Counter()
        for word, weight in zip(self.table.words, self.table.weights, strict=True):
            for char in word:
                symbols[char] += weight
        self.symbols = symbols
        """how often each symbol stands in the text"""
        self._scores: dict[str, int] = {}
        self._levels: Counter[int] = Counter()
        self._pairs_of: dict[str, set[str]] = {}
        self._first: dict[str, int] = {}
        self._heap: list[Entry] = []
        self._best: ScoredChoice | None = None
        self._known = False
        for pair in self.table.counts:
            self._refresh(pair, moved=True)

    def follow(self, pair: str, new: str, replaced: int, raised: Iterable[str]) -> None:
        """The table merged `pair` into `new` in `replaced` places; less than 0 where it undid that."""
        self._known = False
        left, right = pair[0], pair[1]
        symbols = self.symbols
        symbols[left] -= replaced
        symbols[right] -= replaced
        symbols[new] += replaced
        moved = set(raised)
        touched = set().union(*(self._pairs_of.get(s, ()) for s in (left, right, new)))
        for other in touched - moved:
            self._refresh(other, moved=False)
        for other in moved:
            self._refresh(other, moved=True)
        if len(self._heap) > 4 * len(self._scores) + 1000:
            self._heap = [(-score, self._first.get(p, 0), p) for p, score in self._scores.items()]
            heapq.heapify(self._heap)

    def _refresh(self, pair: str, moved: bool) -> None:
        """Score a pair again. `moved`: it is new, or its first word may stand further left than before."""
        count = self.table.counts.get(pair, 0)
        old = self._scores.get(pair)
        if count < self.min_count:
            if old is not None:
                self._drop(pair, old)
            return
        symbols = self.symbols
        score = (count << self._bits) // (symbols[pair[0]] * symbols[pair[1]])
        if old is None:
            for char in pair:
                self._pairs_of.setdefault(char, set()).add(pair)
        if moved and self.ties is TieRule.FIRST:
            self._first[pair] = self.table.first_place(pair)[0]
        if score != old:
            self._scores[pair] = score
            self._levels[score] += 1
            if old is not None:
                self._leave(old)
        if moved or old is None or score > old:
            heapq.heappush(self._heap, (-score, self._first.get(pair, 0), pair))

    def _drop(self, pair: str, score: int) -> None:
        del self._scores[pair]
        self._leave(score)
        self._first.pop(pair, None)
        for char in pair:
            self._pairs_of[char].discard(pair)

    def _leave(self, score: int) -> None:
        self._levels[score] -= 1
        if not self._levels[score]:
            del self._levels[score]

    def _now(self, entry: Entry) -> Entry | None:
        """What the entry of a pair would be if it were made now; None where the pair is gone."""
        pair = entry[2]
        score = self._scores.get(pair)
        if score is None:
            return None
        if self.ties is TieRule.LOWEST or -entry[0] != score:
            return -score, self._first.get(pair, 0), pair
        first = self._first[pair] = self.table.first_place(pair)[0]
        return -score, first, pair

    def best(self) -> ScoredChoice | None:
        """The next winner, None where no pair is left that may be merged."""
        if not self._known:
            self._best = self._find_best()
            self._known = True
        return self._best

    def choice(self, pair: str) -> ScoredChoice:
        """A pair that stands in the text, with its counts. One below the minimum count is tied with none."""
        score = self._scores.get(pair)
        tied = 1 if score is None else self._levels[score]
        return ScoredChoice(pair, self.table.counts[pair], self.symbols[pair[0]], self.symbols[pair[1]], tied)

    def _find_best(self) -> ScoredChoice | None:
        heap = self._heap
        while heap:
            now = self._now(heap[0])
            if now is None:
                heapq.heappop(heap)
            elif now != heap[0]:
                heapq.heapreplace(heap, now)
            else:
                return self.choice(now[2] if self.ties is TieRule.LOWEST else self._leftmost(now))
        return None

    def _leftmost(self, top: Entry) -> str:
        """Of the pairs with the score and the first word of `top` the one that stands first in that word."""
        heap = self._heap
        level = top[:2]
        group: dict[str, Entry] = {}
        while heap and heap[0][:2] == level:
            entry = heapq.heappop(heap)
            now = self._now(entry)
            if now == entry:
                group[entry[2]] = entry
            elif now is not None:
                heapq.heappush(heap, now)
        for entry in group.values():
            heapq.heappush(heap, entry)
        word = self.table.words[top[1]]
        return min(group, key=word.find)

    def top(self, limit: int) -> list[ScoredChoice]:
        """The best `limit` pairs in the order in which they would win."""
        scores = self._scores
        if limit < 1:
            return []
        if limit < len(scores):
            floor = heapq.nlargest(limit, scores.values())[-1]
            chosen = [p for p, score in scores.items() if score > floor]
            level = [p for p, score in scores.items() if score == floor]
            chosen += heapq.nsmallest(limit - len(chosen), level, key=self._order)
        else:
            chosen = list(scores)
        chosen.sort(key=lambda p: (-scores[p], self._order(p)))
        return [self.choice(p) for p in chosen]

    def _order(self, pair: str) -> tuple[int, int, str]:
        if self.ties is TieRule.LOWEST:
            return 0, 0, pair
        return *self.table.first_place(pair), pair
