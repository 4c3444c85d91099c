"""Frequent substrings of words: the seed vocabulary of the Unigram model."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat

Tick = Callable[[int], None]
"""Called now and then with the number of words done since the last call; may raise to end the work."""


def symbol_counts(words: Iterable[str], weights: Iterable[int]) -> dict[str, int]:
    """How often each symbol stands in the words (weighted)."""
    counts: dict[str, int] = {}
    for word, weight in zip(words, weights, strict=True):
        for char in word:
            counts[char] = counts.get(char, 0) + weight
    return counts


def frequent_substrings(
    words: Sequence[str], weights: Sequence[int], longest: int, min_count: int, limit: int, tick: Tick | None = None
) -> dict[str, int]:
    """Substrings of 2 to `longest` symbols that stand in at least `min_count` places (weighted, overlaps counted), with
    their counts. Of these the `limit` with the highest count * length.

    One that is always followed by the same symbol is left out, as its extension has the same count: what remains are
    the inner nodes of the suffix tree of all words, up to the length. Length by length: only places whose substring
    was frequent are looked at for the next length.
    """
    text = "".join(words)
    place_weights = array("Q", (n for word, n in zip(words, weights, strict=True) for n in repeat(n, len(word))))
    rooms = array("I", (n for word in words for n in range(len(word), 0, -1)))
    places: Sequence[int] = range(len(text))
    found: dict[str, int] = {}
    shorter: dict[str, int] = {}
    for length in range(2, longest + 1):
        if tick is not None:
            tick(0)
        places = [p for p in places if rooms[p] >= length]
        keys = [text[p : p + length] for p in places]
        counts: dict[str, int] = {}
        for key, p in zip(keys, places, strict=True):
            counts[key] = counts.get(key, 0) + place_weights[p]
        frequent = {key: n for key, n in counts.items() if n >= min_count}
        for key, n in frequent.items():
            if shorter.get(key[:-1]) == n:
                del shorter[key[:-1]]
        found = _best(found | shorter, limit)
        shorter = frequent
        places = [p for p, key in zip(places, keys, strict=True) if key in frequent]
        if not places:
            break
    return _best(found | shorter, limit)


def _best(found: dict[str, int], limit: int) -> dict[str, int]:
    if len(found) <= limit:
        return found
    chosen = sorted(found, key=lambda key: (-found[key] * len(key), key))[:limit]
    return {key: found[key] for key in chosen}
