"""The command palette: Textual's own, that bears being closed in the middle of a search."""

from __future__ import annotations

from textual.command import CommandList, CommandPalette


class Palette(CommandPalette):
    """Textual's search goes on for a moment after the palette's widgets are gone, and fails where it looks for them."""

    @property
    def _stands(self) -> bool:
        return bool(self.query(CommandList))

    def _watch__list_visible(self) -> None:
        """Show or hide the list, while there is one."""
        if self._stands:
            super()._watch__list_visible()

    async def _watch__show_busy(self) -> None:
        """Show or hide that it searches, while there is where."""
        if self._stands:
            await super()._watch__show_busy()
