"""The command palette: Textual's own, that takes Enter only for what is typed, and bears being closed in a search."""

from __future__ import annotations

from typing import Final

from textual import on
from textual.command import CommandList, CommandPalette
from textual.widgets import Input

AGAIN: Final = 0.02
"""Seconds after which it looks again whether the search has ended."""


class Palette(CommandPalette):
    """While it searches, Textual's still lists, and runs, what was found for the words before; and its search goes on
    for a moment after its widgets are gone, and fails where it looks for them."""

    _entered = False
    """Enter was pressed during a search"""

    @property
    def _stands(self) -> bool:
        return bool(self.query(CommandList))

    @property
    def _searches(self) -> bool:
        group = self._GATHER_COMMANDS_GROUP
        return any(w.node is self and w.group == group and not w.is_finished for w in self.workers)

    @on(Input.Submitted)
    def _enter(self, event: Input.Submitted) -> None:
        """During a search Enter waits for what it finds; where nothing was typed, there is nothing to wait for."""
        if self._searches:
            event.stop()
            event.prevent_default()
            if event.value.strip() and not self._entered:
                self._entered = True
                self.set_timer(AGAIN, self._select_found)

    @on(Input.Changed)
    def _typed_on(self) -> None:
        """Enter was for the words before."""
        self._entered = False

    def _select_found(self) -> None:
        if not self._entered or not self._stands:
            return
        if self._searches:
            self.set_timer(AGAIN, self._select_found)
            return
        self._entered = False
        if self._list_visible and self._hit_count:
            self._select_or_command()

    def _watch__list_visible(self) -> None:
        """Show or hide the list, while there is one."""
        if self._stands:
            super()._watch__list_visible()

    async def _watch__show_busy(self) -> None:
        """Show or hide that it searches, while there is where."""
        if self._stands:
            await super()._watch__show_busy()
