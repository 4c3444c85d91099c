"""Encoding a chunk with a list of merges in the order learned, and the trace of every state on the way."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tokexplorer.engine.alphabet import ids_of, symbol
from tokexplorer.engine.training import Merge

LONG: Final = 512
"""Symbols above which a chunk is encoded merge by merge over the whole string instead of rank by rank."""


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One merge applied inside a chunk: its rank, the pair and the new id, and the ids of the chunk after it."""

    rank: int
    left: int
    right: int
    new: int
    ids: tuple[int, ...]


def encode_word(word: str, merges: Sequence[Merge], ranks: Mapping[tuple[int, int], int], limit: int) -> list[int]:
    """The ids of a word (a string of base symbols) after the first `limit` merges.

    The lowest-ranked pair is merged everywhere in the word, again and again (Sennrich et al. 2016): the same as
    applying the merges in the order learned.
    """
    if len(word) > LONG:
        return ids_of(_encode_long(word, merges, limit))
    ids = ids_of(word)
    while len(ids) > 1:
        best = min((ranks.get(pair, limit) for pair in itertools.pairwise(ids)), default=limit)
        if best >= limit:
            break
        merge = merges[best]
        ids = _replace(ids, merge.left, merge.right, merge.new)
    return ids


def _encode_long(word: str, merges: Sequence[Merge], limit: int) -> str:
    present = set(map(str.__add__, word, word[1:]))
    for merge in merges[:limit]:
        left, right = symbol(merge.left), symbol(merge.right)
        if left + right not in present:
            continue
        new = symbol(merge.new)
        word = word.replace(left + right, new)
        present = _with_new(word, new, present)
    return word


def _with_new(word: str, new: str, present: set[str]) -> set[str]:
    """The pairs seen so far and those with the symbol `new`; pairs that are gone may stay in it."""
    parts = word.split(new)
    present.update(part[-1] + new for part in parts[:-1] if part)
    present.update(new + part[0] for part in parts[1:] if part)
    if any(not part for part in parts[1:-1]):
        present.add(new + new)
    return present


def _replace(ids: list[int], left: int, right: int, new: int) -> list[int]:
    out: list[int] = []
    at, end = 0, len(ids)
    while at < end:
        if ids[at] == left and at + 1 < end and ids[at + 1] == right:
            out.append(new)
            at += 2
        else:
            out.append(ids[at])
            at += 1
    return out


def trace_word(
    word: str, merges: Sequence[Merge], ranks: Mapping[tuple[int, int], int], limit: int
) -> tuple[TraceStep, ...]:
    """Each merge that applies inside a word, in order, with the state after it."""
    ids = ids_of(word)
    steps: list[TraceStep] = []
    while len(ids) > 1:
        best = min((ranks.get(pair, limit) for pair in itertools.pairwise(ids)), default=limit)
        if best >= limit:
            break
        merge = merges[best]
        ids = _replace(ids, merge.left, merge.right, merge.new)
        steps.append(TraceStep(best, merge.left, merge.right, merge.new, tuple(ids)))
    return tuple(steps)


def trace_bytes(data: bytes, ranks: Mapping[bytes, int]) -> tuple[tuple[int, tuple[bytes, ...]], ...]:
    """The same for a vocabulary known by ranks of bytes alone (tiktoken's): at each state the adjacent two pieces
    whose joined bytes have the lowest rank are joined, the leftmost first. Rows are (rank, pieces after it)."""
    parts = [data[i : i + 1] for i in range(len(data))]
    steps: list[tuple[int, tuple[bytes, ...]]] = []
    while len(parts) > 1:
        found = [(ranks[a + b], i) for i, (a, b) in enumerate(itertools.pairwise(parts)) if a + b in ranks]
        if not found:
            break
        rank, at = min(found)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        steps.append((rank, tuple(parts)))
    return tuple(steps)
