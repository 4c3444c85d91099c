"""The curve: bytes/token against merges, with other tokenizers as lines across; and how long the tokens are."""

from __future__ import annotations

from typing import ClassVar, Final

from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from tokexplorer.texts import TokenizedText
from tokexplorer.timeline.curve import Length, curves, lengths
from tokexplorer.timeline.histories import RoundHistory
from tokexplorer.tui.actions import bindings
from tokexplorer.tui.labels import count_text
from tokexplorer.tui.lens import CYCLE, OWN
from tokexplorer.tui.screens.study import Hold, StudyScreen
from tokexplorer.tui.shelf import Scene, Shelf
from tokexplorer.tui.steering_actions import CURVE
from tokexplorer.tui.widgets.chart import Chart, Level, Line
from tokexplorer.tui.widgets.columns import Cell, Column, Columns
from tokexplorer.tui.widgets.key_bar import KeyBar
from tokexplorer.tui.widgets.line_view import LineView, Row
from tokexplorer.tui.widgets.study_bar import StudyBar
from tokexplorer.tui.widgets.titled import Titled

WIDE: Final = 110
"""Cells from which on the lengths stand beside the curve."""


class LengthTable(LineView, Titled):
    """A row for each length in bytes, with bars for the vocabulary and for the text."""

    DEFAULT_CSS = "LengthTable > .lengths--bar { color: $primary; }"
    COMPONENT_CLASSES = {"lengths--bar"}

    TABLE: ClassVar[Columns] = Columns(
        Column("bytes", 5, align="right"),
        Column("tokens", 6, align="right"),
        Column("vocabulary", 8, flex=1),
        Column("uses", 7, align="right", priority=1),
        Column("text", 8, flex=1, priority=1),
    )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(columns=self.TABLE, empty="counting …", id=id)
        self._lengths: tuple[Length, ...] = ()

    def show(self, found: tuple[Length, ...]) -> None:
        """Other lengths."""
        self._lengths = found
        self.empty = "no tokens"
        self.update_rows()

    @property
    def row_count(self) -> int:
        """Lengths."""
        return len(self._lengths)

    def row(self, index: int, width: int) -> Row:
        """One length."""
        entry = self._lengths[index]
        fitted = dict(self.TABLE.fit(width).places)
        tokens = _bar(entry.tokens, max(x.tokens for x in self._lengths), fitted.get(2, 0), self.ascii)
        uses = _bar(entry.uses, max(x.uses for x in self._lengths), fitted.get(4, 0), self.ascii)
        bar = self.component("lengths--bar")
        cells: list[Cell] = [str(entry.bytes), count_text(entry.tokens, 6), Segment(tokens, bar)]
        cells += [count_text(entry.uses, 7), Segment(uses, bar)]
        return self.TABLE.row(cells, width, None, self.ascii)


def _bar(value: int, largest: int, room: int, ascii: bool) -> str:
    """A bar of eighths of a cell; a value above 0 always shows."""
    if not value or not largest or room <= 0:
        return ""
    eighths = max(1, round(value / largest * room * 8))
    if ascii:
        return "#" * max(1, eighths // 8)
    return "█" * (eighths // 8) + ("" if not eighths % 8 else " ▏▎▍▌▋▊▉"[eighths % 8])


class CurveScreen(StudyScreen):
    """The chart of the present moment. The other tokenizers' lines appear as their tokens are counted."""

    ACTIONS = CURVE
    TITLE_WORDS = "The curve"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(CURVE)]
    AUTO_FOCUS = "#lengths"
    CSS = """
    CurveScreen {
        & #chart-box, & #lengths {
            border: round $border; border-title-color: $foreground 70%; border-title-background: transparent;
        }
        & #lengths:focus { border: round $accent; border-title-color: $accent; border-title-style: bold; }
        & #halves { layout: vertical; }
        & #chart-box { height: 3fr; }
        & #lengths { height: 2fr; }
        &.-wide #halves { layout: horizontal; }
        &.-wide #chart-box { width: 3fr; height: 1fr; }
        &.-wide #lengths { width: 2fr; height: 1fr; }
    }
    """

    def __init__(self, shelf: Shelf, scene: Scene) -> None:
        super().__init__(shelf, scene)
        self._left = [name for name in CYCLE if name != OWN]

    def compose(self) -> ComposeResult:
        """A chart and a table."""
        yield StudyBar()
        with Horizontal(id="halves"):
            with Vertical(id="chart-box"):
                yield Chart()
            yield LengthTable(id="lengths")
        yield KeyBar()

    def on_mount(self) -> None:
        """Draw what is known, then count what is not."""
        super().on_mount()
        self._arrange()
        snapshot = self.scene.snapshot
        if snapshot is None:
            return
        found = curves(snapshot)
        chart = self.query_one(Chart)
        rounds = isinstance(snapshot.history, RoundHistory)
        chart.unit = "pieces" if rounds else "merges"
        chart.lines = tuple(Line(c.name, c.points, number == 0, c.now) for number, c in enumerate(found))
        others = ", ".join(curve.name for curve in found[1:])
        title = "bytes/token against " + ("the pieces that are left" if rounds else "merges, on a log axis")
        self.query_one("#chart-box").border_title = title + (f" · dim: {others}" if others else "")
        self.query_one(LengthTable).retitle("how long the tokens are, in bytes")
        ratio = f"{snapshot.bytes_per_token:.3f} bytes/token"
        self.show_parts(
            (0, "strong", "curve"),
            (1, "", snapshot.title),
            (2, "", ratio),
            (3, "dim", f"{snapshot.tokens:,} tokens"),
        )

        def measure(hold: Hold) -> tuple[Length, ...]:
            return lengths(snapshot, hold.on_progress, hold.should_stop)

        self._count_next()
        self.submit("lengths", "counting uses", measure, self.query_one(LengthTable).show, quiet=True)

    def _count_next(self) -> None:
        """Count the text through the next of the other tokenizers."""
        snapshot, text = self.scene.snapshot, self.scene.text
        if not self._left or snapshot is None or text is None or snapshot.corpus.word_counts:
            return
        name = self._left.pop(0)

        def count(hold: Hold) -> int:
            tokenizer = self.shelf.load(name, snapshot)
            return TokenizedText(text, tokenizer).count(hold.on_progress, hold.should_stop)

        def take(tokens: int) -> None:
            if tokens:
                level = Level(name.removesuffix("_base"), text.size / tokens)
                chart = self.query_one(Chart)
                chart.levels = (*chart.levels, level)
            self._count_next()

        self.submit(f"count {name}", f"counting {name}", count, take, quiet=True)

    def on_resize(self) -> None:
        """Beside or below."""
        self._arrange()

    def _arrange(self) -> None:
        self.set_class(self.app.size.width >= WIDE, "-wide")
