"""How far the reader has come in the lessons: read when first asked for, written by a thread that nobody waits for."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tokexplorer import paths
from tokexplorer.engine.errors import InputError
from tokexplorer.lessons import progress as progress_file
from tokexplorer.lessons.progress import Progress

if TYPE_CHECKING:
    from tokexplorer.tui.screens.explorer import ExplorerScreen


class LessonRecord:
    """Keeps the reader's progress; what goes wrong is told on the screen."""

    def __init__(self, screen: ExplorerScreen) -> None:
        self._screen = screen
        self._writing = threading.Lock()
        try:
            self.progress = progress_file.load(paths.lessons_file())
        except InputError as error:
            screen.say(f"{error}; the lessons begin anew", "warning")
            self.progress = Progress()

    def keep(self, progress: Progress) -> None:
        """Remember this from now on."""
        if progress != self.progress:
            self.progress = progress
            self._screen.run_worker(self._write, thread=True, group="lessons")

    def _write(self) -> None:
        try:
            with self._writing:
                progress_file.save(self.progress, paths.lessons_file())
        except InputError as error:
            self._screen.tell(str(error))
