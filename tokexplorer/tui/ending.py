"""The end of the explorer, whatever brings it about: work is stopped, the session saved, the terminal given back, and
what has to be said is said, all within two seconds."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Final, NoReturn

from tokexplorer.terminal_modes import write_within
from tokexplorer.tui import crash
from tokexplorer.tui.driver import SCREEN, SteadyDriver
from tokexplorer.tui.safekeeping import Keeper
from tokexplorer.tui.signals import Sentry

if TYPE_CHECKING:
    from tokexplorer.tui.app import ExplorerApp

WORK: Final = 0.5
"""Seconds that a worker has to come to its next step."""
SAVING: Final = 0.7
"""Seconds that the disk has before the terminal is given back."""
DEADLINE: Final = 0.8
"""Seconds after which the end is taken out of the hands of a main thread that does not come to it."""
FAILED: Final = 1


class Ending:
    """Runs an app and sees to its end, which comes once."""

    def __init__(self, keeper: Keeper) -> None:
        self.keeper = keeper
        self.driver: SteadyDriver | None = None
        self._sentry = Sentry(self._cut_short)
        self._error: BaseException | None = None
        self._doing = ""
        self._app: ExplorerApp | None = None
        self._saved = False
        self._first = threading.Lock()

    def run(self, app: ExplorerApp) -> int:
        """Run the app until it ends; returns the exit status. Does not return where a signal ends it."""
        self._app = app
        with self._sentry.watching():
            threading.excepthook, before = self._thread_failed, threading.excepthook
            self.keeper.start()
            # Not asyncio.run: at its end it waits for threads that may be at work for long.
            loop = asyncio.new_event_loop()
            try:
                app.run(loop=loop)
            except BaseException as error:
                self.failed(error)
            self.leaving()
            status = self._finish(0)
            threading.excepthook = before
        if any(not t.daemon and t is not threading.main_thread() for t in threading.enumerate()):
            self._go(status)
        return status

    def failed(self, error: BaseException, doing: str = "") -> None:
        """An internal error happened, in any thread; the first one counts."""
        if self._error is None:
            self._error, self._doing = error, doing
            self.leaving()

    def leaving(self) -> None:
        """The end has begun."""
        self._sentry.within(DEADLINE)

    def gone(self) -> None:
        """The terminal is gone."""
        self._sentry.gone()

    def _thread_failed(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self.failed(args.exc_value, args.thread.name if args.thread is not None else "")

    def _cut_short(self, number: int) -> None:
        """A signal came, or the deadline has passed: the main thread may be anywhere, so this one ends the process."""
        self._go(self._finish(number))

    def _finish(self, number: int) -> int:
        """All that the end consists of, but for the end of the process. Whoever comes second waits for ever."""
        self._first.acquire()
        error = self._error
        saving = threading.Thread(target=self._save, args=(not number and error is None,), daemon=True)
        if self._app is not None:
            self._app.stop_work(WORK)
        saving.start()
        saving.join(SAVING)
        if self.driver is not None:
            self.driver.leave()
        kept = self._kept(saving)
        if error is not None:
            self._say(crash.screen(error, kept, self._doing))
        elif number:
            self._say(f"tokexplorer: ended by {signal.Signals(number).name}; the session {kept}\n")
        elif self.keeper.problem:
            self._say(f"tokexplorer: the session {kept}\n")
        if not saving.is_alive():
            self.keeper.close()
        return 128 + number if number else FAILED if error is not None else 0

    def _save(self, clean: bool) -> None:
        self._saved = self.keeper.save(clean)

    def _kept(self, saving: threading.Thread) -> str:
        return "was still being saved" if saving.is_alive() else self.keeper.words(self._saved)

    @staticmethod
    def _say(words: str) -> None:
        """To the terminal, which need not be there any more."""
        write_within(SCREEN, words.replace("\n", "\r\n").encode("utf-8", "replace"), 0.2)

    @staticmethod
    def _go(status: int) -> NoReturn:
        """End the process although threads are at work."""
        for stream in (sys.__stdout__, sys.__stderr__):
            if stream is not None and not stream.isatty():
                stream.flush()
        os._exit(status)
