"""Why a text is cut as it is: for each chunk the branch of the split pattern, then every merge that applied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tokexplorer.analysis.branches import matching_branch
from tokexplorer.engine.alphabet import AlphabetKind, ids_of, symbol, to_bytes, to_text
from tokexplorer.engine.encoding import trace_bytes, trace_word
from tokexplorer.engine.errors import InputError
from tokexplorer.tokenizers.base import SpecialMode, Tokenizer
from tokexplorer.tokenizers.builtin import BuiltinTokenizer
from tokexplorer.tokenizers.learned import LearnedTokenizer
from tokexplorer.tokenizers.special import cut_at_specials

LONGEST_CHUNK: Final = 2000
"""Bytes of the longest chunk whose story is told: every state is as long as the chunk."""


@dataclass(frozen=True, slots=True)
class StoryStep:
    """One merge: its rank (from 0), the token that it makes, and the pieces of the chunk after it."""

    rank: int
    id: int
    left: bytes
    right: bytes
    pieces: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class ChunkStory:
    """A chunk, bytes [start, end) of the text, or a special token. `branch` numbers the alternative of the split
    pattern from 1, 0 where none is known. `pieces`: the base symbols. `note`: what the merges do not explain."""

    start: int
    end: int
    data: bytes
    pieces: tuple[bytes, ...]
    steps: tuple[StoryStep, ...] = ()
    branch: int = 0
    branch_pattern: str = ""
    special: bool = False
    note: str = ""


def tell(tokenizer: Tokenizer, text: bytes, special: SpecialMode = SpecialMode.TEXT) -> Iterator[ChunkStory]:
    """The story of each chunk of `text`, in order. InputError for a tokenizer whose merges are not known, and for a
    chunk of more than LONGEST_CHUNK bytes."""
    names = tokenizer.specials if special is SpecialMode.TOKEN else ()
    for start, end, is_special in cut_at_specials(text, names):
        part = text[start:end]
        if is_special:
            yield ChunkStory(start, end, part, (part,), special=True)
        else:
            yield from _tell_part(tokenizer, part, start)


def _tell_part(tokenizer: Tokenizer, part: bytes, base: int) -> Iterator[ChunkStory]:
    split = tokenizer.split
    if split is None:
        raise InputError(f"{tokenizer.name}: how it splits a text is not known, so there is no story to tell")
    text = to_text(part)
    at = 0
    for a, b in split.spans(text):
        base += len(to_bytes(text[at:a]))
        at = b
        data = to_bytes(text[a:b])
        if len(data) > LONGEST_CHUNK:
            raise InputError(f"the chunk at byte {base} has {len(data)} bytes; stories go up to {LONGEST_CHUNK}")
        pieces, steps, note = _tell_chunk(tokenizer, text[a:b], data)
        branch, pattern = matching_branch(split, text, a, b) or (0, "")
        yield ChunkStory(base, base + len(data), data, pieces, steps, branch, pattern, note=note)
        base += len(data)


def _tell_chunk(tokenizer: Tokenizer, chunk: str, data: bytes) -> tuple[tuple[bytes, ...], tuple[StoryStep, ...], str]:
    """(base symbols, merges, note)."""
    if isinstance(tokenizer, BuiltinTokenizer):
        return _tell_ranks(tokenizer, data)
    if isinstance(tokenizer, LearnedTokenizer):
        return _tell_learned(tokenizer, chunk)
    raise InputError(f"{tokenizer.name}: its merges are not known, so there is no story to tell")


def _tell_ranks(tokenizer: BuiltinTokenizer, data: bytes) -> tuple[tuple[bytes, ...], tuple[StoryStep, ...], str]:
    first = pieces = tuple(data[i : i + 1] for i in range(len(data)))
    steps = []
    for rank, after in trace_bytes(data, tokenizer.ranks.ids):
        at = next(i for i, (old, new) in enumerate(zip(pieces, after)) if old != new)
        steps.append(StoryStep(rank, rank, pieces[at], pieces[at + 1], after))
        pieces = after
    whole = data in tokenizer.ranks.ids and len(pieces) > 1
    return first, tuple(steps), "the whole chunk is a token, which is taken before any merge" if whole else ""


def _tell_learned(tokenizer: LearnedTokenizer, chunk: str) -> tuple[tuple[bytes, ...], tuple[StoryStep, ...], str]:
    vocabulary = tokenizer.vocabulary
    alphabet = vocabulary.alphabet
    if alphabet.kind is AlphabetKind.BYTES:
        word, labels, unknown = alphabet.spell(chunk), vocabulary.data, []
    else:
        # An unknown character stands as a symbol that no merge knows.
        labels = [to_bytes(label) for label in vocabulary.labels[: tokenizer.learned_size]]
        unknown = sorted({c for c in chunk if c not in alphabet.ids})
        known = {c: tokenizer.learned_size + n for n, c in enumerate(unknown)}
        labels += map(to_bytes, unknown)
        word = "".join(symbol(alphabet.ids.get(c, known.get(c, 0))) for c in chunk)
        word += symbol(alphabet.end_id) if alphabet.end_id is not None else ""
    steps = tuple(
        StoryStep(t.rank, t.new, labels[t.left], labels[t.right], tuple(labels[i] for i in t.ids))
        for t in trace_word(word, vocabulary.merges, vocabulary.ranks, tokenizer.steps)
    )
    note = f"not in the alphabet: {' '.join(unknown)}" if unknown else ""
    return tuple(labels[i] for i in ids_of(word)), steps, note
