"""What the compare screen shows: texts with the places marked where tokenizers cut differently, and figures as rows."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tokexplorer.analysis.comparison import Agreement, Comparison, Stats, compare
from tokexplorer.analysis.progress import Progress, ShouldStop
from tokexplorer.engine.splits import Split
from tokexplorer.texts import Text
from tokexplorer.tokenizers.base import Encoded, SpecialMode, Tokenizer
from tokexplorer.tui.token_models import MarkedText
from tokexplorer.tui.widgets.token_model import Mark, ShownToken

MOST_BYTES: Final = 12_000_000
"""Bytes of a text that are compared; of a larger one the beginning."""


class ByDocument:
    """A tokenizer over several documents in one run of bytes: each is encoded on its own, so that no token crosses
    from one to the next. `borders`: the offsets at which documents begin, and the end."""

    def __init__(self, inner: Tokenizer, borders: Sequence[int]) -> None:
        self._inner = inner
        self._borders = borders

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def size(self) -> int:
        return self._inner.size

    @property
    def specials(self) -> Mapping[str, int]:
        return self._inner.specials

    @property
    def split(self) -> Split | None:
        return self._inner.split

    def encode(self, text: bytes, special: SpecialMode = SpecialMode.TEXT) -> Encoded:
        """The tokens of all documents; a text that ends within one is taken as far as it goes."""
        ids, ends, notes = array("q"), array("q"), dict[int, str]()
        for start, end in zip(self._borders, self._borders[1:]):
            if start >= len(text):
                break
            part = self._inner.encode(text[start : min(end, len(text))], special)
            notes.update((len(ids) + number, note) for number, note in part.notes.items())
            ids.extend(iter(part.ids))
            ends.extend(start + own for own in part.ends)
        return Encoded(text, ids, ends, notes)

    def decode(self, ids: Sequence[int]) -> bytes:
        """As the tokenizer does."""
        return self._inner.decode(ids)

    def token_bytes(self, token_id: int) -> bytes | None:
        """As the tokenizer does."""
        return self._inner.token_bytes(token_id)

    def label(self, token_id: int) -> str:
        """As the tokenizer does."""
        return self._inner.label(token_id)

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """As the tokenizer does."""
        return self._inner.parents(token_id)

    def is_special(self, token_id: int) -> bool:
        """As the tokenizer does."""
        return self._inner.is_special(token_id)


def compare_text(
    text: Text,
    tokenizers: Sequence[Tokenizer],
    special: SpecialMode,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> Comparison:
    """Compare tokenizers on a text, of which at most MOST_BYTES are read. Raises Cancelled as told."""
    data = text.read(0, MOST_BYTES)
    wrapped = tokenizers
    if len(text.documents) > 1:
        wrapped = [ByDocument(tokenizer, text.offsets) for tokenizer in tokenizers]
    return compare(data, wrapped, special, on_progress, should_stop)


class ComparedText:
    """A TokenModel: a text through one tokenizer, tokens in stretches that others cut differently marked."""

    def __init__(self, inner: MarkedText, comparison: Comparison | None) -> None:
        self.inner = inner
        self.comparison = comparison

    @property
    def size(self) -> int:
        """Bytes of the text."""
        return self.inner.size

    def read(self, start: int, end: int) -> bytes:
        """The bytes [start, end)."""
        return self.inner.read(start, end)

    def tokens(self, start: int, end: int) -> Sequence[ShownToken]:
        """The tokens that overlap [start, end)."""
        found = self.inner.tokens(start, end)
        comparison = self.comparison
        if comparison is None:
            return found
        differs = comparison.differs_at
        return [
            token._replace(mark=Mark.DIFFERS)
            if token.mark is Mark.NONE and any(map(differs, range(token.start, token.end + 1)))
            else token
            for token in found
        ]

    def find_mark(self, offset: int, forward: bool) -> int | None:
        """The start of the next or the previous stretch that is cut differently."""
        if self.comparison is None:
            return None
        find = self.comparison.next_difference if forward else self.comparison.previous_difference
        found = find(offset)
        return found[0] if found is not None else None


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a column. `best`: no other column has a better one."""

    label: str
    value: str
    best: bool = False


def figures(comparison: Comparison, number: int) -> list[Figure]:
    """What stands below one column; better is: fewer tokens, more text in each, more whole words, fewer partial."""
    own = comparison.stats[number]
    all_stats = comparison.stats

    def best(value: float, values: Sequence[float], most: bool) -> bool:
        return len(set(values)) > 1 and value == (max(values) if most else min(values))

    found = [
        Figure("tokens", f"{own.tokens:,}", best(own.tokens, [s.tokens for s in all_stats], False)),
        Figure("bytes/token", f"{own.bytes_per_token:.2f}"),
        Figure("tokens/word", f"{own.tokens_per_word:.2f}"),
        Figure(
            "whole words",
            f"{own.whole_word_share:.1%}",
            best(own.whole_words, [s.whole_words for s in all_stats], True),
        ),
        Figure("chars/token", f"{own.chars_per_token:.2f}"),
        Figure("partial chars", f"{own.partial:,}", best(own.partial, [s.partial for s in all_stats], False)),
        Figure("ids used", f"{own.distinct:,}"),
        Figure("of all ids", _share(own)),
    ]
    if any(stats.unknown for stats in all_stats):
        found.append(Figure("unknown", f"{own.unknown:,}", best(own.unknown, [s.unknown for s in all_stats], False)))
    return found


def _share(stats: Stats) -> str:
    return f"{stats.distinct / stats.size:.2%}" if stats.size else "-"


def agreement_words(pair: Agreement, first: str, second: str) -> tuple[str, str, str]:
    """(who, agreement, tokens saved) of two tokenizers under their names."""
    who = f"{first} → {second}"
    share = f"{pair.share:.1%} cuts agree"
    if not pair.saved:
        return who, share, "as many tokens"
    less = "fewer" if pair.saved > 0 else "more"
    return who, share, f"{abs(pair.saved):,} {less} ({abs(pair.saved_share):.1%})"
