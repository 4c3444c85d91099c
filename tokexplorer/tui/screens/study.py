"""The base of the screens that study tokenizers: work in threads, one job at a time, that Esc stops; keys and words."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Generic, Literal, TypeVar, cast

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea

from tokexplorer.engine.corpus import Cancelled
from tokexplorer.engine.errors import TokexplorerError
from tokexplorer.engine.glyphs import safe
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tui.actions import Action, as_bound
from tokexplorer.tui.messages import Progressed
from tokexplorer.tui.shelf import Jump, Scene, Shelf
from tokexplorer.tui.widgets.key_bar import KeyBar
from tokexplorer.tui.widgets.study_bar import Parts, StudyBar

T = TypeVar("T")
FIELD_HINTS: Final = (("esc", "leaves the field; till then letters are typed", "screen.leave", 99, True),)
FRAME: Final = 0.1
"""Seconds between two reports of progress."""


@dataclass(eq=False)
class Hold:
    """What a job is given: whether to stop, and whom to tell."""

    should_stop: Callable[[], bool]
    on_progress: Callable[[int, int], None]


@dataclass(eq=False)
class Task(Generic[T]):
    """A job that waits or runs. A newer one of the same slot takes its place; `quiet` ones do not keep Esc from
    leaving the screen."""

    slot: str
    label: str
    job: Callable[[Hold], T]
    then: Callable[[T], None]
    quiet: bool = False
    halted: threading.Event = field(default_factory=threading.Event)


class TaskEnded(Message):
    """A job has ended: with a value, with a reason, or because it was stopped (neither)."""

    def __init__(self, task: Task[Any], value: object = None, reason: str = "", done: bool = False) -> None:
        super().__init__()
        self.task = task
        self.value = value
        self.reason = reason
        self.done = done


class StudyScreen(Screen[Jump | None]):
    """Gives a Jump when it is left for a place in the corpus. Only messages cross the threads."""

    ACTIONS: ClassVar[tuple[Action, ...]] = ()
    TITLE_WORDS: ClassVar[str] = ""
    """what the help screen is about"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", show=False),
        Binding("q", "leave", "Back", show=False),
    ]

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """as every screen's, but the screen is not painted anew as a whole when the focus moves"""
    busy: reactive[str] = reactive("", repaint=False)
    progress: reactive[tuple[int, int]] = reactive((0, 0), repaint=False)

    def __init__(self, shelf: Shelf, scene: Scene) -> None:
        super().__init__()
        self.shelf = shelf
        self.scene = scene
        self._waiting: list[Task[Any]] = []
        self._job: Task[Any] | None = None

    def on_mount(self) -> None:
        """Show the keys."""
        self.show_keys()

    def submit(
        self, slot: str, label: str, job: Callable[[Hold], T], then: Callable[[T], None], quiet: bool = False
    ) -> None:
        """Do a job in a thread, after those that wait; `then` gets its value on the main thread."""
        self._waiting = [task for task in self._waiting if task.slot != slot]
        if self._job is not None and self._job.slot == slot:
            self._job.halted.set()
        self._waiting.append(Task(slot, label, job, then, quiet))
        self._begin_next()

    def withdraw(self, *slots: str) -> None:
        """Give up the jobs of some slots."""
        self._waiting = [task for task in self._waiting if task.slot not in slots]
        if self._job is not None and self._job.slot in slots:
            self._job.halted.set()

    @property
    def is_working(self) -> bool:
        """Whether any job waits or runs."""
        return self._job is not None or bool(self._waiting)

    def working(self, slot: str) -> bool:
        """Whether a job of a slot waits or runs."""
        tasks = self._waiting if self._job is None else [self._job, *self._waiting]
        return any(task.slot == slot and not task.halted.is_set() for task in tasks)

    def _begin_next(self) -> None:
        if self._job is None and self._waiting:
            self._job = task = self._waiting.pop(0)
            self.progress = (0, 0)
            self.busy = task.label
            self.run_worker(lambda: self._do(task), thread=True, group="study", exit_on_error=True)

    def _do(self, task: Task[Any]) -> None:
        due = 0.0

        def on_progress(done: int, total: int) -> None:
            nonlocal due
            now = time.monotonic()
            if now >= due:
                due = now + FRAME
                self.post_message(Progressed(done, total))

        ended = TaskEnded(task)
        try:
            with self.shelf.lock:
                if not task.halted.is_set():
                    value = task.job(Hold(task.halted.is_set, on_progress))
                    ended = TaskEnded(task, value, done=True)
        except Cancelled:
            ended = TaskEnded(task)
        except TokexplorerError as error:
            ended = TaskEnded(task, reason=str(error))
        self.post_message(ended)

    def on_task_ended(self, event: TaskEnded) -> None:
        """Take the value, and begin the next job."""
        self._job = None
        self.busy = ""
        task = event.task
        if not task.halted.is_set():
            if event.done:
                task.then(event.value)
            elif event.reason:
                self.refuse(task.slot, event.reason)
        self._begin_next()

    def refuse(self, slot: str, reason: str) -> None:
        """A job could not be done."""
        self.say(reason, "error")

    def on_progressed(self, event: Progressed) -> None:
        """So much is done."""
        if self.busy:
            self.progress = (event.done, event.total)

    def watch_busy(self) -> None:
        """Work has begun or ended."""
        if self.is_mounted:
            self.query_one(StudyBar).busy = self.busy

    def watch_progress(self) -> None:
        """The work has come further."""
        if self.is_mounted:
            self.query_one(StudyBar).progress = self.progress

    def show_parts(self, *parts: tuple[int, str, str]) -> None:
        """What stands on the top line (see StudyBar)."""
        words: Parts = tuple(parts)
        self.query_one(StudyBar).parts = words

    def show_keys(self) -> None:
        """Fill the key bar from the registry; in a field letters are typed, and it says how to leave that."""
        hints = []
        if isinstance(self.focused, Input | TextArea):
            self.query_one(KeyBar).hints = FIELD_HINTS
            return
        for action in self.ACTIONS:
            if action.weight and self.lists(action):
                key = as_bound(action, self.app).key_shown
                hints.append((key, action.label, action.target, action.weight, self.offers(action)))
        self.query_one(KeyBar).hints = tuple(hints)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """In a field other keys hold."""
        self.show_keys()

    def on_descendant_blur(self) -> None:
        """The letters are keys again."""
        self.show_keys()

    def lists(self, action: Action) -> bool:
        """Whether the key bar lists an action at all."""
        return True

    def offers(self, action: Action) -> bool:
        """Whether an action can do something now."""
        return True

    def say(self, words: str, severity: str = "information") -> None:
        """Tell the user one line."""
        level = cast(Literal["information", "warning", "error"], severity)
        self.notify(safe(words), severity=level, markup=False)

    def action_leave(self) -> None:
        """Out of a field; else stop the work that the user waits for; where there is none, leave."""
        if isinstance(self.focused, Input | TextArea):
            self.leave()
            return
        tasks = [task for task in (self._job, *self._waiting) if task is not None and not task.quiet]
        if any(not task.halted.is_set() for task in tasks):
            self._stop_all()
            self.say("stopped")
        else:
            self.leave()

    def leave(self) -> None:
        """Back to where the user came from."""
        self.dismiss(None)

    def _stop_all(self) -> None:
        self._waiting.clear()
        if self._job is not None:
            self._job.halted.set()

    def on_unmount(self) -> None:
        """Nobody waits for the work any more."""
        self._stop_all()

    def page_of(self, name: str, tokenizer: Tokenizer, token_id: int) -> None:
        """Show the page of a token; a jump that is chosen there leaves this screen too."""
        from tokexplorer.tui.screens.token_page import TokenPageScreen

        def came_back(jump: Jump | None) -> None:
            if jump is not None:
                self.dismiss(jump)

        self.app.push_screen(TokenPageScreen(self.shelf, self.scene, name, tokenizer, token_id), came_back)

    def with_tokenizer(self, name: str, then: Callable[[Tokenizer], None], slot: str = "loading") -> None:
        """Call `then` with a tokenizer: at once where it is ready, else when it has been loaded."""
        found = self.shelf.ready(name, self.scene.snapshot)
        if found is not None:
            then(found)
        else:
            label = f"loading {safe(name, 24)}"
            self.submit(slot, label, lambda hold: self.shelf.load(name, self.scene.snapshot), then)

    def choose_tokenizer(self, now: str, take: Callable[[str], None], baselines: bool = False) -> None:
        """Ask for a tokenizer: from the list, or a file or model's name that is typed. `take` gets a name that
        loads."""
        from tokexplorer.tui.screens.tokenizer_choice import choose_tokenizer

        choose_tokenizer(self, now, take, baselines)
