"""Start-up against an empty Textual app, and what a key costs: milliseconds to the last paint, bytes on the wire."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path
from statistics import median

from tables import spread, table

SIZE = (36, 120)
QUIET = 0.08
"""Seconds without output after which a key's paint is taken to be complete."""
PATIENCE = 2.0
"""Seconds that the first output after a key is waited for."""
LIMIT = 20.0
EMPTY_APP = (
    "from textual.app import App\n"
    "from textual.widgets import Static\n"
    "class Empty(App):\n"
    "    def compose(self):\n"
    "        yield Static('ready-now')\n"
    "Empty().run()\n"
)
READY = b"Merges"
"""What the explorer's first whole screen holds."""
KEYS = {"step (s)": b"s", "back (b)": b"b", "cursor down": b"\x1b[B", "next pane (tab)": b"\t"}
PRESSES = 40


class Terminal:
    """A program in a pseudo-terminal of its own."""

    def __init__(self, arguments: list[str]) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
            os.execv(sys.executable, [sys.executable, *arguments])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))

    def read(self, seconds: float) -> bytes:
        """What it writes next; empty where nothing comes in time."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        try:
            return os.read(self.fd, 1 << 16) if ready else b""
        except OSError:
            return b""

    def until(self, words: bytes) -> float:
        """Seconds until it has written these words."""
        start = time.perf_counter()
        seen = b""
        while words not in seen:
            if time.perf_counter() - start > LIMIT:
                raise TimeoutError(f"{words!r} did not come")
            seen += self.read(0.05)
        return time.perf_counter() - start

    def settle(self, patience: float = QUIET) -> tuple[float, int]:
        """Seconds until the last output before it is quiet, and the bytes; the first ones are waited for longer."""
        start = last = time.perf_counter()
        count = 0
        while data := self.read(QUIET if count else patience):
            count += len(data)
            last = time.perf_counter()
        return last - start, count

    def press(self, key: bytes) -> tuple[float, int]:
        """Type a key: seconds to the end of its paint, and bytes."""
        os.write(self.fd, key)
        return self.settle(PATIENCE)

    def close(self) -> None:
        """End the program."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def _start(arguments: list[str], words: bytes) -> float:
    terminal = Terminal(arguments)
    try:
        return terminal.until(words)
    finally:
        terminal.close()


def startup(rounds: int) -> list[str]:
    """Start to the first whole screen, interleaved."""
    taken: dict[str, list[float]] = {"empty Textual app": [], "tokexplorer": []}
    for _ in range(rounds):
        taken["empty Textual app"].append(_start(["-c", EMPTY_APP], b"ready-now"))
        taken["tokexplorer"].append(_start(["-m", "tokexplorer"], READY))
    base = median(taken["empty Textual app"])
    rows = [[name, f"{median(t) * 1000:.0f}", f"{median(t) / base:.2f}"] for name, t in taken.items()]
    return [f"Start to the first screen, median of {rounds}:", "", *table(["", "milliseconds", "ratio"], rows)]


def keys(corpora: dict[int, Path]) -> list[str]:
    """Key to the end of the paint, and bytes for each key, on the smallest text and the one nearest to 10 MB."""
    rows = []
    for size in sorted({min(corpora), min(corpora, key=lambda s: abs(s - 10))}):
        terminal = Terminal(["-m", "tokexplorer", str(corpora[size])])
        try:
            terminal.until(READY)
            while terminal.settle()[1]:
                continue
            for name, key in KEYS.items():
                found = [terminal.press(key) for _ in range(PRESSES)]
                p50, p99, top = spread([seconds for seconds, _ in found])
                rows.append([f"{size} MB, {name}", p50, p99, top, f"{median(count for _, count in found):,.0f}"])
        finally:
            terminal.close()
    head = ["key", "p50 (ms)", "p99 (ms)", "max (ms)", "bytes (median)"]
    return [f"Key to the end of its paint, {SIZE[1]}x{SIZE[0]}:", "", *table(head, rows)]
