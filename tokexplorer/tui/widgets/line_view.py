"""LineView: the base of every table and list; rows are built only when they are visible, a cursor goes row by row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal, Protocol, TypeAlias

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from tokexplorer.engine import glyphs
from tokexplorer.tui.widgets.columns import Columns, fill
from tokexplorer.tui.widgets.painted import PaintedLines

Row: TypeAlias = Text | Strip | Iterable[Segment]
"""What a row may be given as; it is clipped and padded to the width."""


class RowSource(Protocol):
    """Who gives the rows. Asked only for rows that are visible; answers may be kept until `update_rows`."""

    @property
    def row_count(self) -> int:
        """How many rows there are now."""

    def row(self, index: int, width: int) -> Row:
        """Row `index`, best in exactly `width` cells; texts must have passed `glyphs`."""


class LineView(PaintedLines):
    """Rows from a RowSource, or from a subclass that overrides `row_count` and `row`.

    `columns` gives the header line that stays; `empty` is shown where there is no row.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor_by(-1)", "Up", show=False),
        Binding("down", "cursor_by(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "cursor_to(0)", "First", show=False),
        Binding("end", "cursor_to(-1)", "Last", show=False),
        Binding("enter", "select", "Select", show=False),
    ]
    COMPONENT_CLASSES = {
        "line-view--header",
        "line-view--cursor",
        "line-view--zebra",
        "line-view--dim",
        "line-view--empty",
        "line-view--next",
        "line-view--made",
        "line-view--stand-in",
    }
    DEFAULT_CSS = """
    LineView {
        & > .line-view--header { color: $foreground 55%; text-style: none; }
        & > .line-view--cursor { background: $foreground 9%; }
        &:focus > .line-view--cursor { background: $primary 38%; text-style: bold; }
        & > .line-view--zebra { background: $foreground 3%; }
        & > .line-view--dim { color: $foreground 40%; }
        & > .line-view--empty { color: $foreground 50%; text-style: italic; }
        & > .line-view--next { color: $warning; text-style: bold; }
        & > .line-view--made { color: $success; text-style: bold; }
        & > .line-view--stand-in { color: $foreground 45%; }
        &:ansi {
            & > .line-view--header { color: ansi_default; text-style: dim; }
            & > .line-view--cursor { background: ansi_default; text-style: underline; }
            & > .line-view--zebra { background: ansi_default; }
            & > .line-view--dim { color: ansi_default; text-style: dim; }
            & > .line-view--empty { color: ansi_default; text-style: dim; }
            & > .line-view--stand-in { color: ansi_default; text-style: dim; }
        }
        &:ansi:focus > .line-view--cursor { text-style: reverse; background: ansi_default; }
        &:nocolor:focus > .line-view--cursor { text-style: reverse; }
    }
    """

    cursor: reactive[int] = reactive(0, repaint=False)
    """The index of the chosen row; 0 where there is none."""

    class RowMessage(Message):
        """Something happened to row `index` of a view."""

        def __init__(self, view: LineView, index: int) -> None:
            super().__init__()
            self.view = view
            self.index = index

        @property
        def control(self) -> LineView:
            """The view that sent it."""
            return self.view

    class Highlighted(RowMessage):
        """The cursor has moved to the row."""

    class Selected(RowMessage):
        """The row was chosen with Enter or a click."""

    def __init__(
        self,
        source: RowSource | None = None,
        *,
        columns: Columns | None = None,
        empty: str = "nothing here",
        marker: bool = True,
        zebra: bool = False,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.source = source
        self.columns = columns
        self.empty = empty
        self.marker = marker
        self.zebra = zebra
        self.top = 0
        self._counted = 0
        self._rows: LRUCache[tuple[int, int, bool], Strip] = LRUCache(512)

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return self.source.row_count if self.source is not None else 0

    def row(self, index: int, width: int) -> Row:
        """Row `index`, for `width` cells."""
        if self.source is None:
            raise IndexError(index)
        return self.source.row(index, width)

    def header(self, width: int) -> list[Segment] | None:
        """The line that stays on top, None for none."""
        if self.columns is None:
            return None
        return self.columns.fit(width).header(self.component("line-view--header"), self.ascii)

    @property
    def page_rows(self) -> int:
        """Rows that fit below the header."""
        return max(1, self.line_count - self._header_lines)

    @property
    def _header_lines(self) -> int:
        return int(self.columns is not None)

    def update_rows(self, keep: Literal["index", "end", "none"] = "index") -> None:
        """Rows have changed: build them anew, repaint those that look different.

        `keep`: `index` leaves cursor and scroll where they are, `end` follows the last row if the cursor
        was on the last row, `none` goes to the top. Sends no message.
        """
        count = self.row_count
        was_last = self.cursor >= self._counted - 1
        self._rows.clear()
        self._counted = count
        target = 0 if keep == "none" else count - 1 if keep == "end" and was_last else self.cursor
        if keep == "none":
            self.top = 0
        self._place(max(0, min(target, count - 1)))

    def move_cursor(self, index: int, quiet: bool = False) -> None:
        """Put the cursor on row `index` (negative: from the end) and bring it in sight; `quiet` sends no message."""
        count = self.row_count
        if not count:
            return
        index = max(0, min(count + index if index < 0 else index, count - 1))
        moved = index != self.cursor
        self._place(index)
        if moved and not quiet:
            self.post_message(self.Highlighted(self, index))

    def _place(self, index: int) -> None:
        """Set the cursor, scroll as little as needed, repaint."""
        self.set_reactive(LineView.cursor, index)
        self._keep_in_sight()
        self.repaint()

    def _keep_in_sight(self) -> None:
        page = self.page_rows
        top = min(self.top, self.cursor)
        if self.cursor >= top + page:
            top = self.cursor - page + 1
        self.top = max(0, min(top, self.row_count - page))

    def validate_cursor(self, index: int) -> int:
        """Keep it on a row."""
        return max(0, min(index, self.row_count - 1))

    def watch_cursor(self, index: int) -> None:
        """Whoever sets `cursor` gets it shown, without a message."""
        self._place(index)

    def action_cursor_by(self, rows: int) -> None:
        """Move the cursor by so many rows."""
        self.move_cursor(max(0, self.cursor + rows))

    def action_cursor_to(self, index: int) -> None:
        """Move the cursor to a row; -1 is the last."""
        self.move_cursor(index)

    def action_page(self, pages: int) -> None:
        """Move by a page, cursor and view together."""
        step = pages * max(1, self.page_rows - 1)
        self.top = max(0, min(self.top + step, self.row_count - self.page_rows))
        self.move_cursor(max(0, self.cursor + step))

    def action_select(self) -> None:
        """Choose the row under the cursor."""
        if self.row_count:
            self.post_message(self.Selected(self, self.cursor))

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the row that was clicked, and choose it."""
        offset = event.get_content_offset(self)
        if offset is None or offset.x >= self.line_width:
            return
        index = self.top + offset.y - self._header_lines
        if offset.y >= self._header_lines and index < self.row_count:
            self.move_cursor(index)
            self.action_select()

    def on_resize(self) -> None:
        """Keep the cursor in sight at the new height."""
        top = self.top
        self._keep_in_sight()
        if self.top != top:
            self.repaint()

    def in_sight(self) -> tuple[int, int, int]:
        """In rows."""
        return self.top, self.page_rows, self.row_count

    def scroll_lines(self, lines: int) -> None:
        """Scroll; the cursor is moved along where it would leave the view."""
        self.top = max(0, min(self.top + lines, self.row_count - self.page_rows))
        self.move_cursor(max(self.top, min(self.cursor, self.top + self.page_rows - 1)))
        self.repaint()

    def seek(self, fraction: float) -> None:
        """Scroll to a place by the thumb."""
        self.scroll_lines(round(fraction * max(0, self.row_count - self.page_rows)) - self.top)

    def forget_looks(self) -> None:
        """Rows are built anew in the present colours."""
        self._rows.clear()

    def build_line(self, y: int, width: int) -> Strip:
        """The header, a row, or nothing."""
        gutter = int(self.marker)
        header = self.header(max(0, width - gutter)) if self._header_lines else None
        if header is not None and y == 0:
            return Strip([Segment(" " * gutter), *header], width)
        index = self.top + y - self._header_lines
        if 0 <= index < self.row_count:
            return self._row_strip(index, width)
        if not self.row_count and y == self._header_lines:
            text = Segment(self.empty, self.component("line-view--empty"))
            return Strip(fill((Segment(" " * gutter), text), width, "left", None, self.ascii), width)
        return Strip.blank(width)

    def _row_strip(self, index: int, width: int) -> Strip:
        chosen = index == self.cursor
        key = (index, width, chosen)
        strip = self._rows.get(key)
        if strip is None:
            strip = self._rows[key] = self._build_row(index, width, chosen)
        return strip

    def cursor_look(self, index: int) -> Style | None:
        """What is laid over row `index` while the cursor is on it."""
        return self.component("line-view--cursor")

    def _build_row(self, index: int, width: int, chosen: bool) -> Strip:
        pieces: list[Segment] = []
        if self.marker:
            pieces.append(Segment((">" if self.ascii else "▸") if chosen else " "))
        room = max(0, width - len(pieces))
        row = self.row(index, room)
        pieces.extend(row.render(self.app.console) if isinstance(row, Text) else row)
        strip = Strip(fill([p for p in pieces if p.text != "\n"], width, "left", None, self.ascii), width)
        look: Style | None = None
        if chosen:
            look = self.cursor_look(index)
        elif self.zebra and index % 2:
            look = self.component("line-view--zebra")
        return _over(strip, look) if look is not None else strip


def _over(strip: Strip, look: Style) -> Strip:
    """A strip with a style laid over it."""
    return Strip([Segment(text, style + look if style else look) for text, style, _ in strip], strip.cell_length)


def token_pieces(
    data: bytes, style: Style | None = None, stand_in: Style | None = None, limit: int = 64, ascii: bool = False
) -> list[Segment]:
    """A token's bytes as pieces for a cell: text in `style`, stand-ins and hex with `stand_in` laid over it.

    At most about `limit` cells are built; the cell clips the rest with `…`.
    """
    other = style + stand_in if style is not None and stand_in is not None else stand_in or style
    found: list[Segment] = []
    room = limit
    for glyph in glyphs.glyphs(data[: limit * 20], ascii):
        look = style if glyph.kind is glyphs.Kind.PLAIN else other
        if found and found[-1].style == look:
            found[-1] = Segment(found[-1].text + glyph.shown, look)
        else:
            found.append(Segment(glyph.shown, look))
        room -= glyph.cells
        if room < 0:
            break
    return found
