"""Added tokens of tokenizer files: strings that are cut out of a text before anything else is done to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from tokexplorer.tokenizers.normalizing import is_space


@dataclass(frozen=True, slots=True)
class Added:
    """An added token. `special`: it counts as a special token; the others are cut out whatever the mode.

    `left` and `right`: it takes the white space beside it with it; `word`: it must stand between words; `normalized`:
    it is looked for after the normaliser, which then also changes `content`.
    """

    content: str
    id: int
    special: bool = True
    left: bool = False
    right: bool = False
    word: bool = False
    normalized: bool = False


Cut = tuple[int, int, int]
"""(start, end, id), in characters; the id is -1 for ordinary text"""

_WORD: Final = re.compile(r"\w")


class AddedMatcher:
    """Finds added tokens in a text: the leftmost, of several that begin there the longest."""

    def __init__(self, tokens: Iterable[Added], normalise: Callable[[str], str] | None = None) -> None:
        self._tokens: dict[str, Added] = {}
        for token in tokens:
            content = normalise(token.content) if normalise and token.normalized else token.content
            if content:
                self._tokens[content] = token
        longest_first = sorted(self._tokens, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self._only_specials = all(token.special for token in self._tokens.values())

    def cut(self, text: str, specials: bool) -> Iterator[Cut]:
        """The parts of `text` in order; special tokens stay ordinary text unless `specials`."""
        at = 0
        pattern = None if self._only_specials and not specials else self._pattern
        for match in pattern.finditer(text) if pattern else ():
            token = self._tokens[match.group()]
            start, end = match.span()
            if (token.special and not specials) or (token.word and not _stands_alone(text, start, end)):
                continue
            if token.left:
                while start > at and is_space(text[start - 1]):
                    start -= 1
            if token.right:
                while end < len(text) and is_space(text[end]):
                    end += 1
            start = max(start, at)
            if at < start:
                yield at, start, -1
            yield start, end, token.id
            at = end
        if at < len(text):
            yield at, len(text), -1


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not (start and _WORD.match(text[start - 1])) and not (end < len(text) and _WORD.match(text[end]))
