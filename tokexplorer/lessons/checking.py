"""What can be checked of a lesson without playing it: names that must exist, and texts that say more than is backed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tokexplorer.lessons.claims import questions, tokenizers_named
from tokexplorer.lessons.lesson import Lesson, Question, Step, Telling, Value
from tokexplorer.lessons.staging import stage_at
from tokexplorer.lessons.wording import LITERAL, Piece, parse, slots


def names_unknown(
    lesson: Lesson, is_action: Callable[[str], bool], is_tokenizer: Callable[[str], bool]
) -> list[str]:
    """A line for each action and each tokenizer that a lesson names and that does not exist."""
    lines = [
        f"{lesson.file}: {name} is not a tokenizer"
        for name in sorted(tokenizers_named(lesson))
        if not is_tokenizer(name)
    ]
    for number, step in enumerate(lesson.steps, 1):
        named = [slot.name for text in texts(step) for slot in slots(text) if slot.key]
        named += step.task.press if step.task is not None else ()
        lines += [f"{lesson.file}: steps[{number}]: {name} is not an action" for name in named if not is_action(name)]
    return lines


def texts(step: Step) -> Iterator[str]:
    """All texts of a step that the reader sees."""
    yield step.telling.text
    if step.task is not None:
        yield step.task.do
    if step.guess is not None:
        yield step.guess.ask
        yield from (option.text for option in step.guess.options)
        if step.guess.hint:
            yield step.guess.hint
    if step.then is not None:
        yield step.then.text


def unbacked(lesson: Lesson) -> list[str]:
    """A line for each `literal` in a text that neither a claim, a value, a guess nor the stage of its step names: what
    is said of it was not checked."""
    lines = []
    for number, step in enumerate(lesson.steps):
        backing = "\n".join(_backing(lesson, number))
        for text in texts(step):
            for literal in _literals(text):
                if literal not in backing:
                    lines.append(f"{lesson.file}: steps[{number + 1}]: `{literal}` is in no claim")
    return lines


def _literals(text: str) -> Iterator[str]:
    for paragraph in parse(text):
        for part in paragraph:
            if isinstance(part, Piece) and part.kind == LITERAL:
                yield part.text


def _backing(lesson: Lesson, number: int) -> Iterator[str]:
    step = lesson.steps[number]
    for question in questions(step):
        yield from _strings(question)
    for claim in claims_of(step):
        yield from _strings(claim)
    if step.guess is not None:
        for option in step.guess.options:
            for _, value in option.relations:
                yield from _strings(value)
    if step.task is not None:
        yield step.task.type
    for revealed in (False, True):
        stage = stage_at(lesson, number, revealed)
        yield from (stage.text or "", stage.probe or "", *(stage.counts or ()))


def claims_of(step: Step) -> Iterator[Value | Question]:
    """The operands of all claims of a step, the conditions of its task included."""
    tellings: list[Telling] = [telling for telling in (step.telling, step.then) if telling is not None]
    for claim in (*(c for telling in tellings for c in telling.claims), *(step.task.until if step.task else ())):
        yield claim.operand


def _strings(value: Value | Question) -> Iterator[str]:
    if isinstance(value, Question):
        for argument in value.arguments.values():
            yield from _strings(argument)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
        if all(isinstance(part, str) for part in value):
            yield "".join(str(part) for part in value)
    else:
        yield str(value)
