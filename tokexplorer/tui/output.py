"""Output: what is written to the terminal goes out in a thread of its own, and a link that is dead or slow holds up
neither the program's end nor its work."""

from __future__ import annotations

import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

LIMIT: Final = 1 << 18
"""Bytes that may wait; whoever writes more waits for the terminal to take some."""
_PIECE: Final = 1024
"""Bytes given to the terminal at once: it takes so many without waiting when it says that it is ready."""
_LOOK: Final = 0.1
"""Seconds between two looks whether the output was ended while the terminal takes nothing."""


class Output:
    """A queue of bytes and the thread that writes them. `on_gone` is called in that thread where the terminal is gone,
    `on_drained` where everything has been written."""

    def __init__(
        self, fd: int, on_gone: Callable[[], object], on_drained: Callable[[], object], encoding: str = "utf-8"
    ) -> None:
        self._fd = fd
        self._on_gone = on_gone
        self._on_drained = on_drained
        self._encoding = encoding
        self._queue: deque[bytes] = deque()
        self._waiting = 0
        self.total = 0
        """bytes that were queued since the start"""
        self._open = True
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="terminal-output", daemon=True)
        self._thread.start()

    @property
    def backlog(self) -> int:
        """Bytes that the terminal has not taken yet."""
        return self._waiting

    def write(self, text: str) -> None:
        """Queue a text; characters that the encoding lacks become `?`. Nothing happens after the end."""
        data = text.encode(self._encoding, "replace")
        with self._changed:
            while self._open and self._waiting > LIMIT:
                self._changed.wait()
            if self._open:
                self._queue.append(data)
                self._waiting += len(data)
                self.total += len(data)
                self._changed.notify_all()

    def flush(self) -> None:
        """Part of a file's protocol: the thread writes without being asked."""

    def drain(self, patience: float) -> bool:
        """Wait at most so many seconds until all is written; whether it was."""
        until = time.monotonic() + patience
        with self._changed:
            while self._open and self._waiting and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)
            return not self._waiting

    def end(self, patience: float) -> bool:
        """Take nothing more, and wait so many seconds for what is queued. Whether all of it was written."""
        done = self.drain(patience)
        self._close()
        if threading.current_thread() is not self._thread:
            self._thread.join(2 * _LOOK)
        return done

    def _run(self) -> None:
        while (data := self._next()) is not None:
            if not self._put(data):
                return
            with self._changed:
                self._waiting -= len(data)
                self._changed.notify_all()
                drained = not self._waiting and self._open
            if drained:
                self._on_drained()

    def _next(self) -> bytes | None:
        with self._changed:
            while self._open and not self._queue:
                self._changed.wait()
            return self._queue.popleft() if self._queue and self._open else None

    def _put(self, data: bytes) -> bool:
        view = memoryview(data)
        try:
            while view:
                _, ready, _ = select.select([], [self._fd], [], _LOOK)
                if not self._open:
                    return False
                if ready:
                    view = view[self._write(view[:_PIECE]) :]
        except OSError:
            self._close()
            self._on_gone()
            return False
        return True

    def _write(self, piece: memoryview) -> int:
        try:
            return os.write(self._fd, piece)
        except BlockingIOError:
            return 0

    def _close(self) -> None:
        with self._changed:
            self._open = False
            self._waiting = 0
            self._queue.clear()
            self._changed.notify_all()
