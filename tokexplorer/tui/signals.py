"""Signals and hang-ups: told to a thread of its own at once, whatever the others are doing, so that the end is orderly.

Python runs a signal's handler between two instructions of the main thread, which may be waiting for a slow terminal.
The signal's number goes through a pipe instead, which C code writes into.
"""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

ENDS: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
"""Signals that end the program."""
_LATE: Final = 255
"""The byte that stands for a deadline in the pipe."""


class Sentry:
    """Waits for the first of: a signal, a terminal that is gone, a deadline that has passed. Then calls
    `on_end(number of the signal)` in its own thread, once; SIGHUP stands for a terminal that is gone and 0 for a
    deadline."""

    def __init__(self, on_end: Callable[[int], object]) -> None:
        self._on_end = on_end
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._deadline: float | None = None
        self._thread = threading.Thread(target=self._run, name="sentry", daemon=True)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Be on watch; only in the main thread."""
        before = {number: signal.signal(number, _leave_to_the_sentry) for number in ENDS}
        fd = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        os.register_at_fork(after_in_child=_as_usual)
        self._thread.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(fd)
            for number, handler in before.items():
                signal.signal(number, handler)

    def gone(self) -> None:
        """The terminal is gone. By any thread."""
        os.write(self._write, bytes([signal.SIGHUP]))

    def within(self, seconds: float) -> None:
        """The end has begun elsewhere; if the process is still there after so many seconds, that is a deadline."""
        if self._deadline is None:
            self._deadline = time.monotonic() + seconds
        os.write(self._write, bytes([_LATE]))

    def _run(self) -> None:
        while True:
            left = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
            ready, _, _ = select.select([self._read], [], [], left)
            found = os.read(self._read, 64) if ready else b""
            numbers = [number for number in found if number in ENDS]
            if numbers or not ready:
                self._on_end(numbers[0] if numbers else 0)
                return


def _leave_to_the_sentry(number: int, frame: FrameType | None) -> None:
    """A handler must be there, or the signal would do what it does by default."""


def _as_usual() -> None:
    """In a forked child signals do what they do by default, and write into nobody's pipe."""
    signal.set_wakeup_fd(-1)
    for number in ENDS:
        signal.signal(number, signal.SIG_DFL)
