"""Why a text is cut as it is: for each chunk the branch of the split pattern, then every merge that applied."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tokexplorer.analysis.branches import matching_branch
from tokexplorer.engine.alphabet import MAX_ID, AlphabetKind, ids_of, symbol, to_bytes, to_text
from tokexplorer.engine.baselines import BaselineModel
from tokexplorer.engine.encoding import trace_bytes, trace_word
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.merge_encoder import UNKNOWN_SYMBOL, MergeEncoder
from tokexplorer.engine.unigram import UnigramModel
from tokexplorer.engine.wordpiece import WordPieceModel
from tokexplorer.tokenizers.base import SpecialMode, Tokenizer
from tokexplorer.tokenizers.builtin import BuiltinTokenizer
from tokexplorer.tokenizers.learned import LearnedTokenizer
from tokexplorer.tokenizers.loaded import LoadedTokenizer
from tokexplorer.tokenizers.pair_encoder import BytePairs, CharacterPairs, RankedBytes
from tokexplorer.tokenizers.special import cut_at_specials
from tokexplorer.tokenizers.trained import TrainedTokenizer

LONGEST_CHUNK: Final = 2000
"""Bytes of the longest chunk whose story is told: every state is as long as the chunk."""
WHOLE: Final = "the whole chunk is a token, which is taken before any merge"


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
    """A chunk, bytes [start, end) of the story's text, or a special token.

    `pieces`: the base symbols; the last step's are the tokens. `branch` numbers the alternative of the split pattern
    from 1, 0 where none is known. `note`: what the merges do not tell; `tokens` is then what came out, else empty.
    """

    start: int
    end: int
    data: bytes
    pieces: tuple[bytes, ...]
    steps: tuple[StoryStep, ...] = ()
    branch: int = 0
    branch_pattern: str = ""
    special: bool = False
    note: str = ""
    tokens: tuple[bytes, ...] = ()

    @property
    def result(self) -> tuple[bytes, ...]:
        """What came out."""
        return self.tokens or (self.steps[-1].pieces if self.steps else self.pieces)


@dataclass(frozen=True, slots=True)
class Story:
    """`text` is what was cut: the text that was asked for, or what the tokenizer's normaliser made of it."""

    text: bytes
    normalised: bool
    chunks: tuple[ChunkStory, ...]


Told = tuple[Sequence[bytes], tuple[StoryStep, ...], str, Sequence[bytes]]
"""(base symbols, merges, note, tokens where the note explains them)"""


def tell(tokenizer: Tokenizer, text: bytes, special: SpecialMode = SpecialMode.TEXT) -> Story:
    """The story of a text. InputError for a tokenizer of which it is not known how it merges, for a chunk of more than
    LONGEST_CHUNK bytes, and where the story would not end in what `encode` gives."""
    count = len(tokenizer.encode(text, special))
    normalise = getattr(tokenizer, "normalise", None)
    body = normalise(text) if normalise is not None else text
    chunks: list[ChunkStory] = []
    for start, end, is_special in cut_at_specials(body, tokenizer.specials if special is SpecialMode.TOKEN else ()):
        part = body[start:end]
        if is_special:
            chunks.append(ChunkStory(start, end, part, (part,), special=True))
        else:
            chunks += _tell_part(tokenizer, part, start)
    if sum(len(chunk.result) for chunk in chunks) != count:
        raise InputError(f"{tokenizer.name} cuts this text in a way that cannot be told merge by merge")
    return Story(body, body != text, tuple(chunks))


def tell_at(
    tokenizer: Tokenizer, text: bytes, offset: int, special: SpecialMode = SpecialMode.TEXT
) -> tuple[ChunkStory, int] | None:
    """The story of the chunk that holds byte `offset` of a text (what the split leaves out belongs to the chunk before
    it), and which of its tokens that byte is in; None where there is no chunk. InputError as `tell`, and for a
    tokenizer that changes the text before it cuts it."""
    normalise = getattr(tokenizer, "normalise", None)
    if normalise is not None and normalise(text) != text:
        raise InputError(f"{tokenizer.name} changes this text before it is cut: its story is told of the whole text")
    found: tuple[str, int, int, int] | None = None
    for start, end, is_special in cut_at_specials(text, tokenizer.specials if special is SpecialMode.TOKEN else ()):
        part = text[start:end]
        if is_special:
            if start <= offset < end:
                return ChunkStory(start, end, part, (part,), special=True), 0
            continue
        source = to_text(part)
        for base, a, b in _places(tokenizer, source, start):
            if base > offset:
                break
            found = source, a, b, base
    if found is None:
        return None
    chunk = _tell_chunk(tokenizer, _teller(tokenizer), *found)
    ends = tokenizer.encode(text, special).ends
    number = bisect_right(ends, offset) - bisect_right(ends, chunk.start)
    return chunk, min(max(0, number), len(chunk.result) - 1)


def _tell_part(tokenizer: Tokenizer, part: bytes, start: int) -> Iterator[ChunkStory]:
    tell_chunk = _teller(tokenizer)
    text = to_text(part)
    for base, a, b in _places(tokenizer, text, start):
        yield _tell_chunk(tokenizer, tell_chunk, text, a, b, base)


def _places(tokenizer: Tokenizer, text: str, base: int) -> Iterator[tuple[int, int, int]]:
    """The chunks of a text: the byte at which each begins, and its span in characters."""
    at = 0
    for a, b in _spans(tokenizer, text):
        base += len(to_bytes(text[at:a]))
        yield base, a, b
        base += len(to_bytes(text[a:b]))
        at = b


def _tell_chunk(
    tokenizer: Tokenizer, tell_chunk: Callable[[str], Told], text: str, a: int, b: int, base: int
) -> ChunkStory:
    data = to_bytes(text[a:b])
    if len(data) > LONGEST_CHUNK:
        raise InputError(f"the chunk at byte {base} has {len(data)} bytes; stories go up to {LONGEST_CHUNK}")
    pieces, steps, note, tokens = tell_chunk(text[a:b])
    found = matching_branch(tokenizer.split, text, a, b) if tokenizer.split is not None else None
    branch, pattern = found or (0, "")
    end = base + len(data)
    return ChunkStory(base, end, data, tuple(pieces), steps, branch, pattern, note=note, tokens=tuple(tokens))


def _spans(tokenizer: Tokenizer, text: str) -> Iterator[tuple[int, int]]:
    """The chunks of a text, in characters."""
    if isinstance(tokenizer, LoadedTokenizer):
        spans: Iterator[tuple[int, int]] = iter([(0, len(text))] if text else [])
        for stage in tokenizer.parts.stages:
            spans = stage(text, spans)
        return spans
    if tokenizer.split is None:
        raise InputError(f"{tokenizer.name}: how it splits a text is not known, so there is no story to tell")
    return tokenizer.split.spans(text)


def _teller(tokenizer: Tokenizer) -> Callable[[str], Told]:
    """What tells the story of one chunk."""
    if isinstance(tokenizer, BuiltinTokenizer):
        ids = tokenizer.ranks.ids
        return lambda chunk: _tell_ranks(to_bytes(chunk), ids)
    if isinstance(tokenizer, LearnedTokenizer):
        return lambda chunk: _tell_learned(tokenizer, chunk)
    if isinstance(tokenizer, TrainedTokenizer):
        trained = tokenizer.encoder
        if isinstance(trained, MergeEncoder):
            return lambda chunk: _tell_listed(tokenizer, trained, chunk)
        if isinstance(trained, WordPieceModel | UnigramModel | BaselineModel):
            return lambda chunk: _tell_pieces(tokenizer, trained, chunk)
    encoder = tokenizer.parts.encoder if isinstance(tokenizer, LoadedTokenizer) else None
    if isinstance(encoder, RankedBytes):
        ranks = dict(encoder.ranks)
        return lambda chunk: _tell_ranks(to_bytes(chunk), ranks)
    if isinstance(encoder, BytePairs | CharacterPairs):
        return lambda chunk: _tell_pairs(tokenizer, encoder, chunk)
    if isinstance(encoder, WordPieceModel | UnigramModel):
        return lambda chunk: _tell_pieces(tokenizer, encoder, chunk)
    raise InputError(f"{tokenizer.name}: its merges are not known, so there is no story to tell")


def _tell_ranks(data: bytes, ids: dict[bytes, int]) -> Told:
    first = pieces = tuple(data[i : i + 1] for i in range(len(data)))
    steps = []
    for rank, after in trace_bytes(data, ids):
        at = next(i for i, (old, new) in enumerate(zip(pieces, after)) if old != new)
        steps.append(StoryStep(rank, rank, pieces[at], pieces[at + 1], after))
        pieces = after
    if data in ids and len(pieces) > 1:
        return first, tuple(steps), WHOLE, (data,)
    return first, tuple(steps), "", ()


def _tell_learned(tokenizer: LearnedTokenizer, chunk: str) -> Told:
    vocabulary = tokenizer.vocabulary
    alphabet = vocabulary.alphabet
    unknown: list[str] = []
    if alphabet.kind is AlphabetKind.BYTES:
        word, labels = alphabet.spell(chunk), vocabulary.data
    else:
        # An unknown character stands as a symbol that no merge knows.
        labels = [to_bytes(label) for label in vocabulary.labels[: tokenizer.learned_size]]
        unknown = sorted({c for c in chunk if c not in alphabet.ids})
        stand_ins = {c: tokenizer.learned_size + n for n, c in enumerate(unknown)}
        labels += map(to_bytes, unknown)
        word = "".join(symbol({**stand_ins, **alphabet.ids}[c]) for c in chunk)
        word += symbol(alphabet.end_id) if alphabet.end_id is not None else ""
    steps = tuple(
        StoryStep(t.rank, t.new, labels[t.left], labels[t.right], tuple(labels[i] for i in t.ids))
        for t in trace_word(word, vocabulary.merges, vocabulary.ranks, tokenizer.steps)
    )
    note = f"not in the alphabet: {' '.join(unknown)}" if unknown else ""
    return [labels[i] for i in ids_of(word)], steps, note, ()


def _tell_listed(tokenizer: TrainedTokenizer, encoder: MergeEncoder, chunk: str) -> Told:
    """Merges of a list that is being replayed; unknown symbols stand as symbols that no merge knows."""
    word = encoder.spell(chunk)
    unknown: list[str] = []
    if UNKNOWN_SYMBOL in word:  # then its symbols are characters
        unknown = sorted({char for char, known in zip(chunk, word) if known == UNKNOWN_SYMBOL})

    def label(token_id: int) -> bytes:
        if token_id == MAX_ID:
            return to_bytes(tokenizer.label(tokenizer.tokens.unknown_id or 0))
        own = tokenizer.label(token_id)
        return to_bytes(own) if tokenizer.tokens.mark else tokenizer.token_bytes(token_id) or b""

    steps = tuple(
        StoryStep(t.rank, t.new, label(t.left), label(t.right), tuple(map(label, t.ids)))
        for t in trace_word(word, encoder.rows, encoder.ranks, encoder.limit)
    )
    note = f"not in the alphabet: {' '.join(unknown)}" if unknown else ""
    return [label(i) for i in ids_of(word)], steps, note, ()


def _tell_pairs(tokenizer: Tokenizer, encoder: BytePairs | CharacterPairs, chunk: str) -> Told:
    """Merges by an explicit list of pairs: the lowest rank first, of equal ones the leftmost, one place at a time."""
    if isinstance(encoder, BytePairs):
        whole = encoder.whole.get(to_bytes(chunk))
        symbols = replace(encoder, ranks={}, whole={}).encode(chunk)
    else:
        whole = encoder.whole.get(chunk)
        symbols = replace(encoder, ranks={}, whole={}).encode(chunk)
    note = "; ".join(dict.fromkeys(segment.unknown for segment in symbols if segment.unknown))
    ids = [segment.id for segment in symbols]

    def label(token_id: int) -> bytes:
        return to_bytes(tokenizer.label(token_id))

    first = [label(i) for i in ids]
    steps: list[StoryStep] = []
    while whole is None:
        found = [(encoder.ranks[p], at) for at, p in enumerate(itertools.pairwise(ids)) if p in encoder.ranks]
        if not found:
            break
        (rank, new), at = min(found)
        left, right = ids[at : at + 2]
        ids[at : at + 2] = [new]
        steps.append(StoryStep(rank, new, label(left), label(right), tuple(label(i) for i in ids)))
    if whole is not None and len(first) > 1:
        return first, (), WHOLE, (label(whole),)
    return first, tuple(steps), note, ()


def _tell_pieces(
    tokenizer: Tokenizer, encoder: WordPieceModel | UnigramModel | BaselineModel, chunk: str
) -> Told:
    segments = encoder.encode(chunk)
    tokens = [to_bytes(tokenizer.label(segment.id)) for segment in segments]
    rule = "the most probable way to cut the chunk into pieces"
    if isinstance(encoder, WordPieceModel):
        rule = "from the left, the longest piece that fits, again and again"
    elif isinstance(encoder, BaselineModel):
        rule = "each character is a token" if encoder.by_character else "the chunk as a whole is a token"
    unknown = dict.fromkeys(segment.unknown for segment in segments if segment.unknown)
    return [to_bytes(c) for c in chunk], (), "; ".join([rule, *unknown]), tokens
