"""Titled: a pane whose border titles change without a repaint of what it holds."""

from __future__ import annotations

from typing import Self

from textual.content import Content
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.widget import Widget


class Titled(Widget):
    """Mixed into panes with a border. Texts must have passed `glyphs`; they are never taken as markup."""

    virtual_size = Reactive(Size(0, 0), repaint=False)
    """As every widget's, but it asks for no second layout when a layout has changed it: nothing here scrolls."""
    _titles: tuple[str, str] = ("", "")
    _titling = False

    def retitle(self, title: str, subtitle: str = "") -> None:
        """Set the words in the upper and the lower border; only changed border rows are painted."""
        old, self._titles = self._titles, (title, subtitle)
        if old == self._titles:
            return
        self._titling = True
        if old[0] != title:
            self.border_title = Content(title)
        if old[1] != subtitle:
            self.border_subtitle = Content(subtitle)
        self._titling = False

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """As every widget's, but only the border rows while titles are set."""
        if self._titling and not regions:
            width, height = self.content_size
            regions = (Region(-1, -1, width + 2, 1), Region(-1, height, width + 2, 1))
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)
