"""The branches: listed, compared by tokens at equal vocabulary size, returned to, forgotten."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from tokexplorer.session import Snapshot
from tokexplorer.timeline.branches import Branch, equal_size
from tokexplorer.tui.labels import count_text
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.line_view import LineView, Row

HINT = "Enter returns to a branch · left, right: another vocabulary size · delete or x forgets a branch · esc"


class BranchTable(LineView):
    """A row for each branch; `size` is the vocabulary size at which they are compared."""

    TABLE: ClassVar[Columns] = Columns(
        Column("branch", 10, flex=2),
        Column("from", 12, flex=2, priority=3),
        Column("merges", 7, align="right", priority=2),
        Column("vocabulary", 10, align="right", priority=4),
        Column("tokens", 10, align="right"),
        Column("to main", 9, align="right", priority=1),
        Column("b/token", 7, align="right", priority=5),
    )
    DEFAULT_CSS = "BranchTable { height: auto; max-height: 12; }"

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(columns=self.TABLE, empty="no branches")
        self.snapshot = snapshot
        self.size_shown = equal_size(snapshot.branches)

    @property
    def branches(self) -> tuple[Branch, ...]:
        """What the rows stand for."""
        return self.snapshot.branches

    @property
    def row_count(self) -> int:
        """Branches."""
        return len(self.branches)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """The header and the rows."""
        return 1 + self.row_count

    def row(self, index: int, width: int) -> Row:
        """One branch."""
        branch, main = self.branches[index], self.branches[0]
        here = branch.name == self.snapshot.branch
        tokens, mains = branch.tokens_at(self.size_shown), main.tokens_at(self.size_shown)
        left = f"{_title(branch.parent)} at {branch.start:,}" if branch.name else ""
        cells = [
            ("● " if here and not self.ascii else "* " if here else "  ") + branch.title,
            left,
            f"{branch.known:,}",
            f"{branch.size:,}",
            "-" if tokens is None else count_text(tokens, 10),
            "" if tokens is None or mains is None or not branch.name else f"{tokens - mains:+,}",
            "" if not tokens else f"{self.snapshot.text_bytes / tokens:.3f}",
        ]
        style = self.component("line-view--made") if here else None
        return self.TABLE.row(cells, width, style, self.ascii)

    def turn(self, direction: int) -> None:
        """Compare at another of the sizes at which some branch ends."""
        sizes = sorted({branch.size for branch in self.branches} | {self.snapshot.vocab_size})
        at = sizes.index(self.size_shown) if self.size_shown in sizes else 0
        self.size_shown = sizes[max(0, min(at + direction, len(sizes) - 1))]
        self.update_rows()


def _title(name: str) -> str:
    return name or "main"


class BranchesScreen(ModalScreen[Branch | None]):
    """Gives the branch to return to. `drop` forgets one and gives the moment after that."""

    CSS = """
    BranchesScreen {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 84; max-width: 98%; height: auto; max-height: 90%;
            padding: 0 1; border: round $accent; background: $surface;
        }
        & BranchTable { background: $surface; }
        & .hint { color: $foreground 60%; height: auto; margin-top: 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,M", "leave", "Cancel"),
        Binding("left", "turn(-1)", "Smaller", show=False),
        Binding("right", "turn(1)", "Larger", show=False),
        Binding("delete,x", "forget", "Forget", show=False),
    ]

    def __init__(self, snapshot: Snapshot, drop: Callable[[Branch], Snapshot]) -> None:
        super().__init__()
        self._snapshot = snapshot
        self._forget = drop

    def compose(self) -> ComposeResult:
        """A table, and what the keys do."""
        with Vertical():
            yield BranchTable(self._snapshot)
            yield Static(Text(HINT), classes="hint")

    def on_mount(self) -> None:
        """Begin on the present branch."""
        self._word()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        names = [branch.name for branch in self._snapshot.branches]
        self._table.top = 0
        self._table.move_cursor(names.index(self._snapshot.branch), quiet=True)

    @property
    def _table(self) -> BranchTable:
        return self.query_one(BranchTable)

    def _word(self) -> None:
        title = f"Branches · tokens with a vocabulary of {self._table.size_shown:,}"
        if len(self._snapshot.branches) == 1:
            title = "Branches · merge another pair than the winner (m) to begin one"
        self.query_one(Vertical).border_title = Text(title).plain

    def action_turn(self, direction: int) -> None:
        """Compare at another size."""
        self._table.turn(direction)
        self._word()

    def action_forget(self) -> None:
        """Forget the branch under the cursor, unless we are on it."""
        branch = self._table.branches[self._table.cursor]
        if branch.name == self._snapshot.branch:
            self.app.notify("that is the branch we are on", markup=False)
            return
        self._snapshot = self._table.snapshot = self._forget(branch)
        self._table.update_rows()
        self._table.refresh(layout=True)
        self._word()

    def on_line_view_selected(self, event: LineView.Selected) -> None:
        """Give the branch."""
        event.stop()
        self.dismiss(self._table.branches[event.index])

    def action_leave(self) -> None:
        """No branch."""
        self.dismiss(None)
