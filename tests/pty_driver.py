"""Runs a program in a real pseudo-terminal: types, resizes, hangs up; keeps its screen, its modes and every byte."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyte

KEYS = {
    "enter": "\r", "esc": "\x1b", "tab": "\t", "space": " ", "backspace": "\x7f",
    "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
    "home": "\x1b[H", "end": "\x1b[F", "pageup": "\x1b[5~", "pagedown": "\x1b[6~", "ctrl+l": "\x0c", "ctrl+p": "\x10",
}  # fmt: skip
_UNKNOWN_TO_PYTE = re.compile(rb"\x1b\[[<>=][0-9;]*[A-Za-z]|\x1b\[\?[0-9]+\$p|\x1bP.*?\x1b\\", re.DOTALL)
_UNFINISHED = re.compile(rb"\x1b(?:[\[\](P][^\x07A-Za-z]{0,200})?$")


class Screen(pyte.Screen):
    """pyte's screen with an alternate one, and the private modes that are on."""

    def __init__(self, columns: int, lines: int) -> None:
        self.private: set[int] = set()
        self._main: Any = None
        super().__init__(columns, lines)

    def set_mode(self, *modes: int, **options: Any) -> None:
        if options.get("private"):
            self.private.update(modes)
            if 1049 in modes and self._main is None:
                self._main = {y: dict(line) for y, line in self.buffer.items()}, self.cursor.y, self.cursor.x
                self.erase_in_display(2)
        super().set_mode(*modes, **options)

    def reset_mode(self, *modes: int, **options: Any) -> None:
        if options.get("private"):
            self.private.difference_update(modes)
            if 1049 in modes and self._main is not None:
                buffer, y, x = self._main
                self._main = None
                self.erase_in_display(2)
                for number, line in buffer.items():
                    self.buffer[number].update(line)
                self.cursor_position(y + 1, x + 1)
        super().reset_mode(*modes, **options)


class Terminal:
    """A pseudo-terminal with one program in it."""

    def __init__(self, argv: Sequence[str], size: tuple[int, int] = (120, 36), env: Mapping[str, str] | None = None):
        self.screen = Screen(*size)
        self._stream = pyte.ByteStream(self.screen)
        self._held = b""
        self.raw = bytearray()
        self.last_read = 0.0
        """when the last bytes came (`time.perf_counter`)"""
        self.status: int | None = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
            try:
                os.execvpe(argv[0], list(argv), {**os.environ, **(env or {})})
            finally:
                os._exit(127)
        self.before = termios.tcgetattr(self.fd)

    @property
    def text(self) -> str:
        """The screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    @property
    def line_discipline(self) -> list[Any]:
        """The terminal's line discipline now."""
        return termios.tcgetattr(self.fd)

    def pump(self, seconds: float) -> int:
        """Read for so many seconds; returns the bytes that came."""
        got, until = 0, time.monotonic() + seconds
        while self.status is None or got == 0:
            ready, _, _ = select.select([self.fd], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                break
            try:
                data = os.read(self.fd, 1 << 16)
            except OSError:
                data = b""
            if not data:
                self._reap(0.5)
                break
            self.last_read = time.perf_counter()
            got += len(data)
            self.raw += data
            self._feed(data)
        return got

    def _feed(self, data: bytes) -> None:
        data = self._held + data
        unfinished = _UNFINISHED.search(data)
        self._held = data[unfinished.start() :] if unfinished else b""
        self._stream.feed(_UNKNOWN_TO_PYTE.sub(b"", data[: len(data) - len(self._held)]))

    def until(self, words: str, seconds: float = 20.0, absent: bool = False) -> None:
        """Wait until some words are on the screen, or no longer there."""
        until = time.monotonic() + seconds
        while (words in self.text) == absent:
            if self.status is not None or time.monotonic() > until:
                raise AssertionError(f"{words!r} is {'still' if absent else 'not'} on the screen:\n{self.text}")
            self.pump(0.05)

    def settle(self, quiet: float = 0.3, limit: float = 20.0) -> int:
        """Read until nothing has come for `quiet` seconds; returns the bytes that came."""
        total, until = 0, time.monotonic() + limit
        while (got := self.pump(quiet)) and time.monotonic() < until:
            total += got
        return total

    def press(self, *keys: str, quiet: float = 0.3) -> int:
        """Press keys one after the other, each answered; returns the bytes of the answers."""
        total = 0
        for key in keys:
            self.send(KEYS.get(key, key))
            total += self.settle(quiet)
        return total

    def send(self, data: str | bytes) -> None:
        """Type, without waiting."""
        os.write(self.fd, data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape"))

    def resize(self, columns: int, lines: int) -> None:
        """Another size."""
        self.screen.resize(lines, columns)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def signal(self, number: int) -> None:
        """Send the program a signal."""
        os.kill(self.pid, number)

    def hang_up(self) -> None:
        """Close the terminal."""
        os.close(self.fd)
        self.fd = -1

    def ends(self, seconds: float) -> int:
        """Wait for the end of the program; its exit status, negative where a signal killed it."""
        until = time.monotonic() + seconds
        while self.status is None and time.monotonic() < until:
            if self.fd >= 0:
                self.pump(0.02)
            self._reap(0.0)
        if self.status is None:
            raise AssertionError(f"the program has not ended within {seconds} s:\n{self.text}")
        if self.fd >= 0:
            while self.pump(0.05):
                pass
        return self.status

    def _reap(self, patience: float) -> None:
        until = time.monotonic() + patience
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            elif time.monotonic() >= until:
                return
            else:
                time.sleep(0.005)

    def close(self) -> None:
        """End the program, if it still runs."""
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self._reap(5.0)
        if self.fd >= 0:
            self.hang_up()


PLAIN = {
    "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "NO_COLOR": "",
    "TMUX": "", "STY": "",
}  # fmt: skip


@contextlib.contextmanager
def terminal(
    argv: Sequence[str], size: tuple[int, int] = (120, 36), env: Mapping[str, str] | None = None
) -> Iterator[Terminal]:
    """Any program in a pseudo-terminal."""
    found = Terminal(argv, size, {**PLAIN, **(env or {})})
    try:
        yield found
    finally:
        found.close()


@contextlib.contextmanager
def explorer(
    *argv: str, size: tuple[int, int] = (120, 36), env: Mapping[str, str] | None = None, before: str = ""
) -> Iterator[Terminal]:
    """tokexplorer in a pseudo-terminal; `before` is Python that runs first, to break something."""
    start = f"{before}\nimport sys; from tokexplorer.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", start, *argv] if before else [sys.executable, "-m", "tokexplorer", *argv]
    with terminal(command, size, env) as found:
        yield found
