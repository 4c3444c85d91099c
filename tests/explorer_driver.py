"""Drives the explorer in Textual's headless pilot: opens texts, waits for workers, reads what the panes show."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from tokexplorer.tui.app import ExplorerApp
from tokexplorer.tui.screens.explorer import ExplorerScreen

CALM = 3
"""Looks in a row at which nothing was at work: on a busy machine a message may still be on its way at the first."""
WORK = ("session", "loading", "counting")


class Driver:
    """A running explorer."""

    def __init__(self, app: ExplorerApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> ExplorerScreen:
        """The explorer screen, also below a dialog."""
        return next(s for s in self.app.screen_stack if isinstance(s, ExplorerScreen))

    async def idle(self) -> None:
        """Until no worker is at work (a directory tree's own loader never ends)."""
        calm = 0
        for _ in range(2000):
            await self.pilot.pause()
            if not any(isinstance(s, ExplorerScreen) and s.choices for s in self.app.screen_stack):
                await asyncio.sleep(0.01)
                continue
            working = [w for w in self.app.workers if w.group in WORK and not w.is_finished]
            calm = calm + 1 if not working and not self.screen.busy else 0
            if calm == CALM:
                return
            await asyncio.sleep(0.01)
        raise AssertionError("the explorer stays busy")

    async def press(self, *keys: str) -> None:
        """Press keys and wait for what they start."""
        await self.pilot.press(*keys)
        await self.idle()

    async def type(self, text: str) -> None:
        """Type a text into the field that has the focus."""
        names = {" ": "space", ".": "full_stop", "+": "plus", "-": "minus", "<": "less_than_sign", "|": "vertical_line"}
        await self.pilot.press(*(names.get(c, c) for c in text))

    @property
    def step(self) -> int:
        """Where the explorer stands."""
        assert self.screen.snapshot is not None
        return self.screen.snapshot.step

    def shown(self) -> str:
        """The whole screen as text."""
        lines = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in lines)

    def words(self) -> list[str]:
        """What was told to the user."""
        return [str(n.message) for n in self.app._notifications]


@asynccontextmanager
async def explorer(paths: Sequence[Path | str] = (), size: tuple[int, int] = (120, 36)) -> AsyncIterator[Driver]:
    """An explorer on some files."""
    app = ExplorerApp([str(path) for path in paths])
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.idle()
        yield driver
