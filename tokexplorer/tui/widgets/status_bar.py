"""The status bar: what is open and how it is cut, where we stand, how well it compresses, and what runs."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import ProgressBar, Sparkline

from tokexplorer.engine.glyphs import cells
from tokexplorer.session import Snapshot
from tokexplorer.tui.labels import algorithm_text, name_text, size_text

POINTS = 24
"""Moments that the sparkline shows."""


def course(snapshot: Snapshot) -> list[float]:
    """Bytes per token at up to POINTS steps from the start to now, closer to each other at the start, where most
    happens."""
    if not snapshot.step:
        return []
    steps = sorted({round(snapshot.step * (i / POINTS) ** 3) for i in range(POINTS + 1)})
    return [snapshot.text_bytes / max(1, snapshot.tokens_after(step)) for step in steps]


class StatusLine(Widget):
    """One line of parts; where the room is short the least important part goes first."""

    DEFAULT_CSS = "StatusLine { height: 1; width: 1fr; }"
    COMPONENT_CLASSES = {"status--strong", "status--dim", "status--next"}

    parts: reactive[tuple[tuple[int, str, str], ...]] = reactive(())
    """(priority: 0 stays longest, look: strong, dim, next or nothing, text)"""

    def render(self) -> Text:
        """The parts that fit, in order."""
        width = self.content_size.width
        kept = list(self.parts)
        while len(kept) > 1 and self._cells(kept) > width:
            kept.remove(max(kept, key=lambda part: part[0]))
        line = Text(no_wrap=True, overflow="ellipsis")
        for number, (_, look, text) in enumerate(kept):
            if number:
                line.append(" · ", self._style("dim"))
            line.append(text, self._style(look) if look else None)
        return line

    @staticmethod
    def _cells(parts: list[tuple[int, str, str]]) -> int:
        return sum(cells(text) for _, _, text in parts) + 3 * (len(parts) - 1)

    def _style(self, look: str) -> Style:
        return self.get_component_rich_style(f"status--{look}", partial=True)


class StatusBar(Horizontal):
    """The line on top of the explorer."""

    DEFAULT_CSS = """
    StatusBar {
        height: 1; padding: 0 1;
        & .status--strong { text-style: bold; }
        & .status--dim { text-style: dim; }
        & .status--next { color: $warning; text-style: bold; }
        & Sparkline { width: 14; height: 1; margin-left: 1; display: none; }
        & ProgressBar { width: auto; margin-left: 1; display: none; }
        & Bar { width: 16; }
        &.-course Sparkline { display: block; }
        &.-busy ProgressBar { display: block; }
        &.-busy Sparkline { display: none; }
        & Sparkline > .sparkline--min-color { color: $primary 60%; }
        & Sparkline > .sparkline--max-color { color: $primary; }
    }
    """

    snapshot: reactive[Snapshot | None] = reactive(None, repaint=False)
    busy: reactive[str] = reactive("", repaint=False)
    progress: reactive[tuple[int, int]] = reactive((0, 0), repaint=False)

    def compose(self) -> ComposeResult:
        """A line, a sparkline, a progress bar."""
        yield StatusLine()
        yield Sparkline([])
        yield ProgressBar(show_eta=False, show_percentage=True)

    def watch_snapshot(self) -> None:
        """Word the new moment."""
        self._word()
        if self.snapshot is not None:
            self.query_one(Sparkline).data = course(self.snapshot)

    def watch_busy(self) -> None:
        """Work has begun or ended."""
        self.set_class(bool(self.busy), "-busy")
        self._word()

    def watch_progress(self) -> None:
        """So much is done."""
        done, total = self.progress
        self.query_one(ProgressBar).update(total=total or None, progress=done)
        self._word()

    def on_resize(self) -> None:
        """The sparkline needs room."""
        self.set_class(self.size.width >= 100, "-course")

    def _word(self) -> None:
        if not self.is_mounted:
            return
        parts: list[tuple[int, str, str]] = []
        snapshot = self.snapshot
        if self.busy:
            parts.append((0, "next", self.busy))
        if snapshot is None:
            parts.append((1, "dim", "no text is open"))
        else:
            parts += self._words_of(snapshot)
        self.query_one(StatusLine).parts = tuple(parts)

    def _words_of(self, snapshot: Snapshot) -> list[tuple[int, str, str]]:
        stats, settings, documents = snapshot.corpus.stats, snapshot.settings, snapshot.corpus.documents
        name = name_text(documents[0].name, 24) if len(documents) == 1 else f"{len(documents)} documents"
        parts = [(3, "strong", f"{name} {size_text(stats.bytes)}")]
        if not self.busy:
            parts += [
                (7, "dim", algorithm_text(settings)),
                (6, "dim", f"split {name_text(settings.split, 16)}"),
            ]
            if settings.has_ties:
                parts.append((8, "dim", f"ties {settings.ties.value}"))
        if snapshot.target_step or snapshot.step:
            unit = snapshot.history.unit
            parts.append((0, "strong", f"{unit} {snapshot.step:,}/{snapshot.target_step:,}"))
        if snapshot.branch:
            parts.append((4, "next", snapshot.branch))
        parts.append((2, "", f"vocab {snapshot.vocab_size:,}"))
        parts.append((5, "", f"{snapshot.tokens:,} tokens"))
        parts.append((1, "", f"{snapshot.bytes_per_token:.2f} bytes/token"))
        if snapshot.speed and not snapshot.slow_steps and (self.busy or snapshot.stop_words):
            parts.append((4, "dim", f"{snapshot.speed:,.0f} merges/s"))
        if snapshot.stop_words and not self.busy:
            parts.append((1, "next", snapshot.stop_words))
        return parts
