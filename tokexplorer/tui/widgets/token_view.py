"""TokenView: a pager that shows a text of any size as coloured tokens, with a cursor that goes token by token."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from tokexplorer.tui.widgets.painted import PaintedLines
from tokexplorer.tui.widgets.token_colours import TokenColours
from tokexplorer.tui.widgets.token_layout import Block, LaidRow, Look, TokenLayout, Unit
from tokexplorer.tui.widgets.token_model import Mark, ShownToken, TokenModel, find_mark
from tokexplorer.tui.widgets.token_styles import TOKEN_CLASSES, TOKEN_CSS, GlyphLook, TokenStyles

Cuts: TypeAlias = Literal["none", "underline", "bars"]
"""The second cue that shows where tokens begin: nothing, an underlined first glyph, or a thin bar before it."""


class TokenView(PaintedLines):
    """Shows a TokenModel. `cursor_offset` is a byte of the text; the token that covers it is under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "token_by(-1)", "Previous token", show=False),
        Binding("right", "token_by(1)", "Next token", show=False),
        Binding("up", "row_by(-1)", "Up", show=False),
        Binding("down", "row_by(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "go_start", "Start of the text", show=False),
        Binding("end", "go_end", "End of the text", show=False),
        Binding("enter", "select", "Select", show=False),
    ]
    COMPONENT_CLASSES = TOKEN_CLASSES
    DEFAULT_CSS = TOKEN_CSS

    cursor_offset: reactive[int] = reactive(0, repaint=False)
    """A byte of the text; the token that covers it is under the cursor."""
    group: reactive[bool] = reactive(False, repaint=False)
    """Draw tokens that share a character as one, with the character."""
    ids: reactive[bool] = reactive(False, repaint=False)
    """Draw ids in place of text: what a model sees."""
    cuts: reactive[Cuts] = reactive[Cuts]("underline", repaint=False)
    """The second cue that shows where tokens begin."""
    chunks: reactive[bool] = reactive(False, repaint=False)
    """Draw a sign where a chunk begins."""

    class TokenMessage(Message):
        """Something happened to a token. `tokens`: in grouped mode all those that share its character."""

        def __init__(self, view: TokenView, token: ShownToken, tokens: tuple[ShownToken, ...]) -> None:
            super().__init__()
            self.view = view
            self.token = token
            self.tokens = tokens

        @property
        def control(self) -> TokenView:
            """The view that sent it."""
            return self.view

    class TokenHighlighted(TokenMessage):
        """The cursor has moved to the token."""

    class TokenSelected(TokenMessage):
        """The token was chosen with Enter or a click."""

    def __init__(
        self,
        model: TokenModel | None = None,
        *,
        empty: str = "no text",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.empty = empty
        self._model = model
        self._top = 0
        self._goal: int | None = None
        self._layout: TokenLayout | None = None
        self._colours: TokenColours
        self._rows: list[LaidRow] | None = None
        self._styles = TokenStyles(self)
        self._strips: dict[int, tuple[int, Strip]] = {}
        self._width_laid = 0

    @property
    def model(self) -> TokenModel | None:
        """What is shown."""
        return self._model

    @property
    def top_offset(self) -> int:
        """The byte at which the first visible row starts."""
        return self._top

    @property
    def cursor_block(self) -> Block | None:
        """What is under the cursor; None where there is no text."""
        return self._laid.block_at(self.cursor_offset) if self._model is not None else None

    @property
    def token(self) -> ShownToken | None:
        """The token under the cursor: the first one in grouped mode; None where there is no text."""
        block = self.cursor_block
        if block is None:
            return None
        return next((t for t in block.tokens if t.start <= self.cursor_offset < t.end), block.tokens[0])

    def show(self, model: TokenModel | None, keep_position: bool = True) -> None:
        """Show another model; over the same text the view stays where it is, and only what looks different is sent.

        Sends no message: ask for `token` where the detail of the cursor is on screen.
        """
        self._model = model
        size = model.size if model is not None else 0
        if not keep_position:
            self._top = 0
        self._top = min(self._top, max(0, size - 1))
        self.set_reactive(TokenView.cursor_offset, min(self.cursor_offset, max(0, size - 1)) if keep_position else 0)
        self._lay_anew()

    def go_to(self, offset: int, quiet: bool = False) -> None:
        """Put the cursor on the token that covers the byte at `offset` and bring it in sight, with rows above it."""
        if self._model is None or not self._model.size:
            return
        block = self._laid.block_at(max(0, min(offset, self._model.size - 1)))
        if block is not None:
            self._move(block.start, quiet=quiet)

    def look_from(self, top: int, cursor: int) -> None:
        """Show the text from the row that holds byte `top` on, the cursor at byte `cursor`; sends no message.

        A token under the cursor that begins above the first row moves nothing.
        """
        if self._model is None or not self._model.size or self.line_width <= 0:
            return
        last = self._model.size - 1
        self._set_top(self._laid.row_start(max(0, min(top, last))))
        block = self._laid.block_at(max(0, min(cursor, last)))
        if block is not None:
            self.set_reactive(TokenView.cursor_offset, block.start)
            rows = self._visible()
            if rows and block.start >= rows[-1].end:
                self._keep_in_sight(0)
        self.repaint()

    def find_next_mark(self, forward: bool = True) -> bool:
        """Move the cursor to the next marked place (marked neighbours are one place); False where there is none."""
        model, block = self._model, self.cursor_block
        if model is None or block is None:
            return False
        at = block.start
        if forward:
            while block is not None and block.mark:
                at, block = block.start, self._laid.block_at(block.end)
        found = find_mark(model, at, forward)
        if found is None:
            return False
        if not forward:
            before = self._laid.block_at(found - 1)
            while before is not None and before.mark:
                found, before = before.start, self._laid.block_at(before.start - 1)
        self.go_to(found)
        return True

    @property
    def _is_outgrown(self) -> bool:
        """Whether the width has changed: a line may be asked for before the resize is told of."""
        return self._layout is not None and self._layout.width != max(1, self.line_width)

    @property
    def _laid(self) -> TokenLayout:
        if self._is_outgrown:
            self._layout = self._rows = None
            self._strips.clear()
        if self._layout is None:
            if self._model is None:
                raise LookupError("no text is shown")
            look = Look(self.group, self.ids, self.cuts == "bars", self.chunks, self.ascii)
            self._layout = TokenLayout(self._model, self.line_width, look)
            self._colours = TokenColours(self._layout.block_at)
        return self._layout

    def _visible(self) -> list[LaidRow]:
        if self._rows is None or self._is_outgrown:
            ready = self._model is not None and self.line_width > 0
            self._rows = self._laid.rows(self._top, self.line_count) if ready else []
        return self._rows

    def _lay_anew(self) -> None:
        """Model, width or look have changed: keep the top where a row still starts there, else go to its row."""
        self._layout = self._rows = None
        self._strips.clear()
        if self._model is not None and self._model.size and self.line_width > 0:
            unit = self._laid.unit_at(self._top)
            if unit is None or unit.start != self._top or self._width_laid != self.line_width:
                self._top = self._laid.row_start(self._top)
            self._width_laid = self.line_width
            self._fill_page()
            self._keep_in_sight(0)
        self.repaint()

    def _set_top(self, top: int) -> None:
        self._top = top
        self._rows = None

    def _fill_page(self) -> None:
        """Leave no empty rows below the end while there are rows above."""
        rows = self._visible()
        if self._top and rows and len(rows) < self.line_count:
            self._set_top(self._laid.back(rows[-1].start, self.line_count - 1))

    def _keep_in_sight(self, above: int) -> None:
        """Scroll as little as needed; where the cursor is far off, leave `above` rows above it."""
        rows = self._visible()
        if not rows or self._top <= self.cursor_offset < rows[-1].end:
            return
        start = self._laid.row_start(self.cursor_offset)
        if start == rows[-1].end:
            self._set_top(rows[1].start if len(rows) > 1 else start)
        elif start == self._laid.back(self._top, 1):
            self._set_top(start)
        else:
            self._set_top(self._laid.back(start, min(above, self.line_count - 1)))
        self._fill_page()

    def _move(self, offset: int, keep_goal: bool = False, quiet: bool = False) -> None:
        """The cursor to a byte, in sight; a message where that is another token."""
        before = self.cursor_block
        self.set_reactive(TokenView.cursor_offset, offset)
        if not keep_goal:
            self._goal = None
        self._keep_in_sight(self.line_count // 3)
        self.repaint()
        after = self.cursor_block
        token = self.token
        if after is not None and token is not None and not quiet and (before is None or before.start != after.start):
            self.post_message(self.TokenHighlighted(self, token, after.tokens))

    def watch_cursor_offset(self, offset: int) -> None:
        """Whoever sets `cursor_offset` gets it shown, without a message."""
        if self._model is not None and self._model.size:
            self.go_to(offset, quiet=True)

    def watch_group(self) -> None:
        """Lay out anew."""
        self._lay_anew()

    watch_ids = watch_chunks = watch_group

    def watch_cuts(self) -> None:
        """Lay out and draw anew."""
        self.forget_looks()
        self._lay_anew()

    def watch_ascii(self) -> None:
        """Lay out anew in the other character set."""
        self._lay_anew()

    def on_resize(self) -> None:
        """Lay out anew at the new size."""
        self._lay_anew()

    def action_token_by(self, step: int) -> None:
        """To the next or the previous token."""
        block = self.cursor_block
        if block is None:
            return
        target = self._laid.block_at(block.end if step > 0 else block.start - 1)
        if target is not None:
            self._move(target.start)

    def action_row_by(self, step: int) -> None:
        """To the token above or below."""
        if self._model is None or not self._visible():
            return
        start = self._laid.row_start(self.cursor_offset)
        here = self._laid.rows(start, 2)
        if (step > 0 and len(here) < 2) or (step < 0 and start == 0):
            return
        if self._goal is None:
            self._goal = _column(here[0], self.cursor_offset)
        row = here[1] if step > 0 else self._laid.rows(self._laid.back(start, 1), 1)[0]
        self._move(_unit_under(row, self._goal).start, keep_goal=True)

    def action_page(self, pages: int) -> None:
        """A page up or down; the cursor stays at its place on the screen."""
        rows = self._visible()
        if not rows or self._model is None:
            return
        step = max(1, self.line_count - 1)
        line = next((i for i, row in enumerate(rows) if row.start <= self.cursor_offset < row.end), 0)
        if self._goal is None:
            self._goal = _column(rows[line], self.cursor_offset)
        old = self._top
        self.scroll_rows(pages * step)
        rows = self._visible()
        if self._top == old:
            line = 0 if pages < 0 else len(rows) - 1
        self._move(_unit_under(rows[min(line, len(rows) - 1)], self._goal).start, keep_goal=True)

    def scroll_rows(self, rows: int) -> None:
        """Move the visible part; leaves the cursor where it is."""
        if self._model is None or not self._model.size or self.line_width <= 0:
            return
        if rows < 0:
            self._set_top(self._laid.back(self._top, -rows))
        else:
            ahead = self._laid.rows(self._top, rows + self.line_count)
            first = max(0, min(rows, len(ahead) - self.line_count))
            self._top, self._rows = ahead[first].start, ahead[first:]

    def scroll_lines(self, lines: int) -> None:
        """Scroll by the wheel; the cursor is moved along where it would leave the view."""
        self.scroll_rows(lines)
        self._cursor_along()

    def seek(self, fraction: float) -> None:
        """Scroll to a place by the thumb."""
        if self._model is not None and self._model.size:
            self._set_top(self._laid.row_start(round(fraction * self._model.size)))
            self._fill_page()
            self._cursor_along()

    def _cursor_along(self) -> None:
        rows = self._visible()
        if not rows:
            return
        offset = self.cursor_offset if self.cursor_offset < rows[-1].end else rows[-1].start
        self._move(max(self._top, offset))

    def action_go_start(self) -> None:
        """To the start of the text."""
        self.go_to(0)

    def action_go_end(self) -> None:
        """To the end of the text."""
        if self._model is not None:
            self.go_to(self._model.size - 1)

    def action_select(self) -> None:
        """Choose the token under the cursor."""
        block, token = self.cursor_block, self.token
        if block is not None and token is not None:
            self.post_message(self.TokenSelected(self, token, block.tokens))

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the token that was clicked, and choose it."""
        offset = event.get_content_offset(self)
        rows = self._visible()
        if offset is None or offset.y >= len(rows) or offset.x >= rows[offset.y].cells:
            return
        self._move(_unit_under(rows[offset.y], offset.x).start)
        self.action_select()

    def in_sight(self) -> tuple[int, int, int]:
        """In bytes."""
        rows = self._visible()
        size = self._model.size if self._model is not None else 0
        return self._top, (rows[-1].end if rows else 0) - self._top, size

    def forget_looks(self) -> None:
        """Build rows anew in the present colours."""
        self._styles.forget()
        self._strips.clear()

    def build_line(self, y: int, width: int) -> Strip:
        """A row of tokens."""
        rows = self._visible()
        if y >= len(rows):
            if y == 0 and (self._model is None or not self._model.size):
                text = self.empty[:width]
                return Strip([Segment(text, self.component("token-view--empty"))]).adjust_cell_length(width)
            return Strip.blank(width)
        row = rows[y]
        block = self.cursor_block
        cursor = block.start if block is not None and block.start < row.end and block.end > row.start else -1
        known = self._strips.get(row.start)
        if known is None or known[0] != cursor:
            known = self._strips[row.start] = (cursor, self._build(row, cursor, width))
            if len(self._strips) > 1000:
                self._strips.clear()
        return known[1]

    def _build(self, row: LaidRow, cursor: int, width: int) -> Strip:
        """A row's strip: one segment for each run of glyphs that look alike."""
        segments: list[Segment] = []
        texts: list[str] = []
        last: Style | None = None
        block: Block | None = None
        colour = shade = 0
        mark = Mark.NONE
        underlined = self.cuts == "underline"
        for unit in row.units:
            if unit.block is not block:
                block = unit.block
                colour, mark = self._colours.colour(block), block.mark
                shade = self._colours.shade(block) if mark else 0
            cut = underlined and unit.start == block.start
            look = GlyphLook(colour, mark, shade, block.start == cursor, unit.kind, cut)
            style = self._styles.of(look)
            if unit.prefix:
                if texts:
                    segments.append(Segment("".join(texts), last))
                    texts = []
                segments.append(Segment(unit.prefix, self._styles.border(look)))
            if style is not last and texts:
                segments.append(Segment("".join(texts), last))
                texts = []
            last = style
            texts.append(unit.text)
        segments.append(Segment("".join(texts), last))
        if row.cells < width:
            segments.append(Segment(" " * (width - row.cells)))
        return Strip(segments, max(width, row.cells))


def _column(row: LaidRow, offset: int) -> int:
    """The cell of a row at which the unit of a byte begins."""
    at = 0
    for unit in row.units:
        if unit.end > offset:
            break
        at += unit.cells
    return at


def _unit_under(row: LaidRow, column: int) -> Unit:
    """The unit of a row at a cell; its last one beyond its end."""
    at = 0
    for unit in row.units:
        at += unit.cells
        if at > column:
            return unit
    return row.units[-1]
