"""A walk through one lesson: which step, whether its task is done, what the reader guessed, and the words to show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tokexplorer.engine.errors import InputError
from tokexplorer.lessons.claims import answers, holds, right_number, right_option
from tokexplorer.lessons.lesson import Lesson, Stage, Step, Value
from tokexplorer.lessons.moment import Moment
from tokexplorer.lessons.staging import stage_at
from tokexplorer.lessons.wording import KEY, PLAIN, TERM, Piece, fill

TRIES: Final = 2
"""Wrong answers after which the right one is told."""

Words = Sequence[Sequence[Piece]]
KeyOf = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Page:
    """What the panel shows. `told` is the step's text, `asked` what is to be done or guessed, `note` what became of an
    answer, `then` the text after it. `wrong` are options that were tried; `typed`: the answer is a number to type."""

    told: Words
    asked: Words = ()
    options: Words = ()
    wrong: frozenset[int] = frozenset()
    typed: bool = False
    note: Words = ()
    good: bool = False
    """whether the note is good news"""
    done: bool = False
    """whether nothing is left to do or to guess"""
    then: Words = ()


class Walk:
    """Where a reader stands in a lesson. `number` counts from 0; `revealed`: what the step asks for is done.

    Texts and right answers are taken from the engine when a step is set up, so that they stay true of what the step is
    about while the reader plays with it.
    """

    def __init__(self, lesson: Lesson, number: int = 0) -> None:
        self.lesson = lesson
        self.number = number if 0 <= number < len(lesson.steps) else 0
        self.restart()

    def restart(self) -> None:
        """Begin the present step again."""
        self.revealed = False
        self.wrong: frozenset[int] = frozenset()
        self._tries = 0
        self._note = ""
        self._good = False
        self._right: int | None = None
        self._told: Mapping[str, Value] = {}
        self._then: Mapping[str, Value] | None = None

    @property
    def step(self) -> Step:
        """The present step."""
        return self.lesson.steps[self.number]

    @property
    def stage(self) -> Stage:
        """What the engine must be brought to."""
        return stage_at(self.lesson, self.number, self.revealed)

    @property
    def waits(self) -> bool:
        """Whether something is asked for and not done yet."""
        return self.step.asks and not self.revealed

    @property
    def right(self) -> int | None:
        """The right answer: the index of an option, or the number to type; None where nothing is to be guessed."""
        return self._right

    def go(self, direction: int) -> bool:
        """To the next step or the one before; False where there is none."""
        number = self.number + direction
        if not 0 <= number < len(self.lesson.steps):
            return False
        self.number = number
        self.restart()
        return True

    def arrive(self, moment: Moment) -> None:
        """The stage is set up: ask the engine what the texts say of it. InputError where something has no answer."""
        step, guess = self.step, self.step.guess
        if self.revealed:
            self._then = answers(step.then, moment) if step.then is not None else None
            return
        self._told = answers(step.telling, moment)
        if guess is not None and guess.options:
            self._right = guess.options.index(right_option(guess, moment))
        elif guess is not None:
            self._right = right_number(guess, moment)

    def moved(self, moment: Moment) -> bool:
        """Another moment is on screen; True where the task is done with it. A condition that cannot be asked there is
        not met."""
        if self.revealed or not self._fulfilled(moment):
            return False
        self._reveal("Done.", good=True)
        return True

    def reword(self, moment: Moment) -> bool:
        """The reader types on after the task was done: ask anew, so that the text keeps up. True where it changed."""
        if not self.revealed or self.step.reveal is not None or not self._fulfilled(moment):
            return False
        before = self._then
        self.arrive(moment)
        return self._then != before

    def _fulfilled(self, moment: Moment) -> bool:
        task = self.step.task
        try:
            return task is not None and all(holds(claim, moment) for claim in task.until)
        except InputError:
            return False

    def remind(self, words: str) -> None:
        """Leave a note under what is asked for."""
        self._note, self._good = words, False

    def choose(self, index: int) -> bool:
        """Take an option; whether the question is settled by it."""
        guess = self.step.guess
        if guess is None or self.revealed or self._right is None:
            return False
        if index == self._right:
            return self._reveal("Right.", good=True)
        self.wrong |= {index}
        self.remind(f"Not that. {guess.hint}".strip())
        return False

    def type(self, typed: str) -> bool:
        """Take a typed number, or nothing, which gives up; whether the question is settled by it."""
        guess, right = self.step.guess, self._right
        if guess is None or self.revealed or right is None:
            return False
        digits = typed.strip().replace(",", "")
        if digits and not (digits.isascii() and digits.isdigit() and len(digits) < 12):
            self.remind("A number, please; Enter alone shows the answer.")
            return False
        if digits and int(digits) == right:
            return self._reveal("Right.", good=True)
        self._tries += 1
        if not digits or self._tries >= TRIES:
            return self._reveal(f"It is {right:,}.")
        self.remind(f"Not {int(digits):,}. {guess.hint}".strip())
        return False

    def _reveal(self, words: str, good: bool = False) -> bool:
        self.revealed, self._note, self._good = True, words, good
        return True

    def page(self, key_of: KeyOf) -> Page:
        """The words for the reader."""
        step = self.step
        task, guess = step.task, step.guess

        def words(text: str) -> Words:
            return fill(text, {}, key_of)

        asked = words(task.do) if task is not None else words(guess.ask) if guess is not None else ()
        return Page(
            fill(step.telling.text, self._told, key_of),
            asked,
            tuple(words(option.text)[0] for option in guess.options) if guess is not None else (),
            self.wrong,
            guess is not None and not guess.options and not self.revealed,
            words(self._note) if self._note else (),
            self._good,
            self.revealed,
            fill(step.then.text, self._then, key_of) if step.then is not None and self._then is not None else (),
        )


def last_page(lesson: Lesson, following: Lesson | None, done: int, lessons: int, list_key: str) -> Page:
    """The page after a lesson's last step: how many are done, and what follows."""
    words = [[Piece(PLAIN, "That was "), Piece(TERM, lesson.title), Piece(PLAIN, f": {done} of {lessons} are done.")]]
    if following is not None:
        title, about = Piece(TERM, following.title), Piece(PLAIN, f". {following.about}")
        words.append([Piece(PLAIN, f"Enter goes on with {following.number}: "), title, about])
    words.append([Piece(KEY, list_key), Piece(PLAIN, " shows all lessons; Esc lets you play with what stands here.")])
    return Page(words)
