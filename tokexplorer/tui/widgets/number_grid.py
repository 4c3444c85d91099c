"""The number grid: all numbers of one to four digits as cells, each with the count of its tokens and a colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.message import Message

from tokexplorer.analysis.numbers import NumberGrid
from tokexplorer.tui.widgets.line_view import LineView
from tokexplorer.tui.widgets.titled import Titled

GROUP = 10
"""Cells between two gaps."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of cells from number `first` on (`count` of them), or, without cells, the heading of its grid."""

    grid: NumberGrid
    first: int
    count: int


class NumberGridView(LineView, Titled):
    """The cursor goes number by number. The digit in a cell is the count of tokens, so that it needs no colour."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "across(-1)", "Left", show=False),
        Binding("right", "across(1)", "Right", show=False),
    ]
    DEFAULT_CSS = """
    NumberGridView {
        & > .number-grid--1 { background: $success 30%; }
        & > .number-grid--2 { background: $primary 38%; }
        & > .number-grid--3 { background: $warning 42%; }
        & > .number-grid--4 { background: $error 55%; }
        & > .number-grid--at { text-style: reverse bold; }
        & > .number-grid--head { color: $accent; text-style: bold; }
        &:ansi > .number-grid--1 { background: ansi_green; color: ansi_black; }
        &:ansi > .number-grid--2 { background: ansi_blue; color: ansi_bright_white; }
        &:ansi > .number-grid--3 { background: ansi_yellow; color: ansi_black; }
        &:ansi > .number-grid--4 { background: ansi_red; color: ansi_bright_white; }
    }
    """
    COMPONENT_CLASSES = {*(f"number-grid--{n}" for n in range(1, 5)), "number-grid--at", "number-grid--head"}

    class NumberHighlighted(Message):
        """The cursor is on another number."""

        def __init__(self, grid: NumberGrid, number: int) -> None:
            super().__init__()
            self.grid = grid
            self.number = number

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(empty="counting …", marker=False, id=id, classes=classes)
        self._grids: Sequence[NumberGrid] = ()
        self._lines: list[_Line] = []
        self._across = 0
        self._per_line = 0

    def show_grids(self, grids: Sequence[NumberGrid]) -> None:
        """Show some grids below each other; the cursor stays where it is."""
        self._grids = grids
        self._lay_out()
        if self.cursor == 0 and len(self._lines) > 1:
            self.move_cursor(1, quiet=True)
        self._tell()

    @property
    def number(self) -> tuple[NumberGrid, int] | None:
        """The number under the cursor; None on a heading."""
        if self.cursor >= len(self._lines):
            return None
        line = self._lines[self.cursor]
        return (line.grid, line.first + min(self._across, line.count - 1)) if line.count else None

    def _lay_out(self) -> None:
        width = self.line_width
        self._per_line = 50 if width >= 56 else 20
        self._lines = []
        for grid in self._grids:
            self._lines.append(_Line(grid, grid.first, 0))
            last = grid.first + len(grid.shapes)
            for first in range(grid.first, last, self._per_line):
                self._lines.append(_Line(grid, first, min(self._per_line, last - first)))
        self._across = min(self._across, self._per_line - 1)
        self.update_rows()

    @property
    def row_count(self) -> int:
        """Lines of cells, and headings."""
        return len(self._lines)

    def row(self, index: int, width: int) -> list[Segment]:
        """One line."""
        line = self._lines[index]
        if not line.count:
            return self._heading(line.grid)
        dim = self.component("line-view--dim")
        found = [Segment(f"{line.grid.text(line.first):>5} ", dim)]
        gaps = width >= 6 + self._per_line + self._per_line // GROUP - 1
        at = min(self._across, line.count - 1) if index == self.cursor else -1
        for number in range(line.count):
            if gaps and number and number % GROUP == 0:
                found.append(Segment(" "))
            tokens = line.grid.tokens(line.first + number)
            style = self.component(f"number-grid--{min(max(tokens, 1), 4)}")
            if number == at:
                style += self.component("number-grid--at")
            found.append(Segment(str(tokens) if tokens < 10 else "+", style))
        return found

    def cursor_look(self, index: int) -> Style | None:
        """The cursor is one cell, not the line."""
        return None

    def _heading(self, grid: NumberGrid) -> list[Segment]:
        last = grid.first + len(grid.shapes) - 1
        name = f"{grid.text(grid.first)}-{grid.text(last)}"
        dim = self.component("line-view--dim")
        shares = "   ".join(f"{_cut(shape.shape)} {shape.share:.1%}" for shape in grid.regularity[:6])
        more = f"   and {len(grid.regularity) - 6} more" if len(grid.regularity) > 6 else ""
        return [Segment(f"{name}  ", self.component("number-grid--head")), Segment(shares + more, dim)]

    def action_across(self, step: int) -> None:
        """To the number beside; at the end of a line to the next line."""
        if self.cursor >= len(self._lines):
            return
        line = self._lines[self.cursor]
        at = min(self._across, max(0, line.count - 1)) + step
        if 0 <= at < line.count:
            self._across = at
            self.update_rows()
            self._tell()
            return
        index = self.cursor + step
        while 0 <= index < len(self._lines) and not self._lines[index].count:
            index += step
        if 0 <= index < len(self._lines):
            self._across = 0 if step > 0 else self._lines[index].count - 1
            self.move_cursor(index, quiet=True)
            self.update_rows()
            self._tell()

    def move_cursor(self, index: int, quiet: bool = False) -> None:
        """Move; lines are built anew, since the cursor is a cell of them."""
        self._rows.clear()
        super().move_cursor(index, quiet)
        if not quiet:
            self._tell()

    def _tell(self) -> None:
        found = self.number
        if found is not None:
            self.post_message(self.NumberHighlighted(*found))

    def on_resize(self) -> None:
        """As many cells on a line as fit."""
        if self._grids:
            self._lay_out()
        super().on_resize()


def _cut(shape: tuple[int, ...]) -> str:
    """A shape as the digits 1, 2, 3, ... with bars at its cuts: (1, 2) is 1|23."""
    digits = iter("123456789")
    return "|".join("".join(next(digits, "0") for _ in range(size)) for size in shape)
