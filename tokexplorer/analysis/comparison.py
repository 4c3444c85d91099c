"""Two to four tokenizers on one text: their counts, where their cuts agree, and where they differ."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, combinations, compress
from typing import Final

import regex

from tokexplorer.analysis.progress import Progress, ShouldStop, report
from tokexplorer.analysis.utf8 import is_valid
from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.tokenizers.base import Encoded, SpecialMode, Tokenizer

WORD: Final = regex.compile(r"\p{L}[\p{L}\p{M}]*+(?:['’]\p{L}[\p{L}\p{M}]*+)*+")
"""A word: letters with their marks, apostrophes only between letters. Scripts that write no spaces (Chinese, Thai)
thus have few, long words."""

_PIECE: Final = 1 << 18
_DIFFERS: Final = 1
_COMMON: Final = 2


@dataclass(frozen=True, slots=True)
class Stats:
    """What one tokenizer makes of the text. Averages are 0.0 where there is nothing to divide by."""

    name: str
    size: int
    """highest id + 1"""
    tokens: int
    bytes_per_token: float
    chars_per_token: float
    tokens_per_word: float
    """all tokens, those between the words too, by the words of the text (fertility)"""
    whole_words: int
    """words inside which no token ends"""
    whole_word_share: float
    partial: int
    """tokens whose own bytes are not valid UTF-8 alone"""
    distinct: int
    """different ids used"""
    unknown: int
    """tokens that do not say what the text was"""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the cuts of two tokenizers agree; the ends of the text do not count as cuts."""

    first: str
    second: str
    common: int
    """cuts that both make"""
    union: int
    """cuts that either makes"""
    share: float
    """common / union (Jaccard); 1.0 where neither cuts"""
    saved: int
    """tokens that the second needs less than the first; negative where it needs more"""
    saved_share: float
    """`saved` by the tokens of the first"""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Some tokenizers on one text, in the order in which they were given."""

    size: int
    """bytes of the text"""
    chars: int
    """characters; a byte that is no part of valid UTF-8 counts as one"""
    words: int
    stats: tuple[Stats, ...]
    agreement: tuple[Agreement, ...]
    """one for each two, in the order (1, 2), (1, 3), ... (2, 3), ..."""
    encoded: tuple[Encoded, ...] = field(repr=False)
    _cuts: bytes = field(repr=False)
    """per byte offset 0 to `size`: 0 no cut, _DIFFERS some tokenizers cut, _COMMON all do (and at both ends)"""

    @property
    def differing(self) -> int:
        """How many cuts are made by some of the tokenizers only."""
        return self._cuts.count(_DIFFERS)

    def differs_at(self, offset: int) -> bool:
        """Whether some tokenizers cut at this byte offset and others do not."""
        return 0 <= offset < len(self._cuts) and self._cuts[offset] == _DIFFERS

    def differences(self) -> array[int]:
        """The byte offsets of all cuts that differ, ascending."""
        marks = self._cuts.replace(b"\2", b"\0")
        return array("q", compress(range(len(marks)), marks))

    def next_difference(self, offset: int) -> tuple[int, int] | None:
        """The first stretch [start, end) that starts after `offset`, in bytes: it lies between two cuts that all make,
        and the tokenizers cut it differently. None after the last one."""
        inside = self._cuts.find(_COMMON, offset + 1) if offset >= 0 else 0
        found = self._cuts.find(_DIFFERS, inside) if inside >= 0 else -1
        return self._around(found) if found >= 0 else None

    def previous_difference(self, offset: int) -> tuple[int, int] | None:
        """The last such stretch that starts before `offset`; None before the first one."""
        start = self._cuts.rfind(_COMMON, 0, max(offset, 0))
        if start < 0:
            return None
        end = self._cuts.find(_COMMON, start + 1)
        found = self._cuts.find(_DIFFERS, start, end) if end >= 0 else -1
        if found < 0:
            found = self._cuts.rfind(_DIFFERS, 0, start)
        return self._around(found) if found >= 0 else None

    def _around(self, offset: int) -> tuple[int, int]:
        return self._cuts.rfind(_COMMON, 0, offset), self._cuts.find(_COMMON, offset)


def compare(
    text: bytes,
    tokenizers: Sequence[Tokenizer],
    special: SpecialMode = SpecialMode.TEXT,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> Comparison:
    """Encode a text with some tokenizers and compare them; progress counts steps, two per tokenizer.

    Raises InputError in mode FORBID where the text holds a special token, Cancelled when `should_stop` says so.
    """
    steps = 2 * len(tokenizers)
    encoded: list[Encoded] = []
    for number, tokenizer in enumerate(tokenizers):
        report(number, steps, on_progress, should_stop)
        encoded.append(tokenizer.encode(text, special))
    decoded = to_text(text)
    words = _words(text)
    borders: list[bytearray] = []
    stats: list[Stats] = []
    for number, (tokenizer, own) in enumerate(zip(tokenizers, encoded)):
        report(len(tokenizers) + number, steps, on_progress, should_stop)
        borders.append(_borders(own))
        stats.append(_stats(tokenizer, own, len(decoded), words, borders[-1]))
    masks = [int.from_bytes(marks[1 : len(text)], "little") for marks in borders]
    report(steps, steps, on_progress, should_stop)
    agreement = tuple(_agreement(stats[a], stats[b], masks[a], masks[b]) for a, b in combinations(range(len(masks)), 2))
    return Comparison(
        len(text), len(decoded), len(words[0]), tuple(stats), agreement, tuple(encoded), _cuts(masks, len(text))
    )


def word_spans(text: bytes) -> Iterator[tuple[int, int]]:
    """The words (see WORD) of a text, as byte spans."""
    yield from zip(*_words(text))


def _words(text: bytes) -> tuple[array[int], array[int]]:
    """Where the words of a text start and end."""
    starts, ends = array("q"), array("q")
    at = 0
    while at < len(text):
        cut = text.find(b"\n", at + _PIECE) + 1 or len(text)
        piece = to_text(text[at:cut])
        spans = [match.span() for match in WORD.finditer(piece)]
        if piece.isascii():
            starts.extend([at + a for a, _ in spans])
            ends.extend([at + b for _, b in spans])
        else:
            where = _byte_offsets(piece, at)
            starts.extend([where[a] for a, _ in spans])
            ends.extend([where[b] for _, b in spans])
        at = cut
    return starts, ends


def _byte_offsets(text: str, base: int) -> Sequence[int]:
    """Where each character of a text starts, in bytes from `base` on; and where the text ends."""
    sizes = {char: len(to_bytes(char)) for char in set(text)}
    return list(accumulate(map(sizes.__getitem__, text), initial=base))


def _borders(encoded: Encoded) -> bytearray:
    """One byte per offset of the text, its end included: 1 where a token ends."""
    marks = bytearray(len(encoded.text) + 1)
    for end in encoded.ends:
        marks[end] = 1
    return marks


def _stats(
    tokenizer: Tokenizer, encoded: Encoded, chars: int, words: tuple[array[int], array[int]], borders: bytearray
) -> Stats:
    tokens, count = len(encoded), len(words[0])
    uses = Counter(encoded.ids)
    whole = sum(borders.find(1, start + 1, end) < 0 for start, end in zip(*words))
    return Stats(
        name=tokenizer.name,
        size=tokenizer.size,
        tokens=tokens,
        bytes_per_token=_ratio(len(encoded.text), tokens),
        chars_per_token=_ratio(chars, tokens),
        tokens_per_word=_ratio(tokens, count),
        whole_words=whole,
        whole_word_share=_ratio(whole, count),
        partial=sum(n for token_id, n in uses.items() if not is_valid(tokenizer.token_bytes(token_id) or b"")),
        distinct=len(uses),
        unknown=len(encoded.notes),
    )


def _agreement(first: Stats, second: Stats, cuts: int, others: int) -> Agreement:
    common, union = (cuts & others).bit_count(), (cuts | others).bit_count()
    saved = first.tokens - second.tokens
    share = common / union if union else 1.0
    return Agreement(first.name, second.name, common, union, share, saved, _ratio(saved, first.tokens))


def _cuts(masks: Sequence[int], size: int) -> bytes:
    """One byte per offset 0 to `size`; `masks` hold one byte per offset 1 to `size` - 1."""
    if size == 0 or not masks:
        return bytes([_COMMON]) * (size + 1)
    union = common = masks[0]
    for mask in masks[1:]:
        union |= mask
        common &= mask
    inner = (union ^ common) * _DIFFERS | common * _COMMON
    return bytes([_COMMON]) + inner.to_bytes(size - 1, "little") + bytes([_COMMON])


def _ratio(value: int, by: int) -> float:
    return value / by if by else 0.0
