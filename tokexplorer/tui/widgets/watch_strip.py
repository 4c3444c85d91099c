"""The strip of watched words: how each is cut now, and the steps at which that changed."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.reactive import reactive
from textual.strip import Strip

from tokexplorer.engine.glyphs import cells, clip, show
from tokexplorer.session import Snapshot
from tokexplorer.timeline.watching import Watch
from tokexplorer.tui.widgets.columns import fill
from tokexplorer.tui.widgets.line_view import token_pieces
from tokexplorer.tui.widgets.painted import PaintedLines

MOST: int = 4
"""Words that can be watched at once."""
LABEL: int = 18
"""Cells of the longest name of a word."""


class WatchStrip(PaintedLines, can_focus=False):
    """One line for each watched word. `watched` holds the words as they were typed."""

    DEFAULT_CSS = """
    WatchStrip {
        height: auto; max-height: 4; display: none; padding: 0 1; background: $panel;
        &.-watching { display: block; }
        & .watch--name { color: $accent; text-style: bold; }
        & .watch--dim { color: $foreground 55%; }
        & .watch--made { color: $success; text-style: bold; }
        & .watch--bar { color: $foreground 45%; }
        &:ansi { background: ansi_default; }
        &:ansi .watch--dim, &:ansi .watch--bar { color: ansi_default; text-style: dim; }
    }
    """
    COMPONENT_CLASSES = {"watch--name", "watch--dim", "watch--made", "watch--bar"}

    snapshot: reactive[Snapshot | None] = reactive(None, repaint=False)
    watched: reactive[tuple[str, ...]] = reactive((), repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self._watches: dict[str, Watch] = {}

    def watch_watched(self) -> None:
        """Watch other words."""
        old = self._watches
        self._watches = {text: old.get(text) or Watch(text.encode("utf-8", "surrogateescape")) for text in self.watched}
        self.set_class(bool(self.watched), "-watching")
        self._follow()
        self.refresh(layout=True)

    def watch_snapshot(self) -> None:
        """Show how the words are cut at another moment; nothing is painted where all stays as it was."""
        self._follow()

    def _follow(self) -> None:
        snapshot = self.snapshot
        if snapshot is not None:
            for watch in self._watches.values():
                watch.follow(snapshot.history, snapshot.known)
            self.repaint()

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """A line for each word."""
        return min(MOST, len(self.watched))

    def in_sight(self) -> tuple[int, int, int]:
        """All of it."""
        return 0, 1, 1

    def build_line(self, y: int, width: int) -> Strip:
        """One word."""
        words = list(self._watches)
        if self.snapshot is None or y >= len(words):
            return Strip.blank(width)
        room = min(LABEL, max(cells(show(text)) for text in words))
        return self._word_line(words[y], self._watches[words[y]], self.snapshot, width, room)

    def _word_line(self, text: str, watch: Watch, snapshot: Snapshot, width: int, room: int) -> Strip:
        name, dim = self._style("name"), self._style("dim")
        now = watch.at(snapshot.step)
        fresh = self._style("made") if now.step == snapshot.step and now.step else Style()
        shown = clip(show(text, ascii=self.ascii), room, self.ascii)
        pieces = [Segment(shown + " " * (room - cells(shown)) + "  ", name)]
        bar = Segment("|" if self.ascii else "│", self._style("bar"))
        for number, piece in enumerate(now.cut):
            if number:
                pieces.append(bar)
            pieces += token_pieces(piece, fresh, None, width, self.ascii)
        count = len(now.cut)
        unit = snapshot.history.unit
        pieces.append(Segment(f"  {count} token{'' if count == 1 else 's'}", Style(bold=True)))
        steps = [change.step for change in watch.changes if change.step]
        past = [step for step in steps if step <= snapshot.step]
        words = f"  changed at {unit} " + ", ".join(f"{s:,}" for s in past[-1:-9:-1]) if past else ""
        if len(past) > 8:
            words += ", …"
        coming = [step for step in steps if step > snapshot.step]
        if coming:
            words += f"  next at {coming[0]:,}"
        pieces.append(Segment(words, dim))
        return Strip(fill(pieces, width, "left", None, self.ascii), width)

    def _style(self, name: str) -> Style:
        return self.component(f"watch--{name}")
