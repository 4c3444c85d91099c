"""How numbers are cut: a grid of all short numbers, sums against groups of three, digits of other scripts."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Final

import regex

from tokexplorer.analysis.cut import bars, tokens_of
from tokexplorer.analysis.progress import Progress, ShouldStop, report
from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.engine.splits import Split
from tokexplorer.tokenizers.base import Token, Tokenizer

Shape = tuple[int, ...]
"""How many digits each token of a number holds, left to right: (2, 2) is `12|34`."""

LENGTHS: Final = (1, 2, 3, 4)
OTHER_NUMBERS: Final = "²½¾Ⅻ①⑴㈠㊈五〇萬٪"
"""characters that people, but not always patterns, take for numbers"""

_DIGITS: Final = regex.compile(r"\p{Nd}+")
_EVERY: Final = 500


@dataclass(frozen=True, slots=True)
class ShapeShare:
    """How many numbers of a grid are cut in one shape."""

    shape: Shape
    numbers: int
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class NumberGrid:
    """All numbers of one length, with leading zeros below four digits: 0-9, 00-99, 000-999, 1000-9999."""

    tokenizer: str
    digits: int
    after_space: bool
    """each number was encoded behind a space; a token of that space alone is not counted"""
    first: int
    """the number that `shapes[0]` belongs to"""
    shapes: tuple[Shape, ...] = field(repr=False)
    regularity: tuple[ShapeShare, ...]
    """the commonest shape first; the more its share, the more regular the digits"""

    def tokens(self, number: int) -> int:
        """How many tokens a number takes. IndexError outside the grid."""
        return len(self.shape(number))

    def shape(self, number: int) -> Shape:
        """How a number is cut. IndexError outside the grid."""
        if number < self.first:
            raise IndexError(number)
        return self.shapes[number - self.first]

    def text(self, number: int) -> str:
        """The number as it was written."""
        return f"{number:0{self.digits}d}"


def number_grid(tokenizer: Tokenizer, digits: int, after_space: bool = False) -> NumberGrid:
    """Encode each number of a length on its own."""
    first = 10 ** (digits - 1) if digits > 3 else 0
    lead = b" " if after_space else b""
    known: dict[Shape, Shape] = {}
    shapes: list[Shape] = []
    for number in range(first, 10**digits):
        ends = tokenizer.encode(lead + b"%0*d" % (digits, number)).ends
        borders = [0, *(end - len(lead) for end in ends if end > len(lead))]
        shape = tuple(b - a for a, b in pairwise(borders) if b > a)
        shapes.append(known.setdefault(shape, shape))
    counted = Counter(shapes).most_common()
    shares = tuple(ShapeShare(shape, n, n / len(shapes)) for shape, n in counted)
    return NumberGrid(tokenizer.name, digits, after_space, first, tuple(shapes), shares)


def number_grids(
    tokenizer: Tokenizer, on_progress: Progress | None = None, should_stop: ShouldStop | None = None
) -> tuple[NumberGrid, ...]:
    """The grids of one to four digits, bare and then after a space; progress counts grids, Cancelled as told."""
    wanted = [(digits, after_space) for after_space in (False, True) for digits in LENGTHS]
    grids: list[NumberGrid] = []
    for digits, after_space in wanted:
        report(len(grids), len(wanted), on_progress, should_stop)
        grids.append(number_grid(tokenizer, digits, after_space))
    report(len(wanted), len(wanted), on_progress, should_stop)
    return tuple(grids)


@dataclass(frozen=True, slots=True)
class DigitRun:
    """One number within a text, its span in bytes, and how it is cut. The shapes count digits."""

    text: str
    start: int
    end: int
    shape: Shape
    grouped: Shape
    """in groups of three from the right, as place values go"""

    @property
    def agrees(self) -> bool:
        """Whether the tokens keep to the groups."""
        return self.shape == self.grouped


@dataclass(frozen=True, slots=True)
class NumberSplit:
    """A text with numbers as its tokens, beside its numbers in groups of three from the right."""

    tokenizer: str
    text: bytes
    tokens: tuple[Token, ...]
    bars: str
    """`12|34| +| 5|678`"""
    groups: tuple[tuple[int, int], ...]
    """spans in bytes that tile the text: groups of digits, and what lies between numbers"""
    group_bars: str
    """`1|234| + |5|678`"""
    runs: tuple[DigitRun, ...]


def split_numbers(tokenizer: Tokenizer, text: bytes) -> NumberSplit:
    """How a number, a sum, any text is cut; decimal digits of all scripts count."""
    tokens = tokens_of(tokenizer, text)
    decoded = to_text(text)
    groups: list[tuple[int, int]] = []
    runs: list[DigitRun] = []
    at = 0
    for match in _DIGITS.finditer(decoded):
        start = len(to_bytes(decoded[: match.start()]))
        digits = match.group()
        borders = [start]
        for char in digits:
            borders.append(borders[-1] + len(to_bytes(char)))
        if at < start:
            groups.append((at, start))
        sizes = grouped(len(digits))
        place = 0
        for size in sizes:
            groups.append((borders[place], borders[place + size]))
            place += size
        at = borders[-1]
        runs.append(DigitRun(digits, start, at, _shape_within(tokens, borders), sizes))
    if at < len(text):
        groups.append((at, len(text)))
    spans = ((token.start, token.end) for token in tokens)
    return NumberSplit(
        tokenizer.name, text, tokens, bars(text, spans), tuple(groups), bars(text, groups), tuple(runs)
    )


def grouped(digits: int) -> Shape:
    """The sizes of groups of three from the right: 7 -> (1, 3, 3)."""
    head = digits % 3
    return (*((head,) if head else ()), *[3] * (digits // 3))


def _shape_within(tokens: tuple[Token, ...], borders: list[int]) -> Shape:
    """How many digits (their byte borders are given) end in each token; a cut digit counts where it ends."""
    ends = [token.end for token in tokens if borders[0] < token.end]
    shape: list[int] = []
    done = 0
    for end in ends:
        reached = sum(1 for border in borders[1:] if border <= end)
        shape.append(reached - done)
        done = reached
        if done == len(borders) - 1:
            break
    return tuple(shape)


@dataclass(frozen=True, slots=True)
class OtherDigits:
    """Digits of one script (1234567 in them), or one other number sign."""

    name: str
    """`Devanagari`, or the sign's Unicode name"""
    text: str
    tokens: tuple[Token, ...]
    tokens_per_char: float
    is_number: bool | None
    """whether the split pattern takes them for digits, as it takes 0-9; None where no pattern is known"""


def other_digits(tokenizer: Tokenizer) -> tuple[OtherDigits, ...]:
    """How the digits of every script that Unicode knows are cut (0-9 first), then some other signs for numbers."""
    rows = [_digits_row(tokenizer, name, "".join(chr(zero + n) for n in range(1, 8))) for name, zero in _zeros()]
    rows += [_digits_row(tokenizer, unicodedata.name(char).capitalize(), char) for char in OTHER_NUMBERS]
    return tuple(rows)


def _digits_row(tokenizer: Tokenizer, name: str, text: str) -> OtherDigits:
    tokens = tokens_of(tokenizer, to_bytes(text))
    split = tokenizer.split
    is_number = None if split is None else takes_for_number(split, text[0])
    return OtherDigits(name, text, tokens, len(tokens) / len(text), is_number)


@lru_cache(maxsize=1)
def _zeros() -> tuple[tuple[str, int], ...]:
    """The name and the zero of every set of decimal digits, ASCII's first."""
    found: list[tuple[str, int]] = []
    for point in range(0x110000):
        if unicodedata.decimal(chr(point), None) == 0 and unicodedata.category(chr(point)) == "Nd":
            name = unicodedata.name(chr(point), f"U+{point:04X}").removesuffix("DIGIT ZERO").strip()
            found.append((name.title() or "ASCII", point))
    return tuple(found)


def takes_for_number(split: Split, char: str) -> bool:
    """Whether a pattern treats a character as a digit: it joins one in a chunk, and does not join a letter."""
    return len(split.chunks("1" + char)) == 1 and len(split.chunks(char + "a")) == 2
