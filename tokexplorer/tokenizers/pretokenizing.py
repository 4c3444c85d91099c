"""Pre-tokenizers of tokenizer files: stages that cut the spans of a text further, or drop parts of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator

import regex

from tokexplorer.engine.splits import Split

Span = tuple[int, int]
"""[start, end) in characters of the text"""

Stage = Callable[[str, Iterable[Span]], Iterator[Span]]

BEHAVIOURS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
"""What becomes of the matches of a split, in the words of Hugging Face tokenizers."""


def split_stage(split: Split) -> Stage:
    """The chunks of a split: matches, and what a custom pattern leaves between them."""

    def cut(text: str, spans: Iterable[Span]) -> Iterator[Span]:
        for start, end in spans:
            whole = start == 0 and end == len(text)
            for a, b in split.spans(text if whole else text[start:end]):
                yield start + a, start + b

    return cut


def match_stage(pattern: regex.Pattern[str], behaviour: str, invert: bool = False) -> Stage:
    """A split by the matches of a pattern with one of BEHAVIOURS; `invert` takes what is between for the matches."""

    def cut(text: str, spans: Iterable[Span]) -> Iterator[Span]:
        for start, end in spans:
            parts = _parts(pattern, text[start:end], invert)
            for a, b in _BEHAVE[behaviour](parts):
                yield start + a, start + b

    return cut


Part = tuple[int, int, bool]
"""(start, end, is a match)"""


def _parts(pattern: regex.Pattern[str], text: str, invert: bool) -> list[Part]:
    parts: list[Part] = []
    at = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        if start == end:
            continue
        if at < start:
            parts.append((at, start, invert))
        parts.append((start, end, not invert))
        at = end
    if at < len(text):
        parts.append((at, len(text), invert))
    return parts


def _removed(parts: list[Part]) -> Iterable[Span]:
    return [(a, b) for a, b, hit in parts if not hit]


def _isolated(parts: list[Part]) -> Iterable[Span]:
    return [(a, b) for a, b, _ in parts]


def _with_previous(parts: list[Part]) -> Iterable[Span]:
    out: list[Span] = []
    hit_before = False
    for a, b, hit in parts:
        if hit and not hit_before and out:
            out[-1] = out[-1][0], b
        else:
            out.append((a, b))
        hit_before = hit
    return out


def _with_next(parts: list[Part]) -> Iterable[Span]:
    out: list[Span] = []
    hit_after = False
    for a, b, hit in reversed(parts):
        if hit and not hit_after and out:
            out[-1] = a, out[-1][1]
        else:
            out.append((a, b))
        hit_after = hit
    return reversed(out)


def _contiguous(parts: list[Part]) -> Iterable[Span]:
    out: list[Part] = []
    for a, b, hit in parts:
        if out and out[-1][2] == hit:
            out[-1] = out[-1][0], b, hit
        else:
            out.append((a, b, hit))
    return [(a, b) for a, b, _ in out]


_BEHAVE: dict[str, Callable[[list[Part]], Iterable[Span]]] = dict(
    zip(BEHAVIOURS, (_removed, _isolated, _with_previous, _with_next, _contiguous))
)

_SPACES = regex.compile(r"\p{White_Space}+")


def space_stage() -> Stage:
    """Words between white space; the white space is dropped."""
    return match_stage(_SPACES, "Removed")


def digit_stage(individual: bool) -> Stage:
    """Numbers (categories Nd, Nl, No) apart from the rest, each digit on its own where `individual`."""
    return match_stage(regex.compile(r"\p{N}"), "Isolated" if individual else "Contiguous")


def is_punctuation(char: str) -> bool:
    """BERT's punctuation: every visible ASCII character that is no letter or digit, and the categories P*."""
    return ("!" <= char <= "~" and not char.isalnum()) or unicodedata.category(char)[0] == "P"


def bert_stage() -> Stage:
    """BERT's pre-tokenizer: words between white space, each punctuation mark on its own (Devlin et al. 2018)."""
    spaces = space_stage()

    def cut(text: str, spans: Iterable[Span]) -> Iterator[Span]:
        for start, end in spaces(text, spans):
            first = start
            for at in range(start, end):
                if is_punctuation(text[at]):
                    if first < at:
                        yield first, at
                    yield at, at + 1
                    first = at + 1
            if first < end:
                yield first, end

    return cut
