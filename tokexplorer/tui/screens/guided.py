"""The explorer's part in lessons: room for the panel, what is veiled, and the reader's own session kept meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual.reactive import reactive

from tokexplorer.saved.saving import Found
from tokexplorer.timeline.snapshots import Snapshot
from tokexplorer.tui.messages import Failed, Finished
from tokexplorer.tui.screens.keeping import KeepingScreen
from tokexplorer.tui.token_models import Marks

if TYPE_CHECKING:
    from tokexplorer.tui.guide import Guide
    from tokexplorer.tui.screens.explorer import ExplorerScreen
    from tokexplorer.tui.widgets.lesson_panel import LessonPanel


class GuidedScreen(KeepingScreen):
    """The panel stands on the left where the terminal is wide, else above the panes. The guide (see tui/guide.py) is
    made when the lessons are first opened."""

    BESIDE: ClassVar[int] = 100
    """columns from which on the panel stands beside the panes"""
    guide: Guide | None = None
    veiled: reactive[bool] = reactive(False, repaint=False)
    """whether the coming pair is hidden: it is to be guessed"""

    @property
    def room(self) -> tuple[int, int]:
        """Columns and rows that the panes have."""
        width, height = super().room
        if self.guide is None or not self.guide.in_sight:
            return width, height
        if width >= self.BESIDE:
            return width - self.guide.columns, height
        return width, height - self.guide.rows

    def action_lessons(self) -> None:
        """Choose a lesson; where one is open, go back to it."""
        self._guiding().come()

    def action_lesson_list(self) -> None:
        """Choose a lesson."""
        self._guiding().choose_lesson()

    def _guiding(self) -> Guide:
        if self.guide is None:
            from tokexplorer.tui.guide import Guide

            self.guide = Guide(cast("ExplorerScreen", self))
        return self.guide

    def hide_lesson(self) -> bool:
        """Give the panes all the room; False where no panel is in sight."""
        return self.guide is not None and self.guide.hide()

    def rearrange(self) -> None:
        """Lay the panes out in the room that they have now."""
        self._arrange()

    def _arrange(self) -> None:
        if self.guide is not None:
            self.guide.fit()
        if self.veiled and self._upper == "pairs":
            self._upper = "corpus"
        super()._arrange()

    def _marks(self, snapshot: Snapshot | None) -> Marks:
        marks = super()._marks(snapshot)
        return Marks(None, marks.made) if self.veiled and self.lookup is None else marks

    def watch_veiled(self) -> None:
        """Hide the coming pair, or show it."""
        self.set_class(self.veiled, "-veiled")
        self._arrange()
        self.look()

    def watch_pane(self) -> None:
        """Whoever goes to the pairs wants to see them."""
        if self.pane == "pairs":
            self.veiled = False
        super().watch_pane()

    def open_paths(self, paths: Sequence[str], asked_for: bool = True) -> None:
        """Texts of the reader's own are opened in a session of the reader's own."""
        if self.guide is not None:
            self.guide.leave()
        super().open_paths(paths, asked_for)

    def resume(self, found: Found | None) -> None:
        """A saved session takes the place of the reader's own."""
        if self.guide is not None:
            self.guide.leave()
        super().resume(found)

    def on_finished(self, event: Finished) -> None:
        """A step may have been set up."""
        if self.guide is not None:
            self.guide.finished()

    def on_failed(self, event: Failed) -> None:
        """A step may not have been set up."""
        if self.guide is not None:
            self.guide.failed()

    def on_lesson_panel_went_on(self, event: LessonPanel.WentOn) -> None:
        """To the next step."""
        if self.guide is not None:
            self.guide.go_on(event.skipping)

    def on_lesson_panel_went_back(self) -> None:
        """To the step before."""
        if self.guide is not None:
            self.guide.go_back()

    def on_lesson_panel_chose(self, event: LessonPanel.Chose) -> None:
        """An option was chosen."""
        if self.guide is not None:
            self.guide.choose(event.index)

    def on_lesson_panel_typed(self, event: LessonPanel.Typed) -> None:
        """A number was typed."""
        if self.guide is not None:
            self.guide.type(event.text)
