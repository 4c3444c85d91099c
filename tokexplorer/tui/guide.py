"""The guide: opens lessons, keeps the reader's own session meanwhile, and follows what the reader does."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from tokexplorer.engine.errors import InputError, TokexplorerError
from tokexplorer.engine.glyphs import safe
from tokexplorer.lessons.claims import tokenizers_named
from tokexplorer.lessons.lesson import Lesson
from tokexplorer.lessons.loading import load_lessons
from tokexplorer.lessons.progress import Progress
from tokexplorer.lessons.walk import Page, Walk, last_page
from tokexplorer.session import Session
from tokexplorer.timeline.snapshots import Snapshot
from tokexplorer.tui.actions import EXPLORER, as_bound
from tokexplorer.tui.lens import OWN
from tokexplorer.tui.lesson_record import LessonRecord
from tokexplorer.tui.lesson_stage import VIEWS, Setting, moment_of, prepare, put_on
from tokexplorer.tui.own_session import OwnSession, give_back, put_away
from tokexplorer.tui.screens.lessons import LEAVE, LessonsScreen
from tokexplorer.tui.widgets.lesson_panel import LessonPanel
from tokexplorer.tui.widgets.status_bar import StatusBar
from tokexplorer.tui.working import Reins

if TYPE_CHECKING:
    from tokexplorer.tui.screens.explorer import ExplorerScreen

NARROW: Final = 40
BROAD: Final = 46
"""Columns of the panel where it stands beside the panes; the style sheet has the same."""
SETTING_UP: Final = "setting up the step"
HINT: Final = "Enter on · ← back · Esc play"
HINT_WAITING: Final = "→ skip · ← back · Esc play"


class Guide:
    """One per explorer. While a lesson is open, the explorer works on a session of the lesson's; the reader's own one
    waits untouched."""

    def __init__(self, screen: ExplorerScreen) -> None:
        self.screen = screen
        self.walk: Walk | None = None
        self.in_sight = False
        self._record = LessonRecord(screen)
        self._own: OwnSession | None = None
        self._session: Session | None = None
        self._setting: Setting | None = None
        self._again = self._leaving = False
        self._left_as: tuple[object, ...] = ()
        self._finished = False
        self.panel = LessonPanel(id="lesson")
        self.panel.display = False
        screen.mount(self.panel, after=screen.query_one(StatusBar))
        for name in ("snapshot", "lens", "pane"):
            screen.watch(screen, name, self.moved, init=False)
        for name in VIEWS:
            screen.watch(screen.tokens_pane.view, name, self.moved, init=False)
        screen.watch(screen.tokens_pane, "probing", self._probing_changed, init=False)

    def key_of(self, action_id: str) -> str:
        """The key of an action, as the screen names it."""
        action = next(action for action in EXPLORER if action.id == action_id)
        return as_bound(action, self.screen.app).key_shown

    @cached_property
    def lessons(self) -> tuple[Lesson, ...]:
        """All lessons. InputError where a file is wrong."""
        return load_lessons()

    @property
    def progress(self) -> Progress:
        """How far the reader has come."""
        return self._record.progress

    @property
    def columns(self) -> int:
        """The panel's columns where it stands beside the panes."""
        return BROAD if self.screen.app.size.width >= 140 else NARROW

    @property
    def rows(self) -> int:
        """The panel's rows where it stands above the panes."""
        height = self.screen.app.size.height
        guess = self.walk.step.guess if self.walk is not None and self.walk.waits else None
        options = len(guess.options) if guess is not None else 0
        return max(8, min(16, round(0.42 * height)) + min(options + 1, height - 17))

    def fit(self) -> None:
        """Put the panel beside the panes or above them."""
        screen, beside = self.screen, self._is_beside
        turned = self.in_sight and screen.has_class("-above" if beside else "-beside")
        screen.set_class(self.in_sight and beside, "-beside")
        screen.set_class(self.in_sight and not beside, "-above")
        screen.set_class(self.columns == BROAD, "-broad")
        if self.walk is not None:
            self.panel.styles.height = "100%" if beside else self.rows
        if turned:
            screen.call_after_refresh(self.show_page)

    @property
    def _is_beside(self) -> bool:
        return self.screen.app.size.width >= self.screen.BESIDE

    def come(self) -> None:
        """Back to the lesson; from within it, or where none is open, to the list."""
        if self.walk is not None and not self.in_sight:
            self._show()
        elif self.in_sight and not self.panel.has_focus_within:
            self.panel.take_focus()
        else:
            self.choose_lesson()

    def choose_lesson(self) -> None:
        """Show the list."""
        try:
            lessons = self.lessons
        except InputError as error:
            self.screen.say(str(error), "error")
            return

        def chosen(answer: str | None) -> None:
            if answer == LEAVE:
                self.leave()
            elif answer is not None:
                self.begin(answer)

        leave = f"leave the lessons: back to {self._own.words}" if self._own is not None else ""
        self.screen.app.push_screen(LessonsScreen(lessons, self.progress, leave), chosen)

    def begin(self, lesson_id: str) -> None:
        """Open a lesson where it was left."""
        lesson = next(lesson for lesson in self.lessons if lesson.id == lesson_id)
        if self._own is None:
            self._own = put_away(self.screen)
        self.walk = Walk(lesson, self.progress.steps.get(lesson_id, 0))
        self._finished = False
        self._show()

    def _show(self) -> None:
        screen = self.screen
        self.in_sight = True
        self.panel.display = True
        screen.rearrange()
        if self._left_as != self._signature():
            assert self.walk is not None
            self.walk.restart()
            self.set_up()
        self.panel.take_focus()

    def hide(self) -> bool:
        """Leave the path for a while: the panel goes, the lesson's text stays to be played with."""
        if not self.in_sight:
            return False
        self.in_sight = False
        self._left_as = self._signature()
        self.panel.display = False
        self.screen.veiled = False
        self.screen.rearrange()
        self.screen.action_pane(self.screen.pane)
        lessons, every = self.key_of("lessons"), self.key_of("lesson-list")
        self.screen.say(f"play as you like; {lessons} goes on with the lesson; {every}, last row, leaves the lessons")
        return True

    def leave(self) -> None:
        """Close the lesson; what was open before it is there again."""
        own, screen = self._own, self.screen
        if own is None:
            return
        self._leaving = bool(screen.busy)
        if screen.busy:
            screen.halt()
            return
        self._own = self._session = self._setting = self.walk = None
        self.in_sight = False
        self._left_as = ()
        self.panel.display = False
        screen.veiled = False
        give_back(screen, own)
        screen.rearrange()

    def _signature(self) -> tuple[object, ...]:
        """What tells whether the reader has changed anything while the panel was hidden."""
        screen = self.screen
        snapshot, lens, view = screen.snapshot, screen.lens, screen.tokens_pane.view
        return (
            self.walk,
            snapshot.history if snapshot is not None else None,
            snapshot.step if snapshot is not None else None,
            (lens.chosen, lens.special, lens.probe),
            tuple(getattr(view, name) for name in VIEWS),
        )

    def set_up(self) -> None:
        """Bring the explorer to the present step's stage; where a worker is busy, as soon as it has stopped."""
        screen, walk = self.screen, self.walk
        if walk is None:
            return
        if screen.busy:
            self._again = True
            screen.halt()
            return
        names = tokenizers_named(walk.lesson) - {OWN}
        setting = self._setting = Setting(walk.stage, sorted(names))
        session = self._session
        if not setting.is_quick(screen):
            screen.begin(SETTING_UP, lambda reins: self._prepare(setting, session, reins))
            return
        try:
            snapshot = prepare(screen, setting, session)
        except TokexplorerError as error:
            self._setting = None
            screen.say(str(error), "error")
            return
        screen.session = setting.session or screen.session
        screen.lookup = None
        screen.snapshot = snapshot
        self._arrive(setting)

    def _prepare(self, setting: Setting, session: Session | None, reins: Reins) -> Snapshot:
        with self.screen.shelf.lock:
            return prepare(self.screen, setting, session, reins.should_stop)

    def finished(self) -> None:
        """A worker has ended: a step may be set up now, or be set up next."""
        setting = self._setting
        if self._leaving:
            self.leave()
        elif self._again:
            self._again = False
            self.set_up()
        elif setting is not None and setting.session is not None:
            self._arrive(setting)

    def failed(self) -> None:
        """A worker has ended without a result."""
        self._setting = None
        if self._leaving:
            self.leave()
        elif self._again:
            self._again = False
            self.set_up()

    def _arrive(self, setting: Setting) -> None:
        """The step is set up: show it."""
        screen, walk = self.screen, self.walk
        assert setting.session is not None
        assert walk is not None
        screen.session = self._session = setting.session
        put_on(screen, setting)
        self._setting = None
        self._record.keep(self.progress.at(walk.lesson.id, walk.number))
        self._word(walk)
        self.show_page()
        if self.in_sight:
            self.panel.take_focus()

    def _word(self, walk: Walk) -> None:
        """Let the lesson ask the engine what it tells of this moment."""
        moment = moment_of(self.screen)
        if moment is None:
            return
        try:
            walk.arrive(moment)
        except InputError as error:
            self.screen.say(str(error), "error")

    def show_page(self) -> None:
        """Word the present step at the present moment."""
        walk = self.walk
        if walk is None:
            return
        if self.screen.has_class("-above"):
            self.screen.rearrange()
        lesson = walk.lesson
        page = self._last_page(lesson) if self._finished else walk.page(self.key_of)
        title = safe(f"{lesson.number} · {lesson.title}")
        hint = HINT_WAITING if walk.waits and not self._finished else HINT
        self.panel.show_page(page, title, f"{walk.number + 1}/{len(lesson.steps)} · {hint}", self._is_beside)

    def moved(self) -> None:
        """Something on screen has changed: a task may be done with it."""
        walk = self.walk
        if walk is None or not self.in_sight or self._setting is not None or walk.step.task is None:
            return
        typing = self.screen.tokens_pane.probing
        moment = moment_of(self.screen) if walk.waits or typing else None
        if moment is None:
            return
        if not walk.waits:
            if walk.reword(moment):
                self.show_page()
        elif walk.moved(moment):
            if walk.step.reveal is not None:
                self.screen.call_later(self.set_up)
                return
            self._word(walk)
            self.show_page()
            self._take_keys()

    def _probing_changed(self) -> None:
        """The panel has the keys again when the field for the probe is closed."""
        if self._setting is None:
            self._take_keys()

    def _take_keys(self) -> None:
        """The panel gets the keys, unless a probe is being typed; after those who are about to take them, since the app
        gives them in order."""

        def take() -> None:
            if self.in_sight and not self.screen.tokens_pane.probing:
                self.panel.take_focus()

        self.screen.app.call_later(take)

    def go_on(self, skipping: bool) -> None:
        """To the next step; at the end of the lesson to the next lesson."""
        walk = self.walk
        if walk is None or self._setting is not None:
            return
        if self._finished:
            self._next_lesson(walk.lesson)
        elif walk.waits and not skipping:
            walk.remind("First this; → skips it.")
            self.show_page()
        elif walk.go(1):
            self.set_up()
        else:
            self._finish(walk.lesson)

    def go_back(self) -> None:
        """To the step before."""
        walk = self.walk
        if walk is None or self._setting is not None:
            return
        if self._finished:
            self._finished = False
            walk.restart()
            self.set_up()
        elif walk.go(-1):
            self.set_up()

    def choose(self, index: int) -> None:
        """Take an option."""
        if self.walk is not None and self._setting is None:
            self._answered(self.walk.choose(index))

    def type(self, text: str) -> None:
        """Take a typed number."""
        if self.walk is not None and self._setting is None:
            self._answered(self.walk.type(text))

    def _answered(self, settled: bool) -> None:
        if settled:
            self.set_up()
        else:
            self.show_page()
            self.panel.take_focus()

    def _finish(self, lesson: Lesson) -> None:
        self._finished = True
        self._record.keep(self.progress.done(lesson.id))
        self.show_page()
        self.panel.take_focus()

    def _last_page(self, lesson: Lesson) -> Page:
        done = sum(other.id in self.progress.finished for other in self.lessons)
        return last_page(lesson, self._following(lesson), done, len(self.lessons), self.key_of("lesson-list"))

    def _following(self, lesson: Lesson) -> Lesson | None:
        at = self.lessons.index(lesson) + 1
        return self.lessons[at] if at < len(self.lessons) else None

    def _next_lesson(self, lesson: Lesson) -> None:
        following = self._following(lesson)
        if following is None:
            self.choose_lesson()
        else:
            self.begin(following.id)
