"""Inspect, languages: what one paragraph costs in many languages, and the user's own files beside it."""

from __future__ import annotations

from typing import Final

from textual.app import ComposeResult

from tokexplorer.analysis.languages import LanguageRow, LanguageTable, language_table
from tokexplorer.engine.glyphs import safe
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tui.knowing import kept
from tokexplorer.tui.screens.inspect_tab import InspectTab
from tokexplorer.tui.screens.study import Hold
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.page_list import PageList, PageRow, blank, heading, line, row, titles

COLUMNS: Final = Columns(
    Column("language", 14, flex=1),
    Column("script", 10, priority=3),
    Column("chars", 6, align="right", priority=4),
    Column("tokens", 7, align="right", priority=1),
    Column("chars/t.", 8, align="right", priority=2),
    Column("bytes/t.", 8, align="right", priority=5),
    Column("cost", 6, align="right"),
    Column("", 10, flex=3),
)
MOST: Final = 1 << 22
"""Bytes of a file of the user's that are counted."""


def bar(share: float, width: int) -> str:
    """A bar of at most `width` cells, in eighths of a cell."""
    eighths = max(1, round(min(1.0, share) * width * 8)) if share > 0 else 0
    return "█" * (eighths // 8) + (" ▏▎▍▌▋▊▉"[eighths % 8] if eighths % 8 else "")


class LanguagesTab(InspectTab):
    """One table with bars."""

    LABEL = "Languages"
    KEYS = frozenset({"sort"})

    def __init__(self) -> None:
        super().__init__()
        self._table: LanguageTable | None = None
        self._by_cost = True

    def compose(self) -> ComposeResult:
        """One panel."""
        yield PageList(id="languages", classes="panel")

    def begin(self, tokenizer: Tokenizer) -> None:
        """Count in a worker."""
        scene = self.inspect.scene
        facts = self.inspect.shelf.facts(tokenizer)
        self._table = None
        self._show()

        def find(hold: Hold) -> LanguageTable:
            documents = scene.text.documents if scene.text is not None else ()
            own = [(d.name, d.read(0, min(d.size, MOST))) for d in documents]
            return kept(
                facts,
                ("languages", scene.text),
                lambda: language_table(tokenizer, own, on_progress=hold.on_progress, should_stop=hold.should_stop),
            )

        def take(found: LanguageTable) -> None:
            if self.is_present(tokenizer):
                self._table = found
                self._show()

        self.inspect.submit("languages", "encoding the paragraphs", find, take)

    def sort(self) -> None:
        """By cost, or in the order of the list."""
        self._by_cost = not self._by_cost
        self._show()

    def _show(self) -> None:
        page = self.query_one("#languages", PageList)
        page.fill(self._rows)
        order = "cheapest first" if self._by_cost else "in the order of the list"
        page.retitle("one paragraph in many languages", f"r: sort · {order}")

    def _rows(self, width: int) -> list[PageRow]:
        table = self._table
        if table is None:
            return [line(("encoding …", "dim"))]
        rows = sorted(table.rows, key=lambda own: own.cost or 0.0) if self._by_cost else list(table.rows)
        most = max((own.cost or 0.0 for own in rows), default=1.0)
        places = dict(COLUMNS.fit(width).places)
        room = places.get(len(COLUMNS.columns) - 1, 10)
        found: list[PageRow] = []
        if table.own:
            found += [heading("your text"), titles(COLUMNS)]
            found += [_row(own, most, room, "") for own in table.own]
            found.append(blank())
        note = f"tokens by those of {table.reference} for the same content"
        found += [heading("the paragraph", f"cost: {note}"), titles(COLUMNS)]
        found += [_row(own, most, room, table.reference) for own in rows]
        return found


def _row(own: LanguageRow, most: float, room: int, reference: str) -> PageRow:
    cost = own.cost
    look = "made" if own.name == reference else "next" if cost is not None and cost >= 4 else ""
    drawn = bar(cost / most, room) if cost is not None else ""
    return row(
        COLUMNS,
        (safe(own.name), "strong" if own.name == reference else ""),
        (own.script, "dim"),
        f"{own.chars:,}",
        f"{own.tokens:,}",
        f"{own.chars_per_token:.2f}",
        f"{own.bytes_per_token:.2f}",
        (f"{cost:.2f}x" if cost is not None else "", look or "strong"),
        (drawn, look or "bar"),
    )
