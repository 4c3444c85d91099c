"""Columns for tables of any width: which ones fit, how wide each is, and a row's cells clipped and padded to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from rich.segment import Segment
from rich.style import Style

from tokexplorer.engine import glyphs

Cell: TypeAlias = str | Segment | Sequence[Segment]
"""What stands in a cell: safe text (see glyphs), one styled piece, or several."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `width` cells, or with `flex` a share of what is left, but at least `width`.

    Columns of the highest `priority` are left out first where the room is short; those of priority 0 always stay.
    """

    title: str
    width: int
    flex: int = 0
    align: Literal["left", "right"] = "left"
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Fitted:
    """Columns laid out in `width` cells: (index of the column, its cells) from left to right."""

    columns: tuple[Column, ...]
    places: tuple[tuple[int, int], ...]
    width: int
    gap: int

    def header(self, style: Style | None = None, ascii: bool = False) -> list[Segment]:
        """The titles, as a row."""
        return self.row([Segment(column.title, style) for column in self.columns], style, ascii)

    def row(self, cells: Sequence[Cell], style: Style | None = None, ascii: bool = False) -> list[Segment]:
        """A row of exactly `width` cells; `cells` holds one entry per column, those left out included."""
        found: list[Segment] = []
        room = self.width
        for number, (index, wide) in enumerate(self.places):
            if number and room > 0:
                found.append(Segment(" " * min(self.gap, room), style))
                room -= self.gap
            wide = min(wide, room)
            if wide <= 0:
                break
            found.extend(fill(cells[index], wide, self.columns[index].align, style, ascii))
            room -= wide
        if room > 0:
            found.append(Segment(" " * room, style))
        return found


class Columns:
    """A table's columns, to be fitted to any width."""

    def __init__(self, *columns: Column, gap: int = 1) -> None:
        self.columns = columns
        self.gap = gap
        self.fit = lru_cache(maxsize=16)(self._fit)

    def _fit(self, width: int) -> Fitted:
        kept = list(range(len(self.columns)))
        while len(kept) > 1 and self._needed(kept) > width:
            last = max(kept, key=lambda index: (self.columns[index].priority, index))
            if self.columns[last].priority == 0:
                break
            kept.remove(last)
        spare = max(0, width - self._needed(kept))
        weight = sum(self.columns[index].flex for index in kept)
        places = []
        for index in kept:
            column = self.columns[index]
            share = spare * column.flex // weight if weight else 0
            spare -= share
            weight -= column.flex
            places.append((index, column.width + share))
        return Fitted(self.columns, tuple(places), width, self.gap)

    def _needed(self, kept: Sequence[int]) -> int:
        return sum(self.columns[index].width for index in kept) + self.gap * (len(kept) - 1)

    def row(self, cells: Sequence[Cell], width: int, style: Style | None = None, ascii: bool = False) -> list[Segment]:
        """A row of exactly `width` cells: see `Fitted.row`."""
        return self.fit(width).row(cells, style, ascii)


def fill(cell: Cell, width: int, align: str, style: Style | None, ascii: bool = False) -> list[Segment]:
    """A cell clipped with `…` or padded to exactly `width` cells."""
    pieces = _pieces(cell, style)
    length = sum([glyphs.cells(piece.text) for piece in pieces])
    if length > width:
        pieces, length = clip_pieces(pieces, width, ascii)
    if length == width:
        return pieces
    pad = Segment(" " * (width - length), style)
    return [pad, *pieces] if align == "right" else [*pieces, pad]


def _pieces(cell: Cell, style: Style | None) -> list[Segment]:
    if isinstance(cell, str):
        return [Segment(trusted(cell), style)]
    if isinstance(cell, Segment):
        cell = (cell,)
    return [Segment(trusted(text), style if own is None else style + own if style else own) for text, own, _ in cell]


def clip_pieces(pieces: Iterable[Segment], width: int, ascii: bool = False) -> tuple[list[Segment], int]:
    """Pieces longer than `width` cells, cut with `…`, and the cells that they take then: `width` or one less."""
    kept: list[Segment] = []
    room = width
    for piece in pieces:
        length = glyphs.cells(piece.text)
        if length < room:
            kept.append(piece)
            room -= length
            continue
        text = glyphs.clip(piece.text + "  ", room, ascii)
        kept.append(Segment(text, piece.style))
        return kept, width - room + glyphs.cells(text)
    return kept, width - room


def trusted(text: str) -> str:
    """The text itself where it may be written as it is; text that did not pass `glyphs` is made safe here."""
    return text if text.isprintable() else glyphs.safe(text)
