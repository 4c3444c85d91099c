"""The log: every step in the order of time, the present one marked, undone ones dimmed below it."""

from __future__ import annotations

from rich.segment import Segment
from textual.reactive import reactive

from tokexplorer.session import Snapshot
from tokexplorer.timeline.uses import Uses
from tokexplorer.tui.log_rows import LogRows, log_for
from tokexplorer.tui.widgets.line_view import LineView
from tokexplorer.tui.widgets.titled import Titled


class MergeLog(LineView, Titled):
    """Rows of a snapshot's known steps; row 0 is the text before the first. The cursor follows the present step."""

    DEFAULT_CSS = "MergeLog > .merge-log--head { text-style: bold; }"
    COMPONENT_CLASSES = {"merge-log--head"}

    snapshot: reactive[Snapshot | None] = reactive(None, repaint=False)
    fired_only: reactive[bool] = reactive(False, repaint=False)
    """in a replay, leave out the merges that replaced nothing"""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(empty="no text is open", id=id)
        self._uses = Uses(())
        self._lines: LogRows | None = None

    @property
    def row_count(self) -> int:
        """Rows of all known steps, and the start."""
        return self._lines.count if self._lines is not None else 0

    @property
    def chosen_step(self) -> int:
        """The step under the cursor."""
        return self.step_at(self.cursor) or 0

    def step_at(self, index: int) -> int | None:
        """The step that a row belongs to; None where it belongs to none."""
        return self._lines.step_at(index) if self._lines is not None else None

    def watch_snapshot(self, old: Snapshot | None, new: Snapshot | None) -> None:
        """Show another moment; the cursor goes along where it stood on the present step."""
        if new is None:
            return
        follows = old is None or old.history is not new.history or old.step != new.step or self.chosen_step == old.step
        self._show(new)
        if follows and self._lines is not None:
            if self._lines.heads:
                self.top = max(0, min(self._lines.index_of(new.step), self.row_count - self.page_rows))
            self.move_cursor(self._lines.index_of(new.step), quiet=True)

    def watch_fired_only(self) -> None:
        """Leave rows out, or show them again; the cursor stays on its step."""
        step = self.chosen_step
        if self.snapshot is not None:
            self._show(self.snapshot)
            if self._lines is not None:
                self.move_cursor(self._lines.index_of(step), quiet=True)

    def _show(self, snapshot: Snapshot) -> None:
        if self._uses.rows is not snapshot.merges:
            self._uses = Uses(snapshot.merges)
        self._lines = log_for(snapshot, self._uses, self.fired_only)
        self.columns = self._lines.columns
        self.update_rows()

    def find(self, query: str) -> int | None:
        """The next row after the cursor, from the top again, whose token holds a text that is written as labels are;
        None where there is none."""
        lines = self._lines
        if lines is None:
            return None
        total = lines.count
        for distance in range(1, total + 1):
            index = (self.cursor + distance) % total
            if query in lines.text(index):
                return index
        return None

    def row(self, index: int, width: int) -> list[Segment]:
        """One row."""
        assert self._lines is not None
        line = self._lines.line(index, self.ascii)
        style = None
        if line.look == "head":
            style = self.component("merge-log--head")
        elif line.look:
            style = self.component(f"line-view--{line.look}")
        return line.columns.row(line.cells, width, style, self.ascii)
