"""Plays a lesson through the real screen, as a reader would, and collects what is untrue or does not work."""

from __future__ import annotations

import re
from contextlib import suppress

from explorer_driver import Driver
from textual.widgets import Input, OptionList

from tokexplorer.engine.errors import InputError
from tokexplorer.lessons.asking import ask
from tokexplorer.lessons.checking import claims_of
from tokexplorer.lessons.claims import questions, untrue
from tokexplorer.lessons.lesson import Lesson, Question, Step, Telling
from tokexplorer.lessons.moment import Moment
from tokexplorer.tui.actions import EXPLORER
from tokexplorer.tui.guide import Guide
from tokexplorer.tui.lesson_stage import moment_of
from tokexplorer.tui.screens.lessons import LessonsScreen
from tokexplorer.tui.widgets.lesson_panel import LessonPanel

KEYS = {action.id: action.keys.split(",")[0] for action in EXPLORER}
WORDS = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen eighteen"
NUMBERS = dict(zip(WORDS.split(), (*range(2, 17), 18), strict=True))


def numbers_in(text: str) -> list[int]:
    """The numbers that a text says itself, in digits or in words, rather than having them filled in."""
    plain = re.sub(r"`[^`]*`|\{[^}]*\}|GPT-\d|cl100k|o200k|[Ll]esson \d+|T5", " ", text)
    digits = [int(found.replace(",", "")) for found in re.findall(r"\d[\d,]*\d|\d", plain)]
    return digits + [NUMBERS[word] for word in re.findall(r"[a-z]+", plain.lower()) if word in NUMBERS]


def proved_numbers(step: Step, moment: Moment) -> set[int]:
    """The numbers that the questions of a step are answered with, that its claims name, and that its stage sets."""
    found: set[int] = set()

    def take(value: object) -> None:
        if isinstance(value, Question):
            for argument in value.arguments.values():
                take(argument)
        elif isinstance(value, list | tuple):
            found.add(len(value))
            for part in value:
                take(part)
        elif isinstance(value, int | float):
            found.add(int(value))

    for question in questions(step):
        take(question)
        with suppress(InputError):
            take(ask(question, moment))
    for operand in claims_of(step):
        take(operand)
    for stage in (step.stage, step.reveal):
        if stage is not None:
            take([stage.step or 0, stage.target or 0, *(stage.counts or {}).values()])
    return found


class Player:
    """Plays step after step; `problems` holds a line for everything that is wrong."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.problems: list[str] = []

    @property
    def guide(self) -> Guide:
        """The guide of the explorer."""
        assert self.driver.screen.guide is not None
        return self.driver.screen.guide

    @property
    def panel(self) -> LessonPanel:
        """The panel."""
        return self.guide.panel

    def moment(self) -> Moment:
        """What the real screen shows now."""
        moment = moment_of(self.driver.screen)
        assert moment is not None
        return moment

    async def open(self, lesson: Lesson) -> None:
        """Open a lesson from the list by keys."""
        await self.driver.press("L")
        assert isinstance(self.driver.app.screen, LessonsScreen)
        rows = self.driver.app.screen.query_one(OptionList)
        await self.driver.press("home", *["down"] * rows.get_option_index(lesson.id))
        await self.driver.press("enter")

    async def play(self, lesson: Lesson) -> None:
        """Play a whole lesson and go on from its last page."""
        await self.open(lesson)
        for number, step in enumerate(lesson.steps):
            assert self.guide.walk is not None
            if (self.guide.walk.lesson.id, self.guide.walk.number) != (lesson.id, number):
                self.problems.append(f"{lesson.file}: step {number + 1} was not reached")
                return
            self._told(step.telling, step)
            if not await self._do(lesson, number, step):
                return
            if step.then is not None:
                self._told(step.then, step)
            await self.driver.press("enter")

    def _told(self, telling: Telling, step: Step) -> None:
        """The panel shows the text with all its answers, its claims are true, and no number stands in it unproved."""
        moment = self.moment()
        self.problems += untrue(telling.claims, moment)
        shown = " ".join(str(self.panel.query_one("#told").render()).split())
        for word in telling.text.partition("{")[0].replace("`", "").replace("*", "").split()[:4]:
            if word not in shown and word.isalpha():
                self.problems.append(f"{telling.place}: the panel does not show {word!r}: {shown!r}")
        if "{" in shown:
            self.problems.append(f"{telling.place}: not all is filled in: {shown!r}")
        proved = proved_numbers(step, moment)
        for number in numbers_in(telling.text):
            if number not in proved:
                self.problems.append(f"{telling.place}: nothing proves the number {number}")

    async def _do(self, lesson: Lesson, number: int, step: Step) -> bool:
        """Do what a step asks for; whether the step counts it as done."""
        walk = self.guide.walk
        assert walk is not None
        place = f"{lesson.file}: steps[{number + 1}]"
        if step.asks and walk.revealed:
            self.problems.append(f"{place}: what is asked for is done before anything was done")
        if step.task is not None:
            await self.driver.press("enter")
            if walk.revealed or walk.number != number:
                self.problems.append(f"{place}: Enter passes over the task")
            for action in step.task.press:
                await self.driver.press(KEYS[action])
            if step.task.type:
                await self.driver.type(step.task.type)
                await self.driver.press("escape")
        elif step.guess is not None and step.guess.options:
            await self._choose(place)
        elif step.guess is not None:
            await self._type(place)
        await self.driver.idle()
        if step.asks and not walk.revealed:
            self.problems.append(f"{place}: what is asked for is not done by what the file says")
            return False
        if not self.panel.has_focus_within:
            self.problems.append(f"{place}: the panel has lost the keys")
            await self.driver.press("l")
        return True

    async def _choose(self, place: str) -> None:
        """First a wrong option, then the right one."""
        walk, options = self.guide.walk, self.panel.query_one(OptionList)
        assert walk is not None
        right = walk.right
        assert right is not None
        wrong = 1 if right == 0 else 0
        await self._go_to(options, wrong)
        await self.driver.press("enter")
        if walk.revealed or walk.wrong != {wrong}:
            self.problems.append(f"{place}: a wrong option is taken for right")
        await self._go_to(options, right)
        await self.driver.press("enter")

    async def _go_to(self, options: OptionList, index: int) -> None:
        for _ in range(options.option_count):
            if options.highlighted == index:
                return
            await self.driver.press("down")
        self.problems.append(f"option {index} cannot be reached")

    async def _type(self, place: str) -> None:
        """First a wrong number, then the right one."""
        walk, field = self.guide.walk, self.panel.query_one(Input)
        assert walk is not None
        await self.driver.type(str((walk.right or 0) + 1))
        await self.driver.press("enter")
        if walk.revealed:
            self.problems.append(f"{place}: a wrong number is taken for right")
        assert field.value == ""
        await self.driver.type(str(walk.right))
        await self.driver.press("enter")
