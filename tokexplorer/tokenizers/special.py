"""Cutting a text at special tokens: the border between text and control, the same for every tokenizer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from tokexplorer.engine.errors import InputError


@lru_cache(maxsize=64)
def _pattern(specials: tuple[str, ...]) -> re.Pattern[bytes]:
    longest_first = sorted((s.encode("utf-8", "surrogateescape") for s in specials), key=len, reverse=True)
    return re.compile(b"|".join(map(re.escape, longest_first)))


def cut_at_specials(text: bytes, specials: Iterable[str]) -> Iterator[tuple[int, int, bool]]:
    """The parts of `text` as (start, end, is special), in order; of markers that overlap the longest one wins."""
    names = tuple(s for s in specials if s)
    at = 0
    if names:
        for match in _pattern(names).finditer(text):
            if at < match.start():
                yield at, match.start(), False
            yield match.start(), match.end(), True
            at = match.end()
    if at < len(text):
        yield at, len(text), False


def refuse_specials(text: bytes, specials: Iterable[str]) -> None:
    """InputError where the text holds a special token's string; it names the string and its byte."""
    for start, end, special in cut_at_specials(text, specials):
        if special:
            name = text[start:end].decode("utf-8", "backslashreplace")
            raise InputError(f"the text holds the special token {name} at byte {start}, which is forbidden here")
