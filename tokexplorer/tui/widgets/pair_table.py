"""The table of what comes next: pairs, or pieces, or tokens; the next in amber, ties marked; searched and sorted."""

from __future__ import annotations

from enum import StrEnum

from rich.segment import Segment
from textual.reactive import reactive

from tokexplorer.engine.training import Candidate
from tokexplorer.session import Snapshot
from tokexplorer.timeline.snapshots import Row
from tokexplorer.tui.pair_rows import TableRows, rows_for
from tokexplorer.tui.widgets.line_view import LineView
from tokexplorer.tui.widgets.titled import Titled


class PairOrder(StrEnum):
    """How the pair table is sorted. COUNT is the algorithm's own order."""

    COUNT = "count"
    TEXT = "text"
    LENGTH = "length"


class PairTable(LineView, Titled):
    """Rows of a snapshot. The cursor stays on its rank when the snapshot changes."""

    snapshot: reactive[Snapshot | None] = reactive(None, repaint=False)
    query_text: reactive[str] = reactive("", repaint=False)
    order: reactive[PairOrder] = reactive(PairOrder.COUNT, repaint=False)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(empty="no text is open", id=id)
        self._shown: list[tuple[int, Row]] = []
        self._format: TableRows | None = None

    @property
    def row_count(self) -> int:
        """Rows shown."""
        return len(self._shown)

    @property
    def title(self) -> str:
        """What the rows are."""
        return self._format.name if self._format is not None else "Pairs"

    @property
    def chosen_row(self) -> Row | None:
        """The row under the cursor."""
        return self._shown[self.cursor][1] if self.cursor < len(self._shown) else None

    @property
    def chosen(self) -> Candidate | None:
        """The pair under the cursor; None where the rows are no pairs."""
        row = self.chosen_row
        return row if isinstance(row, Candidate) else None

    def watch_snapshot(self) -> None:
        """Show the rows of another moment."""
        self._select()

    def watch_query_text(self) -> None:
        """Show only rows whose text holds the query."""
        self._select()

    def watch_order(self) -> None:
        """Sort in another way."""
        self._select()

    def _select(self) -> None:
        snapshot = self.snapshot
        rows = list(enumerate(snapshot.rows)) if snapshot is not None else []
        if snapshot is not None:
            shown = self._format = rows_for(snapshot)
            self.columns = shown.columns
            if self.query_text:
                rows = [row for row in rows if self.query_text in shown.text(row[1])]
            if self.order is PairOrder.TEXT:
                rows.sort(key=lambda row: shown.text(row[1]))
            elif self.order is PairOrder.LENGTH:
                rows.sort(key=lambda row: -len(shown.text(row[1])))
            self.empty = f"nothing here holds {self.query_text}" if self.query_text else shown.empty
        self._shown = rows
        self.update_rows()

    def row(self, index: int, width: int) -> list[Segment]:
        """One row."""
        shown = self._format
        assert shown is not None
        rank, row = self._shown[index]
        style = self.component("line-view--next") if shown.is_next(rank, row) else None
        return shown.columns.row(shown.cells(rank, row, self.ascii), width, style, self.ascii)
