"""Whether any valid text yields a token: a text that does, a proof that none does, or how much was tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Final

from tokexplorer.analysis import utf8
from tokexplorer.analysis.chunk_language import chunk_language
from tokexplorer.analysis.neighbours import Neighbours, Side
from tokexplorer.analysis.progress import Progress, ShouldStop, report
from tokexplorer.analysis.reachability import Sweep

POOL: Final = 1_000_000
"""texts that one search may encode before it gives each further token no more than LEAST_TRIES"""
MOST_TRIES: Final = 20_000
"""texts that may be encoded for one token"""
LEAST_TRIES: Final = 200
SPREAD: Final = 500
"""completions on one side of a token that are tried where the merges are not known"""
_LIKELY: Final = ("a", "x", " ", ".", "1", "\n", "A", "s", "#", "re", "ve", "ll")
_OTHERS: Final = ("\r\n", "\t", "  ", "\n\n", "é", "я", "ا", "中", "あ", "한", "😀")
_SIDES: Final = tuple(dict.fromkeys((*_LIKELY, *map(chr, range(33, 127)), *_OTHERS)))
"""what is put before and after a token whose own text does not yield it"""


class Verdict(StrEnum):
    """What is known of a token."""

    ALONE = "alone"
    """its own text yields it"""
    INSIDE = "inside"
    """a longer text yields it; `text` is one"""
    NEVER = "never"
    """no valid text yields it, which is proved"""
    NOT_FOUND = "not found"
    """no text was found, which proves nothing"""


class Proof(StrEnum):
    """Why no valid text yields a token."""

    NONE = ""
    BYTES = "no valid UTF-8 holds these bytes"
    OWN_MERGES = "its own bytes do not merge back to it, so they do so nowhere"
    NEIGHBOURS = "no token can stand beside it that completes its cut characters without merging otherwise"
    SPLIT = "the split pattern always cuts inside it"
    COMPLETIONS = "every completion of its cut characters is either merged otherwise or cut by the split pattern"


@dataclass(frozen=True, slots=True)
class Emission:
    """The verdict on one token. `text` yields it as the token at byte `start`; `tried` counts the texts encoded."""

    id: int
    verdict: Verdict
    text: bytes = b""
    start: int = 0
    proof: Proof = Proof.NONE
    tried: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Emissions:
    """The verdicts on all tokens that their own text may not yield; every other ordinary token is `alone`."""

    tokenizer: str
    found: Mapping[int, Emission] = field(repr=False)
    never: tuple[int, ...]
    not_found: tuple[int, ...]

    def of(self, token_id: int) -> Emission:
        """The verdict on an ordinary token."""
        return self.found.get(token_id) or Emission(token_id, Verdict.ALONE)


def find_emissions(
    swept: Sweep, on_progress: Progress | None = None, should_stop: ShouldStop | None = None
) -> Emissions:
    """Look for a valid text that yields each token which its own text does not; progress counts such tokens.

    Whatever text is named was encoded by the tokenizer itself and holds the token. Proofs rest on two facts of BPE:
    tokens stand in an encoding exactly where each two neighbours may stand side by side (MergeTable.side_by_side),
    and a cut character lies within one chunk, which the split pattern must be able to make. Raises Cancelled when
    `should_stop` says so.
    """
    doubtful = sorted({*swept.partial, *swept.unreachable, *swept.split_alone})
    search = _Search(swept)
    found: dict[int, Emission] = {}
    for number, token_id in enumerate(doubtful):
        report(number, len(doubtful), on_progress, should_stop)
        found[token_id] = search.verdict(token_id)
    report(len(doubtful), len(doubtful), on_progress, should_stop)
    by = {v: tuple(i for i, e in found.items() if e.verdict is v) for v in (Verdict.NEVER, Verdict.NOT_FOUND)}
    return Emissions(swept.tokenizer.name, found, by[Verdict.NEVER], by[Verdict.NOT_FOUND])


def find_emission(swept: Sweep, token_id: int) -> Emission:
    """The verdict on one ordinary token, as `find_emissions` gives it."""
    if not any(token_id in ids for ids in (swept.partial, swept.unreachable, swept.split_alone)):
        return Emission(token_id, Verdict.ALONE)
    return _Search(swept).verdict(token_id)


class _Search:
    """The search for texts that yield a token, one token after the other."""

    def __init__(self, swept: Sweep) -> None:
        self.swept = swept
        self.encode = swept.tokenizer.encode
        self.merges = len(swept.table) > 0 and swept.table.ordered
        self.unreachable = frozenset(swept.unreachable)
        self.partial = frozenset(swept.partial)
        self.neighbours = Neighbours(swept)
        split = swept.tokenizer.split
        self.language = None if split is None else chunk_language(split)
        self.pool = POOL
        self.limit = self.tried = 0

    def verdict(self, token_id: int) -> Emission:
        self.pool -= self.tried
        self.limit = max(LEAST_TRIES, min(MOST_TRIES, self.pool))
        self.tried = 0
        data = self.swept.data[token_id] or b""
        passages = utf8.passages(data)
        if not passages:
            return Emission(token_id, Verdict.NEVER, proof=Proof.BYTES)
        if token_id in self.partial:
            return self.cut_inside_a_character(token_id, data, passages)
        return self.whole_text(token_id, data)

    def try_text(self, token_id: int, text: bytes) -> Emission | None:
        """Encode one text; the verdict where it yields the token."""
        self.tried += 1
        encoded = self.encode(text)
        for index, own in enumerate(encoded.ids):
            if own == token_id:
                verdict = Verdict.ALONE if len(encoded) == 1 else Verdict.INSIDE
                return Emission(token_id, verdict, text, encoded.start(index), tried=self.tried)
        return None

    def try_all(self, token_id: int, texts: Iterable[bytes]) -> Emission | None:
        """Encode texts until one yields the token or the tries are used up."""
        tries = islice(texts, max(self.limit - self.tried, 0))
        return next((found for text in tries if (found := self.try_text(token_id, text))), None)

    def never(self, token_id: int, proof: Proof) -> Emission:
        return Emission(token_id, Verdict.NEVER, proof=proof, tried=self.tried)

    def not_found(self, token_id: int) -> Emission:
        return Emission(token_id, Verdict.NOT_FOUND, tried=self.tried)

    def may_hold(self, text: bytes) -> bool:
        """False where the split pattern cuts the text in every context."""
        return self.language is None or self.language.may_hold(text.decode())

    def whole_text(self, token_id: int, data: bytes) -> Emission:
        """A token that is valid text, but is cut by the split or not reached by its merges."""
        found = self.try_text(token_id, data)
        if found is not None:
            return found
        if not self.may_hold(data):
            return self.never(token_id, Proof.SPLIT)
        found = self.try_all(token_id, _surroundings(data))
        if found is not None:
            return found
        if self.merged_elsewhere(token_id):
            return self.never(token_id, Proof.OWN_MERGES)
        return self.not_found(token_id)

    def merged_elsewhere(self, token_id: int) -> bool:
        """Whether the token has a merge, but its own bytes merge otherwise."""
        return self.merges and token_id in self.unreachable and self.swept.table.parents(token_id) is not None

    def cut_inside_a_character(self, token_id: int, data: bytes, passages: Mapping[int, int]) -> Emission:
        """A token that is not text alone: complete its cut characters in all ways that the merges allow."""
        if self.merged_elsewhere(token_id):
            return self.never(token_id, Proof.OWN_MERGES)
        needed: list[bytes] = []
        completions = self.completions(token_id, data, passages, needed)
        found = self.try_all(token_id, completions)
        if found is not None:
            return found
        proves = self.merges and next(completions, None) is None
        if proves and not needed:
            return self.never(token_id, Proof.NEIGHBOURS)
        open_texts = [text for text in dict.fromkeys(needed) if self.may_hold(text)]
        if proves and not open_texts:
            return self.never(token_id, Proof.COMPLETIONS)
        self.limit += self.tried
        around = (text for own in open_texts for text in _surroundings(own))
        return self.try_all(token_id, around) or self.not_found(token_id)

    def completions(
        self, token_id: int, data: bytes, passages: Mapping[int, int], needed: list[bytes]
    ) -> Iterator[bytes]:
        """Valid texts that hold the token's bytes: all that the merges may leave it in, up to character borders.
        Without known merges: some hundreds, evenly spread over all completions there are. The part of each that
        holds the token and its completed characters is put into `needed`."""
        for before, after in passages.items():
            if self.merges:
                starts, ends = self.neighbours.before(token_id, before), self.neighbours.after(token_id, after)
            else:
                starts, ends = _spread(utf8.beginnings(before)), _spread(utf8.completions(after))
            for start, end in _pairs(starts, ends):
                needed.append(start.needed + data + end.needed)
                yield start.text + data + end.text


def _spread(texts: Sequence[bytes]) -> Iterator[Side]:
    return (Side(text, text) for text in texts[:: len(texts) // SPREAD + 1])


def _pairs(starts: Iterator[Side], ends: Iterator[Side]) -> Iterator[tuple[Side, Side]]:
    """All pairs of a start and an end; those of early starts and early ends first."""
    known_starts: list[Side] = []
    known_ends: list[Side] = []
    while True:
        start, end = next(starts, None), next(ends, None)
        if start is None and end is None:
            return
        if start is not None:
            yield from ((start, other) for other in known_ends)
            known_starts.append(start)
        if end is not None:
            yield from ((other, end) for other in known_starts)
            known_ends.append(end)


def _surroundings(data: bytes) -> Iterator[bytes]:
    """The text with something after it or before it, then on both sides."""
    sides = [side.encode() for side in _SIDES]
    yield from (text for side in sides for text in (data + side, side + data))
    yield from (before + data + after for before in sides for after in sides)
