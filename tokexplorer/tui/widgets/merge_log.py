"""The merge log: every merge in the order of time, the present one marked, undone ones dimmed below it."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.reactive import reactive

from tokexplorer.session import Snapshot
from tokexplorer.tui.labels import count_text, token_text
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.line_view import LineView
from tokexplorer.tui.widgets.titled import Titled
from tokexplorer.uses import Uses

START = Columns(Column("", 5, align="right"), Column("", 10, flex=1), Column("", 9, align="right"))
FIRST_HINT = "press s for the first merge, a to run"


class MergeLog(LineView, Titled):
    """Rows of a snapshot's merges; row 0 is the text before the first merge. The cursor follows the present step."""

    TABLE: ClassVar[Columns] = Columns(
        Column("step", 5, align="right"),
        Column("left", 4, flex=2),
        Column("right", 5, flex=2),
        Column("token", 5, flex=3),
        Column("id", 5, align="right", priority=3),
        Column("count", 6, align="right", priority=1),
        Column("tie", 3, align="right", priority=5),
        Column("now", 6, align="right", priority=4),
        Column("tokens", 7, align="right", priority=2),
    )

    snapshot: reactive[Snapshot | None] = reactive(None, repaint=False)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(columns=self.TABLE, empty="no text is open", id=id)
        self._uses: Uses | None = None

    @property
    def row_count(self) -> int:
        """Merges known, and the start."""
        if self.snapshot is None:
            return 0
        return self.snapshot.known + 1 if self.snapshot.known else 2

    @property
    def chosen_step(self) -> int:
        """The step under the cursor."""
        return self.cursor

    def watch_snapshot(self, old: Snapshot | None, new: Snapshot | None) -> None:
        """Show another moment; the cursor goes along where it stood on the present step."""
        if new is None:
            return
        if self._uses is None or self._uses.vocabulary is not new.vocabulary:
            self._uses = Uses(new.vocabulary)
        follows = old is None or old.corpus is not new.corpus or self.cursor == old.step or old.step != new.step
        self.update_rows()
        if follows:
            self.move_cursor(new.step, quiet=True)

    def row(self, index: int, width: int) -> list[Segment]:
        """One merge."""
        snapshot = self.snapshot
        assert snapshot is not None
        assert self._uses is not None
        if index == 0:
            look = "line-view--made" if snapshot.step == 0 else "line-view--stand-in"
            cells = ["0", f"start: {snapshot.base_size} base symbols", count_text(snapshot.start_tokens, 9)]
            return START.row(cells, width, self.component(look), self.ascii)
        if index > snapshot.known:
            return START.row(["", FIRST_HINT, ""], width, self.component("line-view--empty"), self.ascii)
        merge = snapshot.merges[index - 1]
        undone = index > snapshot.step
        text = snapshot.vocabulary
        uses = "undone" if undone else count_text(self._uses.of(merge.new, snapshot.step) or 0, 6)
        cells = [
            f"{merge.step}{'*' if merge.chosen else ''}",
            token_text(text, merge.left, self.ascii),
            token_text(text, merge.right, self.ascii),
            token_text(text, merge.new, self.ascii),
            str(merge.new),
            count_text(merge.count, 6),
            f"={merge.tied}" if merge.tied > 1 else "",
            uses,
            count_text(merge.tokens_after, 7),
        ]
        style: Style | None = None
        if undone:
            style = self.component("line-view--dim")
        elif index == snapshot.step:
            style = self.component("line-view--made")
        return self.TABLE.row(cells, width, style, self.ascii)
