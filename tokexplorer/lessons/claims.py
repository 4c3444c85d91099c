"""Checking what lessons say: claims against the engine at a moment, and guesses for the one right answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tokexplorer.engine.errors import InputError
from tokexplorer.lessons.asking import ask, tokenizers_of, worded
from tokexplorer.lessons.lesson import Claim, Guess, Lesson, Option, Question, Stage, Step, Telling, Value
from tokexplorer.lessons.moment import Moment


def holds(claim: Claim, moment: Moment) -> bool:
    """Whether a claim is true at a moment. InputError where it cannot be asked or compared."""
    return compare(claim.place, ask(claim.question, moment), claim.relation, _operand(claim, moment))


def _operand(claim: Claim, moment: Moment) -> Value:
    return ask(claim.operand, moment) if isinstance(claim.operand, Question) else claim.operand


def compare(place: str, found: Value, relation: str, operand: Value) -> bool:
    """Whether an answer stands in a relation to a value. InputError, with the place, where they do not compare."""
    match relation:
        case "is":
            return found == operand
        case "is_not":
            return found != operand
        case "at_least" | "at_most":
            if isinstance(found, int | float) and isinstance(operand, int | float):
                return found >= operand if relation == "at_least" else found <= operand
        case "has" | "lacks":
            if isinstance(found, list) or (isinstance(found, str) and isinstance(operand, str)):
                return (operand in found) is (relation == "has")
        case "begins":
            if isinstance(found, list) and isinstance(operand, list):
                return found[: len(operand)] == operand
            if isinstance(found, str) and isinstance(operand, str):
                return found.startswith(operand)
    raise InputError(f"{place}: {relation} does not compare {found!r} with {operand!r}")


def untrue(claims: Iterable[Claim], moment: Moment) -> list[str]:
    """A line for each claim that is not true at a moment, with its place and what is true instead."""
    lines = []
    for claim in claims:
        try:
            if not holds(claim, moment):
                found = ask(claim.question, moment)
                lines.append(
                    f"{claim.place}: {worded(claim.question)} is {found!r}; "
                    f"claimed: {claim.relation} {_operand(claim, moment)!r}"
                )
        except InputError as error:
            place = "" if str(error).startswith(claim.place) else f"{claim.place}: "
            lines.append(f"{place}{error}")
    return lines


def answers(telling: Telling, moment: Moment) -> Mapping[str, Value]:
    """The values of a text at a moment. InputError, with its place, where one has no answer."""
    found: dict[str, Value] = {}
    for name, question in telling.values.items():
        try:
            found[name] = ask(question, moment)
        except InputError as error:
            raise InputError(f"{telling.place}.values.{name}: {error}") from error
    return found


def right_option(guess: Guess, moment: Moment) -> Option:
    """The right one of a guess's options. InputError where not exactly one is."""
    answer = ask(guess.answer, moment)
    right = [
        option
        for option in guess.options
        if all(compare(guess.place, answer, relation, value) for relation, value in option.relations)
    ]
    if len(right) != 1:
        raise InputError(f"{guess.place}: {len(right)} options are right; the answer is {answer!r}")
    return right[0]


def right_number(guess: Guess, moment: Moment) -> int:
    """The right answer of a guess that is typed. InputError where it is not a whole number."""
    answer = ask(guess.answer, moment)
    if not isinstance(answer, int):
        raise InputError(f"{guess.place}: the answer {answer!r} is not a whole number")
    return answer


def tokenizers_named(lesson: Lesson) -> set[str]:
    """All tokenizers that a lesson shows or asks about."""
    found: set[str] = set()
    for step in lesson.steps:
        for stage in (step.stage, step.reveal):
            if isinstance(stage, Stage) and stage.tokenizer is not None:
                found.add(stage.tokenizer)
        for question in questions(step):
            found |= tokenizers_of(question)
    return found


def questions(step: Step) -> list[Question]:
    """Every question of a step."""
    found: list[Question] = []
    claims: list[Claim] = list(step.task.until) if step.task is not None else []
    for telling in (step.telling, step.then):
        if telling is not None:
            found += telling.values.values()
            claims += telling.claims
    for claim in claims:
        found.append(claim.question)
        if isinstance(claim.operand, Question):
            found.append(claim.operand)
    if step.guess is not None:
        found.append(step.guess.answer)
    return found
