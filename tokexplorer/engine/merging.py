"""The words under merge: pair counts, the index of pairs, merging and un-merging. The hot loop lives here.

A word is one `str` whose characters stand for token ids, a pair is a string of two; a merge in a word is then
`word.replace(pair, new)`: left to right and without overlap, which is the rule of BPE (Sennrich et al. 2016).
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """What a merge or its undoing did to the pair counts."""

    replaced: int
    """places that were replaced (weighted)"""
    raised: tuple[str, ...]
    """the pairs whose count went up, new ones included"""


class WordTable:
    """Words with weights, the count of each pair of neighbours, and for each pair the words that may hold it.

    `index[pair]` is an ascending array of word numbers. It is complete for ever: a pair that holds a new id can first
    appear only in the merge that makes the id. Entries go stale, never missing, so undoing needs no history.
    Pair counts are counts of adjacent places, overlapping ones included, times the weight of the word.
    """

    def __init__(self, words: Iterable[str], weights: Sequence[int]) -> None:
        self.words = list(words)
        self.weights = weights
        self.counts: dict[str, int] = {}
        self.index: dict[str, array[int]] = {}
        self.histogram: Counter[int] = Counter()
        self.tokens = sum(len(w) * n for w, n in zip(self.words, weights, strict=True))
        self._build_index()
        self.recount()

    def _build_index(self) -> None:
        index = self.index
        for number, word in enumerate(self.words):
            for pair in set(map(str.__add__, word, word[1:])):
                if pair in index:
                    index[pair].append(number)
                else:
                    index[pair] = array("I", (number,))

    def recount(self) -> None:
        """Count every pair afresh from the words."""
        counts: dict[str, int] = {}
        get = counts.get
        for word, weight in zip(self.words, self.weights, strict=True):
            for pair in map(str.__add__, word, word[1:]):
                counts[pair] = get(pair, 0) + weight
        self.counts = counts
        self.histogram = Counter(counts.values())

    def first_place(self, pair: str) -> tuple[int, int]:
        """Where the pair first stands: (word number, position in the word). The pair must have a count."""
        words = self.words
        for number in self.index[pair]:
            at = words[number].find(pair)
            if at >= 0:
                return number, at
        raise KeyError(pair)

    def replaceable(self, pair: str) -> int:
        """How many places a merge of the pair would replace: fewer than its count where places overlap (`aaa`)."""
        if pair[0] != pair[1]:
            return self.counts.get(pair, 0)
        words, weights = self.words, self.weights
        return sum(words[i].count(pair) * weights[i] for i in self.index.get(pair, ()))

    def merge(self, pair: str, new: str, known: bool = False) -> Change:
        """Replace the pair by the symbol `new` in every word. `known`: this very merge was made before and undone
        (and not forgotten), so the index holds its pairs already."""
        before = self.tokens
        left, right = self._replace(pair, new, None if known else self.index)
        self._set(pair, self.counts.get(pair, 0), 0)
        raised = self._shift(pair, new, left, right, 1)
        return Change(before - self.tokens, raised)

    def unmerge(self, pair: str, new: str, count: int) -> Change:
        """Undo `merge(pair, new)`, the last one that is not undone; `count` is what the pair had before it."""
        before = self.tokens
        left: dict[str, int] = {}
        right: dict[str, int] = {}
        words, weights = self.words, self.weights
        for number in self.index[pair]:
            word = words[number]
            old = word.replace(new, pair)
            if len(old) != len(word):
                words[number] = old
                self.tokens += (len(old) - len(word)) * weights[number]
                _count_neighbours(word, new, weights[number], left, right)
        raised = self._shift(pair, new, left, right, -1)
        self._set(pair, self.counts.get(pair, 0), count)
        return Change(self.tokens - before, (*raised, pair))

    def replace_only(self, pair: str, new: str) -> None:
        """`merge` without the counts, for far jumps over merges that were made before; `recount` afterwards."""
        words, weights = self.words, self.weights
        for number in self.index[pair]:
            word = words[number]
            merged = word.replace(pair, new)
            if len(merged) != len(word):
                words[number] = merged
                self.tokens -= (len(word) - len(merged)) * weights[number]

    def restore_only(self, pair: str, new: str) -> None:
        """`unmerge` without the counts; `recount` afterwards."""
        words, weights = self.words, self.weights
        for number in self.index[pair]:
            word = words[number]
            old = word.replace(new, pair)
            if len(old) != len(word):
                words[number] = old
                self.tokens += (len(old) - len(word)) * weights[number]

    def forget(self, news: Iterable[str]) -> None:
        """Drop what is known of merges that will not be redone: the index of every pair with one of the symbols."""
        gone = set(news)
        for pair in [p for p in self.index if p[0] in gone or p[1] in gone]:
            del self.index[pair]

    def _replace(
        self, pair: str, new: str, index: dict[str, array[int]] | None
    ) -> tuple[dict[str, int], dict[str, int]]:
        """Replace in the words; returns the weights of the neighbours left and right of the new symbol."""
        words, weights = self.words, self.weights
        left: dict[str, int] = {}
        right: dict[str, int] = {}
        for number in self.index.get(pair, ()):
            word = words[number]
            merged = word.replace(pair, new)
            if len(merged) == len(word):
                continue
            words[number] = merged
            weight = weights[number]
            self.tokens -= (len(word) - len(merged)) * weight
            _count_neighbours(merged, new, weight, left, right)
            if index is not None:
                self._enter(index, merged, new, number)
        return left, right

    def _enter(self, index: dict[str, array[int]], word: str, new: str, number: int) -> None:
        at = word.find(new)
        while at >= 0:
            for pair in (word[at - 1 : at + 1] if at else "", word[at : at + 2]):
                if len(pair) == 2:
                    numbers = index.get(pair)
                    if numbers is None:
                        index[pair] = array("I", (number,))
                    elif numbers[-1] != number:
                        numbers.append(number)
            at = word.find(new, at + 1)

    def _shift(self, pair: str, new: str, left: dict[str, int], right: dict[str, int], sign: int) -> tuple[str, ...]:
        """Move counts between old and new neighbours; sign 1 for a merge, -1 for its undoing."""
        a, b = pair[0], pair[1]
        moves: list[tuple[str, int]] = []
        for x, n in left.items():
            moves += ((x + new, n), (x + a, -n))
        for x, n in right.items():
            moves.append((new + x, n))
            if x == new:
                if a != b:
                    moves.append((b + a, -n))
            elif a != b or x != a:
                moves.append((b + x, -n))
        raised = []
        for key, n in moves:
            old = self.counts.get(key, 0)
            self._set(key, old, old + sign * n)
            if sign * n > 0:
                raised.append(key)
        return tuple(raised)

    def _set(self, pair: str, old: int, count: int) -> None:
        histogram = self.histogram
        if old:
            histogram[old] -= 1
            if not histogram[old]:
                del histogram[old]
        if count:
            histogram[count] += 1
            self.counts[pair] = count
        elif old:
            del self.counts[pair]


def _count_neighbours(word: str, new: str, weight: int, left: dict[str, int], right: dict[str, int]) -> None:
    """Add the weights of what stands left and right of each `new`; between two of them only the right one counts."""
    at = word.find(new)
    last = len(word) - 1
    while at >= 0:
        if at and (x := word[at - 1]) != new:
            left[x] = left.get(x, 0) + weight
        if at < last:
            x = word[at + 1]
            right[x] = right.get(x, 0) + weight
        at = word.find(new, at + 1)
