"""A tokenizer read from a file: added tokens, normaliser, pre-tokenization and encoder in a row, spans in bytes."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Final, Protocol

from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.model import Model
from tokexplorer.engine.segments import Segment
from tokexplorer.engine.splits import Split
from tokexplorer.tokenizers.added import Added, AddedMatcher
from tokexplorer.tokenizers.base import Encoded, SpecialMode
from tokexplorer.tokenizers.bulk_pairs import bulk_pairs
from tokexplorer.tokenizers.normalizing import Normaliser
from tokexplorer.tokenizers.pair_encoder import BytePairs
from tokexplorer.tokenizers.pretokenizing import Span, Stage
from tokexplorer.tokenizers.special import refuse_specials
from tokexplorer.tokenizers.tiling import Tiling

BULK: Final = 1 << 17
"""Bytes of plain text from which it pays to look for a faster way."""
SHORT: Final = 256
"""Characters up to which a chunk's tokens are remembered."""


class ChunkEncoder(Protocol):
    """Cuts one chunk into tokens; their spans may leave gaps where something has no token at all."""

    def encode(self, chunk: str) -> tuple[Segment, ...]:
        """The tokens of a chunk, in order."""


class TextEncoder(Protocol):
    """Encodes plain text of any length, without gaps."""

    def encode(self, text: bytes) -> Iterator[array[int]]:
        """The ids, in batches."""


class Joining(StrEnum):
    """How tokens become text again."""

    PLAIN = "plain"
    """their bytes one after the other"""
    SPACED = "spaced"
    """as plain, but the space that begins the text was added by the normaliser and goes"""
    WORDS = "words"
    """a space before every token that begins a word (WordPiece)"""


@dataclass(frozen=True, slots=True, eq=False)
class Merges:
    """A merge list: (left id, right id, new id) in rank order, and ids of tokens that no merge makes though they are
    neither base symbols nor special."""

    rows: tuple[tuple[int, int, int], ...] = ()
    failed: tuple[int, ...] = ()


def _no_merges() -> Merges:
    return Merges()


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What a loaded tokenizer consists of. `tokens`: id -> its bytes, added tokens included; `labels`: id -> its name
    where the bytes do not say it all; `in_bytes`: the encoder's spans count bytes of the chunk, not characters."""

    tokens: Mapping[int, bytes]
    encoder: ChunkEncoder
    in_bytes: bool
    stages: tuple[Stage, ...] = ()
    split: Split | None = None
    normaliser: Normaliser | None = None
    added: tuple[Added, ...] = ()
    labels: Mapping[int, str] = field(default_factory=dict)
    joining: Joining = Joining.PLAIN
    merges: Callable[[], Merges] = _no_merges
    bulk: TextEncoder | None = None
    """a faster way to the same ids for plain text, where there is one at hand"""
    handling: str = ""
    """`bert-uncased` or `bert-cased` where normaliser and stages are exactly BERT's"""
    remarks: tuple[str, ...] = ()


class LoadedTokenizer:
    """The parts of a tokenizer file at work. Immutable. `source`: the format that it was read from; `model`: the model
    that it was made of, where it was made of one."""

    def __init__(self, name: str, source: str, parts: Parts, model: Model | None = None) -> None:
        self._name = name
        self.source = source
        self.parts = parts
        self.model = model
        self._specials = {token.content: token.id for token in parts.added if token.special}
        self._special_ids = frozenset(self._specials.values())
        normalise = parts.normaliser.text if parts.normaliser else None
        self._before = AddedMatcher(token for token in parts.added if not token.normalized)
        self._after = AddedMatcher((token for token in parts.added if token.normalized), normalise)
        self._size = max(parts.tokens, default=-1) + 1
        self._segments_of = lru_cache(maxsize=20_000)(parts.encoder.encode)

    @property
    def name(self) -> str:
        return self._name

    @property
    def size(self) -> int:
        return self._size

    @property
    def specials(self) -> Mapping[str, int]:
        return self._specials

    @property
    def split(self) -> Split | None:
        return self.parts.split

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a user should know: guesses, what was ignored, gaps in the ids."""
        return self.parts.remarks

    @property
    def normalises(self) -> str:
        """What the normaliser does to a text before it is split, in words; empty where there is none."""
        return self.parts.normaliser.name if self.parts.normaliser else ""

    def normalise(self, text: bytes) -> bytes:
        """The text after the normaliser."""
        return to_bytes(self.parts.normaliser.text(to_text(text))) if self.parts.normaliser else text

    def encode(self, text: bytes, special: SpecialMode = SpecialMode.TEXT) -> Encoded:
        """Tokens of `text`. What is dropped on the way (white space, mostly) belongs to the token before it, at the
        start to the first one. InputError only in mode FORBID."""
        if special is SpecialMode.FORBID:
            refuse_specials(text, self._specials)
        out = Tiling()
        as_tokens = special is SpecialMode.TOKEN
        source = to_text(text)
        at = 0
        for start, end, token in self._before.cut(source, as_tokens):
            size = len(text) if start == 0 and end == len(source) else len(to_bytes(source[start:end]))
            if token >= 0:
                out.add(token, at + size)
            elif (bulk := self._bulk_for(size)) is not None:
                self._encode_bulk(bulk, text[at : at + size], out)
            else:
                self._encode_text(source[start:end], at, out, as_tokens)
            out.reach(at + size)
            at += size
        return Encoded(text, out.ids, out.ends, out.notes)

    def _bulk_for(self, size: int) -> TextEncoder | None:
        return self._bulk if self.parts.bulk is not None or size >= BULK else None

    @cached_property
    def _bulk(self) -> TextEncoder | None:
        parts = self.parts
        if parts.bulk is not None or not isinstance(parts.encoder, BytePairs):
            return parts.bulk
        if parts.normaliser is not None or any(token.normalized for token in parts.added):
            return None
        if parts.encoder.whole and self._merges.failed:
            return None
        return bulk_pairs(self._name, parts.encoder.base, self._merges.rows, parts.tokens, parts.split)

    def _encode_bulk(self, bulk: TextEncoder, text: bytes, out: Tiling) -> None:
        tokens = self.parts.tokens
        for batch in bulk.encode(text):
            ends = accumulate([len(tokens[i]) for i in batch], initial=out.end)
            next(ends)
            out.extend(batch, ends)

    def _encode_text(self, text: str, base: int, out: Tiling, as_tokens: bool) -> None:
        """Normalise one part of the text and cut it at the added tokens that are looked for only then."""
        normalised = self.parts.normaliser.apply(text) if self.parts.normaliser else None
        body = text if normalised is None else normalised.text
        start_of = (lambda n: base + n) if normalised is None else (lambda n: base + normalised.origin_start(n))
        end_of = (lambda n: base + n) if normalised is None else (lambda n: base + normalised.origin_end(n))
        at = 0
        for start, end, token in self._after.cut(body, as_tokens):
            part = body[start:end]
            size = len(to_bytes(part))
            out.reach(start_of(at))
            if token >= 0:
                out.add(token, end_of(at + size))
            else:
                self._encode_chunks(part, at, out, start_of, end_of)
            at += size

    def _encode_chunks(
        self, text: str, at: int, out: Tiling, start_of: Callable[[int], int], end_of: Callable[[int], int]
    ) -> None:
        spans: Iterable[Span] = [(0, len(text))] if text else []
        for stage in self.parts.stages:
            spans = stage(text, spans)
        seen = 0
        for start, end in spans:
            if seen < start:
                at += len(to_bytes(text[seen:start]))
                out.reach(start_of(at))
            chunk = text[start:end]
            segments = self._segments_of(chunk) if len(chunk) <= SHORT else self.parts.encoder.encode(chunk)
            size = end - start if chunk.isascii() else len(to_bytes(chunk))
            for segment in segments:
                stop = segment.end
                if not self.parts.in_bytes and size != end - start:
                    stop = len(to_bytes(chunk[:stop]))
                out.add(segment.id, end_of(at + stop), segment.unknown)
            at += size
            seen = end

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes that `ids` stand for; InputError on an id that no token has."""
        parts: list[bytes] = []
        for token in ids:
            data = self.parts.tokens.get(token)
            if data is None:
                raise InputError(f"id {token} is not assigned in {self._name} (ids go from 0 to {self._size - 1})")
            if self.parts.joining is Joining.WORDS and parts and not self._continues(token):
                parts.append(b" ")
            parts.append(data)
        text = b"".join(parts)
        return text.removeprefix(b" ") if self.parts.joining is Joining.SPACED else text

    def _continues(self, token_id: int) -> bool:
        return self.parts.labels.get(token_id, "").startswith("##")

    def token_bytes(self, token_id: int) -> bytes | None:
        """The bytes of one token, None for an id that no token has."""
        return self.parts.tokens.get(token_id)

    def label(self, token_id: int) -> str:
        """The token's name in its file where that says more than its bytes (`##ing`), else its bytes as text."""
        found = self.parts.labels.get(token_id)
        return to_text(self.parts.tokens.get(token_id, b"")) if found is None else found

    def merges(self) -> list[tuple[int, int, int]]:
        """All merges as (left id, right id, new id), in rank order; empty where the tokenizer has none."""
        return [*self._merges.rows]

    @property
    def not_merged(self) -> tuple[int, ...]:
        """Ids of tokens that no merge makes, though they are neither base symbols nor special."""
        return self._merges.failed

    @cached_property
    def _merges(self) -> Merges:
        return self.parts.merges()

    @cached_property
    def _parents(self) -> dict[int, tuple[int, int]]:
        return {new: (left, right) for left, right, new in reversed(self._merges.rows)}

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """The pair of the first merge that makes the token; None where there is none."""
        return self._parents.get(token_id)

    def is_special(self, token_id: int) -> bool:
        """Whether the id is a special token's."""
        return token_id in self._special_ids
