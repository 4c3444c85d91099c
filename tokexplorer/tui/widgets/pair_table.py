"""The pair table: the pairs that would win next, the winner in amber, ties marked; searched and sorted."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from rich.segment import Segment
from textual.reactive import reactive

from tokexplorer.engine.training import Candidate
from tokexplorer.session import Snapshot
from tokexplorer.tui.labels import count_text, token_text
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.line_view import LineView
from tokexplorer.tui.widgets.titled import Titled


class PairOrder(StrEnum):
    """How the pair table is sorted."""

    COUNT = "count"
    TEXT = "text"
    LENGTH = "length"


class PairTable(LineView, Titled):
    """Rows of a snapshot's candidates. The cursor stays on its rank when the snapshot changes."""

    TABLE: ClassVar[Columns] = Columns(
        Column("#", 3, align="right", priority=2),
        Column("left", 4, flex=2),
        Column("right", 5, flex=2),
        Column("joined", 5, flex=3, priority=3),
        Column("count", 6, align="right"),
        Column("repl.", 6, align="right", priority=4),
        Column("tie", 3, priority=1),
    )

    snapshot: reactive[Snapshot | None] = reactive(None, repaint=False)
    query_text: reactive[str] = reactive("", repaint=False)
    order: reactive[PairOrder] = reactive(PairOrder.COUNT, repaint=False)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(columns=self.TABLE, empty="no pair left", id=id)
        self._shown: list[tuple[int, Candidate]] = []

    @property
    def row_count(self) -> int:
        """Pairs shown."""
        return len(self._shown)

    @property
    def chosen(self) -> Candidate | None:
        """The pair under the cursor."""
        return self._shown[self.cursor][1] if self.cursor < len(self._shown) else None

    def watch_snapshot(self) -> None:
        """Show the pairs of another moment."""
        self._select()

    def watch_query_text(self) -> None:
        """Show only pairs whose joined text holds the query."""
        self._select()

    def watch_order(self) -> None:
        """Sort in another way."""
        self._select()

    def _select(self) -> None:
        snapshot = self.snapshot
        rows = list(enumerate(snapshot.candidates)) if snapshot is not None else []
        if snapshot is not None:
            if self.query_text:
                rows = [row for row in rows if self.query_text in self._joined(snapshot, row[1])]
            if self.order is PairOrder.TEXT:
                rows.sort(key=lambda row: self._joined(snapshot, row[1]))
            elif self.order is PairOrder.LENGTH:
                rows.sort(key=lambda row: -len(self._joined(snapshot, row[1])))
            self.empty = "no such pair" if self.query_text else "no pair left: every chunk is one token"
        self._shown = rows
        self.update_rows()

    def _joined(self, snapshot: Snapshot, pair: Candidate) -> str:
        labels = snapshot.vocabulary
        return token_text(labels, pair.left, self.ascii) + token_text(labels, pair.right, self.ascii)

    def row(self, index: int, width: int) -> list[Segment]:
        """One pair."""
        snapshot = self.snapshot
        assert snapshot is not None
        rank, pair = self._shown[index]
        left, right = (token_text(snapshot.vocabulary, i, self.ascii) for i in (pair.left, pair.right))
        replaced = count_text(pair.replaced, 6) if pair.replaced != pair.count else ""
        tie = "=" if pair.tied else ""
        cells = [str(rank + 1), left, right, left + right, count_text(pair.count, 6), replaced, tie]
        style = self.component("line-view--next") if rank == 0 else None
        return self.TABLE.row(cells, width, style, self.ascii)
