"""The texts of lessons: `literal` text, *terms*, {values} and {key.actions}, parsed once and filled with answers.

Blank lines part paragraphs; a single line end is a space. A value is filled in as `{name}`; a list as its parts one
after the other, with `{name:+}` a plus sign between them; `{name:#}` leaves out the commas of numbers, as in ids.
`{key.step}` is the key of the action `step`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from tokexplorer.engine.errors import InputError
from tokexplorer.lessons.lesson import Value

PLAIN: Final = "plain"
LITERAL: Final = "literal"
TERM: Final = "term"
NUMBER: Final = "number"
KEY: Final = "key"


class Piece(NamedTuple):
    """A stretch of text and what it is: PLAIN, LITERAL (hostile text may stand in it), TERM, NUMBER or KEY."""

    kind: str
    text: str


class Slot(NamedTuple):
    """Where an answer (`key` false) or a key is filled in; `form` is what stands after the colon, `+` or `#`."""

    name: str
    key: bool
    form: str


Part = Piece | Slot
Paragraph = tuple[Part, ...]

_MARK: Final = re.compile(r"`([^`]+)`|\*([^*\n]+)\*|\{(key\.)?([a-z0-9_-]+)(:[+#])?\}")
_STRAY: Final = re.compile(r"[`*{}]")


def parse(text: str) -> tuple[Paragraph, ...]:
    """The paragraphs of a text. InputError, without a place, on a mark that is not closed."""
    return tuple(
        tuple(_parts(" ".join(block.split("\n")).strip())) for block in re.split(r"\n\s*\n", text.strip()) if block
    )


def _parts(block: str) -> Iterator[Part]:
    at = 0
    for match in _MARK.finditer(block):
        if match.start() > at:
            yield _plain(block[at : match.start()])
        literal, term, key, name, form = match.groups()
        if literal is not None:
            yield Piece(LITERAL, literal)
        elif term is not None:
            yield Piece(TERM, term)
        else:
            yield Slot(name, key is not None, (form or "")[1:])
        at = match.end()
    if at < len(block):
        yield _plain(block[at:])


def _plain(text: str) -> Piece:
    stray = _STRAY.search(text)
    if stray is not None:
        near = text[max(0, stray.start() - 12) : stray.end() + 12]
        raise InputError(f"a stray {stray.group()} near {near!r}: marks come in twos, values are {{name}}")
    return Piece(PLAIN, text)


def slots(text: str) -> Iterator[Slot]:
    """What is filled in into a text."""
    for paragraph in parse(text):
        for part in paragraph:
            if isinstance(part, Slot):
                yield part


def fill(text: str, answers: Mapping[str, Value], key_of: Callable[[str], str]) -> list[list[Piece]]:
    """The paragraphs of a text with its answers and keys filled in."""
    paragraphs: list[list[Piece]] = []
    for paragraph in parse(text):
        pieces: list[Piece] = []
        for part in paragraph:
            if isinstance(part, Piece):
                pieces.append(part)
            elif part.key:
                pieces.append(Piece(KEY, key_of(part.name)))
            else:
                pieces.extend(pieces_of(answers[part.name], part.form))
        paragraphs.append(pieces)
    return paragraphs


def pieces_of(value: Value, form: str = "") -> list[Piece]:
    """An answer as it stands in a text: numbers with separators, texts and tokens as literals."""
    if isinstance(value, str):
        return [Piece(LITERAL, value)]
    if isinstance(value, int | float):
        return [Piece(NUMBER, str(value) if form == "#" else f"{value:,}")]
    pieces: list[Piece] = []
    for number, part in enumerate(value):
        if number:
            pieces.append(Piece(PLAIN, " + " if form == "+" else " "))
        pieces.extend(pieces_of(part, form))
    return pieces


def plain(paragraphs: list[list[Piece]]) -> str:
    """Filled paragraphs as one plain text."""
    return "\n\n".join("".join(piece.text for piece in pieces) for pieces in paragraphs)
