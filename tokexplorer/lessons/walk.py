"""A walk through one lesson: which step, whether its task is done, what the reader guessed, and the words to show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tokexplorer.lessons.claims import answers, holds, right_number, right_option
from tokexplorer.lessons.lesson import Lesson, Stage, Step, Telling, Value
from tokexplorer.lessons.moment import Moment
from tokexplorer.lessons.staging import stage_at
from tokexplorer.lessons.wording import Piece, fill

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
    """Where a reader stands in a lesson. `number` counts from 0; `revealed`: what the step asks for is done."""

    def __init__(self, lesson: Lesson, number: int = 0) -> None:
        self.lesson = lesson
        self.number = number if 0 <= number < len(lesson.steps) else 0
        self.revealed = False
        self.wrong: frozenset[int] = frozenset()
        self._tries = 0
        self._note = ""
        self._good = False
        self._answer: int | None = None
        self._first: Words = []

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

    def go(self, direction: int) -> bool:
        """To the next step or the one before; False where there is none."""
        number = self.number + direction
        if not 0 <= number < len(self.lesson.steps):
            return False
        self.number = number
        self.restart()
        return True

    def restart(self) -> None:
        """Begin the present step again."""
        self.revealed = False
        self.wrong = frozenset()
        self._tries, self._note, self._good, self._answer, self._first = 0, "", False, None, []

    def moved(self, moment: Moment) -> bool:
        """Another moment is on screen; True where the task is done with it."""
        task = self.step.task
        if task is None or self.revealed or not all(holds(claim, moment) for claim in task.until):
            return False
        self.revealed = self._good = True
        self._note = "Done."
        return True

    def remind(self, words: str) -> None:
        """Leave a note under what is asked for."""
        self._note, self._good = words, False

    def choose(self, index: int, moment: Moment) -> bool:
        """Take an option; whether the question is settled by it."""
        guess = self.step.guess
        if guess is None or self.revealed:
            return False
        right = guess.options.index(right_option(guess, moment))
        return self._settle(index == right, guess.hint, index)

    def type(self, typed: str, moment: Moment) -> bool:
        """Take a typed number, or nothing, which gives up; whether the question is settled by it."""
        guess = self.step.guess
        if guess is None or self.revealed:
            return False
        digits = typed.strip().replace(",", "")
        if digits and not (digits.isascii() and digits.isdigit() and len(digits) < 12):
            self.remind("A number, please; Enter alone shows the answer.")
            return False
        self._answer = right_number(guess, moment)
        if not digits:
            return self._reveal("")
        return self._settle(int(digits) == self._answer, guess.hint)

    def _settle(self, right: bool, hint: str, index: int | None = None) -> bool:
        if right:
            return self._reveal("Right.", good=True)
        self._tries += 1
        if index is not None:
            self.wrong |= {index}
        if self._tries >= TRIES and index is None:
            return self._reveal("Not that.")
        self._note, self._good = f"Not that. {hint}".strip(), False
        return False

    def _reveal(self, words: str, good: bool = False) -> bool:
        if self._answer is not None and not good:
            words = f"{words} The answer is {self._answer:,}.".strip()
        self.revealed, self._note, self._good = True, words, good
        return True

    def page(self, moment: Moment, key_of: KeyOf) -> Page:
        """The words at a moment. InputError where a value has no answer."""
        step = self.step
        task, guess = step.task, step.guess

        def words(text: str, values: Mapping[str, Value] | None = None) -> Words:
            return fill(text, values or {}, key_of)

        def tell(telling: Telling) -> Words:
            return words(telling.text, answers(telling, moment))

        first = self._first = tell(step.telling) if not self.revealed or not self._first else self._first
        asked = words(task.do) if task is not None else words(guess.ask) if guess is not None else []
        return Page(
            first,
            asked,
            tuple(words(option.text)[0] for option in guess.options) if guess is not None else (),
            self.wrong,
            guess is not None and not guess.options and not self.revealed,
            words(self._note) if self._note else [],
            self._good,
            self.revealed,
            tell(step.then) if step.then is not None and self.revealed else [],
        )
