"""The rows of the log for each algorithm: merges in the order of time, or rounds with the pieces that they removed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from tokexplorer.engine.glyphs import show
from tokexplorer.engine.unigram import piece_bytes
from tokexplorer.engine.unigram_training import Round
from tokexplorer.engine.wordpiece import ScoredMerge
from tokexplorer.session import Snapshot
from tokexplorer.timeline.histories import MergeHistory, ReplayHistory, RoundHistory
from tokexplorer.timeline.uses import Uses
from tokexplorer.tui.labels import count_text, figure_text, token_text
from tokexplorer.tui.widgets.columns import Cell, Column, Columns

START = Columns(Column("", 5, align="right"), Column("", 10, flex=1), Column("", 9, align="right"))
ROUND = Columns(
    Column("", 5, align="right"),
    Column("", 13, flex=1),
    Column("", 16, align="right", priority=1),
    Column("", 13, align="right", priority=2),
)


@dataclass(frozen=True, slots=True)
class Line:
    """A row: cells of some columns, and a look: made, dim, stand-in, head, empty or nothing."""

    columns: Columns
    cells: tuple[Cell, ...]
    look: str = ""


class LogRows(ABC):
    """The rows of a snapshot; row 0 is the start."""

    columns: ClassVar[Columns]
    name: ClassVar[str] = "Merges"
    hint: ClassVar[str] = "s makes the first merge, a runs"
    heads: ClassVar[bool] = False
    """what belongs to a step stands below its row"""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    @property
    @abstractmethod
    def count(self) -> int:
        """How many rows there are."""

    @abstractmethod
    def step_at(self, index: int) -> int | None:
        """The step that a row belongs to; None for the hint below the start."""

    @abstractmethod
    def index_of(self, step: int) -> int:
        """The row of a known step, or the nearest one before it."""

    @abstractmethod
    def text(self, index: int) -> str:
        """What a row is searched by."""

    @abstractmethod
    def line(self, index: int, ascii: bool) -> Line:
        """One row."""

    def start(self, words: str) -> Line:
        """The row of step 0."""
        look = "made" if self.snapshot.step == 0 else "stand-in"
        return Line(START, ("0", words, count_text(self.snapshot.start_tokens, 9)), look)

    def look_of(self, step: int) -> str:
        """How a step looks: undone, present or past."""
        return "dim" if step > self.snapshot.step else "made" if step == self.snapshot.step else ""


class MergeRows(LogRows):
    """One row a merge."""

    columns = Columns(
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

    def __init__(self, snapshot: Snapshot, uses: Uses) -> None:
        super().__init__(snapshot)
        assert snapshot.merging is not None
        self.history: MergeHistory = snapshot.merging
        self.uses = uses

    @property
    def count(self) -> int:
        return self.snapshot.known + 1 if self.snapshot.known else 2

    def step_at(self, index: int) -> int | None:
        return index if index <= self.snapshot.known else None

    def index_of(self, step: int) -> int:
        return step

    def text(self, index: int) -> str:
        step = self.step_at(index)
        return token_text(self.history, self.history.rows[step - 1].new) if step else ""

    def line(self, index: int, ascii: bool) -> Line:
        step = self.step_at(index)
        if step is None:
            return Line(START, ("", self.hint, ""), "empty")
        if step == 0:
            return self.start(f"start: {self.history.base_size:,} base symbols")
        return Line(self.columns, tuple(self.cells(step, ascii)), self.look_of(step))

    def cells(self, step: int, ascii: bool) -> list[Cell]:
        """The cells of a merge."""
        merge = self.history.rows[step - 1]
        return [
            f"{merge.step}{'*' if merge.chosen else ''}",
            *(token_text(self.history, i, ascii) for i in (merge.left, merge.right, merge.new)),
            str(merge.new),
            count_text(merge.count, 6),
            f"={merge.tied}" if merge.tied > 1 else "",
            self.now(step),
            count_text(merge.tokens_after, 7),
        ]

    def now(self, step: int) -> str:
        """How often the token of a step is used now."""
        if step > self.snapshot.step:
            return "undone"
        return count_text(self.uses.of(self.history.rows[step - 1].new, self.snapshot.step) or 0, 6)


class ScoredMergeRows(MergeRows):
    """WordPiece: with the score that won."""

    columns = Columns(
        Column("step", 5, align="right"),
        Column("left", 4, flex=2),
        Column("right", 5, flex=2),
        Column("piece", 5, flex=3),
        Column("id", 5, align="right", priority=3),
        Column("score", 7, align="right", priority=1),
        Column("count", 6, align="right", priority=6),
        Column("tie", 3, align="right", priority=5),
        Column("now", 6, align="right", priority=4),
        Column("tokens", 7, align="right", priority=2),
    )

    def cells(self, step: int, ascii: bool) -> list[Cell]:
        merge = self.history.rows[step - 1]
        assert isinstance(merge, ScoredMerge)
        found = super().cells(step, ascii)
        return [*found[:5], figure_text(merge.score), *found[5:]]


class ReplayMergeRows(MergeRows):
    """Replay: merges that replaced nothing are dim; `fired_only` leaves them out."""

    columns = Columns(
        Column("step", 6, align="right"),
        Column("left", 4, flex=2, priority=4),
        Column("right", 5, flex=2, priority=4),
        Column("token", 5, flex=3),
        Column("id", 6, align="right", priority=3),
        Column("fired", 6, align="right"),
        Column("now", 6, align="right", priority=5),
        Column("tokens", 7, align="right", priority=2),
    )
    hint = "press f for the first merge that fires, a to run"

    def __init__(self, snapshot: Snapshot, uses: Uses, fired_only: bool) -> None:
        super().__init__(snapshot, uses)
        assert isinstance(self.history, ReplayHistory)
        self._only = self.history.fired if fired_only else None
        self._count = self.history.fired_to(snapshot.known)

    @property
    def count(self) -> int:
        if self._only is None:
            return super().count
        return self._count + 1 if self._count else 2

    def step_at(self, index: int) -> int | None:
        if self._only is None:
            return super().step_at(index)
        if not index:
            return 0
        return self._only[index - 1] if index <= self._count else None

    def index_of(self, step: int) -> int:
        if self._only is None:
            return step
        return bisect_right(self._only, step, 0, self._count)

    def cells(self, step: int, ascii: bool) -> list[Cell]:
        merge = self.history.rows[step - 1]
        return [
            f"{merge.step}",
            *(token_text(self.history, i, ascii) for i in (merge.left, merge.right, merge.new)),
            str(merge.new),
            count_text(merge.replaced, 6) if merge.replaced else "-",
            self.now(step) if merge.replaced else "",
            count_text(merge.tokens_after, 7),
        ]

    def look_of(self, step: int) -> str:
        look = super().look_of(step)
        return look if look or self.history.rows[step - 1].replaced else "stand-in"


class RoundRows(LogRows):
    """Unigram: a line for each round, below it the pieces that it removed, the largest loss first."""

    columns = Columns(
        Column("round", 5, align="right"),
        Column("removed", 8, flex=1),
        Column("loss", 8, align="right"),
        Column("expected", 8, align="right", priority=1),
        Column("uses", 6, align="right", priority=2),
    )
    name = "Pruning"
    heads = True
    hint = "s makes the first round, a runs"

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(snapshot)
        assert isinstance(snapshot.history, RoundHistory)
        self.history = snapshot.history
        self.kind = snapshot.history.kind
        self.rounds: list[Round] = list(snapshot.history.rows[: snapshot.known])
        self._starts = list(accumulate((1 + len(r.removed) for r in self.rounds), initial=1))

    @property
    def count(self) -> int:
        return self._starts[-1] if self.rounds else 2

    def step_at(self, index: int) -> int | None:
        if index and not self.rounds:
            return None
        return bisect_right(self._starts, index)

    def index_of(self, step: int) -> int:
        return self._starts[step - 1] if step else 0

    def _place(self, index: int) -> tuple[int, int]:
        """(round, its piece from 1; 0 for the line of the round)."""
        step = bisect_right(self._starts, index)
        return step, index - self._starts[step - 1]

    def text(self, index: int) -> str:
        if not index or not self.rounds:
            return ""
        step, piece = self._place(index)
        return self._piece(step, piece, False) if piece else ""

    def _piece(self, step: int, piece: int, ascii: bool) -> str:
        return show(piece_bytes(self.rounds[step - 1].removed[-piece].text, self.kind), ascii=ascii)

    def line(self, index: int, ascii: bool) -> Line:
        if not index:
            seed = self.history.vocab_size(0)
            return self.start(f"start: {seed:,} pieces · ln p {self.history.likelihood(0):,.0f}")
        if not self.rounds:
            return Line(START, ("", self.hint, ""), "empty")
        step, piece = self._place(index)
        made = self.rounds[step - 1]
        arrow = "->" if ascii else "→"
        if not piece:
            look = self.look_of(step) or "head"
            sizes = f"{made.size_before:,} {arrow} {made.size_after:,}"
            tokens = f"{count_text(made.tokens_after, 6)} tokens"
            return Line(ROUND, (str(step), sizes, f"ln p {made.likelihoods[-1]:,.0f}", tokens), look)
        row = made.removed[-piece]
        cells = ("", self._piece(step, piece, ascii), figure_text(row.loss), figure_text(row.expected, 8))
        look = "dim" if step > self.snapshot.step else ""
        return Line(self.columns, (*cells, count_text(row.uses, 6)), look)


class NoRows(LogRows):
    """A baseline, which is not trained."""

    columns = START

    @property
    def count(self) -> int:
        return 2

    def step_at(self, index: int) -> int | None:
        return None if index else 0

    def index_of(self, step: int) -> int:
        return 0

    def text(self, index: int) -> str:
        return ""

    def line(self, index: int, ascii: bool) -> Line:
        if index:
            return Line(START, ("", "a baseline is not trained", ""), "empty")
        return self.start(f"{self.snapshot.vocab_size:,} tokens")


def log_for(snapshot: Snapshot, uses: Uses, fired_only: bool) -> LogRows:
    """What shows the log of a snapshot."""
    match snapshot.settings.algorithm.value:
        case "bpe":
            return MergeRows(snapshot, uses)
        case "wordpiece":
            return ScoredMergeRows(snapshot, uses)
        case "replay":
            return ReplayMergeRows(snapshot, uses, fired_only)
        case "unigram":
            return RoundRows(snapshot)
    return NoRows(snapshot)


def log_name(snapshot: Snapshot) -> str:
    """What the log of a snapshot is called."""
    return RoundRows.name if isinstance(snapshot.history, RoundHistory) else LogRows.name


def log_count(snapshot: Snapshot, fired_only: bool) -> str:
    """How far the log goes, for its title."""
    made = f"{snapshot.step:,} of {snapshot.known:,}"
    if not isinstance(snapshot.history, ReplayHistory):
        return made
    fired = f"{snapshot.history.fired_to(snapshot.step):,} fired"
    return f"only the {fired}" if fired_only else f"{made} · {fired}"
