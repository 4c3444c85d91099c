"""What a vocabulary holds that its own text does not lead to: the sweep over all tokens, and the categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from tokexplorer.analysis.merge_table import EVERY, MergeTable, merge_table
from tokexplorer.analysis.progress import Progress, ShouldStop, report
from tokexplorer.engine.alphabet import to_text
from tokexplorer.engine.splits import Split
from tokexplorer.tokenizers.base import Encoded, Tokenizer

if TYPE_CHECKING:
    from tokexplorer.analysis.emission import Emissions


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """A vocabulary looked through once. All tuples of ids ascend; they overlap, except `special` and `unassigned`."""

    tokenizer: Tokenizer
    data: Sequence[bytes | None] = field(repr=False)
    """the bytes of each id, None where it is unassigned"""
    table: MergeTable
    special: tuple[int, ...]
    unassigned: tuple[int, ...]
    partial: tuple[int, ...]
    """not valid UTF-8 alone, single bytes included"""
    unreachable: tuple[int, ...]
    """its own bytes do not merge back to it, when the merges run on them without the split"""
    split_alone: tuple[int, ...]
    """valid text that the split pattern cuts when it stands alone"""

    @property
    def size(self) -> int:
        """Highest id + 1."""
        return len(self.data)


def sweep(tokenizer: Tokenizer, on_progress: Progress | None = None, should_stop: ShouldStop | None = None) -> Sweep:
    """Look through all tokens of a tokenizer; progress counts ids, twice over. Raises Cancelled when told to stop.

    A token with parents is reached where they are, and stand side by side until its own merge. One without is
    reached where it is a base symbol, or where `encode` gives it back.
    """
    size = tokenizer.size
    table = merge_table(tokenizer, lambda done, _: report(min(done, size), 2 * size, on_progress, should_stop))
    data = [tokenizer.token_bytes(i) for i in range(size)]
    texts = _Texts(tokenizer.split)
    reached = bytearray(size)
    special, unassigned, partial, unreachable, split_alone = [], [], [], [], []
    symbols: set[bytes] = set()
    left, right, beside = table.left, table.right, table.side_by_side
    for token_id, own in enumerate(data):
        if not token_id % EVERY:
            report(size + token_id, 2 * size, on_progress, should_stop)
        if own is None:
            unassigned.append(token_id)
            continue
        if tokenizer.is_special(token_id):
            special.append(token_id)
            continue
        cut = texts.cut(own)
        if cut is None:
            partial.append(token_id)
        elif cut:
            split_alone.append(token_id)
        one, other = left[token_id], right[token_id]
        if one >= 0 and table.ordered:
            reached[token_id] = reached[one] and reached[other] and beside(one, other, token_id)
        else:
            reached[token_id] = _is_base(own, symbols, table) or _comes_back(tokenizer, token_id, own) or cut is True
        if not reached[token_id]:
            unreachable.append(token_id)
    report(2 * size, 2 * size, on_progress, should_stop)
    groups = (tuple(ids) for ids in (special, unassigned, partial, unreachable, split_alone))
    return Sweep(tokenizer, data, table, *groups)


class _Texts:
    """Asks of token after token whether it is text, and whether the split cuts it."""

    def __init__(self, split: Split | None) -> None:
        self.split = split
        self.match = None if split is None else split.compiled.match

    def cut(self, data: bytes) -> bool | None:
        """Whether the split cuts the text; None where the bytes are not valid UTF-8."""
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return None
        if self.split is None or self.match is None or not text:
            return False
        found = self.match(text)
        if found is not None and found.end() == len(text):
            return False
        return [text] != self.split.chunks(text)


def _is_base(data: bytes, symbols: set[bytes], table: MergeTable) -> bool:
    """Whether the bytes are a base symbol of the merges: one character or byte, the first of its kind."""
    first = data not in symbols
    symbols.add(data)
    return not data or (len(table) > 0 and first and len(to_text(data)) == 1)


def _comes_back(tokenizer: Tokenizer, token_id: int, data: bytes) -> bool:
    return list(tokenizer.encode(data).ids) == [token_id]


class Category(StrEnum):
    """Where a token belongs; each id is in the first of these that holds for it."""

    UNASSIGNED = "unassigned"
    SPECIAL = "special"
    ONLY_PART = "only-part"
    """no valid text yields it, but longer tokens that are yielded are made of it"""
    NEVER_EMITTED = "never-emitted"
    """no valid text yields it, nor any token made of it"""
    UNREACHABLE = "unreachable"
    SPLIT_ALONE = "split-alone"
    PARTIAL_UTF8 = "partial-utf8"
    UNUSED = "unused"
    """an ordinary token that is not in the loaded corpus"""
    ORDINARY = "ordinary"
    """an ordinary token; where a corpus was given, one that is used in it"""


MEANINGS: Final[dict[Category, str]] = {
    Category.UNASSIGNED: "the id stands for nothing",
    Category.SPECIAL: "a control token outside the merges",
    Category.ONLY_PART: "no valid text yields it; only ever a part of longer tokens",
    Category.NEVER_EMITTED: "no valid text yields it, nor anything made of it",
    Category.UNREACHABLE: "its own bytes do not merge back to it",
    Category.SPLIT_ALONE: "the split pattern cuts it when it stands alone",
    Category.PARTIAL_UTF8: "not valid UTF-8 alone: a cut character, or a single byte of one",
    Category.UNUSED: "ordinary, but not in the loaded text",
    Category.ORDINARY: "its own text yields it",
}
"""Category -> one line for the screen."""


@dataclass(frozen=True, slots=True, eq=False)
class Classification:
    """Each id of a vocabulary in exactly one category: `counts` add up to `size`.

    `flags` holds what overlaps: every category but `ordinary`, with all ids that it is true of. `never-emitted` then
    holds the ids of `only-part` too, and `unused` all ids that the corpus does not use.
    """

    tokenizer: str
    size: int
    counts: tuple[tuple[Category, int], ...]
    """all categories in their order, those without tokens too"""
    category_of: Sequence[Category] = field(repr=False)
    """one per id"""
    flags: Mapping[Category, tuple[int, ...]] = field(repr=False)
    scaffolds: tuple[int, ...] = field(repr=False)
    """not used in the corpus, but part of a token that is; empty without a corpus"""

    def ids(self, category: Category) -> list[int]:
        """The ids whose one category this is, ascending."""
        return [i for i, own in enumerate(self.category_of) if own is category]


def classify(
    found: Sweep, emissions: Emissions | None = None, uses: Mapping[int, int] | None = None
) -> Classification:
    """Put each id into one category. Without `emissions` nothing is known to be never emitted; without `uses`
    (id -> uses in a corpus, see `count_uses`) nothing is unused."""
    never = emissions.never if emissions is not None else ()
    hidden = set(never)
    tokens = set(range(found.size)) - set(found.special) - set(found.unassigned)
    parts = _parts_of(found.table, (i for i in tokens if i not in hidden)) if hidden else set()
    flags: dict[Category, tuple[int, ...]] = {
        Category.UNASSIGNED: found.unassigned,
        Category.SPECIAL: found.special,
        Category.ONLY_PART: tuple(i for i in never if i in parts),
        Category.NEVER_EMITTED: tuple(never),
        Category.UNREACHABLE: found.unreachable,
        Category.SPLIT_ALONE: found.split_alone,
        Category.PARTIAL_UTF8: found.partial,
        Category.UNUSED: () if uses is None else tuple(sorted(i for i in tokens if not uses.get(i))),
    }
    category_of = [Category.ORDINARY] * found.size
    for category in reversed(flags):
        for token_id in flags[category]:
            category_of[token_id] = category
    counted = Counter(category_of)
    scaffolds = () if uses is None else tuple(sorted(_parts_of(found.table, uses) - {i for i in uses if uses[i]}))
    return Classification(
        found.tokenizer.name, found.size, tuple((c, counted[c]) for c in Category), category_of, flags, scaffolds
    )


def _parts_of(table: MergeTable, ids: Iterable[int]) -> set[int]:
    """All ids that the given ones are made of, however deep."""
    parts: set[int] = set()
    for token_id in ids:
        waiting = [token_id]
        while waiting:
            pair = table.parents(waiting.pop())
            for parent in pair or ():
                if parent not in parts:
                    parts.add(parent)
                    waiting.append(parent)
    return parts


def count_uses(encoded: Encoded) -> Counter[int]:
    """How often each id stands in an encoded text."""
    return Counter(encoded.ids)
