"""Where each token of a text stands on the rows of a pager: wrapping and going back. No Textual in here.

Rows are found from hard breaks, never from the start of the text: a line feed ends a row, and a line that goes on for
more than a BLOCK starts a new row at each BLOCK. So any place of a text of any size is laid out at once, and the same
place always looks the same, whichever way it was reached.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from tokexplorer.engine import glyphs
from tokexplorer.engine.glyphs import Kind
from tokexplorer.tui.widgets.token_model import Mark, ShownToken, TokenModel

BLOCK: Final = 2048
"""Bytes after which a long line starts a new row."""
WINDOW: Final = 512
"""Bytes for which tokens are asked at once; also where a very long token is cut into pieces."""
NARROW: Final = 16
"""Cells from which on a row holds every stand-in."""
KEPT: Final = 20_000
"""Entries of a memo before it starts anew."""


class Block(NamedTuple):
    """What is drawn as one token: a token, or in grouped mode the tokens that share a character. Span in bytes."""

    tokens: tuple[ShownToken, ...]
    start: int
    end: int
    data: bytes
    """its bytes, where they are at most WINDOW; else empty"""

    @property
    def mark(self) -> Mark:
        """The first mark among its tokens."""
        for token in self.tokens:
            if token.mark is not Mark.NONE:
                return token.mark
        return Mark.NONE


class Unit(NamedTuple):
    """What a row cannot cut: a glyph with the border sign before it, or an id. It stands for bytes [start, end)."""

    prefix: str
    text: str
    cells: int
    kind: Kind
    start: int
    end: int
    block: Block


@dataclass(frozen=True, slots=True, eq=False)
class LaidRow:
    """One row: its units, the cells they take, its span [start, end) in bytes; `hard`: no wrapping made its end."""

    start: int
    end: int
    units: tuple[Unit, ...]
    cells: int
    hard: bool


@dataclass(frozen=True, slots=True)
class Look:
    """What changes the layout: grouping, ids for text, signs before tokens and chunks, ASCII."""

    group: bool = False
    ids: bool = False
    bars: bool = False
    chunks: bool = False
    ascii: bool = False


class TokenLayout:
    """The rows of a model at a width of `width` cells (at least 1)."""

    def __init__(self, model: TokenModel, width: int, look: Look | None = None) -> None:
        self.model = model
        self.width = max(1, width)
        self.look = look or Look()
        self._bar = ("|" if self.look.ascii else "▏") if self.look.bars else ""
        self._chunk = ("!" if self.look.ascii else "┊") if self.look.chunks else self._bar
        self._starts: dict[int, list[int]] = {}
        self._forced: dict[int, bool] = {}

    def rows(self, start: int, count: int) -> list[LaidRow]:
        """Up to `count` rows from the row start `start` on; an empty text has no row."""
        return list(islice(self._lay(start), max(0, count)))

    def row_start(self, offset: int) -> int:
        """The start of the row that shows the byte at `offset` (clamped to the text)."""
        offset = max(0, min(offset, self.model.size - 1))
        unit = self.unit_at(offset)
        at = unit.start if unit is not None else 0
        starts = self._row_starts(self._hard_break(at))
        return starts[max(0, bisect_right(starts, at) - 1)]

    def back(self, start: int, count: int) -> int:
        """The start of the row that stands `count` rows before the one that starts at `start`, or 0."""
        while count > 0 and start > 0:
            unit = self.unit_at(start - 1)
            at = unit.start if unit is not None else 0
            starts = self._row_starts(self._hard_break(at))
            index = bisect_right(starts, at)
            if index >= count:
                return starts[index - count]
            count -= index
            start = starts[0]
        return max(0, start)

    def unit_at(self, offset: int) -> Unit | None:
        """The unit that shows the byte at `offset`; None beyond the end."""
        return next(self._units(offset, 1), None)

    def block_at(self, offset: int) -> Block | None:
        """The block that covers the byte at `offset`; None beyond the end."""
        return next(self.blocks(offset, 1), None) if 0 <= offset < self.model.size else None

    def blocks(self, offset: int, window: int = WINDOW) -> Iterator[Block]:
        """The blocks from the one that covers `offset` on. Empty tokens join the block after them.

        Tokens are asked for in windows of `window` bytes.
        """
        model, group = self.model, self.look.group
        at, size = max(0, offset), model.size
        pending: list[ShownToken] = []
        while at < size:
            tokens = model.tokens(at, min(size, at + window))
            if not tokens or tokens[-1].end <= at:
                break
            if at == offset and tokens[0].start < at:
                tokens = model.tokens(tokens[0].start, min(size, at + window))
            if at == offset and group:
                pending = self._sharing_before(tokens[0].start)
            base, at = tokens[0].start, tokens[-1].end
            text = model.read(base, at) if at - base <= WINDOW + 2 * window else b""
            for token in tokens:
                start, end = token.start, token.end
                if pending or start == end or (group and self._inside_character(end)):
                    pending.append(token)
                    if start == end or (group and self._inside_character(end)):
                        continue
                    yield self._block(pending)
                    pending = []
                elif end - start <= WINDOW:
                    data = text[start - base : end - base] if text else model.read(start, end)
                    yield Block((token,), start, end, data)
                else:
                    yield Block((token,), start, end, b"")
        if pending:
            yield self._block(pending)

    def _block(self, tokens: list[ShownToken]) -> Block:
        start, end = tokens[0].start, tokens[-1].end
        return Block(tuple(tokens), start, end, self.model.read(start, end) if end - start <= WINDOW else b"")

    def _row_starts(self, hard_break: int) -> list[int]:
        """The starts of the rows from a hard break up to the next one."""
        starts = self._starts.get(hard_break)
        if starts is None:
            starts = []
            for row in self._lay(hard_break):
                starts.append(row.start)
                if row.hard:
                    break
            if len(self._starts) > KEPT:
                self._starts.clear()
            self._starts[hard_break] = starts = starts or [hard_break]
        return starts

    def _hard_break(self, at: int) -> int:
        """The last hard break at or before `at`, where a unit must start."""
        block, end = at // BLOCK, at
        while True:
            found = self.model.read(block * BLOCK, end).rfind(b"\n")
            if found >= 0:
                unit = self.unit_at(block * BLOCK + found)
                return unit.end if unit is not None else at
            if block == 0:
                return 0
            if self._is_forced(block):
                unit = self.unit_at(block * BLOCK)
                return at if unit is None else unit.start if unit.start == block * BLOCK else unit.end
            end = block * BLOCK
            block -= 1

    def _is_forced(self, block: int) -> bool:
        """Whether the line at the start of a block is so long that a row must start there."""
        forced = self._forced.get(block)
        if forced is None:
            forced = b"\n" not in self.model.read((block - 1) * BLOCK, block * BLOCK)
            if len(self._forced) > KEPT:
                self._forced.clear()
            self._forced[block] = forced
        return forced

    def _lay(self, start: int) -> Iterator[LaidRow]:
        """Rows from a row start on. A full row is cut before the last space in its last third, if there is one,
        so that words with their space stay whole."""
        row: list[Unit] = []
        used = 0
        for unit in self._units(start):
            if row and unit.start // BLOCK > row[-1].start // BLOCK and self._is_forced(unit.start // BLOCK):
                yield _row(row, hard=True)
                row, used = [], 0
            while row and used + unit.cells > self.width:
                cut = self._cut(row, unit)
                yield _row(row[:cut], hard=False)
                row = row[cut:]
                used = sum([u.cells for u in row])
            row.append(unit)
            used += unit.cells
            if unit.kind is Kind.NEWLINE or (self.look.ids and self._has_newline(unit)):
                yield _row(row, hard=True)
                row, used = [], 0
        if row:
            yield _row(row, hard=True)

    def _cut(self, row: list[Unit], following: Unit) -> int:
        """How many units of a full row stay on it."""
        if self.look.ids or following.kind is Kind.SPACE:
            return len(row)
        room = self.width // 3
        for index in range(len(row) - 1, 0, -1):
            if row[index].kind is Kind.SPACE:
                return index
            room -= row[index].cells
            if room < 0:
                break
        return len(row)

    def _units(self, offset: int, window: int = WINDOW) -> Iterator[Unit]:
        """The units from the one that shows the byte at `offset` on."""
        look = self.look
        ascii, narrow = look.ascii, self.width < NARROW
        for block in self.blocks(offset, window):
            prefix = self._chunk if block.tokens[0].chunk_start else self._bar
            base = block.start
            if look.ids:
                text = "+".join([str(token.id) for token in block.tokens]) + " "
                yield self._fitted(Unit(prefix, text, len(prefix) + len(text), Kind.PLAIN, base, block.end, block))
            elif block.data and base >= offset and not narrow:
                for shown, wide, start, end, kind in glyphs.glyphs(block.data, ascii):
                    yield Unit(prefix, shown, wide + len(prefix), kind, base + start, base + end, block)
                    prefix = ""
            else:
                for at, piece in self._pieces(block, offset):
                    for shown, wide, start, end, kind in piece:
                        if at + end > offset:
                            sign = prefix if at + start == base else ""
                            unit = Unit(sign, shown, wide + len(sign), kind, at + start, at + end, block)
                            yield self._fitted(unit)

    def _fitted(self, unit: Unit) -> Unit:
        """A unit that is no wider than a row."""
        if unit.cells <= self.width:
            return unit
        text = glyphs.clip(unit.text, max(1, self.width - len(unit.prefix)), self.look.ascii)
        return unit._replace(text=text, cells=glyphs.cells(text) + len(unit.prefix))

    def _pieces(self, block: Block, offset: int) -> Iterator[tuple[int, tuple[glyphs.Glyph, ...]]]:
        """A block's glyphs with the offset they count from; very long blocks in pieces, from `offset` on."""
        start, end = block.start, block.end
        if end - start <= WINDOW:
            yield start, glyphs.glyphs(self.model.read(start, end), self.look.ascii)
            return
        number = max(0, offset - start) // WINDOW
        if number and self._character_start(start + number * WINDOW) > offset:
            number -= 1
        at = self._character_start(start + number * WINDOW) if number else start
        while at < end:
            number += 1
            after = min(end, self._character_start(start + number * WINDOW))
            yield at, glyphs.glyphs(self.model.read(at, after), self.look.ascii)
            at = after

    def _character_start(self, at: int) -> int:
        """`at`, moved on to the end of the character that it lies in."""
        while at < self.model.size and self._inside_character(at):
            at += 1
        return at

    def _has_newline(self, unit: Unit) -> bool:
        return b"\n" in self.model.read(unit.start, unit.end)

    def _sharing_before(self, start: int) -> list[ShownToken]:
        """The tokens before `start` that share a character with what starts there."""
        first = start
        while first > 0 and self._inside_character(first):
            first = self.model.tokens(first - 1, first)[-1].start
        return list(self.model.tokens(first, start)) if first < start else []

    def _inside_character(self, at: int) -> bool:
        """Whether `at` lies between two bytes of one valid character."""
        base = max(0, at - 3)
        data = self.model.read(base, min(self.model.size, at + 3))
        here = at - base
        if here == 0 or here >= len(data) or data[here] & 0xC0 != 0x80:
            return False
        lead = here - 1
        while lead > 0 and data[lead] & 0xC0 == 0x80:
            lead -= 1
        length = 4 if data[lead] >= 0xF0 else 3 if data[lead] >= 0xE0 else 2 if data[lead] >= 0xC2 else 0
        if lead + length <= here:
            return False
        try:
            data[lead : lead + length].decode()
        except UnicodeDecodeError:
            return False
        return True


def _row(units: list[Unit], hard: bool) -> LaidRow:
    return LaidRow(units[0].start, units[-1].end, tuple(units), sum([unit.cells for unit in units]), hard)
