"""Compare: two to four tokenizers beside each other on one text, scrolled together; its layout and its keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.widgets import TextArea

from tokexplorer.engine.glyphs import clip, safe, show
from tokexplorer.tokenizers.base import SpecialMode
from tokexplorer.tui.actions import Action, bindings
from tokexplorer.tui.compared import MOST_BYTES
from tokexplorer.tui.labels import name_text, size_text
from tokexplorer.tui.lens import OWN
from tokexplorer.tui.screens.comparing import ComparingScreen
from tokexplorer.tui.shelf import CHARACTERS, Scene, Shelf, title_of
from tokexplorer.tui.study_actions import COMPARE
from tokexplorer.tui.widgets.compare_column import AgreementLines, CompareColumn, ComparedView, Figures
from tokexplorer.tui.widgets.key_bar import KeyBar
from tokexplorer.tui.widgets.page_list import PageList
from tokexplorer.tui.widgets.study_bar import StudyBar
from tokexplorer.tui.widgets.token_view import TokenView

USUAL: Final[tuple[str, ...]] = (OWN, "gpt2", "cl100k_base", "o200k_base")
"""Columns to begin with; the first ones where the terminal is narrow."""
FEWEST: Final = 2
MOST: Final = 4
NARROWEST: Final = 26
"""Cells of a column below which columns are stacked."""
LEAST_LINES: Final = 4
"""Lines of a stacked column below which only one column is shown."""
LOW: Final = 30
"""Lines of the terminal below which figures stand in two columns."""


class CompareScreen(ComparingScreen):
    """Columns that move together, with their figures below."""

    ACTIONS = COMPARE
    TITLE_WORDS = "Compare"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(COMPARE)]
    AUTO_FOCUS = ""
    CSS = """
    CompareScreen {
        & #columns { height: 1fr; layout: horizontal; }
        & CompareColumn {
            border: round $border; border-title-color: $foreground 70%; border-subtitle-color: $foreground 70%;
            border-title-background: transparent; display: none;
        }
        & CompareColumn.-used { display: block; }
        & CompareColumn:focus-within { border: round $accent; border-title-color: $accent; border-title-style: bold; }
        & #probe { height: 5; display: none; border: tall $border; padding: 0; }
        &.-probing #probe { display: block; }
        &.-low #probe { height: 4; }
        & #sheet { display: none; border: round $border; }
        & #sheet:focus { border: round $accent; }
        &.-sheet #columns, &.-sheet AgreementLines { display: none; }
        &.-sheet #sheet { display: block; }
        &.-stacked #columns { layout: vertical; }
        &.-stacked CompareColumn { height: 1fr; width: 100%; }
        &.-stacked Figures, &.-stacked AgreementLines { display: none; }
        &.-alone CompareColumn { display: none; }
        &.-alone CompareColumn.-front { display: block; }
    }
    """

    def __init__(self, shelf: Shelf, scene: Scene, step: Callable[[int], None] | None = None) -> None:
        """`step` makes so many merges of our own (negative: undoes them); the new snapshot then comes back."""
        super().__init__(shelf, scene)
        self._step = step

    def compose(self) -> ComposeResult:
        """The probe field, the columns, their agreement, the sheet of all figures."""
        yield StudyBar()
        probe = self.probe.decode("utf-8", "replace")
        yield TextArea(probe, id="probe", show_line_numbers=False, tab_behavior="focus")
        with Container(id="columns"):
            for number in range(MOST):
                yield CompareColumn(id=f"column-{number}")
        yield AgreementLines()
        yield PageList(id="sheet")
        yield KeyBar()

    def on_mount(self) -> None:
        """Begin with the columns of the last time."""
        super().on_mount()
        self.begun = True
        usual = USUAL if self.app.size.width >= 4 * NARROWEST else USUAL[:FEWEST]
        chosen = self.scene.lens.chosen
        if chosen not in usual:
            usual = (*usual[: MOST - 1], chosen)
        self.names = self.shelf.choices.get("compare") or usual
        self.columns[0].view.focus()
        if self.scene.lens.probe is not None or self.scene.text is None:
            self.probing = True
        else:
            self.call_after_refresh(self._go, self.scene.offset)

    def watch_probing(self) -> None:
        """To the probe, or back to the corpus."""
        self.set_class(self.probing, "-probing")
        if self.begun:
            self.look()
            self._go(0)
            (self.query_one("#probe") if self.probing else self.columns[self.column].view).focus()

    def word(self) -> None:
        """Titles, the line on top, the tokens under the cursor."""
        text = self.text
        if self.probing:
            what = f"probe {size_text(text.size)}"
        else:
            documents = text.documents
            name = name_text(documents[0].name, 24) if len(documents) == 1 else f"{len(documents)} documents"
            what = f"{name} {size_text(text.size)}"
        parts = [(0, "strong", "compare"), (1, "strong", what), (2, "", f"special as {self.special.value}")]
        comparison = self.comparison
        if comparison is not None:
            if text.size > MOST_BYTES:
                parts.append((2, "next", f"figures of the first {size_text(MOST_BYTES)}"))
            count = comparison.differing
            words = "1 cut differs" if count == 1 else f"{count:,} cuts differ" if count else "all cut alike"
            parts.append((3, "" if count else "dim", words))
        if self.snapshot is not None and OWN in self.names:
            parts.append((5, "dim", f"step {self.snapshot.step:,}/{self.snapshot.target_step:,}"))
        self.show_parts(*parts)
        self.tell_tokens()
        self.show_keys()

    def tell_tokens(self) -> None:
        """Under each column the token that the cursor is on."""
        stacked = self.has_class("-stacked")
        comparison = self.comparison
        for number, (name, column) in enumerate(zip(self.names, self.columns, strict=True)):
            room = column.size.width - 6
            tokenizer = self.shelf.ready(name, self.snapshot)
            title = safe(title_of(name, tokenizer, room), max(8, room))
            token = column.view.token
            words = ""
            if token is not None and tokenizer is not None:
                own = tokenizer.token_bytes(token.id) if token.id >= 0 else None
                shown = token.note if own is None else show(own, max(4, room - 12))
                words = f"{shown}  id {token.id}" if token.id >= 0 else shown
            if stacked:
                told = ""
                if comparison is not None:
                    stats = comparison.stats[number]
                    told = f"{stats.tokens:,} tokens · {stats.bytes_per_token:.2f} bytes/token"
                column.retitle(f"{title} · {words}" if words else title, told)
            else:
                column.retitle(title, clip(words, max(4, room)))

    def on_compared_view_moved(self, event: ComparedView.Moved) -> None:
        """All columns look where one looks."""
        for column in self.columns:
            if column.view is not event.view:
                column.view.follow(event.top, event.cursor)
        self.tell_tokens()

    def on_token_view_token_selected(self, event: TokenView.TokenSelected) -> None:
        """The page of a token."""
        self.action_page()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Remember which column has the focus; where there is no room for more it alone is shown."""
        self._bring_to_front()

    def _bring_to_front(self) -> None:
        now = self.column
        for number, column in enumerate(self.query(CompareColumn)):
            column.set_class(number == now, "-front")

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Compare on what is typed."""
        self.probe = event.text_area.text.encode("utf-8", "surrogateescape")
        if self.probing:
            self.look()

    def _go(self, offset: int) -> None:
        """All columns to a place of the text."""
        columns = self.columns
        first = columns[self.column].view
        first.go_to(offset, quiet=True)
        self.align()
        self.tell_tokens()

    def offers(self, action: Action) -> bool:
        """Grey what would do nothing."""
        if action.id == "column-add":
            return len(self.names) < MOST
        if action.id == "column-drop":
            return len(self.names) > FEWEST
        if action.id in ("step", "back"):
            return self._step is not None and OWN in self.names
        return True

    def action_mark(self, direction: int) -> None:
        """To the next place that is cut differently, or the one before."""
        comparison = self.comparison
        if comparison is None:
            return
        now = self.columns[self.column].view.cursor_offset
        found = comparison.next_difference(now) if direction > 0 else comparison.previous_difference(now)
        if found is None:
            self.say("no differing place there")
        else:
            self._go(found[0])

    def _other_names(self) -> list[str]:
        """Names that no column has."""
        return [name for name in self.shelf.names(baselines=True) if name not in self.names]

    def action_tokenizer(self, direction: int) -> None:
        """Another tokenizer in this column; those that other columns have are passed over."""
        own = self.names[self.column]
        names = [n for n in self.shelf.names(baselines=True) if n not in self.names or n == own]
        at = names.index(own) if own in names else 0
        self._put(names[(at + direction) % len(names)])

    def _put(self, name: str) -> None:
        """Put a tokenizer into this column; where another column has it, the two change places."""
        names, at = list(self.names), self.column
        if name in names:
            names[names.index(name)] = names[at]
        names[at] = name
        self.names = tuple(names)

    def action_choose(self) -> None:
        """Choose this column's tokenizer from a list."""
        self.choose_tokenizer(self.names[self.column], self._put, baselines=True)

    def action_add_column(self) -> None:
        """One column more."""
        others = self._other_names()
        if len(self.names) < MOST and others:
            self.names = (*self.names, others[0])
            self._go(self.columns[self.column].view.cursor_offset)
        else:
            self.say(f"{MOST} columns at most")

    def action_drop_column(self) -> None:
        """Without this column."""
        if len(self.names) <= FEWEST:
            self.say(f"{FEWEST} columns at least")
            return
        at, offset = self.column, self.columns[self.column].view.cursor_offset
        self.names = tuple(name for number, name in enumerate(self.names) if number != at)
        self.columns[self.column].view.focus()
        self._go(offset)

    def action_next_column(self, direction: int) -> None:
        """To the next column; out of the probe field first."""
        if isinstance(self.focused, TextArea):
            self.columns[self.column].view.focus()
            return
        self.columns[(self.column + direction) % len(self.names)].view.focus()

    def action_probe(self) -> None:
        """To the probe, or back to the corpus."""
        if self.probing and self.scene.text is None:
            self.query_one("#probe").focus()
        else:
            self.probing = not self.probing

    def action_special(self) -> None:
        """Special strings as tokens, or as text."""
        self.special = SpecialMode.TOKEN if self.special is SpecialMode.TEXT else SpecialMode.TEXT

    def action_figures(self) -> None:
        """All figures on the whole screen."""
        shown = not self.has_class("-sheet")
        self.set_class(shown, "-sheet")
        (self.query_one("#sheet") if shown else self.columns[self.column].view).focus()

    def action_ids(self) -> None:
        """Ids instead of text."""
        for column in self.query(CompareColumn):
            column.view.ids = not column.view.ids

    def action_group(self) -> None:
        """Join the parts of characters."""
        for column in self.query(CompareColumn):
            column.view.group = not column.view.group

    def action_chunks(self) -> None:
        """Show the borders of chunks."""
        for column in self.query(CompareColumn):
            column.view.chunks = not column.view.chunks

    def action_marks(self) -> None:
        """Marks on or off."""
        self.marked = not self.marked

    def action_step(self, count: int) -> None:
        """Make or undo merges of our own."""
        if self._step is not None:
            self._step(count)

    def action_page(self) -> None:
        """The page of the token under the cursor."""
        name, token = self.names[self.column], self.columns[self.column].view.token
        tokenizer = self.shelf.ready(name, self.snapshot)
        if name == CHARACTERS:
            self.say("with characters every id is the code point itself: there is no page")
        elif token is not None and token.id >= 0 and tokenizer is not None:
            self.page_of(name, tokenizer, token.id)

    def leave(self) -> None:
        """Out of the probe field, out of the sheet, back."""
        if isinstance(self.focused, TextArea):
            self.columns[self.column].view.focus()
        elif self.has_class("-sheet"):
            self.action_figures()
        else:
            super().leave()

    def on_resize(self) -> None:
        """Stack the columns where the terminal is narrow."""
        self.fold()

    def fold(self) -> None:
        width, height = self.app.size
        self.set_class(height < LOW, "-low")
        stacked = width // max(1, len(self.names)) < NARROWEST
        self.set_class(stacked, "-stacked")
        self.set_class(stacked and height < len(self.names) * LEAST_LINES + 3, "-alone")
        self._bring_to_front()
        for own in self.query(Figures):
            own.low = height < LOW
        if self.begun:
            self.call_after_refresh(self.tell_tokens)
