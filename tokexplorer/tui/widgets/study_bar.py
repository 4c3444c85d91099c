"""The line on top of a screen that studies tokenizers: what is looked at, and the work that runs."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.widgets import ProgressBar

from tokexplorer.tui.widgets.status_bar import StatusLine

Parts = tuple[tuple[int, str, str], ...]
"""(priority: 0 stays longest, look: strong, dim, next or nothing, safe text)"""


class StudyBar(Horizontal):
    """Parts that fit, and a progress bar while work runs."""

    DEFAULT_CSS = """
    StudyBar {
        height: 1; padding: 0 1;
        & .status--strong { text-style: bold; }
        & .status--dim { color: $foreground 55%; }
        & .status--next { color: $warning; text-style: bold; }
        & ProgressBar { width: auto; margin-left: 1; display: none; }
        & Bar { width: 12; }
        &.-busy ProgressBar { display: block; }
        &:ansi .status--dim { color: ansi_default; text-style: dim; }
    }
    """

    parts: reactive[Parts] = reactive((), repaint=False)
    busy: reactive[str] = reactive("", repaint=False)
    progress: reactive[tuple[int, int]] = reactive((0, 0), repaint=False)

    def compose(self) -> ComposeResult:
        """A line and a bar."""
        yield StatusLine()
        yield ProgressBar(show_eta=False, show_percentage=True)

    def watch_parts(self) -> None:
        """Other words."""
        self._word()

    def watch_busy(self) -> None:
        """Work has begun or ended."""
        self.set_class(bool(self.busy), "-busy")
        self._word()

    def watch_progress(self) -> None:
        """So much is done."""
        if self.is_mounted:
            done, total = self.progress
            self.query_one(ProgressBar).update(total=total or None, progress=done)

    def _word(self) -> None:
        if self.is_mounted:
            running = ((1, "next", self.busy),) if self.busy else ()
            self.query_one(StatusLine).parts = (*self.parts, *running)
