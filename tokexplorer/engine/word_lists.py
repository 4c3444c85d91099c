"""Lists of word numbers, by pair and by merge, in one array, which no garbage collection looks through."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

_LENGTH_BITS: Final = 32

Numbers = Sequence[int]
"""Word numbers, ascending."""
Range = tuple[int, int]
"""(start, length) of a list in the array."""


class WordLists:
    """For each pair the words that may hold it. The lists are in the order in which they were stored, so that what was
    stored last can be cut off."""

    def __init__(self) -> None:
        self._pool = array("I")
        self._index: dict[str, int] = {}
        """pair -> the number of its one word, or ~(start << 32 | length) of its list"""

    def store(self, pair: str, numbers: list[int]) -> None:
        """Keep the words of a pair in place of those kept before."""
        if len(numbers) == 1:
            self._index[pair] = numbers[0]
        else:
            self._index[pair] = ~(len(self._pool) << _LENGTH_BITS | len(numbers))
            self._pool.fromlist(numbers)

    def store_once(self, pair: str, numbers: Iterable[int]) -> None:
        """The same where words are repeated: a long one may hold a pair often, and each visit looks all through it."""
        self.store(pair, list(dict.fromkeys(numbers)))

    def of(self, pair: str) -> Numbers:
        """The words that may hold a pair."""
        entry = self._index.get(pair)
        if entry is None:
            return ()
        return (entry,) if entry >= 0 else self.take(divmod(~entry, 1 << _LENGTH_BITS))

    def first(self, pair: str) -> int:
        """The first word that may hold a pair."""
        entry = self._index[pair]
        return entry if entry >= 0 else self._pool[~entry >> _LENGTH_BITS]

    def since(self, pair: str, number: int) -> Iterator[int]:
        """The words from `number` on that may hold a pair."""
        entry = self._index[pair]
        if entry >= 0:
            if entry >= number:
                yield entry
            return
        pool = self._pool
        start, length = divmod(~entry, 1 << _LENGTH_BITS)
        for place in range(bisect_left(pool, number, start, start + length), start + length):
            yield pool[place]

    def keep(self, numbers: list[int]) -> Range:
        """Keep a list that belongs to no pair; `take` gives it back."""
        kept = len(self._pool), len(numbers)
        self._pool.fromlist(numbers)
        return kept

    def take(self, kept: Range) -> array[int]:
        """A list by its place."""
        start, length = kept
        return self._pool[start : start + length]

    def cut(self, kept: Range) -> None:
        """Cut off a list and all that was stored after it; the pairs of those lists must be dropped as well."""
        del self._pool[kept[0] :]

    def drop(self, symbols: set[str]) -> None:
        """Drop every pair that holds one of some symbols."""
        for pair in [p for p in self._index if p[0] in symbols or p[1] in symbols]:
            del self._index[pair]
