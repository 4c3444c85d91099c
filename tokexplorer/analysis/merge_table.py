"""The merges of a tokenizer as a table: parents, children, and which two tokens may stand side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tokexplorer.analysis.progress import Progress, ShouldStop, report
from tokexplorer.tokenizers.base import Tokenizer

NONE: Final = -1
"""no parent"""
EVERY: Final = 4096
"""how many tokens pass between two reports"""
_SHIFT: Final = 32
_NEVER: Final = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class MergeTable:
    """Parents of each id (NONE for base symbols, specials, unknown), and pair -> merged id.

    Ids rank the merges: a merged id lies above both its parts, and the lower of two merges comes first.
    """

    left: Sequence[int]
    right: Sequence[int]
    merged: dict[int, int] = field(repr=False)
    """left << 32 | right -> id"""
    ordered: bool = True
    """False where the tokenizer says that its merges run in another order than the ids they make: `side_by_side` then
    says nothing"""

    def __len__(self) -> int:
        return len(self.merged)

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """The two ids that the token was merged from, None where it was not."""
        left = self.left[token_id]
        return None if left == NONE else (left, self.right[token_id])

    def joined(self, left: int, right: int) -> int | None:
        """The id that the pair merges to, None where it does not."""
        return self.merged.get(left << _SHIFT | right)

    def side_by_side(self, first: int, second: int, below: int = _NEVER) -> bool:
        """Whether the bytes of two tokens, each of which its own merges reach, are encoded as just these two tokens
        by the merges whose id is under `below`.

        Both halves are unmerged along the border between them, the younger side first: every merge that crosses the
        border must come too late. A sequence of tokens is what BPE makes of its bytes exactly where each two
        neighbours are (corollaries II and IIIa of the notes on the `bpe` crate, github/rust-gems).
        """
        left, right, merged = self.left, self.right, self.merged
        first_until = second_until = below  # the merge that ends the life of the part at the border
        while True:
            crossing = merged.get(first << _SHIFT | second)
            # Equal ids are the same pair (`aa|a`), merged leftmost first: the border's place comes before one in
            # the second half, but after one in the first.
            if crossing is not None and crossing < first_until and crossing <= second_until and crossing < below:
                return False
            first_splits, second_splits = left[first] != NONE, left[second] != NONE
            if first_splits and (first >= second or not second_splits):
                first_until = first
                first = right[first]
            elif second_splits:
                second_until = second
                second = left[second]
            else:
                return True

    def children(self) -> dict[int, list[int]]:
        """id -> the ids that it is a parent of, ascending (an id that is both parents stands once)."""
        found: dict[int, list[int]] = {}
        for token_id, (left, right) in enumerate(zip(self.left, self.right)):
            if left != NONE:
                found.setdefault(left, []).append(token_id)
                if right != left:
                    found.setdefault(right, []).append(token_id)
        return found


def merge_table(
    tokenizer: Tokenizer, on_progress: Progress | None = None, should_stop: ShouldStop | None = None
) -> MergeTable:
    """The table of a tokenizer: from its list of `merges` (left, right, id) where it offers one, else from `parents`.

    A token that comes before one of its parents is left out: its id says nothing about when it is merged. Progress
    counts merges or ids. Raises Cancelled when `should_stop` says so.
    """
    size = tokenizer.size
    left, right = [NONE] * size, [NONE] * size
    merged: dict[int, int] = {}
    last, ordered = NONE, True
    rows, total = _rows(tokenizer)
    for number, (one, other, made) in enumerate(rows):
        if not number % EVERY:
            report(number, total, on_progress, should_stop)
        ordered = ordered and made > last
        last = made
        if one < made and other < made:
            merged.setdefault(one << _SHIFT | other, made)
            if left[made] == NONE:
                left[made], right[made] = one, other
    return MergeTable(left, right, merged, ordered)


def _rows(tokenizer: Tokenizer) -> tuple[Iterable[tuple[int, int, int]], int]:
    """All merges, and how many steps it takes to go through them at most."""
    merges = getattr(tokenizer, "merges", None)
    if callable(merges):
        listed = merges()
        return listed, len(listed)
    pairs = ((tokenizer.parents(i), i) for i in range(tokenizer.size))
    return ((*pair, i) for pair, i in pairs if pair is not None), tokenizer.size
