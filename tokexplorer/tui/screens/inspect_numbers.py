"""Inspect, numbers: the grid of all short numbers, the cut of any number or sum, digits of other scripts."""

from __future__ import annotations

from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from tokexplorer.analysis.numbers import NumberGrid, OtherDigits, number_grids, other_digits, split_numbers
from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.engine.glyphs import safe, show
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tui.knowing import kept
from tokexplorer.tui.page_rows import count_words
from tokexplorer.tui.screens.inspect_tab import InspectTab, cut_pieces, ids_words, span_pieces
from tokexplorer.tui.screens.study import Hold
from tokexplorer.tui.shelf import title_of
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.number_grid import NumberGridView
from tokexplorer.tui.widgets.page_list import PageList, PageRow, blank, heading, row, titles
from tokexplorer.tui.widgets.titled import Titled

START: Final = "1234 + 5678 = 6912"
SCRIPTS: Final = Columns(
    Column("digits", 10, flex=1),
    Column("", 8),
    Column("tokens", 6, align="right"),
    Column("a char", 6, align="right", priority=1),
    Column("number?", 7, priority=2),
)
CUTS: Final = Columns(Column("", 12), Column("", 10, flex=1), Column("", 6, align="right", priority=1))


class GridPanel(Vertical, Titled):
    """The grid, and the number under its cursor."""

    def compose(self) -> ComposeResult:
        """Grid and detail."""
        yield NumberGridView()
        yield Static("", id="number-detail", markup=False)


class TypedPanel(Vertical, Titled):
    """A field, and a page below it."""

    def compose(self) -> ComposeResult:
        """Field and page."""
        yield Input(START, placeholder="a number, or a sum", compact=True)
        yield PageList(id="number-page")


class NumbersTab(InspectTab):
    """Left the grid, bare or after a space; right what is typed, and the digits of other scripts."""

    LABEL = "Numbers"
    KEYS = frozenset({"edit", "turn"})
    DEFAULT_CSS = """
    NumbersTab {
        & #number-grids { width: 64; }
        &.-narrow #number-grids { width: 1fr; }
        & #number-detail { height: 2; padding: 0 1; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._after_space = False
        self._grids: tuple[NumberGrid, ...] = ()
        self._others: tuple[OtherDigits, ...] = ()

    def compose(self) -> ComposeResult:
        """Two panels."""
        yield GridPanel(id="number-grids", classes="panel")
        yield TypedPanel(classes="panel")

    def begin(self, tokenizer: Tokenizer) -> None:
        """Encode all numbers in a worker."""
        facts = self.inspect.shelf.facts(tokenizer)
        self._grids, self._others = (), ()
        self._show_grids()
        self._show_typed()

        def find(hold: Hold) -> tuple[tuple[NumberGrid, ...], tuple[OtherDigits, ...]]:
            grids = kept(facts, "grids", lambda: number_grids(tokenizer, hold.on_progress, hold.should_stop))
            return grids, kept(facts, "digits", lambda: other_digits(tokenizer))

        def take(found: tuple[tuple[NumberGrid, ...], tuple[OtherDigits, ...]]) -> None:
            if self.is_present(tokenizer):
                self._grids, self._others = found
                self._show_grids()
                self._show_typed()

        self.inspect.submit("numbers", "encoding all numbers", find, take)

    def _show_grids(self) -> None:
        shown = [grid for grid in self._grids if grid.after_space is self._after_space]
        self.query_one(NumberGridView).show_grids(shown)
        how = "after a space" if self._after_space else "bare"
        other = "bare" if self._after_space else "after a space"
        self.query_one(GridPanel).retitle(f"tokens of each number, {how}", f"w: {other}")
        if not shown:
            self.query_one("#number-detail", Static).update("", layout=False)

    def turn(self) -> None:
        """Bare, or after a space."""
        self._after_space = not self._after_space
        self._show_grids()

    def on_number_grid_view_number_highlighted(self, event: NumberGridView.NumberHighlighted) -> None:
        """Tell how the number is cut."""
        grid, tokenizer = event.grid, self._seen
        if tokenizer is None:
            return
        text = (b" " if grid.after_space else b"") + grid.text(event.number).encode()
        found = split_numbers(tokenizer, text)
        shape = "+".join(map(str, grid.shape(event.number)))
        cut = show(found.bars)
        words = f"{cut}   {count_words(len(found.tokens))}   digits {shape}\nids {ids_words(found.tokens)}"
        if found.runs and not found.runs[0].agrees:
            words += f"   place values: {show(found.group_bars)}"
        self.query_one("#number-detail", Static).update("\n".join(safe(w) for w in words.split("\n")), layout=False)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Cut what is typed."""
        self._show_typed()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Out of the field."""
        self.leave_field()

    def _show_typed(self) -> None:
        if self._seen is None:
            return
        self.query_one("#number-page", PageList).fill(self._typed_rows)
        self.query_one(TypedPanel).retitle("any number or sum", "p: type")

    def _typed_rows(self, width: int) -> list[PageRow]:
        tokenizer = self._seen
        assert tokenizer is not None
        text = to_bytes(self.query_one(Input).value)
        found = split_numbers(tokenizer, text)
        rows = [
            row(CUTS, ("its tokens", "dim"), cut_pieces(text, found.tokens, "strong"), f"{len(found.tokens)}"),
            row(CUTS, ("by thousands", "dim"), span_pieces(text, found.groups), f"{len(found.groups)}"),
            row(CUTS, ("ids", "dim"), (ids_words(found.tokens, 20), "dim"), ""),
        ]
        for run in found.runs:
            cut, want = "+".join(map(str, run.shape)), "+".join(map(str, run.grouped))
            words = ("as place values go", "made") if run.agrees else (f"place values go {want}", "next")
            rows.append(row(CUTS, (safe(run.text, 12), ""), [(f"{cut}   ", "strong"), words], ""))
        rows += self._elsewhere(text, tokenizer)
        if self._others:
            rows += [blank(), heading("digits of other scripts", "1234567 in each, then other signs"), titles(SCRIPTS)]
            rows += [_script_row(other) for other in self._others]
        return rows

    def _elsewhere(self, text: bytes, tokenizer: Tokenizer) -> list[PageRow]:
        """The text in the other tokenizers that are ready."""
        shelf, snapshot = self.inspect.shelf, self.inspect.scene.snapshot
        rows: list[PageRow] = []
        for name in shelf.names():
            other = shelf.ready(name, snapshot)
            if other is not None and other is not tokenizer:
                found = split_numbers(other, text)
                title = safe(title_of(name, other, 0).removesuffix("_base"), 12)
                rows.append(row(CUTS, (title, "dim"), cut_pieces(text, found.tokens), f"{len(found.tokens)}"))
        return [blank(), heading("in the others that are loaded"), *rows] if rows else []


def _script_row(other: OtherDigits) -> PageRow:
    known = "" if other.is_number is None else "yes" if other.is_number else "no"
    name = other.name if len(other.text) > 1 else other.name.lower()
    cells = (to_bytes(other.text), str(len(other.tokens)), f"{other.tokens_per_char:.1f}")
    return row(SCRIPTS, safe(name), *cells, (known, "next" if known == "no" else "dim"))
