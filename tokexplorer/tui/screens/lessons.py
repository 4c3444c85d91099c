"""The list of lessons: what each is about, which are finished, where the reader stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tokexplorer.engine.glyphs import safe
from tokexplorer.lessons.lesson import Lesson
from tokexplorer.lessons.progress import Progress

LEAVE = ""
"""The answer of who wants to leave the lessons."""


class LessonsScreen(ModalScreen[str | None]):
    """Gives the id of a lesson, LEAVE, or None where nothing is to change. `leave`: the words of the row that leaves,
    empty where no lesson is open."""

    CSS = """
    LessonsScreen {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 64; max-width: 98%; height: auto; max-height: 96%;
            padding: 0 1; border: round $accent; background: $surface;
        }
        & OptionList, & OptionList:focus {
            height: auto; max-height: 1fr; border: none; padding: 0;
            background: $surface; background-tint: transparent;
        }
        & .about { height: 2; margin-top: 1; }
        & .hint { color: $foreground 60%; height: auto; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,l,L,q", "leave", "Back")]

    def __init__(self, lessons: Sequence[Lesson], progress: Progress, leave: str = "") -> None:
        super().__init__()
        self._lessons = lessons
        self._progress = progress
        self._leave = leave

    def compose(self) -> ComposeResult:
        """A row for each lesson, and one that leaves them."""
        done = sum(lesson.id in self._progress.finished for lesson in self._lessons)
        with Vertical() as box:
            box.border_title = "Lessons"
            box.border_subtitle = f"{done} of {len(self._lessons)} done"
            options = [Option(self._row(lesson), id=lesson.id) for lesson in self._lessons]
            if self._leave:
                options.append(Option(Text("      " + safe(self._leave))))
            yield OptionList(*options, markup=False)
            yield Static("", classes="about", markup=False)
            hint = "Two minutes each. Enter begins, or goes on; Esc goes back."
            yield Static(Text(hint), classes="hint")

    def on_mount(self) -> None:
        """Begin on the lesson that was open last, or on the first that is not done."""
        ids = [lesson.id for lesson in self._lessons]
        last = self._progress.last
        if last not in ids or (last in self._progress.finished and not self._progress.steps.get(last)):
            last = next((name for name in ids if name not in self._progress.finished), ids[0])
        self.query_one(OptionList).highlighted = ids.index(last)

    def _row(self, lesson: Lesson) -> Text:
        step = self._progress.steps.get(lesson.id, 0)
        done = lesson.id in self._progress.finished
        row = Text("✓ " if done else "  ")
        row.append(f"{lesson.number:>2}  ", "dim")
        row.append(safe(lesson.title, 44))
        if step:
            row.append(f"  step {step + 1} of {len(lesson.steps)}", "dim")
        return row

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell what the lesson is about."""
        event.stop()
        about = next((lesson.about for lesson in self._lessons if lesson.id == event.option.id), "")
        self.query_one(".about", Static).update(Text(safe(about)), layout=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Give the choice."""
        event.stop()
        self.dismiss(event.option.id or LEAVE)

    def action_leave(self) -> None:
        """No choice."""
        self.dismiss(None)
