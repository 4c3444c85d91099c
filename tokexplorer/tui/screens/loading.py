"""Opening texts in the explorer: what can be opened, files and pipes, and other settings for what is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from textual.reactive import reactive

from tokexplorer.engine.corpus import Document, TextDocument
from tokexplorer.engine.glyphs import safe
from tokexplorer.resuming import describe
from tokexplorer.session import Session, Settings, Snapshot
from tokexplorer.sources import STDIN, STDIN_NAME, open_document, read_stream, sample_files
from tokexplorer.tui.screens.arranging import ArrangingScreen
from tokexplorer.tui.screens.opening import OpenScreen
from tokexplorer.tui.widgets.corpus_pane import TextChoice
from tokexplorer.tui.working import Reins


def name_of(path: str) -> str:
    """The name of a file, or of standard input."""
    return STDIN_NAME if path == STDIN else Path(path).name or path


class LoadingScreen(ArrangingScreen):
    """`choices` is what the corpus pane lists: texts that were opened, then the samples."""

    choices: reactive[tuple[TextChoice, ...]] = reactive((), repaint=False)

    def __init__(self, session: Session, paths: Sequence[str] = (), piped: BinaryIO | None = None) -> None:
        super().__init__(session)
        self._paths = tuple(paths)
        self._piped = piped
        self._read_pipe: TextDocument | None = None
        self._opening: tuple[str, ...] = ()

    def open_first(self) -> None:
        """List what can be opened, and open what was asked for, or the first sample."""
        self.list_texts()
        self.open_given()

    def list_texts(self) -> None:
        """List what was named at the start, and the samples."""
        choices = [TextChoice((str(p),), p.name, p.stat().st_size, "samples") for p in sample_files()]
        given = [TextChoice((p,), name_of(p), None, "opened") for p in self._paths]
        self.choices = tuple(given if len(given) > 1 else []) + tuple(choices)

    def open_given(self) -> None:
        """Open what was named at the start, or the first sample."""
        samples = sample_files()
        if self._paths:
            self.open_paths(self._paths)
        elif samples:
            self.open_paths((str(samples[0]),), asked_for=False)

    def remember_opened(self, snapshot: Snapshot) -> None:
        """List what was opened."""
        paths, self._opening = self._opening, ()
        if paths and all(choice.paths != paths for choice in self.choices):
            name = name_of(paths[0]) if len(paths) == 1 else f"all {len(paths)} files"
            self.choices = (TextChoice(paths, name, snapshot.corpus.size, "opened"), *self.choices)

    def open_paths(self, paths: Sequence[str], asked_for: bool = True) -> None:
        """Open files in a worker; what is open stays until they are counted. `asked_for`: the user named them."""
        self._opening = tuple(paths)
        name = safe(name_of(paths[0])) if len(paths) == 1 else f"{len(paths)} files"
        self.begin(f"counting {name}", lambda reins: self._open(paths, reins, asked_for))

    def _open(self, paths: Sequence[str], reins: Reins, asked_for: bool) -> Snapshot:
        documents: list[Document] = []
        for path in paths:
            if path == STDIN and self._read_pipe is None and self._piped is not None:
                data = read_stream(self._piped, reins.on_progress, reins.should_stop)
                self._read_pipe = TextDocument(STDIN_NAME, data)
            piped = self._read_pipe if path == STDIN else None
            documents.append(piped if piped is not None else open_document(path))
        snapshot = self.session.open(documents, reins.on_progress, reins.should_stop)
        names = [None if path == STDIN else path for path in paths]
        self.keeper.opened(snapshot, tuple(map(describe, documents, names)), asked_for)
        return snapshot

    def configure(self, settings: Settings) -> None:
        """Take other settings in a worker, and say what starts afresh."""
        if settings == self.session.settings:
            return
        only_target = settings == replace(self.session.settings, target=settings.target)
        if not only_target and self.snapshot is not None and self.snapshot.step:
            self.say("the text stays open; the training starts afresh")
        self.begin("counting", lambda reins: self.session.configure(settings, reins.on_progress, reins.should_stop))

    def action_open(self) -> None:
        """Choose files."""

        def opened(paths: tuple[str, ...] | None) -> None:
            if paths:
                self.open_paths(paths)

        self.app.push_screen(OpenScreen(), opened)
