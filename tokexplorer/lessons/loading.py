"""Lessons from their files (see SCHEMA.md): every error is one line that names the file and the key."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from typing import Any, Final

from tokexplorer.analysis.languages import load_paragraphs
from tokexplorer.engine.algorithms import Algorithm
from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe
from tokexplorer.lessons import facts, training_facts, world_facts
from tokexplorer.lessons.asking import FACTS, is_kind
from tokexplorer.lessons.lesson import RELATIONS, Claim, Guess, Lesson, Option, Question, Stage, Step, Task, Telling
from tokexplorer.lessons.staging import OPENS
from tokexplorer.lessons.tables import Table
from tokexplorer.lessons.wording import slots
from tokexplorer.tokenizers.base import SpecialMode

ANSWERS: Final = (facts, training_facts, world_facts)
"""The modules whose answers fill FACTS."""
LANGUAGE: Final = "en"
VIEWS: Final = ("ids", "group", "chunks")
PANES: Final = ("corpus", "pairs", "merges", "tokens")
MOST_OPTIONS: Final = 5
_NAME: Final = re.compile(r"\d\d_[a-z0-9_]+\.toml")
_KINDS: Final = {"text": "a text", "number": "a whole number", "pair": "a list of two texts", "question": "a fact"}


def load_lessons(language: str = LANGUAGE) -> tuple[Lesson, ...]:
    """All lessons in a language, in their order. InputError on a file that does not keep to the schema."""
    folder = resources.files(__package__).joinpath(language)
    if not folder.is_dir():
        raise InputError(f"there are no lessons in the language {safe(language)}")
    names = sorted(entry.name for entry in folder.iterdir() if _NAME.fullmatch(entry.name))
    return tuple(read_lesson(name, folder.joinpath(name).read_text(encoding="utf-8")) for name in names)


def read_lesson(file: str, source: str) -> Lesson:
    """A lesson from the text of its file. InputError names the file and the key, or the line of a syntax error."""
    try:
        data = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{safe(file)}: {error}") from error
    table = Table(safe(file), "", data)
    title, about = table.need_text("title"), table.need_text("about")
    steps = tuple(_read_step(entry) for entry in table.tables("steps"))
    table.finish()
    if not steps:
        raise table.fail("steps", "there is no step")
    lesson = Lesson(file.removesuffix(".toml"), table.file, title, about, steps)
    if all(getattr(steps[0].stage, key) is None for key in OPENS):
        raise table.fail("steps[1].stage", f"the first step must open one of {', '.join(OPENS)}")
    return lesson


def _read_step(table: Table) -> Step:
    stage = _read_stage(table.table("stage"))
    telling = _read_telling(table)
    task, guess = table.table("task"), table.table("guess")
    if task is not None and guess is not None:
        raise table.fail("guess", "a step has a task or a guess, not both")
    then = table.table("then")
    if then is not None and task is None and guess is None:
        raise table.fail("then", "needs a task or a guess before it")
    reveal = then.table("stage") if then is not None else None
    step = Step(
        stage,
        telling,
        _read_task(task) if task is not None else None,
        _read_guess(guess) if guess is not None else None,
        _read_stage(reveal) if reveal is not None else None,
        _read_telling(then) if then is not None else None,
    )
    table.finish()
    if then is not None:
        then.finish()
    return step


def _read_stage(table: Table | None) -> Stage:
    if table is None:
        return Stage()
    counts = table.table("counts")
    stage = Stage(
        text=table.text("text"),
        counts=_read_counts(counts) if counts is not None else None,
        sample=table.text("sample"),
        languages=table.texts("languages"),
        algorithm=table.one_of("algorithm", [a.value for a in Algorithm]),
        alphabet=table.one_of("alphabet", [a.value for a in AlphabetKind]),
        split=table.text("split"),
        ties=table.one_of("ties", [t.value for t in TieRule]),
        target=table.number("target", 1),
        step=table.number("step"),
        probe=table.text("probe"),
        tokenizer=table.text("tokenizer"),
        special=table.one_of("special", [m.value for m in SpecialMode]),
        shows=table.texts("shows"),
        pane=table.one_of("pane", PANES),
        at=table.text("at"),
        veil=table.get("veil", bool),
    )
    for view in stage.shows or ():
        if view not in VIEWS:
            raise table.fail("shows", f"{safe(view)} is none of {', '.join(VIEWS)}")
    for name in stage.languages or ():
        if name not in {paragraph.name for paragraph in load_paragraphs()}:
            raise table.fail("languages", f"there is no paragraph in {safe(name)}")
    opened = [key for key in OPENS if table.has(key)]
    if len(opened) > 1:
        raise table.fail(opened[1], f"only one of {', '.join(OPENS)} can be opened, and {opened[0]} is given")
    table.finish()
    return stage


def _read_counts(table: Table) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in list(table.keys()):
        count = table.number(word, 1)
        assert count is not None
        if not word or word.split() != [word]:
            raise table.fail(word, "a word has no white space in it")
        found[word] = count
    if not found:
        raise table.fail("", "there is no word")
    return found


def _read_telling(table: Table) -> Telling:
    text = table.need_text("text")
    values = {name: read_question(entry) for name, entry in table.named_tables("values").items()}
    claims = tuple(_read_claim(entry) for entry in table.tables("claims"))
    used = _slots_of(table, "text", text)
    for name in values:
        if name not in used:
            raise table.fail(f"values.{name}", "is not used in the text")
    for name in used:
        if name not in values:
            raise table.fail("text", f"{{{name}}} is not among its values")
    return Telling(text, values, claims, table.place())


def _slots_of(table: Table, key: str, text: str) -> set[str]:
    try:
        return {slot.name for slot in slots(text) if not slot.key}
    except InputError as error:
        raise table.fail(key, str(error)) from error


def _read_without_values(table: Table, key: str) -> str:
    text = table.need_text(key)
    if used := _slots_of(table, key, text):
        raise table.fail(key, f"{{{min(used)}}}: values can be filled in only in a text")
    return text


def _read_task(table: Table) -> Task:
    do = _read_without_values(table, "do")
    until = tuple(_read_claim(entry) for entry in table.tables("until"))
    if not until:
        raise table.fail("until", "there is no condition")
    press, typed = table.texts("press") or (), table.text("type") or ""
    table.finish()
    if not press and not typed:
        raise table.fail("press", "is missing: which actions fulfil the task?")
    return Task(do, until, press, typed, table.place())


def _read_guess(table: Table) -> Guess:
    ask = _read_without_values(table, "ask")
    answer = read_question(table.need_table("answer"))
    hint = _read_without_values(table, "hint") if table.has("hint") else ""
    options = tuple(_read_option(entry) for entry in table.tables("options"))
    if len(options) == 1 or len(options) > MOST_OPTIONS:
        raise table.fail("options", f"there must be 2 to {MOST_OPTIONS}, or none where a number is typed")
    table.finish()
    return Guess(ask, answer, options, hint, table.place())


def _read_option(table: Table) -> Option:
    text = _read_without_values(table, "text")
    given = [relation for relation in RELATIONS if table.has(relation)]
    if not given:
        raise table.fail("", f"an option has at least one of {', '.join(RELATIONS)}")
    relations = tuple((relation, table.any(relation)) for relation in given)
    table.finish()
    return Option(text, relations)


def _read_claim(table: Table) -> Claim:
    given = [relation for relation in RELATIONS if table.has(relation)]
    if len(given) != 1:
        reason = f"{' and '.join(given)} are given" if given else "none is given"
        raise table.fail("", f"a claim has one of {', '.join(RELATIONS)}; {reason}")
    operand = table.any(given[0])
    if isinstance(operand, dict):
        operand = read_question(table.need_table(given[0]))
    return Claim(read_question(table), given[0], operand, table.place())


def read_question(table: Table) -> Question:
    """A question from a table with `fact` and its arguments; what was asked for before is left out."""
    kind = table.one_of("fact", FACTS)
    if kind is None:
        raise table.fail("fact", "is missing")
    found = FACTS[kind]
    arguments: dict[str, Any] = {}
    allowed = {**found.needed, **found.optional}
    for name, value in table.rest().items():
        if name not in allowed:
            raise table.fail(name, f"{kind} takes {', '.join(allowed) or 'nothing'}")
        if allowed[name] == "question" and isinstance(value, dict):
            value = read_question(table.need_table(name))
        if not is_kind(value, allowed[name]):
            raise table.fail(name, f"must be {_KINDS[allowed[name]]}")
        arguments[name] = value
    for name in found.needed:
        if name not in arguments:
            raise table.fail(name, "is missing")
    return Question(kind, arguments)

