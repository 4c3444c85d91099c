"""Inspect, budget: the loaded text against context sizes, its price, and what the vocabulary costs a model."""

from __future__ import annotations

from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from tokexplorer.analysis.budget import Budget, budget, embedding_parameters, price
from tokexplorer.engine.glyphs import safe
from tokexplorer.texts import TokenizedText
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tui.knowing import kept
from tokexplorer.tui.screens.inspect_languages import bar
from tokexplorer.tui.screens.inspect_tab import InspectTab
from tokexplorer.tui.screens.study import Hold
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.page_list import PageList, PageRow, blank, heading, line, row, titles, wrapped
from tokexplorer.tui.widgets.titled import Titled

CONTEXTS: Final = Columns(
    Column("context", 9, align="right"),
    Column("filled", 8, align="right"),
    Column("", 8, flex=1),
    Column("windows", 7, align="right", priority=1),
    Column("left", 9, align="right", priority=2),
)
SHARES: Final = Columns(
    Column("model", 12, flex=1),
    Column("d", 6, align="right", priority=2),
    Column("embeddings", 11, align="right"),
    Column("all", 9, align="right", priority=1),
    Column("share", 6, align="right"),
    Column("", 6, flex=1, priority=3),
)


class PricePanel(Vertical, Titled):
    """A price, and the contexts."""

    def compose(self) -> ComposeResult:
        """Field and page."""
        yield Input("", placeholder="price per million tokens, such as 2.50", id="budget-price", compact=True)
        yield PageList(id="budget-contexts")


class WidthPanel(Vertical, Titled):
    """A width, and the models."""

    def compose(self) -> ComposeResult:
        """Field and page."""
        yield Input("", placeholder="d, the width of an embedding, such as 4096", id="budget-width", compact=True)
        yield PageList(id="budget-models")


class BudgetTab(InspectTab):
    """Left the text, right the vocabulary."""

    LABEL = "Budget"
    KEYS = frozenset({"edit"})

    def __init__(self) -> None:
        super().__init__()
        self._tokens: int | None = None

    def compose(self) -> ComposeResult:
        """Two panels."""
        yield PricePanel(classes="panel")
        yield WidthPanel(classes="panel")

    def begin(self, tokenizer: Tokenizer) -> None:
        """Count the text in a worker."""
        scene = self.inspect.scene
        facts = self.inspect.shelf.facts(tokenizer)
        self._tokens = 0 if scene.text is None else None
        self._show()
        if scene.text is None:
            return
        tokenized = TokenizedText(scene.text, tokenizer, scene.lens.special)

        def find(hold: Hold) -> int:
            key = ("tokens", scene.text, scene.lens.special)
            return kept(facts, key, lambda: tokenized.count(hold.on_progress, hold.should_stop))

        def take(tokens: int) -> None:
            if self.is_present(tokenizer):
                self._tokens = tokens
                self._show()

        self.inspect.submit("budget", "counting the text", find, take)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Reckon with what is typed."""
        self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Out of the field."""
        self.leave_field()

    def _show(self) -> None:
        if self._seen is None:
            return
        self.query_one("#budget-contexts", PageList).fill(self._context_rows)
        self.query_one("#budget-models", PageList).fill(self._model_rows)
        self.query_one(PricePanel).retitle("the text", "p: type a price")
        self.query_one(WidthPanel).retitle("the vocabulary in a model", "p: type d")

    def _budget(self) -> Budget:
        tokenizer = self._seen
        assert tokenizer is not None
        return budget(tokenizer.name, tokenizer.size, self._tokens or 0)

    def _context_rows(self, width: int) -> list[PageRow]:
        if self._tokens is None:
            return [line(("counting …", "dim"))]
        tokens = self._tokens
        rows = [line((f"{tokens:,} tokens", "strong"), ("  ", ""), (safe(self.inspect.text_words), "dim"))]
        rows += self._price_rows(tokens, width)
        rows += [blank(), heading("context sizes"), titles(CONTEXTS)]
        room = dict(CONTEXTS.fit(width).places).get(2, 8)
        for fit in self._budget().contexts:
            look = "made" if fit.fits else "next"
            share = f"{fit.share:.1%}" if fit.share < 100 else f"{fit.share:,.0f}x"
            cells = ((share, look), (bar(fit.share, room), look), f"{fit.windows:,}", f"{fit.left:,}")
            rows.append(row(CONTEXTS, f"{fit.size:,}", *cells))
        return rows

    def _price_rows(self, tokens: int, width: int) -> list[PageRow]:
        typed = self.query_one("#budget-price", Input).value.strip()
        if not typed:
            return wrapped(
                "Type a price per million tokens above; prices are not built in, since they change.", width, "dim"
            )
        per_million = _number(typed)
        if per_million is None:
            return wrapped(f"{safe(typed, 20)} is not a price: a number from 0 on, such as 2.50", width, "next")
        once = price(tokens, per_million)
        return [
            line(
                ("costs ", "dim"), (f"{once:,.6f}".rstrip("0").rstrip("."), "strong"), (" each time it is read", "dim")
            ),
            line(("and ", "dim"), f"{once * 1000:,.2f}", (" for 1,000 times", "dim")),
        ]

    def _model_rows(self, width: int) -> list[PageRow]:
        tokenizer = self._seen
        assert tokenizer is not None
        size = tokenizer.size
        rows = [
            line((f"{size:,} ids", "strong"), ("  each a row of d numbers, twice where the output has its own", "dim"))
        ]
        typed = self.query_one("#budget-width", Input).value.strip()
        width_typed = _number(typed)
        if typed and (width_typed is None or width_typed != int(width_typed) or not 1 <= width_typed <= 10**6):
            rows += wrapped(f"{safe(typed, 20)} is not a width: a whole number from 1 to 1,000,000", width, "next")
        elif typed and width_typed is not None:
            d = int(width_typed)
            tied, untied = embedding_parameters(size, d), embedding_parameters(size, d, False)
            rows.append(line(f"{size:,} x {d:,} = ", (f"{tied:,}", "strong"), (" parameters", "dim")))
            rows.append(line(("untied ", "dim"), f"{untied:,}", (f"; in 16 bits {untied * 2 / 1e9:,.2f} GB", "dim")))
        rows += [blank(), heading("put into published models", "their other parameters as they are"), titles(SHARES)]
        room = dict(SHARES.fit(width).places).get(5, 6)
        for share in self._budget().embeddings:
            cells = (
                f"{share.width:,}",
                _millions(share.embedding),
                _millions(share.total),
                (f"{share.share:.1%}", "strong"),
            )
            rows.append(row(SHARES, share.model, *cells, (bar(share.share, room), "bar")))
        return rows


def _millions(count: int) -> str:
    return f"{count / 1e6:,.1f} M" if count < 1e9 else f"{count / 1e9:,.2f} B"


def _number(text: str) -> float | None:
    """A typed number from 0 on; None where it is none."""
    plain = text.replace(",", "").replace("_", "")
    if not plain.isascii() or not plain.replace(".", "", 1).isdigit():
        return None
    return float(plain) if len(plain) <= 15 else None
