"""Work on the session in a thread: one job at a time owns the session, tells its progress, and can be stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from textual.reactive import reactive
from textual.screen import Screen

from tokexplorer.engine.corpus import Cancelled
from tokexplorer.engine.errors import TokexplorerError
from tokexplorer.session import Session, Snapshot
from tokexplorer.tui.messages import Failed, Finished, Progressed, SnapshotTaken
from tokexplorer.tui.safekeeping import Keeper

FRAME: Final = 0.1
"""Seconds between two reports of progress."""
LONG: Final = 2.0
"""Seconds of work after which the session is saved without waiting for the clock."""


@dataclass(frozen=True, slots=True)
class Reins:
    """What a job is given: whether to stop, and whom to tell."""

    should_stop: Callable[[], bool]
    on_progress: Callable[[int, int], None]
    on_snapshot: Callable[[Snapshot], None]


Job = Callable[[Reins], Snapshot | None]
"""Gives None where nothing is open."""


class WorkingScreen(Screen[None]):
    """A screen whose worker owns the session while `busy` says what it does. Only messages cross the threads."""

    busy: reactive[str] = reactive("", repaint=False)
    progress: reactive[tuple[int, int]] = reactive((0, 0), repaint=False)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.keeper = Keeper()
        self._halt = threading.Event()
        self._at_rest = threading.Event()
        self._at_rest.set()

    def begin(self, label: str, job: Job) -> None:
        """Start a job; ignored while another one runs."""
        if self.busy:
            return
        self._halt.clear()
        self._at_rest.clear()
        self.progress = (0, 0)
        self.busy = label
        self.run_worker(lambda: self._do(job), thread=True, exclusive=True, group="session", exit_on_error=True)

    def halt(self) -> None:
        """Ask the job to stop; it does so at its next step."""
        self._halt.set()

    def rest(self, patience: float) -> None:
        """Ask the job to stop and wait at most so many seconds for it. By any thread."""
        self._halt.set()
        self._at_rest.wait(patience)

    def _do(self, job: Job) -> None:
        try:
            self._carry_out(job)
        finally:
            self._at_rest.set()

    def _carry_out(self, job: Job) -> None:
        due = 0.0
        begin = time.monotonic()

        def on_progress(done: int, total: int) -> None:
            nonlocal due
            now = time.monotonic()
            if now >= due or done >= total:
                due = now + FRAME
                self.post_message(Progressed(done, total))

        def on_snapshot(snapshot: Snapshot) -> None:
            self.keeper.saw(snapshot)
            self.post_message(SnapshotTaken(snapshot))
            if not snapshot.slow_steps:
                self.post_message(Progressed(snapshot.step, snapshot.target_step))

        try:
            snapshot = job(Reins(self._halt.is_set, on_progress, on_snapshot))
        except Cancelled:
            self.post_message(Failed("stopped; what was open before is still there"))
        except TokexplorerError as error:
            self.post_message(Failed(str(error)))
        else:
            if snapshot is not None:
                self.keeper.saw(snapshot)
            if time.monotonic() - begin > LONG:
                self.keeper.hurry()
            self.post_message(Finished(snapshot))

    def on_unmount(self) -> None:
        """Nobody waits for the job any more."""
        self._halt.set()
