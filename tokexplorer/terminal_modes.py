"""Giving the terminal back: its line discipline as it was, its modes reset, without ever waiting for a dead link."""

from __future__ import annotations

import os
import select
import signal
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from tokexplorer.terminal import RESTORE

PATIENCE: Final = 0.5
"""Seconds that a terminal which takes no output is waited for."""

Modes = list[Any]


def modes_of(fd: int) -> Modes | None:
    """The line discipline of a terminal, to be given back later; None where `fd` is not one."""
    try:
        return termios.tcgetattr(fd)
    except termios.error:
        return None


def give_back(fd: int, modes: Modes | None, reset: bytes = RESTORE, patience: float = PATIENCE) -> bool:
    """Write `reset`, then set the line discipline to `modes`, and drop what was typed or reported meanwhile.

    Never raises and never waits longer than `patience` seconds: a closed terminal or a stalled link ends it. Returns
    whether all of it was done. May be called from any thread and from the background.
    """
    with _no_stop():
        written = write_within(fd, reset, patience)
        try:
            termios.tcflush(fd, termios.TCIFLUSH)
            if modes is not None:
                termios.tcsetattr(fd, termios.TCSANOW, modes)
        except termios.error:
            return False
    return written


@contextmanager
def _no_stop() -> Iterator[None]:
    """A process in the background is stopped (SIGTTOU) when it changes its terminal; not within this."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def write_within(fd: int, data: bytes, patience: float) -> bool:
    """Write all of it to a terminal without blocking; False where it is gone or takes no more in so many seconds."""
    try:
        blocking = os.get_blocking(fd)
        os.set_blocking(fd, False)
        try:
            return _write_all(fd, data, time.monotonic() + patience)
        finally:
            # The shell may share this very open file, so it must block again.
            os.set_blocking(fd, blocking)
    except OSError:
        return False


def _write_all(fd: int, data: bytes, until: float) -> bool:
    while data:
        _, ready, _ = select.select([], [fd], [], max(0.0, until - time.monotonic()))
        if not ready:
            return False
        try:
            data = data[os.write(fd, data) :]
        except BlockingIOError:
            time.sleep(0.01)
    return True
