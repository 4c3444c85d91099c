"""The split patterns (pre-tokenization): named ones, a user's own, and where it is safe to cut a text into pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import regex

from tokexplorer.engine.errors import InputError

GPT2_PATTERN: Final = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
CL100K_PATTERN: Final = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
O200K_PATTERN: Final = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
NONE_PATTERN: Final = r"(?s:.+)"
LINES_PATTERN: Final = r"[^\n]*\n|[^\n]+"
WORDS_PATTERN: Final = r"\S+"

PATTERNS: Final[dict[str, str]] = {
    "gpt2": GPT2_PATTERN,
    "cl100k": CL100K_PATTERN,
    "o200k": O200K_PATTERN,
    "none": NONE_PATTERN,
    "lines": LINES_PATTERN,
    "words": WORDS_PATTERN,
}
"""Name -> pattern. The GPT patterns are tiktoken's (openai_public.py); `words` leaves white space out."""

HELP: Final[dict[str, str]] = {
    "gpt2": "GPT-2: words with their leading space, numbers of any length, punctuation",
    "cl100k": "GPT-4: any one character may lead a word, digits in threes",
    "o200k": "GPT-4o: as cl100k, but capitals start a new chunk and contractions stay with their word",
    "none": "no split: the whole document is one chunk, so merges may cross words",
    "lines": "each line, with its line end, is one chunk",
    "words": "words between white space; the white space itself is left out",
}

PIECE_SIZE: Final = 256 * 1024
"""Bytes in a piece of text that is decoded and split at once: larger pieces are no faster and take more memory."""

# A GPT pattern always has a border before a space that stands alone between two non-spaces, and after a line feed
# between two non-spaces (but o200k lets a slash follow). No border rests on what `$` or a look-ahead sees at the end of
# a piece. Neighbours are taken only where their bytes leave no doubt: the last byte of one before is none that ends a
# Unicode space (U+0085, A0, 1680, 2000-200A, 2028, 2029, 202F, 205F, 3000), the first bytes of one behind start none.
_BEFORE: Final = rb"[!-~\x8b-\x9e\xa1-\xa7\xaa-\xae\xb0-\xbf]"
_BEHIND: Final = rb"[0-~\xc3-\xdf\xe0\xe4-\xf4]|\xe3[\x81-\xbf]"
_SAFE_GPT: Final = re.compile(
    _BEFORE + rb"(?= (?:[!-/]|" + _BEHIND + rb"))|" + _BEFORE + rb"\n(?=[!-.]|" + _BEHIND + rb")"
)
_SAFE_LINES: Final = re.compile(rb"\n")
_SAFE_WORDS: Final = re.compile(rb"[!-~](?= )|\n")
_SAFE: Final[dict[str, re.Pattern[bytes]]] = {
    GPT2_PATTERN: _SAFE_GPT,
    CL100K_PATTERN: _SAFE_GPT,
    O200K_PATTERN: _SAFE_GPT,
    LINES_PATTERN: _SAFE_LINES,
    WORDS_PATTERN: _SAFE_WORDS,
}


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """A compiled split. `name` is a key of PATTERNS, or `custom`. `covers`: no text can fall between two chunks."""

    name: str
    pattern: str
    compiled: regex.Pattern[str]
    covers: bool

    def chunks(self, text: str) -> list[str]:
        """The chunks of `text` in order. What a custom pattern leaves between matches is a chunk of its own."""
        if self.name != "custom":
            found: list[str] = self.compiled.findall(text)
            return found
        return [text[a:b] for a, b in self.spans(text)]

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """The [start, end) of each chunk, in characters of `text`."""
        at = 0
        keep_gaps = self.name == "custom"
        for match in self.compiled.finditer(text):
            start, end = match.span()
            if start == end:
                continue
            if keep_gaps and at < start:
                yield at, start
            yield start, end
            at = end
        if keep_gaps and at < len(text):
            yield at, len(text)

    @property
    def has_cuts(self) -> bool:
        """Whether `safe_cut` can find a place at all."""
        return self.pattern in _SAFE

    def safe_cut(self, data: bytes, size: int) -> int | None:
        """The first offset after `size` where a chunk border is certain whatever follows, so that splitting piece
        by piece equals splitting the whole; None where there is none in `data` (custom patterns and `none` know no
        such place)."""
        safe = _SAFE.get(self.pattern)
        found = safe.search(data, size) if safe is not None else None
        return found.end() if found is not None and found.end() < len(data) else None


def named(name: str) -> Split:
    """The named split; raises KeyError."""
    pattern = PATTERNS[name]
    return Split(name, pattern, regex.compile(pattern), covers=name != "words")


def compile_split(source: str) -> Split:
    """A split by its name or by a pattern of the user's own; InputError says where a bad pattern is wrong."""
    if source in PATTERNS:
        return named(source)
    for name, pattern in PATTERNS.items():
        if pattern == source:
            return named(name)
    try:
        compiled = regex.compile(source)
    except regex.error as error:
        place = f" at character {error.pos + 1}" if getattr(error, "pos", None) is not None else ""
        raise InputError(f"the split pattern is wrong{place}: {error.msg}") from error
    return Split("custom", source, compiled, covers=True)
