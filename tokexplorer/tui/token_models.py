"""Token models: a text through a tokenizer, with what is next and what was just made marked, for the token view."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from tokexplorer.engine.alphabet import to_text
from tokexplorer.engine.corpus import byte_spans
from tokexplorer.texts import TokenizedText
from tokexplorer.tokenizers.base import Encoded
from tokexplorer.tui.widgets.token_model import Mark, ShownToken


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands out: the places of a pair of ids or of some ids, and a token that was just made."""

    pair: tuple[int, int] | None = None
    made: int | None = None
    ids: frozenset[int] = frozenset()


class MarkedText:
    """A TokenModel over a tokenized text."""

    def __init__(self, tokenized: TokenizedText, marks: Marks | None = None) -> None:
        self.tokenized = tokenized
        self.marks = marks or Marks()
        # Remembered without a reference to itself: a model is made for each step, and must not wait for the collector.
        self._shown = lru_cache(maxsize=64)(partial(_show, tokenized, self.marks))

    @property
    def size(self) -> int:
        """Bytes of the text."""
        return self.tokenized.text.size

    def read(self, start: int, end: int) -> bytes:
        """The bytes [start, end)."""
        return self.tokenized.text.read(start, end)

    def tokens(self, start: int, end: int) -> Sequence[ShownToken]:
        """The tokens that overlap [start, end); what no token stands for is a token with id -1."""
        found: list[ShownToken] = []
        for begin, encoded in self.tokenized.pieces(start, end):
            shown = self._shown(begin, len(encoded.text))
            if begin >= start and begin + len(encoded.text) <= end:
                found.extend(shown)
                continue
            first = bisect_left(shown, start + 1, key=lambda token: token.end)
            last = bisect_left(shown, end, key=lambda token: token.start)
            found.extend(shown[first:last])
        return found


def _show(tokenized: TokenizedText, wanted: Marks, begin: int, length: int) -> tuple[ShownToken, ...]:
    encoded = tokenized.encode_piece(begin, begin + length)
    starts = _chunk_starts(tokenized, encoded)
    marks = _mark(tokenized, wanted, encoded)
    shown: list[ShownToken] = []
    at = 0
    for number, (token_id, end) in enumerate(zip(encoded.ids, encoded.ends, strict=True)):
        if end == at and shown:
            continue
        note = encoded.notes.get(number, "")
        shown.append(ShownToken(token_id, begin + at, begin + end, marks[number], at in starts, note))
        at = end
    if at < length:
        shown.append(ShownToken(-1, begin + at, begin + length, Mark.NONE, True, "left out by the split"))
    return tuple(shown)


def _chunk_starts(tokenized: TokenizedText, encoded: Encoded) -> set[int]:
    split = tokenized.tokenizer.split
    return {a for a, _ in byte_spans(to_text(encoded.text), split)} if split is not None else set()


def _mark(tokenized: TokenizedText, wanted: Marks, encoded: Encoded) -> list[Mark]:
    ids = encoded.ids
    tokenizer = tokenized.tokenizer
    made, pair = wanted.made, wanted.pair
    marks = [Mark.UNKNOWN if n in encoded.notes else Mark.MADE if i == made else Mark.NONE for n, i in enumerate(ids)]
    if tokenized.special != "text":
        for number, token_id in enumerate(ids):
            if marks[number] is Mark.NONE and tokenizer.is_special(token_id):
                marks[number] = Mark.SPECIAL
    if wanted.ids:
        for number, token_id in enumerate(ids):
            if token_id in wanted.ids and marks[number] is not Mark.UNKNOWN:
                marks[number] = Mark.NEXT
    if pair is not None:
        at = 0
        starts = _chunk_starts(tokenized, encoded)
        while at + 1 < len(ids):
            joins = ids[at] == pair[0] and ids[at + 1] == pair[1] and encoded.ends[at] not in starts
            if joins:
                marks[at] = marks[at + 1] = Mark.NEXT
            at += 2 if joins else 1
    return marks
