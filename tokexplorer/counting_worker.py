"""The worker process of `counting.workers`: counts the chunks of the pieces that come in, sends the counts back.

It imports as little as it can, and ends when its parent does, as its input then ends.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Iterator
from itertools import islice
from typing import IO, Final

from tokexplorer.engine.chunking import ChunkTally
from tokexplorer.engine.splits import compile_split

END: Final = 0xFFFFFFFF
"""In place of a length: no piece follows."""
LAST: Final = 0x80000000
"""Set in the length of the piece that ends its document."""
BATCH: Final = 20_000
"""Chunks that travel together: few, so that the parent's other threads get their turn while it reads them."""

Totals = tuple[int, int, int]
"""characters, lines, places left out"""


def write_piece(stream: IO[bytes], piece: bytes, last: bool) -> None:
    """Send a piece to a worker."""
    stream.write((len(piece) | (LAST if last else 0)).to_bytes(4, "little"))
    stream.write(piece)


def write_end(stream: IO[bytes]) -> None:
    """Tell a worker that no piece follows."""
    stream.write(END.to_bytes(4, "little"))
    stream.flush()


def read_counts(stream: IO[bytes]) -> Iterator[dict[str, int] | Totals]:
    """What a worker sends back: batches of counts in order, then the totals. EOFError where it broke off."""
    while True:
        found = marshal.load(stream)
        yield found
        if isinstance(found, tuple):
            return


def _pieces(stream: IO[bytes]) -> Iterator[tuple[bytes, bool]]:
    while True:
        head = stream.read(4)
        size = int.from_bytes(head, "little")
        if len(head) < 4:
            raise EOFError
        if size == END:
            return
        last = size & LAST != 0
        size &= ~LAST
        piece = stream.read(size)
        if len(piece) < size:
            raise EOFError
        yield piece, last


def main() -> None:
    """Arguments: the split's pattern, the bound on distinct chunks (0 for none)."""
    pattern, bound = sys.argv[1], int(sys.argv[2])
    tally = ChunkTally(compile_split(pattern), bound or None)
    for piece, last in _pieces(sys.stdin.buffer):
        tally.add(piece, last)
    out = sys.stdout.buffer
    entries = iter(tally.counts.items())
    while batch := dict(islice(entries, BATCH)):
        marshal.dump(batch, out)
    marshal.dump((tally.characters, tally.lines, tally.left_out), out)
    out.flush()
