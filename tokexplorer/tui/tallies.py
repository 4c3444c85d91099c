"""How often tokens stand in a text of any size, and where: counted piece by piece, so that it can be stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tokexplorer.analysis.progress import Progress, ShouldStop, report
from tokexplorer.analysis.token_page import uses_of
from tokexplorer.texts import BULK_PIECE, Text
from tokexplorer.tokenizers.base import Encoded, SpecialMode, Tokenizer

MOST_PLACES: Final = 2000
"""Places of a token that are listed."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where a token stands in a text: `total` places, the first ones as spans in bytes."""

    total: int
    spans: tuple[tuple[int, int], ...]


def parts(
    text: Text,
    tokenizer: Tokenizer,
    special: SpecialMode = SpecialMode.TEXT,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
    size: int = BULK_PIECE,
) -> Iterator[tuple[int, Encoded]]:
    """The tokens of a text as (start in bytes, tokens of a part), in order; progress counts bytes.

    Parts end at certain chunk borders and never cross from one document to the next. Raises Cancelled as told.
    """
    begin = stop = 0
    for start, end in text.pieces(tokenizer.split, 0, text.size):
        if start > begin and (end - begin > size or start in text.offsets):
            yield begin, tokenizer.encode(text.read(begin, stop), special)
            begin = start
            report(begin, text.size, on_progress, should_stop)
        stop = end
    if stop > begin:
        yield begin, tokenizer.encode(text.read(begin, stop), special)
    report(text.size, text.size, on_progress, should_stop)


def count_in(
    text: Text,
    tokenizer: Tokenizer,
    special: SpecialMode = SpecialMode.TEXT,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> Counter[int]:
    """id -> uses in a text."""
    found: Counter[int] = Counter()
    for _, encoded in parts(text, tokenizer, special, on_progress, should_stop):
        found.update(encoded.ids)
    return found


def places_in(
    text: Text,
    tokenizer: Tokenizer,
    token_id: int,
    special: SpecialMode = SpecialMode.TEXT,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> Places:
    """All places of a token, of which the first MOST_PLACES are listed."""
    total = 0
    spans: list[tuple[int, int]] = []
    for start, encoded in parts(text, tokenizer, special, on_progress, should_stop):
        total += sum(1 for own in encoded.ids if own == token_id)
        room = MOST_PLACES - len(spans)
        if room > 0:
            spans.extend((start + a, start + b) for a, b in uses_of(encoded, token_id, room))
    return Places(total, tuple(spans))
