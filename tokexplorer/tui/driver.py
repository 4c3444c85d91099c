"""SteadyDriver: Textual's driver on a terminal that may be slow, resized, suspended, hung up or gone at any moment."""

from __future__ import annotations

import os
import select
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable
from itertools import chain
from typing import Any, Final, cast

from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Paste

from tokexplorer.terminal import RESTORE
from tokexplorer.terminal_modes import give_back
from tokexplorer.tui.output import Output
from tokexplorer.tui.pastes import PasteGuard, restored

SCREEN: Final = 1
"""The file descriptor that the screen is written to."""
PATIENCE: Final = 0.3
"""Seconds that the terminal is given to take what is queued at the end."""
_PART: Final = 4096
_TICK: Final = 0.1
"""Seconds after which the parser is told that time has passed: an Esc that nothing follows is the key."""


class SteadyDriver(LinuxDriver):
    """Keys come from standard input, the screen goes to standard output: both must be terminals.

    `on_gone` is called, in any thread, where the terminal is gone; `on_failed` with what went wrong in the thread that
    reads keys; `on_drained` where the terminal has taken all that was written. A `console` is asked nothing that it may
    print.
    """

    def __init__(
        self,
        app: App[Any],
        *,
        on_gone: Callable[[], object],
        on_failed: Callable[[BaseException], object],
        on_drained: Callable[[], object],
        console: bool = False,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._on_gone = on_gone
        self._on_failed = on_failed
        self.output = Output(SCREEN, on_gone, on_drained)
        # Textual's own writer thread waits for ever for a terminal that takes nothing, and dies of one that is gone.
        self._file = cast(Any, self.output)
        self._console = console
        self._reset = RESTORE.replace(b"\x1b[<u", b"") if console else RESTORE
        self._taken = False
        self._giving = threading.RLock()

    def _get_terminal_size(self) -> tuple[int, int]:
        """The size that the terminal says; Textual takes COLUMNS and LINES, which stay the same when it is resized."""
        try:
            width, height = os.get_terminal_size(SCREEN)
        except OSError:
            width, height = 0, 0
        return width or 80, height or 24

    def _request_terminal_sync_mode_support(self) -> None:
        if not self._console:
            super()._request_terminal_sync_mode_support()

    def _query_in_band_window_resize(self) -> None:
        if not self._console:
            super()._query_in_band_window_resize()

    def start_application_mode(self) -> None:
        """Take the terminal."""
        self._taken = True
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def stop_application_mode(self) -> None:
        """Give the terminal back, for good or while the process is suspended."""
        with self._giving:
            if self._taken:
                self._taken = False
                self.disable_input()
                self.output.drain(PATIENCE)
                give_back(SCREEN, self.attrs_before, self._reset)

    def leave(self) -> None:
        """Write nothing more and give the terminal back. By any thread, at any time, any number of times."""
        self.output.end(PATIENCE)
        with self._giving:
            if self._taken:
                self._taken = False
                give_back(SCREEN, self.attrs_before, self._reset)

    def capture_mouse(self, wanted: bool) -> None:
        """Ask the terminal for mouse reports, or leave the mouse to its own selection."""
        if not wanted:
            self._disable_mouse_support()
            self.write("\x1b[?1016l")
        self._mouse = wanted
        self._enable_mouse_support()
        if self._mouse_pixels:
            self._enable_mouse_pixels()

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except OSError:
            self._on_gone()
        except BaseException as error:
            self._on_failed(error)

    def run_input_thread(self) -> None:
        """Read keys and reports until told to stop. What is not UTF-8 is replaced, not fatal."""
        parser, guard = XTermParser(self._debug), PasteGuard()
        decode = getincrementaldecoder("utf-8")("replace").decode
        while not self.exit_event.is_set():
            ready, _, _ = select.select([self.fileno], [], [], _TICK)
            data = os.read(self.fileno, _PART) if ready else b""
            if ready and not data:
                self._on_gone()
                return
            text = guard.feed(decode(data))
            try:
                for event in chain(parser.feed(text) if text else (), parser.tick()):
                    if isinstance(event, Paste):
                        event.text = restored(event.text)
                    self.process_message(event)
            except (ParseError, ValueError, OverflowError):
                # A report with numbers that mean nothing ends Textual's parser; what follows needs a new one.
                parser = XTermParser(self._debug)
