"""The rows of the pair table for each algorithm: pairs with counts or scores, pieces with their losses, tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.engine.baselines import BaselineRow
from tokexplorer.engine.glyphs import show
from tokexplorer.engine.replay import ReplayCandidate
from tokexplorer.engine.training import Candidate
from tokexplorer.engine.unigram import piece_bytes
from tokexplorer.engine.unigram_training import PieceRow
from tokexplorer.engine.wordpiece import ScoredCandidate
from tokexplorer.session import Snapshot
from tokexplorer.timeline.histories import MergeHistory, RoundHistory
from tokexplorer.timeline.snapshots import Row
from tokexplorer.tui.labels import count_text, figure_text, token_text
from tokexplorer.tui.widgets.columns import Cell, Column, Columns


class TableRows(ABC):
    """What a table shows of the rows of one algorithm. `name` titles the pane, `empty` stands where there is no row."""

    columns: ClassVar[Columns]
    name: ClassVar[str]
    empty: ClassVar[str]

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    @abstractmethod
    def cells(self, rank: int, row: Row, ascii: bool) -> list[Cell]:
        """One row; `rank` counts from 0 in the order of the algorithm."""

    @abstractmethod
    def text(self, row: Row, ascii: bool = False) -> str:
        """What a row is searched and sorted by."""

    def is_next(self, rank: int, row: Row) -> bool:
        """Whether it is what the next step takes."""
        return rank == 0


class PairRows(TableRows):
    """BPE: the most frequent pair wins."""

    columns = Columns(
        Column("#", 3, align="right", priority=2),
        Column("left", 4, flex=2),
        Column("right", 5, flex=2),
        Column("joined", 5, flex=3, priority=3),
        Column("count", 6, align="right"),
        Column("repl.", 6, align="right", priority=4),
        Column("tie", 3, priority=1),
    )
    name = "Pairs"
    empty = "no pair left: every chunk is one token"

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(snapshot)
        assert snapshot.merging is not None
        self.history: MergeHistory = snapshot.merging

    def pair(self, row: Row, ascii: bool) -> tuple[str, str, str]:
        """Left, right and joined."""
        assert isinstance(row, Candidate)
        left, right = (token_text(self.history, i, ascii) for i in (row.left, row.right))
        return left, right, left + right

    def text(self, row: Row, ascii: bool = False) -> str:
        return self.pair(row, ascii)[2]

    def cells(self, rank: int, row: Row, ascii: bool) -> list[Cell]:
        assert isinstance(row, Candidate)
        replaced = count_text(row.replaced, 6) if row.replaced != row.count else ""
        return [
            str(rank + 1),
            *self.pair(row, ascii),
            count_text(row.count, 6),
            replaced,
            "=" if row.tied else "",
        ]


class ScoreRows(PairRows):
    """WordPiece: count(ab) / (count(a) * count(b)) wins."""

    columns = Columns(
        Column("#", 3, align="right", priority=5),
        Column("left", 4, flex=2),
        Column("right", 5, flex=2),
        Column("joined", 5, flex=3, priority=4),
        Column("score", 6, align="right"),
        Column("ab", 4, align="right", priority=1),
        Column("a", 5, align="right", priority=2),
        Column("b", 5, align="right", priority=2),
        Column("tie", 3, priority=3),
    )
    empty = "no pair left: every word is one piece"

    def pair(self, row: Row, ascii: bool) -> tuple[str, str, str]:
        left, right, _ = super().pair(row, ascii)
        return left, right, left + right.removeprefix("##")

    def cells(self, rank: int, row: Row, ascii: bool) -> list[Cell]:
        assert isinstance(row, ScoredCandidate)
        return [
            str(rank + 1),
            *self.pair(row, ascii),
            figure_text(row.score, 6),
            count_text(row.count, 4),
            count_text(row.left_count, 5),
            count_text(row.right_count, 5),
            "=" if row.tied else "",
        ]


class ReplayRows(PairRows):
    """Replay: the pairs of the text, as it stands, that the list merges later; the first is the next to fire."""

    columns = Columns(
        Column("at step", 7, align="right"),
        Column("left", 4, flex=2, priority=1),
        Column("right", 5, flex=2, priority=1),
        Column("joined", 6, flex=3),
        Column("id", 6, align="right", priority=3),
        Column("count", 6, align="right"),
    )
    name = "Pairs in the list"
    empty = "no merge that is left stands in this text"

    def cells(self, rank: int, row: Row, ascii: bool) -> list[Cell]:
        assert isinstance(row, ReplayCandidate)
        return [f"{row.step:,}", *self.pair(row, ascii), str(row.new), count_text(row.count, 6)]


class PieceRows(TableRows):
    """Unigram: the pieces in the order in which they are removed."""

    columns = Columns(
        Column("#", 4, align="right", priority=4),
        Column("piece", 6, flex=3),
        Column("p", 7, align="right"),
        Column("expected", 8, align="right", priority=1),
        Column("uses", 5, align="right", priority=3),
        Column("loss", 7, align="right"),
    )
    name = "Pieces"
    empty = "no pieces: the text is empty"

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(snapshot)
        assert isinstance(snapshot.history, RoundHistory)
        self.kind = snapshot.history.kind

    def text(self, row: Row, ascii: bool = False) -> str:
        assert isinstance(row, PieceRow)
        return show(piece_bytes(row.text, self.kind), ascii=ascii)

    def cells(self, rank: int, row: Row, ascii: bool) -> list[Cell]:
        assert isinstance(row, PieceRow)
        return [
            str(rank + 1),
            self.text(row, ascii),
            figure_text(row.probability),
            figure_text(row.expected, 8),
            count_text(row.uses, 5),
            "kept" if row.loss is None else figure_text(row.loss),
        ]

    def is_next(self, rank: int, row: Row) -> bool:
        assert isinstance(row, PieceRow)
        return row.next_removed


class TokenRows(TableRows):
    """A baseline: its most frequent tokens."""

    columns = Columns(
        Column("#", 4, align="right", priority=2),
        Column("token", 6, flex=1),
        Column("id", 6, align="right", priority=1),
        Column("count", 7, align="right"),
    )
    name = "Tokens"
    empty = "no tokens: the text is empty"

    def text(self, row: Row, ascii: bool = False) -> str:
        assert isinstance(row, BaselineRow)
        return show(to_bytes(row.text), ascii=ascii)

    def cells(self, rank: int, row: Row, ascii: bool) -> list[Cell]:
        assert isinstance(row, BaselineRow)
        return [str(rank + 1), self.text(row, ascii), str(row.id), count_text(row.count, 7)]

    def is_next(self, rank: int, row: Row) -> bool:
        return False


def rows_for(snapshot: Snapshot) -> TableRows:
    """What shows the rows of a snapshot."""
    kinds: dict[str, type[TableRows]] = {
        "bpe": PairRows,
        "wordpiece": ScoreRows,
        "replay": ReplayRows,
        "unigram": PieceRows,
    }
    return kinds.get(snapshot.settings.algorithm, TokenRows)(snapshot)
