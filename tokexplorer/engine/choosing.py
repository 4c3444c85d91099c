"""Which pair is merged next: by frequency, with a named rule for ties."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from tokexplorer.engine.merging import WordTable
from tokexplorer.engine.ties import TieRule as TieRule


@dataclass(frozen=True, slots=True)
class Choice:
    """The next winner: its pair (a string of two symbols), its count, and how many pairs share that count."""

    pair: str
    count: int
    tied: int


Ranked = tuple[str, int, bool]
"""A pair, its count, and whether another pair has the same."""

Key = tuple[int, int, str]
"""(word number, place in the word, pair) for `first`, (0, 0, pair) for `lowest`; the smallest is the best. A place is a
position less the length of the word, so that merges to its left do not change it and those to its right raise it.
_UNKNOWN as long as it was not looked for: the number is then that of a word at or before the pair's first.
Symbols are in the order of their ids, so strings of symbols compare as id pairs do."""

_UNKNOWN: Final = -(1 << 62)


class FrequencyChooser:
    """The most frequent pair. Each pair lies in the level of the count that it had when it was last looked at.

    While merging a pair's count only falls after it was created and its first occurrence only moves right, so a pair
    lies too high or stands too early, never too low or too late: what comes to the top is looked at again and moved
    down. Only levels that come to the top are put in order. Undoing raises counts and moves first occurrences left: the
    trainer tells of it, and what is left of the raised pairs elsewhere is dropped when it comes up.
    """

    def __init__(self, table: WordTable, ties: TieRule) -> None:
        self.table = table
        self.ties = ties
        self.rebuild()

    def rebuild(self) -> None:
        """Start afresh from the table's counts."""
        self._loose: dict[int, list[str]] = {}
        """count -> pairs in no order"""
        self._ordered: dict[int, list[Key]] = {}
        """count -> heap of pairs"""
        self._placed: set[int] = set()
        """counts of the heaps in which some place was looked for"""
        loose = self._loose
        for pair, count in self.table.counts.items():
            if count in loose:
                loose[count].append(pair)
            else:
                loose[count] = [pair]
        self._levels = [-count for count in loose]
        """heap of the counts that have a level, negative"""
        heapq.heapify(self._levels)
        self.table.watch(0, 0)

    def push(self, pairs: Iterable[str]) -> None:
        """Enter the pairs whose counts were raised."""
        counts, loose, ordered = self.table.counts, self._loose, self._ordered
        for pair in pairs:
            count = counts.get(pair)
            if count is None:
                continue
            if count in loose:
                loose[count].append(pair)
            elif count in ordered:
                heapq.heappush(ordered[count], self._early_key(pair))
            else:
                loose[count] = [pair]
                heapq.heappush(self._levels, -count)

    def undone(self, pairs: Iterable[str]) -> None:
        """A merge was undone, which raised the counts of these pairs and may have moved any place left."""
        for count in self._placed.intersection(self._ordered):
            level = self._ordered[count]
            level[:] = [(number, _UNKNOWN, pair) for number, _, pair in level]
            heapq.heapify(level)
        self._placed.clear()
        self.push(pairs)

    def _early_key(self, pair: str) -> Key:
        if self.ties is TieRule.LOWEST:
            return 0, 0, pair
        return self.table.first_number(pair), _UNKNOWN, pair

    def best(self) -> Choice | None:
        """The next winner, None where no pair is left."""
        while self._levels:
            count = -self._levels[0]
            level = self._ordered.get(count) or self._order(count)
            if self.table.watched != count:
                self._clean(count, level)
            pair = self._top_of(level, count)
            if pair is not None:
                return Choice(pair, count, self.table.at_watched)
            self._drop_top()
        return None

    def top(self, limit: int) -> list[Ranked]:
        """The best `limit` pairs in the order in which they would win."""
        found: list[Ranked] = []
        seen: list[int] = []
        while self._levels and len(found) < limit:
            count = -self._levels[0]
            level = self._order(count)
            taken: dict[str, Key] = {}
            while len(found) + len(taken) <= limit and (pair := self._top_of(level, count)) is not None:
                taken.setdefault(pair, heapq.heappop(level))
            for key in taken.values():
                heapq.heappush(level, key)
            found += [(pair, count, len(taken) > 1) for pair in taken]
            if level:
                heapq.heappop(self._levels)
                seen.append(-count)
            else:
                self._drop_top()
        for entry in seen:
            heapq.heappush(self._levels, entry)
        return found[:limit]

    def _drop_top(self) -> None:
        del self._ordered[-heapq.heappop(self._levels)]

    def _order(self, count: int) -> list[Key]:
        """The level of a count as a heap."""
        if count in self._ordered:
            return self._ordered[count]
        level = [self._early_key(pair) for pair in self._current(self._loose.pop(count), count)]
        heapq.heapify(level)
        self._ordered[count] = level
        return level

    def _clean(self, count: int, level: list[Key]) -> None:
        """Rid a level of pairs that have another count by now; from then on the table knows how many it holds."""
        pairs = [key[2] for key in level]
        kept = set(self._current(pairs, count))
        if len(kept) < len(level):
            level[:] = {key[2]: key for key in sorted(level, reverse=True) if key[2] in kept}.values()
            heapq.heapify(level)
        self.table.watch(count, len(kept))

    def _current(self, pairs: Iterable[str], count: int) -> Iterator[str]:
        """Those of the pairs that have this count; the others go to the level of theirs."""
        get = self.table.counts.get
        for pair in pairs:
            now = get(pair)
            if now == count:
                yield pair
            elif now is not None and now < count:
                self.push((pair,))

    def _top_of(self, level: list[Key], count: int) -> str | None:
        """The pair of a level that would win, then the first of the heap; None where the level is empty."""
        table = self.table
        counts = table.counts
        first = self.ties is TieRule.FIRST
        while level:
            number, place, pair = level[0]
            now = counts.get(pair)
            if now != count:
                heapq.heappop(level)
                if now is not None and now < count:
                    self.push((pair,))
            elif not first:
                return pair
            elif pair not in table.words[number]:
                later = table.next_number(pair, number + 1)
                if later is None:
                    heapq.heappop(level)
                else:
                    heapq.heapreplace(level, (later, _UNKNOWN, pair))
            elif all(key[0] != number for key in level[1:3]):
                return pair
            else:
                now = table.place_in(pair, number)
                if now == place:
                    return pair
                heapq.heapreplace(level, (number, now, pair))
                self._placed.add(count)
        return None
