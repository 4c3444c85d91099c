"""Walking along a line of merges in a table of words, both ways: what the trainers that choose by other rules than
frequency share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, Self, TypeVar

from tokexplorer.engine.alphabet import symbol
from tokexplorer.engine.corpus import ShouldStop
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.merging import WordTable
from tokexplorer.engine.training import NEAR, Merge, StopReason

RowT = TypeVar("RowT", bound=Merge)


class MergeWalk(ABC, Generic[RowT]):
    """A position in a list of merges. Rows beyond `step_count` were made before a rewind and are taken again.

    A row that replaced nothing is a step that changes nothing.
    """

    def __init__(self, table: WordTable) -> None:
        self.table = table
        self.step_count = 0
        self.start_tokens = table.tokens

    @property
    @abstractmethod
    def history(self) -> Sequence[RowT]:
        """The rows of all known steps, those beyond `step_count` being undone. Append-only but for a branch, which
        makes another list."""

    @abstractmethod
    def step(self) -> StopReason | None:
        """Make the next step. Returns why there is none, or None."""

    def _followed(self, row: RowT, raised: tuple[str, ...], sign: int) -> None:
        """Hook: the table has just taken (sign 1) or undone (-1) a row that replaced something."""

    def _jumped(self) -> None:
        """Hook: the table has been counted afresh after a far jump."""

    @property
    def tokens(self) -> int:
        """Tokens in the corpus now."""
        return self.table.tokens

    def _redo(self, row: RowT) -> None:
        if row.replaced:
            change = self.table.merge(symbol(row.left) + symbol(row.right), symbol(row.new), known=True)
            self._followed(row, change.raised, 1)
        self.step_count += 1

    def back(self) -> bool:
        """Undo the last step; False at step 0. It stays known."""
        if not self.step_count:
            return False
        row = self.history[self.step_count - 1]
        if row.replaced:
            change = self.table.unmerge(symbol(row.left) + symbol(row.right), symbol(row.new), row.count)
            self._followed(row, change.raised, -1)
        self.step_count -= 1
        return True

    def goto(self, step: int, should_stop: ShouldStop | None = None) -> None:
        """Travel to a step among the known ones, forward or back. UsageError beyond them.

        Where `should_stop` says so, it ends at a step on the way.
        """
        if not 0 <= step <= len(self.history):
            raise UsageError(f"step {step} is not known yet: the last one made is {len(self.history)}")
        if abs(step - self.step_count) <= NEAR:
            while self.step_count < step:
                self._redo(self.history[self.step_count])
            while self.step_count > step:
                self.back()
            return
        self._travel(step, should_stop)
        self.table.recount()
        self._jumped()

    def _travel(self, step: int, should_stop: ShouldStop | None) -> None:
        rows, table = self.history, self.table
        forward = step > self.step_count
        while self.step_count != step:
            row = rows[self.step_count if forward else self.step_count - 1]
            if row.replaced:
                pair, new = symbol(row.left) + symbol(row.right), symbol(row.new)
                if forward:
                    table.replace_only(pair, new)
                else:
                    table.restore_only(pair, new)
            self.step_count += 1 if forward else -1
            if should_stop is not None and should_stop():
                break

    def run(
        self,
        target: int,
        should_stop: ShouldStop | None = None,
        on_step: Callable[[Self], None] | None = None,
    ) -> StopReason:
        """Step until `step_count` is `target`; `on_step` is called after each step, in the same thread."""
        if self.step_count < min(target, len(self.history)) - NEAR:
            self.goto(min(target, len(self.history)), should_stop)
        while self.step_count < target:
            if should_stop is not None and should_stop():
                return StopReason.CANCELLED
            reason = self.step()
            if reason is not None:
                return reason
            if on_step is not None:
                on_step(self)
        return StopReason.TARGET
