"""The base of the tabs of Inspect: panels side by side, one at a time where the terminal is narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual import events
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Input, TextArea

from tokexplorer.tokenizers.base import Token, Tokenizer
from tokexplorer.tui.widgets.page_list import Piece

if TYPE_CHECKING:
    from tokexplorer.tui.screens.inspect import InspectScreen

WIDE: Final = 100
"""Cells of the terminal from which on panels stand side by side."""


class InspectTab(Container):
    """Shows one question about the present tokenizer. A subclass composes widgets of class `panel`."""

    LABEL: ClassVar[str]
    KEYS: ClassVar[frozenset[str]] = frozenset()
    """ids of the screen's actions that mean something here"""
    DEFAULT_CSS = """
    InspectTab {
        layout: horizontal; height: 1fr;
        & .panel {
            width: 1fr; height: 1fr; border: round $border; border-title-color: $foreground 70%;
            border-title-background: transparent; border-subtitle-color: $foreground 70%;
        }
        & .panel:focus, & .panel:focus-within {
            border: round $accent; border-title-color: $accent; border-title-style: bold;
        }
        &.-narrow .panel { display: none; }
        &.-narrow .panel.-shown { display: block; }
        & Input { border: none; height: 1; padding: 0 1; background: $surface; margin-bottom: 1; }
        & Input:focus { background: $primary 25%; }
        & .line { height: auto; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._seen: Tokenizer | None = None
        self.shown = 0

    @property
    def inspect(self) -> InspectScreen:
        """The screen."""
        return cast("InspectScreen", self.screen)

    @property
    def panels(self) -> list[Widget]:
        """The panels, in their order."""
        return list(self.query(".panel"))

    def on_mount(self) -> None:
        """Begin with the first panel."""
        self.fold()
        self.go_to_panel(0)
        tokenizer = self.inspect.tokenizer
        if tokenizer is not None:
            self.turn_to(tokenizer)

    def turn_to(self, tokenizer: Tokenizer) -> None:
        """Look at another tokenizer, or at the same one again: then nothing is done."""
        if self._seen is not tokenizer:
            self._seen = tokenizer
            self.begin(tokenizer)

    def begin(self, tokenizer: Tokenizer) -> None:
        """Find out what the tab shows."""
        raise NotImplementedError

    def is_present(self, tokenizer: Tokenizer) -> bool:
        """Whether results about a tokenizer are still wanted."""
        return self._seen is tokenizer

    def fold(self) -> None:
        """Side by side, or one at a time."""
        self.set_class(self.app.size.width < WIDE, "-narrow")
        for number, panel in enumerate(self.panels):
            panel.set_class(number == self.shown, "-shown")

    def go_to_panel(self, number: int) -> None:
        """Show a panel, and put the focus into it."""
        panels = self.panels
        self.shown = number % len(panels)
        self.fold()
        self.focus_in(panels[self.shown])

    def focus_in(self, panel: Widget) -> None:
        """Focus the panel, or the first thing in it that is not a text field."""
        inside = [w for w in (panel, *panel.query("*")) if w.can_focus and not isinstance(w, Input | TextArea)]
        if inside:
            inside[0].focus()

    def next_panel(self, direction: int) -> None:
        """To the next panel."""
        self.go_to_panel(self.shown + direction)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The panel with the focus is the present one."""
        for number, panel in enumerate(self.panels):
            if event.widget is panel or panel in event.widget.ancestors:
                self.shown = number
        self.fold()

    def edit(self) -> None:
        """Put the focus into the text field."""
        fields = [w for w in self.query("*") if isinstance(w, Input | TextArea)]
        if not fields:
            return
        now = self.screen.focused
        at = fields.index(now) + 1 if now in fields else 0
        field = fields[at % len(fields)]
        for number, panel in enumerate(self.panels):
            if panel in field.ancestors:
                self.shown = number
        self.fold()
        field.focus()
        if isinstance(field, TextArea):
            field.select_all()

    def leave_field(self) -> bool:
        """Out of a text field; False where none has the focus."""
        if isinstance(self.screen.focused, Input | TextArea):
            self.focus_in(self.panels[self.shown])
            return True
        return False

    def choose_filter(self) -> None:
        """What `f` does."""

    def sort(self) -> None:
        """What `r` does."""

    def turn(self) -> None:
        """What `w` does."""


def cut_pieces(text: bytes, tokens: tuple[Token, ...], look: str = "") -> list[Piece]:
    """A text with dim bars between its tokens."""
    return span_pieces(text, tuple((token.start, token.end) for token in tokens), look)


def span_pieces(text: bytes, spans: tuple[tuple[int, int], ...], look: str = "") -> list[Piece]:
    """A text with dim bars between some spans that tile it."""
    found: list[Piece] = []
    for start, end in spans:
        if found:
            found.append(("|", "next"))
        found.append((text[start:end], look))
    return found


def ids_words(tokens: tuple[Token, ...], most: int = 12) -> str:
    """The ids of some tokens."""
    return " ".join(str(token.id) for token in tokens[:most]) + (" …" if len(tokens) > most else "")
