"""Finding and counting the chunks of much text: the chunks of `Split.chunks`, over twice as fast for GPT's patterns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Final

from tokexplorer.engine.alphabet import to_text
from tokexplorer.engine.splits import CL100K_PATTERN, GPT2_PATTERN, O200K_PATTERN, WORDS_PATTERN, Split

_STRETCH: Final = 256
"""Characters of a stretch of text that is looked at as a whole: ASCII or not."""
_KEPT_PARTS: Final = 100_000
_KEPT_LENGTH: Final = 64

# The patterns of splits.py for ASCII text, where `re` runs three times as fast as `regex` and its classes are
# spelled out: in ASCII \p{L} is [A-Za-z], \p{N} is [0-9] and the white space of `regex` is [\t-\r ]. What is most
# frequent stands first where the order does not matter.
_S: Final = r"\t-\r "
_TAIL: Final = r"'(?:[sStTmMdD]|[lL][lL]|[vV][eE]|[rR][eE])"
_ASCII: Final[dict[str, str]] = {
    GPT2_PATTERN: (
        rf" (?:[A-Za-z]++|[^{_S}A-Za-z0-9]++|[0-9]++)|[A-Za-z]++|'(?:[sdmt]|ll|ve|re)|[^{_S}A-Za-z0-9]++|[0-9]++"
        rf"|[{_S}]+(?![^{_S}])|[{_S}]"
    ),
    CL100K_PATTERN: (
        rf"{_TAIL}|[^\r\nA-Za-z0-9]?+[A-Za-z]++|[0-9]{{1,3}}+| ?[^{_S}A-Za-z0-9]++[\r\n]*+"
        rf"|[{_S}]++\Z|[{_S}]*[\r\n]|[{_S}]+(?![^{_S}])|[{_S}]"
    ),
    O200K_PATTERN: (
        rf"[^\r\nA-Za-z0-9]?[A-Z]*[a-z]+(?:{_TAIL})?|[^\r\nA-Za-z0-9]?[A-Z]+[a-z]*(?:{_TAIL})?"
        rf"|[0-9]{{1,3}}| ?[^{_S}A-Za-z0-9]+[\r\n/]*|[{_S}]*[\r\n]+|[{_S}]+(?![^{_S}])|[{_S}]+"
    ),
}

# Where GPT's patterns have a border whatever stands around: before a space that is followed by a non-space. `re` takes
# four more characters for white space than `regex` does, so it sees no border where there is none.
_BORDER: Final = re.compile(r" (?=\S)")
# The same with a non-space before it, and after a single line feed (o200k lets a slash follow): text that ends there
# has no white space at its end whose cut would hang on what follows.
_CUT: Final = re.compile(r"[!-~](?= [!-~])|[!-~]\n(?=[!-.0-~])")
_ODD_SPACE: Final = re.compile("[\x1c-\x1f]")
_BROKEN: Final = re.compile("[\udc80-\udcff]")

FindChunks = Callable[[str], list[str]]


def chunk_finder(split: Split) -> FindChunks:
    """A function from a text to its chunks, equal to `split.chunks`. It keeps what it saw: use one for one corpus."""
    if split.pattern in _ASCII:
        return _GptChunks(split)
    if split.pattern == WORDS_PATTERN:
        return lambda text: split.chunks(text) if _ODD_SPACE.search(text) else text.split()
    return split.chunks


class _GptChunks:
    """ASCII stretches by the pattern in `re`; others cut at the spaces, each part by the pattern in `regex`, once."""

    def __init__(self, split: Split) -> None:
        self._any = split.chunks
        self._ascii: FindChunks = re.compile(_ASCII[split.pattern]).findall
        self._parts = _Parts(split.chunks)

    def __call__(self, text: str) -> list[str]:
        if text.isascii():
            return self._ascii(text)
        chunks: list[str] = []
        at = 0
        while at < len(text):
            cut = _CUT.search(text, at + _STRETCH)
            end = cut.end() if cut else len(text)
            stretch = text[at:end]
            chunks += self._ascii(stretch) if stretch.isascii() else self._mixed(stretch)
            at = end
        return chunks

    def _mixed(self, text: str) -> list[str]:
        first, *parts = _BORDER.split(text)
        if not parts:
            return self._any(text)
        last = parts.pop()
        chunks = _before_space(self._any, first)
        chunks += chain.from_iterable(map(self._parts.__getitem__, parts))
        chunks += self._any(" " + last)
        return chunks


class _Parts(dict[str, list[str]]):
    """Part of a text, between two spaces that start chunks -> its chunks; the space before it is part of them."""

    def __init__(self, find: FindChunks) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, part: str) -> list[str]:
        chunks = _before_space(self._find, " " + part)
        if len(part) <= _KEPT_LENGTH:
            if len(self) >= _KEPT_PARTS:
                self.clear()
            self[part] = chunks
        return chunks


def _before_space(find: FindChunks, text: str) -> list[str]:
    """The chunks of a text that a space and a non-space follow."""
    if not text[-1:].isspace():
        return find(text)
    chunks = find(text + " a")
    chunks.pop()
    return chunks


def count_broken(counts: Mapping[str, int]) -> int:
    """Bytes that are no part of valid UTF-8, in chunks with counts."""
    return sum(len(_BROKEN.findall(chunk)) * n for chunk, n in counts.items() if not chunk.isascii())


class ChunkTally:
    """Counts chunks, characters and lines of pieces of text that are added in order.

    `counts` keeps the order of first occurrence. With a `bound` it never holds more than twice as many chunks: the
    rarest, and of equally rare ones the last, are left out, and `left_out` says how many places that were. A chunk
    that was left out and comes again counts from there on.
    """

    def __init__(self, split: Split, bound: int | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self.characters = 0
        self.lines = 0
        self.left_out = 0
        self._find = chunk_finder(split)
        self._bound = bound

    def add(self, piece: bytes, last: bool) -> None:
        """Count a piece that ends at a sure chunk border; `last`: at the end of its document."""
        text = to_text(piece)
        self.counts.update(self._find(text))
        self.characters += len(text)
        self.lines += piece.count(b"\n") + (last and piece[-1:] != b"\n")
        self._keep_bound()

    def merge(self, counts: Mapping[str, int], characters: int, lines: int, left_out: int) -> None:
        """Add what another tally counted in the text that follows."""
        if self.counts:
            own = self.counts
            get = own.get
            for chunk, n in counts.items():
                own[chunk] = get(chunk, 0) + n
        else:
            self.counts = Counter(counts)
        self.characters += characters
        self.lines += lines
        self.left_out += left_out
        self._keep_bound()

    def _keep_bound(self) -> None:
        if self._bound is not None and len(self.counts) > 2 * self._bound:
            self.cut(1, self._bound)

    def cut(self, min_count: int, bound: int | None) -> None:
        """Leave out the chunks below a count, then the rarest beyond the bound."""
        counts = self.counts
        if min_count <= 1 and (bound is None or len(counts) <= bound):
            return
        before = sum(counts.values())
        if min_count > 1:
            counts = Counter({chunk: n for chunk, n in counts.items() if n >= min_count})
        if bound is not None and len(counts) > bound:
            floor = sorted(counts.values(), reverse=True)[bound - 1] if bound else before + 1
            room = bound - sum(n > floor for n in counts.values())
            kept: Counter[str] = Counter()
            for chunk, n in counts.items():
                if n > floor or (n == floor and room > 0):
                    kept[chunk] = n
                    room -= n == floor
            counts = kept
        self.counts = counts
        self.left_out += before - sum(counts.values())
