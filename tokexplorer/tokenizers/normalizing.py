"""Normalisers of tokenizer files: they change a text before it is split, and keep where each character came from."""

from __future__ import annotations

import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple

import regex

from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.tokenizers.later_unicode import KEPT_MARKS, UNFORMED


class Unit(NamedTuple):
    """One character of the normalised text and the bytes [start, end) of the text that it came from; an inserted
    character has start = end."""

    char: str
    start: int
    end: int


Step = Callable[[list[Unit]], list[Unit]]
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

_PIECE: Final = 4096
"""Characters that are asked at once whether they are in normal form."""


@dataclass(frozen=True, slots=True)
class Normaliser:
    """Named steps in order. `local`: a word with the space before it can be normalised on its own.

    `first` and `last` are spaces that are set before a text that is not empty, before and after the steps; `last`
    only where the text does not begin with it.
    """

    name: str
    steps: tuple[Step, ...]
    local: bool = True
    first: str = ""
    last: str = ""
    forms: tuple[Form, ...] = ()
    """the Unicode normal forms that the steps amount to; empty where they do more than that"""

    def apply(self, text: str) -> Normalised:
        """The normalised text, with the way back to the bytes of `text`."""
        builder = _Builder()
        if self.first and text:
            builder.insert("".join([unit.char for unit in _apply(self.steps, _units(self.first))]))
        for piece in _pieces(text, _PIECE) if self.local else (text,):
            if self.forms and all(unicodedata.is_normalized(form, piece) for form in self.forms):
                builder.add(piece, None)
                continue
            for word in _pieces(piece, 1) if self.local else (piece,):
                changed = _normalise_cached(self.steps, word) if len(word) <= 64 else _normalise(self.steps, word)
                builder.add(word, changed)
        return builder.finish(self.last)

    def text(self, text: str) -> str:
        """The normalised text alone."""
        return self.apply(text).text


@dataclass(frozen=True, slots=True, eq=False)
class Normalised:
    """A text after its normaliser. Run i of it begins at byte `at[i]` and came from bytes [start[i], end[i]) of the
    original; where `same[i]`, byte by byte."""

    text: str
    at: Sequence[int]
    start: Sequence[int]
    end: Sequence[int]
    same: Sequence[int]

    def origin_start(self, offset: int) -> int:
        """The byte of the original where the character at byte `offset` of the normalised text began."""
        run = bisect_right(self.at, offset) - 1
        return self.start[run] + (offset - self.at[run] if self.same[run] else 0)

    def origin_end(self, offset: int) -> int:
        """The byte of the original where the character before byte `offset` of the normalised text ended."""
        if not offset:
            return 0
        run = bisect_right(self.at, offset - 1) - 1
        return self.start[run] + offset - self.at[run] if self.same[run] else self.end[run]


class _Builder:
    """Collects words, normalised one by one."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._at, self._start, self._end = array("q"), array("q"), array("q")
        self._same = bytearray()
        self._out = self._in = 0

    def add(self, word: str, units: tuple[Unit, ...] | None) -> None:
        """Enter a word and its units, None where it stayed the same."""
        size = len(to_bytes(word))
        if units is None:
            self._run(self._in, self._in + size, True)
            self._parts.append(word)
            self._out += size
        else:
            for unit in units:
                self._run(self._in + unit.start, self._in + unit.end, False)
                self._out += len(to_bytes(unit.char))
            self._parts.append("".join([unit.char for unit in units]))
        self._in += size

    def insert(self, prefix: str) -> None:
        """Put characters before the text, of which nothing was added yet."""
        self._run(0, 0, False)
        self._parts.append(prefix)
        self._out += len(to_bytes(prefix))

    def _run(self, start: int, end: int, same: bool) -> None:
        if same and self._same and self._same[-1] and self._end[-1] == start:
            self._end[-1] = end
            return
        self._at.append(self._out)
        self._start.append(start)
        self._end.append(end)
        self._same.append(same)

    def finish(self, prefix: str) -> Normalised:
        """The whole, with the prefix where it is missing, and with a last empty run at its end."""
        self._run(self._in, self._in, False)
        text = "".join(self._parts)
        if not prefix or not text or text.startswith(prefix):
            return Normalised(text, self._at, self._start, self._end, self._same)
        size = len(to_bytes(prefix))
        at = array("q", [0, *(offset + size for offset in self._at)])
        start, end = array("q", [0]) + self._start, array("q", [0]) + self._end
        return Normalised(prefix + text, at, start, end, b"\0" + self._same)


def _pieces(text: str, size: int) -> Iterator[str]:
    """Pieces of at least `size` characters (but the last), cut before spaces."""
    at = 0
    while at < len(text):
        end = text.find(" ", at + size)
        if end < 0:
            end = len(text)
        yield text[at:end]
        at = end


def _units(text: str) -> list[Unit]:
    units: list[Unit] = []
    at = 0
    for char in text:
        size = len(to_bytes(char))
        units.append(Unit(char, at, at + size))
        at += size
    return units


def _apply(steps: tuple[Step, ...], units: list[Unit]) -> list[Unit]:
    for step in steps:
        units = step(units)
    return units


def _normalise(steps: tuple[Step, ...], word: str) -> tuple[Unit, ...] | None:
    units = _apply(steps, _units(word))
    same = len(units) == len(word) and all(unit.char == char for unit, char in zip(units, word))
    return None if same else tuple(units)


_normalise_cached = lru_cache(maxsize=20_000)(_normalise)


def _spread(chars: str, group: Sequence[Unit]) -> list[Unit]:
    return [Unit(char, group[0].start, group[-1].end) for char in chars]


@cache
def _joins_left() -> frozenset[str]:
    """The characters that a normal form may join with the one before them though they are no marks."""
    seconds = set(map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))))
    for point in range(0x110000):
        mapped = unicodedata.decomposition(chr(point)).split()
        if len(mapped) == 2 and not mapped[0].startswith("<"):
            seconds.add(chr(int(mapped[1], 16)))
    return frozenset(seconds)


def unicode_form(form: Form) -> Step:
    """NFC, NFD, NFKC or NFKD, over the shortest runs of characters that do not touch their neighbours."""

    def normalise(units: list[Unit]) -> list[Unit]:
        text = "".join([unit.char for unit in units])
        if unicodedata.is_normalized(form, text):
            return units
        out: list[Unit] = []
        first = 0
        for at in range(1, len(units) + 1):
            if at < len(units) and text[at - 1] not in UNFORMED and not _begins(form, text[at]):
                continue
            old = text[first:at]
            new = old if old in UNFORMED else unicodedata.normalize(form, old)
            out += units[first:at] if new == old else _spread(new, units[first:at])
            first = at
        return out

    return normalise


def in_form(form: Form) -> Normaliser:
    """A normaliser that brings texts into a Unicode normal form."""
    return Normaliser(form, (unicode_form(form),), forms=(form,))


def _begins(form: Form, char: str) -> bool:
    """Whether no normal form moves or joins anything across the border before the character."""
    if char.isascii() or char in UNFORMED:
        return True
    head = unicodedata.normalize("NFKD" if "K" in form else "NFD", char)[0]
    return not unicodedata.combining(head) and head not in _joins_left()


def lowercase(units: list[Unit]) -> list[Unit]:
    """Each character's lower case (one may give two), whatever stands around it."""
    return [Unit(low, unit.start, unit.end) for unit in units for low in unit.char.lower()]


def strip_accents(units: list[Unit]) -> list[Unit]:
    """Without non-spacing marks (category Mn): what BERT strips after NFD."""
    return [unit for unit in units if unicodedata.category(unit.char) != "Mn" or unit.char in KEPT_MARKS]


def strip_marks(units: list[Unit]) -> list[Unit]:
    """Without any combining marks (categories Mn, Mc, Me)."""
    return [unit for unit in units if unicodedata.category(unit.char)[0] != "M"]


def replace(pattern: regex.Pattern[str], content: str) -> Step:
    """Every match of the pattern becomes `content`; empty matches are left alone."""

    def normalise(units: list[Unit]) -> list[Unit]:
        out: list[Unit] = []
        at = 0
        for match in pattern.finditer("".join([unit.char for unit in units])):
            start, end = match.span()
            if start < end:
                out += units[at:start]
                out += _spread(content, units[start:end])
                at = end
        return out + units[at:]

    return normalise


def strip(left: bool, right: bool) -> Step:
    """Without white space at the chosen ends."""

    def normalise(units: list[Unit]) -> list[Unit]:
        first, end = 0, len(units)
        while left and first < end and is_space(units[first].char):
            first += 1
        while right and end > first and is_space(units[end - 1].char):
            end -= 1
        return units[first:end]

    return normalise


_SPACE: Final = regex.compile(r"\p{White_Space}")


def is_space(char: str) -> bool:
    """Unicode's White_Space property, which Rust's `is_whitespace` follows."""
    return _SPACE.match(char) is not None


def clean(units: list[Unit]) -> list[Unit]:
    """BERT's clean_text, as Hugging Face tokenizers has it: control, format and private characters and U+FFFD go,
    white space becomes plain spaces (Devlin et al. 2018)."""
    out: list[Unit] = []
    for unit in units:
        char = unit.char
        if char in "\t\n\r":
            out.append(Unit(" ", unit.start, unit.end))
        elif char in KEPT_MARKS or (char != "\ufffd" and unicodedata.category(char) not in ("Cc", "Cf", "Co")):
            out.append(Unit(" ", unit.start, unit.end) if is_space(char) else unit)
    return out


_HAN: Final = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""The blocks that Hugging Face tokenizers takes for Chinese (0x2B920 is its number, BERT has 0x2B820)."""


def space_han(units: list[Unit]) -> list[Unit]:
    """A space on either side of each Chinese character."""
    out: list[Unit] = []
    for unit in units:
        if any(low <= ord(unit.char) <= high for low, high in _HAN):
            out += (Unit(" ", unit.start, unit.start), unit, Unit(" ", unit.end, unit.end))
        else:
            out.append(unit)
    return out


def bert(lower: bool, accents: bool, clean_text: bool = True, han: bool = True) -> Normaliser:
    """BERT's normaliser; `accents`: whether they are stripped."""
    steps: list[Step] = []
    if clean_text:
        steps.append(clean)
    if han:
        steps.append(space_han)
    if accents:
        steps += (unicode_form("NFD"), strip_accents)
    if lower:
        steps.append(lowercase)
    name = "BERT's" + (", lower case" if lower else "") + (", accents stripped" if accents else "")
    return Normaliser(name, tuple(steps), local=True)


def prepend(prefix: str) -> Step:
    """The prefix before a text that is not empty."""
    return lambda units: [*(Unit(char, units[0].start, units[0].start) for char in prefix), *units] if units else units


def prefixed(prefix: str) -> Normaliser:
    """A prefix before every text that is not empty."""
    return Normaliser(f"{prefix!r} before the text", (prepend(prefix),), local=False)


_SAFE_PREFIXES: Final = frozenset(" ▁")


def prefixed_first(prefix: str) -> Normaliser:
    """The same for the first of a chain: a space (or the mark of one) joins with nothing, so that words stay apart."""
    if not _SAFE_PREFIXES.issuperset(prefix):
        return prefixed(prefix)
    return Normaliser(f"{prefix!r} before the text", (), first=prefix)


def chain(parts: Iterable[Normaliser], last: str = "") -> Normaliser | None:
    """Several normalisers one after the other, then the prefix `last` before a text that does not begin with it; None
    where there is nothing to do."""
    found = [*parts]
    if not found and not last:
        return None
    names = [part.name for part in found]
    if last:
        names.append(f"{last!r} before a text that has none")
    steps = tuple(step for part in found for step in part.steps)
    local = all(part.local for part in found)
    first = found[0].first if found else ""
    if first and not local:
        first, steps = "", (prepend(first), *steps)
    forms = tuple(form for part in found for form in part.forms) if all(part.forms for part in found) else ()
    return Normaliser(", ".join(names), steps, local, first, last, forms)
