"""TokenView: a pager that shows a text of any size as coloured tokens, with a cursor that goes token by token."""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from tokexplorer.engine.glyphs import Kind
from tokexplorer.tui.widgets.painted import PaintedLines, faded
from tokexplorer.tui.widgets.token_layout import COLOURS, Block, LaidRow, Look, TokenLayout, Unit
from tokexplorer.tui.widgets.token_model import Mark, MarkFinder, ShownToken, TokenModel

Cuts: TypeAlias = Literal["none", "underline", "bars"]
"""The second cue that shows where tokens begin: nothing, an underlined first glyph, or a thin bar before it."""

_SPACES = frozenset({Kind.SPACE, Kind.NEWLINE, Kind.TAB})


class _LookOf(NamedTuple):
    """All that the style of a glyph hangs on."""

    colour: int
    mark: Mark
    shade: int
    cursor: bool
    kind: Kind
    first: bool


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
    COMPONENT_CLASSES = {
        *(f"token-view--colour-{number}" for number in range(COLOURS)),
        *(f"token-view--{mark.value}" for mark in Mark if mark),
        "token-view--next-2",
        "token-view--made-2",
        "token-view--cursor",
        "token-view--border",
        "token-view--empty",
    }
    DEFAULT_CSS = """
    TokenView {
        & > .token-view--colour-0 { background: #3b7dd8 30%; }
        & > .token-view--colour-1 { background: #8b5cf6 30%; }
        & > .token-view--colour-2 { background: #0ea5a5 30%; }
        & > .token-view--colour-3 { background: #d9528f 28%; }
        & > .token-view--colour-4 { background: #8592a6 26%; }
        & > .token-view--colour-5 { background: #c2643c 32%; }
        & > .token-view--colour-6 { background: #a3a35a 28%; }
        & > .token-view--next { background: #ffb000; color: #201400; text-style: bold; }
        & > .token-view--next-2 { background: #d98e00; color: #201400; text-style: bold; }
        & > .token-view--made { background: #2fbf71; color: #04210f; text-style: bold; }
        & > .token-view--made-2 { background: #1f9d5a; color: #04210f; text-style: bold; }
        & > .token-view--special { background: #b3261e; color: #ffffff; text-style: bold; }
        & > .token-view--unknown { color: #ff6b6b; text-style: bold strike; }
        & > .token-view--differs { text-style: bold italic; color: $text-warning; }
        & > .token-view--cursor { background: $foreground; color: $background; text-style: bold; }
        & > .token-view--border { color: $foreground 40%; }
        & > .token-view--empty { color: $foreground 50%; text-style: italic; }
        &:light > .token-view--colour-6 { background: #8f8f1f 22%; }
        &:light > .token-view--unknown { color: #b00020; }
        &:ansi {
            & > .token-view--colour-0 { background: ansi_blue; color: ansi_bright_white; }
            & > .token-view--colour-1 { background: ansi_magenta; color: ansi_bright_white; }
            & > .token-view--colour-2 { background: ansi_cyan; color: ansi_black; }
            & > .token-view--colour-3 { background: ansi_bright_black; color: ansi_bright_white; }
            & > .token-view--colour-4 { background: ansi_white; color: ansi_black; }
            & > .token-view--colour-5 { background: ansi_default; color: ansi_default; }
            & > .token-view--colour-6 { background: ansi_bright_blue; color: ansi_black; }
            & > .token-view--next { background: ansi_bright_yellow; color: ansi_black; text-style: bold; }
            & > .token-view--next-2 { background: ansi_yellow; color: ansi_black; text-style: bold; }
            & > .token-view--made { background: ansi_bright_green; color: ansi_black; text-style: bold; }
            & > .token-view--made-2 { background: ansi_green; color: ansi_black; text-style: bold; }
            & > .token-view--special { background: ansi_red; color: ansi_bright_white; }
            & > .token-view--unknown { background: ansi_default; color: ansi_bright_red; }
            & > .token-view--differs { color: ansi_bright_yellow; background: ansi_default; }
            & > .token-view--cursor { background: ansi_default; color: ansi_default; text-style: reverse bold; }
            & > .token-view--border { color: ansi_bright_black; }
        }
        &:nocolor {
            & > .token-view--next { text-style: reverse; }
            & > .token-view--next-2 { text-style: reverse; }
            & > .token-view--made { text-style: bold; }
            & > .token-view--made-2 { text-style: bold; }
            & > .token-view--special { text-style: bold italic; }
        }
    }
    """

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

    class TokenHighlighted(Message):
        """The cursor has moved to a token. `tokens`: in grouped mode all those that share its character."""

        def __init__(self, view: TokenView, token: ShownToken, tokens: tuple[ShownToken, ...]) -> None:
            super().__init__()
            self.view = view
            self.token = token
            self.tokens = tokens

        @property
        def control(self) -> TokenView:
            """The view that sent it."""
            return self.view

    class TokenSelected(TokenHighlighted):
        """A token was chosen with Enter or a click."""

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
        self._rows: list[LaidRow] | None = None
        self._styles: dict[_LookOf, Style] = {}
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

    def find_next_mark(self, forward: bool = True) -> bool:
        """Move the cursor to the next marked place (marked neighbours are one place); False where there is none."""
        model, block = self._model, self.cursor_block
        if model is None or block is None:
            return False
        at = block.start
        if forward:
            while block is not None and block.mark:
                at, block = block.start, self._laid.block_at(block.end)
        found = self._find_mark(at, forward)
        if found is None:
            return False
        if not forward:
            before = self._laid.block_at(found - 1)
            while before is not None and before.mark:
                found, before = before.start, self._laid.block_at(before.start - 1)
        self.go_to(found)
        return True

    def _find_mark(self, offset: int, forward: bool) -> int | None:
        model = self._model
        if isinstance(model, MarkFinder):
            return model.find_mark(offset, forward)
        block = self._laid.block_at(offset)
        while block is not None:
            block = self._laid.block_at(block.end if forward else block.start - 1)
            if block is not None and block.mark:
                return block.start
        return None

    @property
    def _laid(self) -> TokenLayout:
        if self._layout is None:
            if self._model is None:
                raise LookupError("no text is shown")
            look = Look(self.group, self.ids, self.cuts == "bars", self.chunks, self.ascii)
            self._layout = TokenLayout(self._model, self.line_width, look)
        return self._layout

    def _visible(self) -> list[LaidRow]:
        if self._rows is None:
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

    watch_ids = watch_cuts = watch_chunks = watch_group

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
            self._set_top(ahead[max(0, min(rows, len(ahead) - self.line_count))].start)

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
        self._styles.clear()
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
        for unit in row.units:
            if unit.block is not block:
                block = unit.block
                colour, mark = self._laid.colour(block), block.mark
                shade = self._laid.shade(block) if mark else 0
            look = _LookOf(colour, mark, shade, block.start == cursor, unit.kind, unit.start == block.start)
            style = self._styles.get(look) or self._style(look)
            if unit.prefix:
                if texts:
                    segments.append(Segment("".join(texts), last))
                    texts = []
                segments.append(Segment(unit.prefix, self._style_of_border(look)))
            if style != last and texts:
                segments.append(Segment("".join(texts), last))
                texts = []
            last = style
            texts.append(unit.text)
        segments.append(Segment("".join(texts), last))
        if row.cells < width:
            segments.append(Segment(" " * (width - row.cells)))
        return Strip(segments, max(width, row.cells))

    def _style(self, look: _LookOf) -> Style:
        """A glyph's style: the token's colour, then its mark, the stand-in's fading, the cut's cue, the cursor."""
        style = self.rich_style + self.component(f"token-view--colour-{look.colour}")
        if look.mark:
            again = "-2" if look.shade and look.mark in (Mark.NEXT, Mark.MADE) else ""
            style += self.component(f"token-view--{look.mark.value}{again}")
        if look.cursor:
            style += self.component("token-view--cursor")
        if look.kind is not Kind.PLAIN:
            style = faded(style, 0.5 if look.kind in _SPACES else 0.3)
        if look.kind is Kind.BROKEN:
            style += Style(italic=True)
        if look.first and self.cuts == "underline":
            style += Style(underline=True)
        self._styles[look] = style
        return style

    def _style_of_border(self, look: _LookOf) -> Style:
        return self._style(look) + self.component("token-view--border") + Style(underline=False)


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
