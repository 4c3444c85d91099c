"""The corpus pane: samples and opened files to choose from, what is loaded, and how it is cut."""

from __future__ import annotations

from dataclasses import dataclass

from rich.segment import Segment
from textual.message import Message
from textual.reactive import reactive

from tokexplorer.engine.algorithms import Algorithm
from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.session import Snapshot
from tokexplorer.tui.labels import NAMES, algorithm_text, name_text, size_text
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.line_view import LineView
from tokexplorer.tui.widgets.titled import Titled


@dataclass(frozen=True, slots=True)
class TextChoice:
    """A text that can be opened: the paths it is made of, its name and its size in bytes (None: not known)."""

    paths: tuple[str, ...]
    name: str
    size: int | None
    group: str


ALPHABETS = {
    AlphabetKind.BYTES: "256 bytes",
    AlphabetKind.CHARS: "characters",
    AlphabetKind.WORDS: "characters, </w>",
}
SETTINGS = ("algorithm", "split", "alphabet", "ties", "min-count", "target")
TABLE = Columns(Column("", 8, flex=1), Column("", 8, align="right"))
FACTS = Columns(Column("", 11), Column("", 6, flex=1, align="right"))


class CorpusPane(LineView, Titled):
    """Rows: facts on what is loaded, settings (Enter changes them), then texts (Enter opens them)."""

    snapshot: reactive[Snapshot | None] = reactive(None, repaint=False)
    choices: reactive[tuple[TextChoice, ...]] = reactive((), repaint=False)

    class TextChosen(Message):
        """A text was chosen to be opened."""

        def __init__(self, choice: TextChoice) -> None:
            super().__init__()
            self.choice = choice

    class SettingChosen(Message):
        """A setting was chosen to be changed: one of SETTINGS."""

        def __init__(self, setting: str) -> None:
            super().__init__()
            self.setting = setting

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(empty="no text is open: press o", id=id)
        self._lines: list[tuple[str, str, str, TextChoice | None]] = []

    @property
    def row_count(self) -> int:
        """Rows of all kinds."""
        return len(self._lines)

    def watch_snapshot(self) -> None:
        """Show what is loaded now."""
        self._arrange()

    def watch_choices(self) -> None:
        """Show what can be opened now."""
        self._arrange()

    def _arrange(self) -> None:
        lines: list[tuple[str, str, str, TextChoice | None]] = []
        group = ""
        for choice in self.choices:
            if choice.group != group:
                group = choice.group
                lines.append(("title", group, "", None))
            size = size_text(choice.size) if choice.size is not None else ""
            lines.append(("text", name_text(choice.name), size, choice))
        if self.snapshot is not None:
            lines = self._facts(self.snapshot) + lines
        line = self._lines[self.cursor] if self.cursor < len(self._lines) else None
        chosen = line[1::2] if line is not None and line[0] != "title" else None
        self._lines = lines
        self.update_rows()
        for number, line in enumerate(lines):
            if chosen is not None and line[1::2] == chosen:
                self.move_cursor(number, quiet=True)
                break

    def _facts(self, snapshot: Snapshot) -> list[tuple[str, str, str, TextChoice | None]]:
        stats = snapshot.corpus.stats
        documents = snapshot.corpus.documents
        title = name_text(documents[0].name) if len(documents) == 1 else f"{len(documents)} documents"
        facts: list[tuple[str, str, str, TextChoice | None]] = [
            ("title", title, "", None),
            ("fact", "bytes", f"{stats.bytes:,}", None),
            ("fact", "characters", f"{stats.characters:,}", None),
            ("fact", "lines", f"{stats.lines:,}", None),
            ("fact", "words" if snapshot.corpus.word_counts else "chunks", f"{stats.chunks:,}", None),
            ("fact", "unique", f"{stats.unique_chunks:,}", None),
        ]
        if stats.invalid_bytes:
            facts.append(("warn", "invalid", f"{stats.invalid_bytes:,}", None))
        if snapshot.corpus.left_out:
            facts.append(("warn", "left out", f"{snapshot.corpus.left_out:,}", None))
        facts.append(("title", "how it is cut", "", None))
        facts += [(setting, label, value, None) for setting, label, value in self._settings(snapshot)]
        return facts

    @staticmethod
    def _settings(snapshot: Snapshot) -> list[tuple[str, str, str]]:
        """(setting, label, value) of what the algorithm lets one choose."""
        settings = snapshot.settings
        replays = settings.algorithm is Algorithm.REPLAY
        algorithm = algorithm_text(settings, 14) if replays else NAMES[settings.algorithm]
        rows = [("algorithm", "algorithm", algorithm), ("split", "split", name_text(settings.split))]
        if settings.alphabets:
            rows.append(("alphabet", "start from", ALPHABETS[settings.alphabet]))
        if settings.has_ties:
            rows.append(("ties", "ties", settings.ties.value))
        if settings.alphabets and snapshot.target_step + snapshot.step:
            rows.append(("min-count", "min. count", str(settings.min_count)))
        if snapshot.merging is not None:
            rows.append(("target", "target", f"{snapshot.target_step + snapshot.base_size:,}"))
        elif snapshot.slow_steps:
            rows.append(("target", "target", f"{snapshot.target_size:,}"))
        return rows

    def row(self, index: int, width: int) -> list[Segment]:
        """One row."""
        kind, left, right, choice = self._lines[index]
        if kind == "title":
            return [Segment(left, self.component("line-view--header"))]
        if kind == "text":
            opened = self.snapshot is not None and choice is not None and self._is_open(self.snapshot, choice)
            style = self.component("line-view--made") if opened else None
            return TABLE.row([left, right], width, style, self.ascii)
        style = self.component("line-view--next") if kind == "warn" else None
        return FACTS.row([" " + left, right], width, style, self.ascii)

    @staticmethod
    def _is_open(snapshot: Snapshot, choice: TextChoice) -> bool:
        documents = snapshot.corpus.documents
        return len(documents) == len(choice.paths) and all(
            d.name == p.rpartition("/")[2] for d, p in zip(documents, choice.paths, strict=True)
        )

    def on_line_view_selected(self, event: LineView.Selected) -> None:
        """Enter or a click on a row."""
        event.stop()
        kind, _, _, choice = self._lines[event.index]
        if choice is not None:
            self.post_message(self.TextChosen(choice))
        elif kind in SETTINGS:
            self.post_message(self.SettingChosen(kind))
