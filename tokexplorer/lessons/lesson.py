"""What a lesson is made of: steps with a text, a stage, something to do or to guess, and claims. Immutable values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

Value: TypeAlias = "int | float | str | list[Value]"
"""What a question to the engine is answered with; bool counts as int."""

RELATIONS: Final = ("is", "is_not", "at_least", "at_most", "has", "lacks", "begins")
"""How a claim compares an answer with its operand."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the engine: a kind of fact (see facts.py) and its arguments."""

    kind: str
    arguments: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Claim:
    """That the answer to a question stands in a relation to a value, or to the answer to another question."""

    question: Question
    relation: str
    operand: Value | Question
    place: str
    """file and key, for messages"""


@dataclass(frozen=True, slots=True)
class Stage:
    """The state that a step needs; None leaves open what the steps before it asked for."""

    text: str | None = None
    counts: Mapping[str, int] | None = None
    sample: str | None = None
    """a sample text by its name"""
    languages: tuple[str, ...] | None = None
    """the embedded paragraphs in these languages"""
    algorithm: str | None = None
    alphabet: str | None = None
    split: str | None = None
    ties: str | None = None
    target: int | None = None
    step: int | None = None
    probe: str | None = None
    """a text in place of the corpus; empty: the corpus"""
    tokenizer: str | None = None
    special: str | None = None
    shows: tuple[str, ...] | None = None
    """the views that are switched on: ids, group, chunks"""
    pane: str | None = None
    at: str | None = None
    """the cursor of the token view goes to the first place of this text"""
    veil: bool | None = None
    """whether the coming pair is hidden until it has been guessed"""


@dataclass(frozen=True, slots=True)
class Telling:
    """A text for the reader (see wording.py), the values that are filled in, and what it claims."""

    text: str
    values: Mapping[str, Question]
    claims: tuple[Claim, ...]
    place: str


@dataclass(frozen=True, slots=True)
class Task:
    """Something to do. It is done when all conditions are true; `press` (action ids) and `type` say how a test does it,
    and `press` what the hint names."""

    do: str
    until: tuple[Claim, ...]
    press: tuple[str, ...]
    type: str
    place: str


@dataclass(frozen=True, slots=True)
class Option:
    """An answer to choose. It is right where the engine's answer stands in all its relations to their values."""

    text: str
    relations: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Guess:
    """A question to answer before looking. The right answer is the engine's; without options a number is typed."""

    ask: str
    answer: Question
    options: tuple[Option, ...]
    hint: str
    place: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what is set up, told, asked, and told when that is done (`then`, on the stage `reveal`)."""

    stage: Stage
    telling: Telling
    task: Task | None = None
    guess: Guess | None = None
    reveal: Stage | None = None
    then: Telling | None = None

    @property
    def asks(self) -> bool:
        """Whether the reader has something to do or to guess."""
        return self.task is not None or self.guess is not None


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson. `id` is the file's name without its ending; lessons follow each other in the order of their ids."""

    id: str
    file: str
    title: str
    about: str
    """one line for the list"""
    steps: tuple[Step, ...]

    @property
    def number(self) -> int:
        """What the id begins with."""
        return int(self.id.partition("_")[0])
