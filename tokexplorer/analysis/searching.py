"""Searching tokens: what a typed query finds in their texts, bytes and ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import regex

from tokexplorer.engine.errors import InputError

WAYS: Final = "text, hex:d0 be, id:5-9, re:^ing"
"""What a query can be, for a search field."""
_LONG: Final = 16
"""characters from which on a user's pattern is stopped after PATIENCE seconds"""
PATIENCE: Final = 0.5


class Tokens(Protocol):
    """What is searched: bytes and text of each token, and the texts in one case."""

    @property
    def data(self) -> Sequence[bytes | None]:
        """The bytes; None for an unassigned id."""

    @property
    def texts(self) -> Sequence[str]:
        """The texts; a byte that is not valid UTF-8 is a lone surrogate."""

    @property
    def folded(self) -> Sequence[str]:
        """The texts, case folded."""


def finder(query: str, tokens: Tokens, ids: Sequence[int] | None = None) -> Callable[[int], bool]:
    """Whether a query finds the token at a place: `hex:d0 be` bytes, `id:5` or `id:5-9` or `id:1,5-9`, `re:PATTERN` a
    regular expression on the text; else plain text, in any case unless it holds a capital. `ids` are the tokens' ids
    where they are not their places. InputError says what is wrong with a query, if need be by the function."""
    if query.startswith("hex:"):
        return _by_hex(query[4:], tokens.data)
    if query.startswith("id:"):
        return _by_id(query[3:], ids)
    if query.startswith("re:"):
        return _by_pattern(query[3:], tokens.texts)
    any_case = query == query.lower()
    texts = tokens.folded if any_case else tokens.texts
    wanted = query.casefold() if any_case else query
    return lambda at: wanted in texts[at]


def _by_hex(query: str, data: Sequence[bytes | None]) -> Callable[[int], bool]:
    try:
        wanted = bytes.fromhex(query)
    except ValueError as error:
        raise InputError(f"hex: wants pairs of hex digits, not {query.strip()!r}") from error
    return lambda at: wanted in (data[at] or b"") if wanted else True


def _by_id(query: str, ids: Sequence[int] | None) -> Callable[[int], bool]:
    ranges: list[range] = []
    for part in query.split(","):
        found = regex.fullmatch(r"\s*(\d{1,12})\s*(?:-\s*(\d{1,12})\s*)?", part)
        if found is None:
            raise InputError(f"id: wants a number or a range such as 5-9, not {part.strip()!r}")
        ranges.append(range(int(found[1]), int(found[2] or found[1]) + 1))
    return lambda at: any((at if ids is None else ids[at]) in wanted for wanted in ranges)


def _by_pattern(query: str, texts: Sequence[str]) -> Callable[[int], bool]:
    try:
        found = regex.compile(query).search
    except regex.error as error:
        raise InputError(f"re: the pattern is wrong: {error.msg}") from error

    def matches(at: int) -> bool:
        text = texts[at]
        if len(text) < _LONG:
            return found(text) is not None
        try:
            return found(text, timeout=PATIENCE) is not None
        except TimeoutError as error:
            raise InputError(f"re: the pattern takes too long on the token {at}") from error

    return matches
