"""Dialogs: ask for one line, choose one of several. Each gives its answer to whoever opened it, None for Esc."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tokexplorer.engine.errors import TokexplorerError
from tokexplorer.engine.glyphs import safe

DIALOG_CSS = """
AskScreen, ChooseScreen {
    align: center middle;
    background: $background 60%;
    & > Vertical {
        width: 72; max-width: 96%; height: auto; max-height: 90%;
        padding: 0 1; border: round $accent; background: $surface;
    }
    & .hint { color: $foreground 60%; height: auto; }
    & .problem { color: $error; height: auto; }
    & Input { background: $panel; margin: 0 0 1 0; }
    & OptionList { height: auto; max-height: 16; border: none; background: $surface; }
}
"""


class AskScreen(ModalScreen[str | None]):
    """Asks for one line; `check` raises a TokexplorerError, whose words are shown, where the answer will not do."""

    CSS = DIALOG_CSS
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Cancel")]

    def __init__(
        self,
        title: str,
        hint: str,
        value: str = "",
        check: Callable[[str], object] | None = None,
        placeholder: str = "",
    ) -> None:
        super().__init__()
        self._title = title
        self._hint = hint
        self._value = value
        self._check = check
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        """A field, what it takes, what was wrong."""
        with Vertical() as box:
            box.border_title = Content(safe(self._title))
            yield Input(self._value, placeholder=self._placeholder, compact=True)
            yield Static(Text(self._hint), classes="hint")
            yield Static("", classes="problem", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the answer if it will do."""
        event.stop()
        if self._check is not None:
            try:
                self._check(event.value)
            except TokexplorerError as error:
                self.query_one(".problem", Static).update(Text(safe(str(error))))
                return
        self.dismiss(event.value)

    def action_leave(self) -> None:
        """No answer."""
        self.dismiss(None)


class ChooseScreen(ModalScreen[str | None]):
    """Chooses one of several: rows are (value, name, explanation)."""

    CSS = DIALOG_CSS
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Cancel")]

    def __init__(self, title: str, hint: str, rows: Sequence[tuple[str, str, str]], chosen: str = "") -> None:
        super().__init__()
        self._title = title
        self._hint = hint
        self._rows = rows
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        """The rows."""
        with Vertical() as box:
            box.border_title = Content(safe(self._title))
            yield OptionList(*[Option(self._prompt(row), id=f"row-{n}") for n, row in enumerate(self._rows)])
            yield Static(Text(self._hint), classes="hint")

    def on_mount(self) -> None:
        """Begin on the present choice."""
        for number, (value, _, _) in enumerate(self._rows):
            if value == self._chosen:
                self.query_one(OptionList).highlighted = number

    def _prompt(self, row: tuple[str, str, str]) -> Text:
        value, name, explanation = row
        text = Text(("● " if value == self._chosen else "  ") + safe(name), "bold")
        if explanation:
            text.append("  " + safe(explanation), "not bold dim")
        return text

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Give the choice."""
        event.stop()
        self.dismiss(self._rows[event.option_index][0])

    def action_leave(self) -> None:
        """No choice."""
        self.dismiss(None)
