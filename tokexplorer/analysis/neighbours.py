"""What completes the cut characters of a token: the token strings that may stand before and after it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final, NamedTuple

from tokexplorer.analysis import utf8
from tokexplorer.analysis.reachability import Sweep

FURTHER: Final = 16
"""how many continuations are given for a neighbour that itself ends in the middle of another character"""


class Side(NamedTuple):
    """One way to complete a token on one side: `text` reaches to a border that is one of tokens and of characters,
    `needed` is its part that completes the token's own cut character."""

    text: bytes
    needed: bytes


class _Part(NamedTuple):
    """A token as it lies in characters: `far` is the state at its other end, and `needed` its part up to the nearest
    border between characters, None where the whole token lies inside one character."""

    id: int
    data: bytes
    far: int
    needed: bytes | None


_NOTHING: Final = Side(b"", b"")


class Neighbours:
    """The tokens that start or end inside a character, by the state in which they do, shortest first."""

    def __init__(self, swept: Sweep) -> None:
        self._beside = swept.table.side_by_side
        self._starting: dict[int, list[_Part]] = {state: [] for state in utf8.STATES}
        self._ending: dict[int, list[_Part]] = {state: [] for state in utf8.STATES}
        self._further: dict[tuple[int, int, bool], list[bytes]] = {}
        out = set(swept.unreachable)
        tokens = [(i, data) for i in swept.partial if i not in out and (data := swept.data[i])]
        for token_id, data in sorted(tokens, key=lambda token: len(token[1])):
            for before, after in utf8.passages(data).items():
                head, tail = utf8.head(before, data), utf8.tail(data)
                self._starting[before].append(_Part(token_id, data, after, head))
                self._ending[after].append(_Part(token_id, data, before, tail))

    def after(self, token_id: int, state: int) -> Iterator[Side]:
        """All ways to complete the character in whose `state` the token ends, those first that end with it. Where
        the next token leads on into a further character, a few ways to complete that one stand for all."""
        yield from self._sides(token_id, state, True) if state != utf8.START else (_NOTHING,)

    def before(self, token_id: int, state: int) -> Iterator[Side]:
        """All ways to begin the character in whose `state` the token starts, as `after` does for its end."""
        yield from self._sides(token_id, state, False) if state != utf8.START else (_NOTHING,)

    def _sides(self, token_id: int, state: int, onwards: bool) -> Iterator[Side]:
        later: list[tuple[_Part, bytes]] = []
        for part in self._beside_of(token_id, state, onwards):
            if part.far == utf8.START:
                yield Side(part.data, part.needed or part.data)
            elif part.needed is None:
                for side in self._sides(part.id, part.far, onwards):
                    yield Side(_join(part.data, side.text, onwards), _join(part.data, side.needed, onwards))
            else:
                later.append((part, part.needed))
        for part, needed in later:
            for text in self._few(part.id, part.far, onwards):
                yield Side(_join(part.data, text, onwards), needed)

    def _beside_of(self, token_id: int, state: int, onwards: bool) -> Iterator[_Part]:
        for part in (self._starting if onwards else self._ending)[state]:
            if self._beside(token_id, part.id) if onwards else self._beside(part.id, token_id):
                yield part

    def _few(self, token_id: int, state: int, onwards: bool) -> list[bytes]:
        """Up to FURTHER texts that lead from inside a character to a border; none only where there is no way."""
        key = (token_id, state, onwards)
        known = self._further.get(key)
        if known is None:
            known = self._further[key] = self._search(token_id, state, onwards)
        return known

    def _search(self, token_id: int, state: int, onwards: bool) -> list[bytes]:
        waiting, seen = deque([(token_id, state, b"")]), {(token_id, state)}
        while waiting:
            own, at, text = waiting.popleft()
            parts = list(self._beside_of(own, at, onwards))
            ends = [_join(text, part.data, onwards) for part in parts if part.far == utf8.START]
            if ends:
                return ends[:: -(-len(ends) // FURTHER)]
            for part in parts:
                if (part.id, part.far) not in seen:
                    seen.add((part.id, part.far))
                    waiting.append((part.id, part.far, _join(text, part.data, onwards)))
        return []


def _join(near: bytes, far: bytes, onwards: bool) -> bytes:
    return near + far if onwards else far + near
