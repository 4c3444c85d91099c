"""Which colour each token has: by its id, never that of a neighbour, and the same whichever way one comes to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from tokexplorer.tui.widgets.token_layout import BLOCK, KEPT, Block

SHORT: Final = 64
"""Longest token, in bytes, whose colour comes from its id."""
HASHED: Final = 5
"""Colours 0..4 are chosen by hash; 5 repairs neighbours of one hash, 6 ends long runs of repairs."""
COLOURS: Final = HASHED + 2


class _Place(NamedTuple):
    """Where a block stands in a run of blocks of one hash; its length in bytes."""

    hashed: int
    place: int
    length: int


class TokenColours:
    """The colours of a model's blocks. `block_at` gives the block that covers a byte, None beyond the text."""

    def __init__(self, block_at: Callable[[int], Block | None]) -> None:
        self._block_at = block_at
        self._places: dict[int, _Place] = {}

    def colour(self, block: Block) -> int:
        """Which of the COLOURS a block has: never that of a neighbour, and the same wherever one comes from.

        A colour follows from the token's id (so that equal tokens look alike); in a run of tokens with one hash
        every other one takes colour 5. Runs are cut every BLOCK bytes, so that no long way back is needed.
        """
        known = self._places.get(block.start)
        if known is None and block.start > 0:
            known = self._run_before(block)
        hashed = _hash(block)
        position = self._place(block, hashed, known)
        return HASHED + 1 if position < 0 else HASHED if position % 2 else hashed

    def _run_before(self, block: Block) -> _Place | None:
        """Where the block before `block` stands in its run of equal hashes, found by going back to the run's start."""
        chain: list[tuple[Block, int]] = []
        known: _Place | None = None
        before = self._block_at(block.start - 1)
        while before is not None:
            hashed = _hash(before)
            if hashed != _hash(block) or _restarts(before, block):
                known = _Place(hashed, 0, before.end - before.start)
                break
            chain.append((before, hashed))
            known = self._places.get(before.start)
            if known is not None or before.start == 0:
                break
            block, before = before, self._block_at(before.start - 1)
        for item, hashed in reversed(chain):
            known = _Place(hashed, self._place(item, hashed, known), item.end - item.start)
        return known

    def _place(self, block: Block, hashed: int, known: _Place | None) -> int:
        """A block's place in its run of equal hashes, given that of the block before it; -1: the run was cut here."""
        length = block.end - block.start
        if known is None or known.hashed != hashed:
            place = 0
        elif (
            length <= SHORT and known.length <= SHORT and (block.start - known.length) // BLOCK != block.start // BLOCK
        ):
            place = -1
        else:
            place = max(0, known.place) + 1
        if len(self._places) > KEPT:
            self._places.clear()
        self._places[block.end] = _Place(hashed, place, length)
        return place

    def shade(self, block: Block) -> int:
        """0 or 1: tells two neighbours with one mark apart, as long as they are copies of one or two tokens."""
        beside = (self._block_at(block.start - 1), self._block_at(block.end))
        other = next((b for b in beside if b is not None and b.mark is block.mark), None)
        if other is None:
            return 0
        if _key(other) != _key(block):
            return int(_key(block) > _key(other))
        return block.start // max(1, block.end - block.start) & 1


def _key(block: Block) -> int:
    """What a block's colour hangs on: its ids; for very long ones the place."""
    if block.end - block.start > SHORT:
        return block.start
    return block.tokens[0].id if len(block.tokens) == 1 else hash(tuple([token.id for token in block.tokens]))


def _hash(block: Block) -> int:
    """One of HASHED colours."""
    return ((_key(block) * 0x9E3779B1 & 0xFFFFFFFF) >> 15) % HASHED


def _restarts(before: Block, block: Block) -> bool:
    """Whether a run of equal hashes is cut between two short blocks: at the first of each BLOCK bytes."""
    if before.end - before.start > SHORT or block.end - block.start > SHORT:
        return False
    return before.start // BLOCK != block.start // BLOCK
