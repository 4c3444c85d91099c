"""Opening files in the explorer: what can be opened, texts, tokenizers and pipes, and other settings for the texts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from textual.reactive import reactive

from tokexplorer.engine.corpus import Document, TextDocument
from tokexplorer.engine.glyphs import safe
from tokexplorer.files.sources import STDIN, STDIN_NAME, open_document, read_stream, sample_files
from tokexplorer.saved.resuming import describe
from tokexplorer.session import Session, Settings, Snapshot
from tokexplorer.tui.screens.opening import OpenScreen
from tokexplorer.tui.screens.tokenizer_files import TokenizerFilesScreen
from tokexplorer.tui.widgets.corpus_pane import TextChoice
from tokexplorer.tui.working import Reins

if TYPE_CHECKING:
    from tokexplorer.tui.screens.explorer import ExplorerScreen

TOKENIZERS: Final = "tokenizers"
"""The group of the tokenizers from files in the corpus pane."""


def name_of(path: str) -> str:
    """The name of a file, or of standard input."""
    return STDIN_NAME if path == STDIN else Path(path).name or path


class LoadingScreen(TokenizerFilesScreen):
    """`choices` is what the corpus pane lists: texts that were opened, tokenizers, then the samples."""

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

    def list_tokenizers(self) -> None:
        """List the tokenizers from files. What was named at the start is listed with the texts until it is known to be
        a tokenizer."""
        rows = [TextChoice(one.files, one.name, None, TOKENIZERS) for one in self.from_files.values()]
        files = {path for one in self.from_files.values() for path in one.files}
        opened = [choice for choice in self.choices if choice.group == "opened" and not _is_among(choice, files)]
        samples = [choice for choice in self.choices if choice.group == "samples"]
        self.choices = (*opened, *rows, *samples)

    def open_paths(self, paths: Sequence[str], asked_for: bool = True) -> None:
        """Open files in a worker: texts in place of what is open, which stays until they are counted; tokenizers
        beside it. `asked_for`: the user named them."""
        self._opening = ()
        name = safe(name_of(paths[0])) if len(paths) == 1 else f"{len(paths)} files"
        self.begin(f"opening {name}", lambda reins: self._open(paths, reins, asked_for))

    def _open(self, paths: Sequence[str], reins: Reins, asked_for: bool) -> Snapshot | None:
        found = self.sort(paths, asked_for) if asked_for else None
        if found is None:
            return self._open_texts(paths, reins, asked_for)
        if found.doubtful:
            return self._as_it_is(reins)
        tokenizers = self.read_tokenizers(found.tokenizers, reins.should_stop)
        texts = found.texts
        snapshot = self._open_texts(texts, reins, asked_for) if texts else self._as_it_is(reins)
        self.arrive(tokenizers)
        return snapshot

    def _as_it_is(self, reins: Reins) -> Snapshot | None:
        """The texts that are open, or the first sample where none is."""
        if self.session.documents:
            return self.session.snapshot()
        samples = sample_files()
        return self._open_texts((str(samples[0]),), reins, asked_for=False) if samples else None

    def _open_texts(self, paths: Sequence[str], reins: Reins, asked_for: bool) -> Snapshot:
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
        self._opening = tuple(paths)
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
                self.open_asking(paths)

        self.app.push_screen(OpenScreen(), opened)

    def action_export(self) -> None:
        """Choose a format and write."""
        from tokexplorer.tui.screens import exporting

        exporting.open_export(cast("ExplorerScreen", self))


def _is_among(choice: TextChoice, files: set[str]) -> bool:
    """Whether a choice is one of the files, and was never opened as a text, since then its size would be known."""
    return choice.size is None and len(choice.paths) == 1 and os.path.abspath(choice.paths[0]) in files
