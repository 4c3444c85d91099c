"""The words under merge: pair counts, where pairs stand, merging and un-merging. The hot loop lives here.

A word is one `str` whose characters stand for token ids, a pair is a string of two; a merge in a word is then
`word.replace(pair, new)`: left to right and without overlap, which is the rule of BPE (Sennrich et al. 2016).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from operator import mul
from typing import Final, NamedTuple

from tokexplorer.engine.corpus import Cancelled, Progress, ShouldStop
from tokexplorer.engine.word_lists import Numbers, Range, WordLists

_BATCH: Final = 8192
"""Words that are looked through between two questions whether to stop."""

Neighbours = dict[str, list[int]]
"""Symbol -> the numbers of the words in which it stands beside another one, once for each place."""


class Change(NamedTuple):
    """What a merge or its undoing did to the pair counts."""

    replaced: int
    """places that were replaced (weighted)"""
    raised: tuple[str, ...]
    """the pairs whose count went up, new ones included"""


class WordTable:
    """Words with weights, the count of each pair of neighbours, and for each pair the words that may hold it.

    The list of words of a pair is complete for ever: a pair that holds a new id can first appear only in the merge that
    makes the id. Entries go stale, never missing. The words that each merge changed are kept as well, so that undoing
    and redoing it touch these only.

    Pair counts are counts of adjacent places, overlapping ones included, times the weight of the word. Merges are made,
    undone and redone in order, like a stack.
    """

    def __init__(
        self,
        words: Iterable[str],
        weights: Sequence[int],
        on_progress: Progress | None = None,
        should_stop: ShouldStop | None = None,
    ) -> None:
        """Raises Cancelled when `should_stop` says so; progress is told in words."""
        self.words = list(words)
        self.weights = weights
        self.counts: dict[str, int] = {}
        self.tokens = self._count_tokens()
        self.first_symbols = sum(map(len, self.words))
        """symbols of all words, unweighted, before any merge"""
        self.watched = 0
        """a count; `at_watched` is kept the number of pairs that have it"""
        self.at_watched = 0
        self._symbols: set[str] = set()
        """all that stood in a pair of words, and all that merges made"""
        self._lists = WordLists()
        self._records: list[Range] = []
        """the words that each merge changed, those of undone ones included"""
        self._made = 0
        """merges that are made now; `_records` beyond it are undone"""
        self._kept: dict[int, list[str]] = {}
        """number of a merge whose symbol was there before -> what its words were before"""
        self._runs: dict[str, list[int]] = {}
        """pair of two equal symbols -> the words that hold three in a row"""
        self._build(on_progress, should_stop)

    def _build(self, on_progress: Progress | None, should_stop: ShouldStop | None) -> None:
        words = self.words
        found: defaultdict[str, list[int]] = defaultdict(list)
        add = str.__add__
        for start in range(0, len(words), _BATCH):
            if should_stop is not None and should_stop():
                raise Cancelled
            if on_progress is not None:
                on_progress(start, len(words))
            for number, word in enumerate(words[start : start + _BATCH], start):
                for pair in map(add, word, word[1:]):
                    found[pair].append(number)
        weight_of = self.weights.__getitem__
        for pair in list(found):
            numbers = found.pop(pair)
            self.counts[pair] = sum(map(weight_of, numbers))
            self._lists.store_once(pair, numbers)
        self._symbols = set("".join(self.counts))
        self._first_counts = dict(self.counts)

    def numbers(self, pair: str) -> Numbers:
        """The words that may hold a pair."""
        return self._lists.of(pair)

    def recount(self) -> None:
        """Count every pair afresh from the words."""
        counts: dict[str, int] = {}
        get = counts.get
        add = str.__add__
        for word, weight in zip(self.words, self.weights, strict=True):
            for pair in map(add, word, word[1:]):
                counts[pair] = get(pair, 0) + weight
        self.counts = counts
        self.tokens = self._count_tokens()
        self._runs.clear()
        self.watch(0, 0)

    def _count_tokens(self) -> int:
        return sum(map(mul, map(len, self.words), self.weights))

    def watch(self, count: int, pairs: int) -> None:
        """From now on keep `at_watched` the number of pairs with this count, which is `pairs` now. Count 0: none."""
        self.watched = count
        self.at_watched = pairs

    def pairs_with(self, count: int) -> int:
        """How many pairs have a count."""
        if count == self.watched and count:
            return self.at_watched
        return sum(map(count.__eq__, self.counts.values()))

    def first_number(self, pair: str) -> int:
        """The first word that may hold the pair: where it first stands or before."""
        return self._lists.first(pair)

    def next_number(self, pair: str, start: int) -> int | None:
        """The first word from number `start` on in which the pair stands; None where there is none."""
        words = self.words
        return next((number for number in self._lists.since(pair, start) if pair in words[number]), None)

    def first_place(self, pair: str) -> tuple[int, int]:
        """Where the pair first stands: (word number, position in the word). The pair must have a count."""
        number = self.next_number(pair, 0)
        if number is None:
            raise KeyError(pair)
        return number, self.words[number].index(pair)

    def place_in(self, pair: str, number: int) -> int:
        """The pair's first position in a word that holds it, less the word's length."""
        word = self.words[number]
        return word.index(pair) - len(word)

    def replaceable(self, pair: str) -> int:
        """How many places a merge of the pair would replace: fewer than its count where places overlap (`aaa`)."""
        count = self.counts.get(pair, 0)
        symbol = pair[0]
        if symbol != pair[1] or not count:
            return count
        words, weights = self.words, self.weights
        numbers = self._runs.get(pair)
        if numbers is None:
            run = pair + symbol
            numbers = self._runs[pair] = [n for n in self.numbers(pair) if run in words[n]]
        runs = re.compile(f"{re.escape(symbol)}{{3,}}")
        for number in numbers:
            overlapping = sum((len(run) - 1) // 2 for run in runs.findall(words[number]))
            count -= overlapping * weights[number]
        return count

    def merge(self, pair: str, new: str, known: bool = False) -> Change:
        """Replace the pair by the symbol `new` in every word. `known`: this very merge was made before and undone
        (and not forgotten). One that is not gives up all that were undone."""
        if not known:
            self._drop_undone()
        numbers = self._hits(self._made) if known else self.numbers(pair)
        again = self._made in self._kept if known else new in self._symbols
        if again:
            return self._merge_again(pair, new, numbers, known)
        before = self.tokens
        hits, left, right, repeated = self._swap(numbers, pair, new, new)
        if not known:
            self._records.append(self._lists.keep(hits))
            self._symbols.add(new)
        self._made += 1
        store = None if known else self._lists.store_once if repeated else self._lists.store
        raised = self._count_merge(pair, new, left, right, store)
        return Change(before - self.tokens, tuple(raised))

    def unmerge(self, pair: str, new: str, count: int) -> Change:
        """Undo `merge(pair, new)`, the last one that is not undone; `count` is what the pair had before it."""
        before = self.tokens
        self._made -= 1
        hits = self._hits(self._made)
        for symbol in {*pair, new}:
            self._runs.pop(symbol + symbol, None)
        if self._made in self._kept:
            return self._exchange(hits, self._kept[self._made])
        _, left, right, _ = self._swap(hits, new, pair, new)
        raised = self._count_unmerge(pair, new, left, right)
        self._shift(pair, count - self.counts.get(pair, 0))
        return Change(self.tokens - before, (*raised, pair))

    def replace_only(self, pair: str, new: str) -> None:
        """`merge` without the counts, for far jumps over merges that were made before; `recount` afterwards."""
        self._change_words(self._hits(self._made), pair, new)
        self._made += 1

    def restore_only(self, pair: str, new: str) -> None:
        """`unmerge` without the counts; `recount` afterwards."""
        self._made -= 1
        if self._made not in self._kept:
            self._change_words(self._hits(self._made), new, pair)
            return
        for number, word in zip(self._hits(self._made), self._kept[self._made], strict=True):
            self.words[number] = word

    def restart(self, words: Iterable[str]) -> None:
        """Undo all merges, given the words as they were at first."""
        self.words = list(words)
        self.counts = dict(self._first_counts)
        self.tokens = self._count_tokens()
        self._made = 0
        self._runs.clear()
        self.watch(0, 0)

    def changed_words(self, start: int, stop: int) -> int:
        """How many words the merges [start, stop) change, each word once for each merge."""
        return sum(length for _, length in self._records[start:stop])

    def forget(self, news: Iterable[str]) -> None:
        """Drop what is known of merges that will not be redone: the lists of every pair with one of the symbols."""
        if len(self._records) > self._made and not self._kept:
            self._lists.cut(self._records[self._made])
        self._drop_undone()
        gone = set(news)
        self._lists.drop(gone)
        self._symbols -= gone

    def _drop_undone(self) -> None:
        if len(self._records) > self._made:
            self._runs.clear()
            for number in range(self._made, len(self._records)):
                self._kept.pop(number, None)
            del self._records[self._made :]

    def _hits(self, number: int) -> Numbers:
        return self._lists.take(self._records[number])

    def _change_words(self, numbers: Numbers, old: str, put: str) -> None:
        words = self.words
        for number in numbers:
            words[number] = words[number].replace(old, put)

    def _swap(self, numbers: Numbers, old: str, put: str, new: str) -> tuple[list[int], Neighbours, Neighbours, bool]:
        """Replace `old` by `put` in words; one of them is the symbol `new`, which stands in no word before a merge.

        Returns the words that changed, what stands left and right of `new` (between two of them only the right one
        counts), and whether some word holds `new` twice.
        """
        words = self.words
        hits: list[int] = []
        left: Neighbours = defaultdict(list)
        right: Neighbours = defaultdict(list)
        more: list[int] = []
        for number in numbers:
            word = words[number]
            head, found, tail = word.partition(old)
            if not found:
                continue
            hits.append(number)
            if old in tail:
                words[number] = changed = word.replace(old, put)
                places = _beside(changed if put == new else word, new, number, left, right)
                more += [number] * (places - 1)
                continue
            words[number] = f"{head}{put}{tail}"
            if head:
                left[head[-1]].append(number)
            if tail:
                right[tail[0]].append(number)
        weight_of = self.weights.__getitem__
        places = sum(map(weight_of, hits)) + sum(map(weight_of, more))
        self.tokens += (len(put) - len(old)) * places
        return hits, left, right, bool(more)

    def _count_merge(
        self, pair: str, new: str, left: Neighbours, right: Neighbours, store: Callable[[str, list[int]], None] | None
    ) -> list[str]:
        """Move counts from the old neighbours of the pair to the new symbol's; returns the new pairs."""
        a, b = pair[0], pair[1]
        counts, watched, at_watched = self.counts, self.watched, self.at_watched
        weight_of = self.weights.__getitem__
        at_watched -= counts.pop(pair) == watched
        raised: list[str] = []
        moves = [(x + new, x + a, numbers) for x, numbers in left.items()]
        for x, numbers in right.items():
            # Between two new symbols stood (b, a); where a is b these places are the pair's own, as is (a, a) after it.
            own = a == b and x in (new, a)
            moves.append((new + x, "" if own else b + (a if x == new else x), numbers))
        for made, gone, numbers in moves:
            n = sum(map(weight_of, numbers)) if len(numbers) > 1 else weight_of(numbers[0])
            counts[made] = n
            at_watched += n == watched
            raised.append(made)
            if store is not None:
                store(made, numbers)
            if gone:
                old = counts[gone]
                at_watched -= old == watched
                if old == n:
                    del counts[gone]
                else:
                    counts[gone] = old - n
                    at_watched += old - n == watched
        self.at_watched = at_watched
        return raised

    def _count_unmerge(self, pair: str, new: str, left: Neighbours, right: Neighbours) -> list[str]:
        """Move counts back; returns the pairs that gained, but for `pair` itself."""
        a, b = pair[0], pair[1]
        weight_of = self.weights.__getitem__
        raised: list[str] = []
        for x, numbers in left.items():
            n = sum(map(weight_of, numbers))
            self._shift(x + new, -n)
            self._shift(x + a, n)
            raised.append(x + a)
        for x, numbers in right.items():
            n = sum(map(weight_of, numbers))
            self._shift(new + x, -n)
            if a != b or (x != new and x != a):
                gained = b + (a if x == new else x)
                self._shift(gained, n)
                raised.append(gained)
        return raised

    def _shift(self, pair: str, change: int) -> None:
        old = self.counts.get(pair, 0)
        count = old + change
        if count:
            self.counts[pair] = count
        elif old:
            del self.counts[pair]
        if self.watched:
            self.at_watched += (count == self.watched) - (old == self.watched)

    def _merge_again(self, pair: str, new: str, numbers: Numbers, known: bool) -> Change:
        """`merge` to a symbol that is there already, which a given list of merges may ask for."""
        words = self.words
        hits = [number for number in numbers if pair in words[number]]
        changed = [words[number].replace(pair, new) for number in hits]
        if not known:
            self._kept[self._made] = [words[number] for number in hits]
            self._records.append(self._lists.keep(hits))
            found: defaultdict[str, set[int]] = defaultdict(set)
            for number, word in zip(hits, changed, strict=True):
                for made in map(str.__add__, word, word[1:]):
                    if new in made:
                        found[made].add(number)
            for made, added in found.items():
                self._lists.store(made, sorted(added.union(self.numbers(made))))
        self._made += 1
        self._runs.clear()
        return self._exchange(hits, changed)

    def _exchange(self, numbers: Numbers, changed: Sequence[str]) -> Change:
        """Put other words in place of some; the slow way, pair by pair."""
        before = self.tokens
        moves: defaultdict[str, int] = defaultdict(int)
        for number, word in zip(numbers, changed, strict=True):
            old, weight = self.words[number], self.weights[number]
            for gone in map(str.__add__, old, old[1:]):
                moves[gone] -= weight
            for made in map(str.__add__, word, word[1:]):
                moves[made] += weight
            self.words[number] = word
            self.tokens += (len(word) - len(old)) * weight
        for moved, n in moves.items():
            self._shift(moved, n)
        return Change(abs(before - self.tokens), tuple(moved for moved, n in moves.items() if n > 0))


def _beside(word: str, new: str, number: int, left: Neighbours, right: Neighbours) -> int:
    """Enter what stands left and right of each `new` in a word; returns how many there are."""
    places = 0
    at = word.find(new)
    last = len(word) - 1
    while at >= 0:
        places += 1
        if at and word[at - 1] != new:
            left[word[at - 1]].append(number)
        if at < last:
            right[word[at + 1]].append(number)
        at = word.find(new, at + 1)
    return places
