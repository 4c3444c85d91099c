"""PageList: a page of headings, facts and tables as lines; some lines lead somewhere when Enter is pressed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, overload

from rich.segment import Segment
from rich.style import Style

from tokexplorer.engine.glyphs import cells
from tokexplorer.tui.widgets.columns import Column, Columns, trusted
from tokexplorer.tui.widgets.line_view import LineView, token_pieces
from tokexplorer.tui.widgets.titled import Titled

Piece: TypeAlias = tuple[str | bytes, str]
"""Safe text, or a token's bytes to be shown by their glyphs; and a look: strong, dim, next, made, head or nothing."""

_WHOLE: Final = Columns(Column("", 1, flex=1))


@dataclass(frozen=True, slots=True)
class PageRow:
    """One line: a list of pieces for each column. `target`: what Enter gives; None where it gives nothing."""

    cells: tuple[tuple[Piece, ...], ...]
    columns: Columns = _WHOLE
    target: object = None


def heading(text: str, note: str = "") -> PageRow:
    """A heading, with a dim note behind it."""
    return PageRow((((text, "head"), (f"  {note}" if note else "", "dim")),))


def line(*pieces: Piece | str, target: object = None) -> PageRow:
    """A line of pieces."""
    return PageRow((tuple((p, "") if isinstance(p, str) else p for p in pieces),), target=target)


def blank() -> PageRow:
    """An empty line."""
    return PageRow(((),))


def row(columns: Columns, *found: str | bytes | Piece | Sequence[Piece], target: object = None) -> PageRow:
    """A row of a table."""
    return PageRow(tuple(_pieces(cell) for cell in found), columns, target)


def titles(columns: Columns) -> PageRow:
    """The header of a table."""
    return PageRow(tuple(((column.title, "dim"),) for column in columns.columns), columns)


def _pieces(cell: str | bytes | Piece | Sequence[Piece]) -> tuple[Piece, ...]:
    if isinstance(cell, str | bytes):
        return ((cell, ""),)
    if isinstance(cell, tuple) and len(cell) == 2 and isinstance(cell[0], str | bytes):
        return ((cell[0], str(cell[1])),)
    return tuple(cell)


def wrapped(text: str, width: int, look: str = "", indent: str = "") -> list[PageRow]:
    """A safe text as lines of at most `width` cells, cut at spaces; later lines begin with `indent`."""
    rows: list[PageRow] = []
    now = ""
    for word in text.split(" "):
        longer = f"{now} {word}" if now.strip() else now + word
        if cells(longer) > width and now.strip():
            rows.append(line((now, look)))
            longer = indent + word
        now = longer
    rows.append(line((now, look)))
    return rows


Builder: TypeAlias = Callable[[int], Sequence[PageRow]]
"""Makes the lines of a page for a width in cells."""


class LazyRows(Sequence[PageRow]):
    """Rows that are made when they are looked at."""

    def __init__(self, count: int, make: Callable[[int], PageRow]) -> None:
        self._count = count
        self._make = make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> PageRow: ...

    @overload
    def __getitem__(self, index: slice) -> list[PageRow]: ...

    def __getitem__(self, index: int | slice) -> PageRow | list[PageRow]:
        if isinstance(index, slice):
            return [self._make(number) for number in range(self._count)[index]]
        return self._make(range(self._count)[index])


class PageList(LineView, Titled):
    """Shows what a builder makes, anew for each width."""

    DEFAULT_CSS = """
    PageList {
        & > .page-list--head { color: $accent; text-style: bold; }
        & > .page-list--strong { text-style: bold; }
        & > .page-list--bar { color: $primary; }
        & > .page-list--weak { background: $foreground 7%; }
        &:ansi > .page-list--weak { background: ansi_default; }
        &:blur > .line-view--cursor { background: transparent; }
    }
    """
    COMPONENT_CLASSES = {"page-list--head", "page-list--strong", "page-list--bar", "page-list--weak"}

    def __init__(self, empty: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(empty=empty, marker=False, id=id, classes=classes)
        self._builder: Builder | None = None
        self._lines: Sequence[PageRow] = ()
        self._built_for = -1
        self._leads = False

    def fill(self, builder: Builder | None, keep: bool = True, header: Columns | None = None) -> None:
        """Show another page; `keep`: the cursor stays on its line. `header`: its titles stay on top."""
        self._builder = builder
        self.columns = header
        self._build(keep)

    def _build(self, keep: bool) -> None:
        width = max(0, self.line_width - 1)
        self._built_for = width
        self._lines = self._builder(width) if self._builder is not None and width else ()
        lazy = isinstance(self._lines, LazyRows)
        self._leads = lazy or any(own.target is not None for own in self._lines)
        self.update_rows("index" if keep else "none")

    @property
    def row_count(self) -> int:
        """Lines of the page."""
        return len(self._lines)

    @property
    def target(self) -> object:
        """Where the line under the cursor leads."""
        return self._lines[self.cursor].target if self.cursor < len(self._lines) else None

    def target_at(self, index: int) -> object:
        """Where a line leads."""
        return self._lines[index].target if index < len(self._lines) else None

    def cursor_look(self, index: int) -> Style | None:
        """Lines that lead nowhere are marked less; a page without any that does has no cursor."""
        if not self._leads:
            return None
        if self._lines[index].target is None:
            return self.component("page-list--weak") if self.has_focus else None
        return super().cursor_look(index)

    def action_cursor_by(self, rows: int) -> None:
        """Move the cursor; a page that has none scrolls."""
        if self._leads:
            super().action_cursor_by(rows)
        else:
            self.scroll_lines(rows)

    def action_page(self, pages: int) -> None:
        """Move by a page."""
        if self._leads:
            super().action_page(pages)
        else:
            self.scroll_lines(pages * max(1, self.page_rows - 1))

    def row(self, index: int, width: int) -> list[Segment]:
        """One line."""
        found = self._lines[index]
        segments = [[part for piece in cell for part in self._segments(piece, width)] for cell in found.cells]
        return found.columns.row(segments, width, None, self.ascii)

    def _segments(self, piece: Piece, width: int) -> list[Segment]:
        text, look = piece
        style = self._style(look)
        if isinstance(text, bytes):
            return token_pieces(text, style, self.component("line-view--stand-in"), width, self.ascii)
        return [Segment(trusted(text), style)] if text else []

    def _style(self, look: str) -> Style | None:
        if look in ("head", "strong", "bar"):
            return self.component(f"page-list--{look}")
        return self.component(f"line-view--{look}") if look else None

    def on_resize(self) -> None:
        """Build the page for the new width."""
        if max(0, self.line_width - 1) != self._built_for:
            self._build(True)
        super().on_resize()
