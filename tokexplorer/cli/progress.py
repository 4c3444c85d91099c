"""Progress on stderr while it is a terminal, and Ctrl-C as a wish to stop while work can still be ended in order."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Final

from tokexplorer.cli.output import is_terminal

PAUSE: Final = 0.1
"""Seconds between two drawings."""
DELAY: Final = 0.3
"""Seconds before the first: short work shows nothing."""
WIDTH: Final = 30


class ProgressBar:
    """One line on stderr, drawn over and over, gone when it is closed. Draws nothing where stderr is no terminal."""

    def __init__(self) -> None:
        self._drawn = False
        self._begin = time.monotonic()
        self._next = self._begin + DELAY if is_terminal(sys.stderr) else float("inf")

    def show(self, what: str, done: int, total: int, unit: str) -> None:
        """`done` of `total` units of what is being done; safe text only."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + PAUSE
        share = min(1.0, done / total) if total else 1.0
        filled = round(WIDTH * share)
        speed = done / (now - self._begin)
        bar = "#" * filled + "-" * (WIDTH - filled)
        line = f"{what} [{bar}] {share:4.0%}  {done:,} of {total:,} {unit}  {speed:,.0f}/s"
        self._write("\r" + line[: max(10, _columns() - 1)] + "\x1b[K")
        self._drawn = True

    def restart(self) -> None:
        """What follows is other work: its speed counts from here."""
        self._begin = time.monotonic()

    def close(self) -> None:
        """Take the line away."""
        if self._drawn:
            self._write("\r\x1b[K")
            self._drawn = False

    @staticmethod
    def _write(text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()


@contextlib.contextmanager
def progress_bar() -> Iterator[ProgressBar]:
    """A progress bar that is gone at the end, however that comes."""
    bar = ProgressBar()
    try:
        yield bar
    finally:
        bar.close()


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


class StopWish:
    """Whether Ctrl-C was pressed. A second one interrupts as usual."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self) -> bool:
        return self.asked

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextlib.contextmanager
def stop_wish() -> Iterator[StopWish]:
    """While this lasts the first Ctrl-C does not interrupt but is kept as a wish to stop."""
    wish = StopWish()
    if threading.current_thread() is not threading.main_thread():
        yield wish
        return
    before = signal.signal(signal.SIGINT, wish._hear)
    try:
        yield wish
    finally:
        signal.signal(signal.SIGINT, before)
