"""SteadyApp: an App that survives slow links, dead terminals and errors of its own, and ends in an orderly way."""

from __future__ import annotations

import time
from typing import Any, Final

from rich.console import RenderableType
from textual import events
from textual.driver import Driver
from textual.geometry import Size
from textual.screen import Screen
from textual.timer import Timer

from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.engine.errors import InputError
from tokexplorer.files.sources import shown_path
from tokexplorer.startup import Startup
from tokexplorer.terminal import ColorChoice
from tokexplorer.tui import clipboard
from tokexplorer.tui.collecting import QUIET, Collecting
from tokexplorer.tui.driver import SteadyDriver
from tokexplorer.tui.ending import Ending
from tokexplorer.tui.frames import Frames
from tokexplorer.tui.screens.dialogs import AskScreen
from tokexplorer.tui.wire import ThriftyApp

LEAST: Final = Size(20, 6)
"""The smallest screen that anything is laid out for; of a smaller terminal its upper left part is in sight."""


class SteadyApp(ThriftyApp[int]):
    """`ending` is who sees to the end on a real terminal; None in tests, where errors are raised by Textual's pilot."""

    def __init__(self, startup: Startup | None = None, ending: Ending | None = None) -> None:
        self.startup = startup or Startup()
        terminal = self.startup.terminal
        # Only with Textual's own colours switched off as well does NO_COLOR mean that no colour is written.
        super().__init__(ansi_color=True if terminal.colors is ColorChoice.NONE else None, ascii=terminal.ascii)
        self.ending = ending
        self.mouse = self.startup.mouse
        self.copied: bytes | None = None
        self._collecting = Collecting()
        self._collector: Timer | None = None
        self.frames = Frames(self.startup.low_bandwidth)
        self._terminal_size: Size | None = None
        self._shape = "default"
        self._behind = False
        self._catching_up: Timer | None = None

    @property
    def ascii_only(self) -> bool:
        """Whether views are to draw with ASCII alone."""
        return self.startup.terminal.ascii

    @property
    def steady_driver(self) -> SteadyDriver | None:
        """The driver of a real terminal; None where there is none."""
        return self._driver if isinstance(self._driver, SteadyDriver) else None

    def _build_driver(self, headless: bool, inline: bool, mouse: bool, size: tuple[int, int] | None) -> Driver:
        ending = self.ending
        if headless or inline or ending is None:
            return super()._build_driver(headless, inline, mouse, size)
        driver = SteadyDriver(
            self,
            on_gone=ending.gone,
            on_failed=ending.failed,
            on_drained=self._drained,
            console=self.startup.terminal.console,
            mouse=self.startup.mouse,
            size=size,
        )
        ending.driver = self._driver = driver
        return driver

    def _set_pointer_shape(self, shape: str) -> None:
        """Tell the terminal of another mouse pointer, but only of another one, and only where it understands that."""
        if shape != self._shape and self.mouse and not self.startup.terminal.console:
            self._shape = shape
            super()._set_pointer_shape(shape)

    @property
    def terminal_size(self) -> Size:
        """The terminal's own size, which the app's may be larger than."""
        return self._terminal_size or self.size

    async def _on_resize(self, event: events.Resize) -> None:
        """Take a new size, but none that leaves widgets without room: Textual's own fail there."""
        self._terminal_size = size = event.size
        least = Size(max(size.width, LEAST.width), max(size.height, LEAST.height))
        if least != size:
            event.stop()
            event.prevent_default()
            self.on_resize(event)
            await super()._on_resize(events.Resize(least, least))

    def loaded(self) -> None:
        """What lasts is loaded. By any thread."""
        if self.ending is not None:
            self._collecting.begin()

    async def on_event(self, event: events.Event) -> None:
        """Know when the user was last at it."""
        await super().on_event(event)
        if isinstance(event, events.InputEvent) and self._collecting.begun:
            self._collecting.touched()
            self._collect_in(QUIET)

    def _collect_in(self, seconds: float) -> None:
        if self._collector is not None:
            self._collector.stop()
        self._collector = self.set_timer(seconds, self._collect, name="collecting")

    def _collect(self) -> None:
        self._collector = None
        wait = self._collecting.collect()
        if wait > 0:
            self._collect_in(wait)

    def _handle_exception(self, error: Exception) -> None:
        """End because of an error in a handler or a worker. Unlike Textual's own, it prints no traceback."""
        if self.ending is None:
            super()._handle_exception(error)
            return
        self._return_code = 1
        self.ending.failed(error, self.at_work)
        self._close_messages_no_wait()

    def copy_to_clipboard(self, text: str) -> None:
        """Send a text to the terminal's clipboard, and offer to write it to a file. Broken bytes are surrogates."""
        self._clipboard = text
        self.copied = to_bytes(text)
        copy = clipboard.prepare(self.copied, self.startup.terminal.multiplexer)
        if self._driver is not None and copy.sent and not self.is_headless:
            self._driver.write(copy.sequence)
        self.notify(copy.words, severity="information" if copy.sent else "warning", markup=False)

    def action_write_copy(self) -> None:
        """Write what was copied last to a file."""
        data = self.copied
        if data is None:
            self.notify("nothing was copied yet: y copies", markup=False)
            return

        def chosen(name: str | None) -> None:
            if name is None:
                return
            try:
                path = clipboard.check_path(name)
                clipboard.write(path, data)
            except InputError as error:
                self.notify(str(error), severity="error", markup=False)
            else:
                self.notify(f"{shown_path(path)}: {len(data):,} bytes written", markup=False)

        hint = f"{len(data):,} bytes, exactly as they are in the text. Enter writes the file; Esc leaves it."
        self.push_screen(AskScreen("Write the copy to a file", hint, "copied.txt", clipboard.check_path), chosen)

    def action_mouse(self) -> None:
        """Take the mouse, or leave it to the terminal's own selection."""
        driver = self.steady_driver
        if driver is None:
            return
        self.mouse = not self.mouse
        driver.capture_mouse(self.mouse)
        if self.mouse:
            self.notify("the mouse works here again", markup=False)
        else:
            self.notify("the mouse is left to the terminal: select and copy as anywhere; P takes it back", markup=False)

    def exit(self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Leave, soon."""
        if self.ending is not None:
            self.ending.leaving()
        super().exit(result, return_code, message)

    @property
    def at_work(self) -> str:
        """What a worker is doing, in a few words."""
        return ""

    def stop_work(self, patience: float) -> None:
        """Ask workers to stop and wait at most so many seconds. By any thread."""

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        driver = self.steady_driver
        if driver is None or renderable is None:
            super()._display(screen, renderable)
            return
        now = time.monotonic()
        if not self.frames.may_pass(now, driver.output.backlog):
            self._fall_behind(now)
            return
        before = driver.output.total
        super()._display(screen, renderable)
        self.frames.passed(now, driver.output.total - before)

    def _fall_behind(self, now: float) -> None:
        """Hold a frame back; the newest state of the screen is painted when the time has come."""
        self._behind = True
        wait = self.frames.wait(now)
        if wait and self._catching_up is None:
            self._catching_up = self.set_timer(wait, self._catch_up, name="held frame")

    def _drained(self) -> None:
        loop = self._loop
        if self._behind and loop is not None:
            loop.call_soon_threadsafe(self._catch_up)

    def _catch_up(self) -> None:
        self._catching_up = None
        if self._behind and self._running:
            self._behind = False
            self.screen.refresh()
