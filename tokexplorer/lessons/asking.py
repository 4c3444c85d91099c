"""The kinds of questions that lessons put to the engine: their arguments, and how an answer is got."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tokexplorer.engine.errors import InputError, TokexplorerError
from tokexplorer.lessons.lesson import Question, Value
from tokexplorer.lessons.moment import Moment

Answer = Callable[..., Value]
KINDS: Final = ("text", "number", "pair", "question")
"""What an argument can be: a text, a whole number, a list of two texts, another question (a table with `fact`)."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One kind of question. `needed` and `optional`: argument -> what it is (see KINDS)."""

    name: str
    about: str
    needed: Mapping[str, str]
    optional: Mapping[str, str]
    answer: Answer


FACTS: Final[dict[str, Fact]] = {}
"""All kinds by name; filled by the modules that hold the answers."""


def fact(**arguments: str) -> Callable[[Answer], Answer]:
    """Enter a function as a kind of question under its own name. Its arguments after the moment are named here with
    what they are; those with a default are optional."""

    def enter(answer: Answer) -> Answer:
        parameters = inspect.signature(answer).parameters
        optional = {name for name in arguments if parameters[name].default is not inspect.Parameter.empty}
        needed = {name: kind for name, kind in arguments.items() if name not in optional}
        about = (answer.__doc__ or "").strip()
        name = answer.__name__.rstrip("_")
        FACTS[name] = Fact(name, about, needed, {n: arguments[n] for n in optional}, answer)
        return answer

    return enter


def is_kind(value: Any, kind: str) -> bool:
    """Whether a value can be an argument of a kind."""
    match kind:
        case "text":
            return isinstance(value, str)
        case "number":
            return isinstance(value, int) and not isinstance(value, bool)
        case "pair":
            return isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) for part in value)
        case _:
            return isinstance(value, Question)


def ask(question: Question, moment: Moment) -> Value:
    """The engine's answer at a moment. InputError where there is none, e.g. a merge that was not made."""
    found = FACTS[question.kind]
    try:
        return found.answer(moment, **question.arguments)
    except TokexplorerError as error:
        raise InputError(f"{worded(question)}: {error}") from error


def worded(question: Question) -> str:
    """A question as messages name it: `count(text='dog', tokenizer='gpt2')`."""
    parts = [
        f"{name}={worded(value) if isinstance(value, Question) else repr(value)}"
        for name, value in question.arguments.items()
    ]
    return f"{question.kind}({', '.join(parts)})"


def tokenizers_of(question: Question) -> set[str]:
    """The tokenizers that a question names."""
    found: set[str] = set()
    for name, value in question.arguments.items():
        if name == "tokenizer" and isinstance(value, str):
            found.add(value)
        elif isinstance(value, Question):
            found |= tokenizers_of(value)
    return found
