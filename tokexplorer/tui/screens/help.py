"""The help screen: the keys of the present screen, the words used, and how counts are made."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from tokexplorer.tui.actions import Action, shown_key

WORDS = (
    ("token", "a piece of text with a number; a model sees only the numbers"),
    ("id", "that number; base symbols first, then one for each merge"),
    ("pair", "two tokens that stand next to each other inside a chunk"),
    ("merge", "the most frequent pair becomes one new token, everywhere"),
    ("rank", "the order in which merges were learned; encoding applies them in this order"),
    ("chunk", "what the split cuts the text into before merging; no merge crosses its border"),
    ("split", "the pattern that cuts: gpt2, cl100k, o200k, none, lines, words or your own"),
    ("vocabulary", "base symbols and all merges, with special tokens outside them"),
    ("branch", "what follows where another pair than the winner was merged; the line that was left is kept"),
    ("score", "WordPiece: count of a pair by the product of its parts' counts; the highest wins"),
    ("round", "Unigram: a quarter of the pieces goes, those whose loss is least; then the rest is estimated anew"),
    ("loss", "Unigram: how much the likelihood of the text falls without a piece, in nats"),
    ("replay", "the merges of another tokenizer, in its order, on this text; one that replaces nothing does not fire"),
    ("special token", "control, not text: stands outside the merges; text that looks like one is a risk"),
)
COUNTS = (
    "A pair's count is the number of places where it stands, overlapping ones included: aaaaa holds aa 4 times, though "
    "a merge replaces 2 of them (column repl.). Of pairs with equal counts (=) the tie rule decides: first takes the "
    "one that stands first in the text, lowest the one with the smallest ids. `now` is how often a token is used at "
    "this step: what its merge made, less what later merges took of it. Bytes/token is the text's bytes by all tokens."
)


class HelpScreen(ModalScreen[None]):
    """Shows the registry's words."""

    CSS = """
    HelpScreen {
        align: center middle;
        background: $background 60%;
        & > VerticalScroll {
            width: 92; max-width: 98%; height: 94%; padding: 0 1; border: round $accent; background: $surface;
        }
        & Static { height: auto; margin-bottom: 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark", "app.pop_screen", "Close")]

    def __init__(self, title: str, actions: Sequence[Action]) -> None:
        super().__init__()
        self._title = title
        self._actions = actions

    def compose(self) -> ComposeResult:
        """Keys by group, words, counts."""
        with VerticalScroll() as box:
            box.border_title = self._title
            box.border_subtitle = "Esc closes · up and down scroll"
            for group, actions in groupby(self._actions, key=lambda action: action.group):
                yield Static(self._table(group, [(self._keys(a), self._words(a)) for a in actions]), markup=False)
            yield Static(self._table("Words", WORDS), markup=False)
            yield Static(Text.assemble(("How counts are made\n", "bold"), COUNTS), markup=False)

    @staticmethod
    def _keys(action: Action) -> str:
        return " ".join(shown_key(key) for key in action.keys.split(","))

    @staticmethod
    def _words(action: Action) -> Text:
        """What it does, and the name by which the settings file gives it other keys."""
        return Text.assemble(action.help, "  ", (action.id, "dim"))

    @staticmethod
    def _table(title: str, rows: Sequence[tuple[str, str | Text]]) -> Table:
        table = Table(title=Text(title, "bold"), title_justify="left", box=None, show_header=False, padding=(0, 1))
        table.add_column(width=13, no_wrap=True, style="bold")
        table.add_column(ratio=1)
        for left, right in rows:
            table.add_row(Text(left), Text(right) if isinstance(right, str) else right)
        return table
