"""The tokenizer that was learned here, at any step of its training: byte or character base symbols, our own merges."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from itertools import accumulate
from typing import Final
from unicodedata import category

from tokexplorer.engine.alphabet import AlphabetKind, symbol, to_bytes, to_text
from tokexplorer.engine.encoding import encode_word
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import Split
from tokexplorer.engine.training import Vocabulary
from tokexplorer.tokenizers.base import Encoded, SpecialMode
from tokexplorer.tokenizers.bulk import BulkEncoder
from tokexplorer.tokenizers.special import cut_at_specials, refuse_specials

UNKNOWN: Final = "<unk>"
GPT_SPLITS: Final = ("gpt2", "cl100k", "o200k")
BULK: Final = 1 << 16
"""Bytes of text above which `tiktoken.Encoding` is built from our ranks, where it is known to give the same ids."""

_ASCII: Final = bytes(range(128))


Segmented = tuple[list[int], list[int], list[tuple[int, str]]]
"""Of a chunk: ids, bytes of each, unknown ones as (number, reason)."""


class LearnedTokenizer:
    """The first `steps` merges of a vocabulary. Immutable: the vocabulary only grows beyond `steps`.

    In character alphabets a character that was never seen becomes `<unk>`, whose id is one past the last token.
    In the alphabet `words` the token that ends a word also spans the white space after it, which is not encoded.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        steps: int,
        split: Split,
        specials: Mapping[str, int] | None = None,
        name: str = "",
    ) -> None:
        self.vocabulary = vocabulary
        self.steps = steps
        self._split = split
        self._specials = dict(specials or {})
        self._special_names = {i: s for s, i in self._specials.items()}
        self._name = name or f"own@{steps}"
        self._bulk: BulkEncoder | None = None
        self._ids_of_chunk = lru_cache(maxsize=20_000)(partial(_encode_chunk, vocabulary, steps))

    @property
    def name(self) -> str:
        return self._name

    @property
    def learned_size(self) -> int:
        """Base symbols and merges, without `<unk>` and special tokens."""
        return _learned_size(self.vocabulary, self.steps)

    @property
    def unknown_id(self) -> int | None:
        """The id of `<unk>`; None for bytes, where nothing is unknown."""
        return None if self.vocabulary.alphabet.kind is AlphabetKind.BYTES else self.learned_size

    @property
    def size(self) -> int:
        own = self.learned_size + (self.unknown_id is not None)
        return max(own, *(i + 1 for i in self._specials.values())) if self._specials else own

    @property
    def specials(self) -> Mapping[str, int]:
        return self._specials

    @property
    def split(self) -> Split | None:
        return self._split

    def encode(self, text: bytes, special: SpecialMode = SpecialMode.TEXT) -> Encoded:
        """Tokens of `text`; InputError only in mode FORBID."""
        if special is SpecialMode.FORBID:
            refuse_specials(text, self._specials)
        names = self._specials if special is SpecialMode.TOKEN else ()
        ids: array[int] = array("I")
        ends: array[int] = array("q")
        notes: dict[int, str] = {}
        for start, end, is_special in cut_at_specials(text, names):
            if is_special:
                ids.append(self._specials[text[start:end].decode("utf-8", "surrogateescape")])
                ends.append(end)
            else:
                self._encode_part(text[start:end], start, ids, ends, notes)
        return Encoded(text, ids, ends, notes)

    def _encode_part(self, part: bytes, base: int, ids: array[int], ends: array[int], notes: dict[int, str]) -> None:
        if len(part) > BULK and self._tiktoken_can():
            sizes = [len(d) for d in self.vocabulary.data[: self.learned_size]]
            for found in self._bulk_encoder().encode(part):
                ids.extend(found)
                ends.extend(accumulate(map(sizes.__getitem__, found), initial=base))
                del ends[-len(found) - 1]
                base = ends[-1]
            return
        text = to_text(part)
        first = len(ids)
        at = 0
        for a, b in self._split.spans(text):
            base += len(to_bytes(text[at:a]))
            if at < a and len(ids) > first:
                ends[-1] = base
            at = b
            chunk_ids, sizes_of_chunk, unknown = self._ids_of_chunk(text[a:b])
            for number, reason in unknown:
                notes[len(ids) + number] = reason
            ids.extend(chunk_ids)
            for size in sizes_of_chunk:
                base += size
                ends.append(base)
        if at < len(text) and len(ids) > first:
            ends[-1] = base + len(to_bytes(text[at:]))

    def _tiktoken_can(self) -> bool:
        """Whether tiktoken has the same base symbols and the same pattern."""
        return self.vocabulary.alphabet.kind is AlphabetKind.BYTES and self._split.name in GPT_SPLITS

    def _bulk_encoder(self) -> BulkEncoder:
        if self._bulk is None:
            import tiktoken

            ranks = {d: i for i, d in enumerate(self.vocabulary.data[: self.learned_size])}
            if len(ranks) != self.learned_size:
                raise AssertionError("two merges of one vocabulary made the same bytes")
            encoding = tiktoken.Encoding(
                self._name, pat_str=self._split.pattern, mergeable_ranks=ranks, special_tokens={}
            )
            self._bulk = BulkEncoder(encoding, ranks, self._split, _has_no_new_character)
        return self._bulk

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes of the ids; in the alphabet `words` the end mark becomes one space. InputError on unknown ids."""
        parts = []
        ends = self.vocabulary.alphabet.kind is AlphabetKind.WORDS
        for i in ids:
            data = self.token_bytes(i)
            if data is None:
                raise InputError(f"id {i} is not in the vocabulary of {self._name} (0 to {self.size - 1})")
            parts.append(data)
            if ends and i < self.learned_size and self.vocabulary.labels[i].endswith("</w>"):
                parts.append(b" ")
        return b"".join(parts)

    def token_bytes(self, token_id: int) -> bytes | None:
        """The bytes of one token, None for an id that is not assigned."""
        if 0 <= token_id < self.learned_size:
            return self.vocabulary.data[token_id]
        if token_id in self._special_names:
            return to_bytes(self._special_names[token_id])
        return UNKNOWN.encode() if token_id == self.unknown_id else None

    def label(self, token_id: int) -> str:
        """How the token is named: `est</w>`, `<unk>`."""
        if 0 <= token_id < self.learned_size:
            if self.vocabulary.alphabet.kind is AlphabetKind.BYTES:
                return to_text(self.vocabulary.data[token_id])
            return self.vocabulary.labels[token_id]
        return self._special_names.get(token_id, UNKNOWN if token_id == self.unknown_id else "")

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """The pair that was merged into the token."""
        first = len(self.vocabulary.alphabet)
        if not first <= token_id < self.learned_size:
            return None
        merge = self.vocabulary.merges[token_id - first]
        return merge.left, merge.right

    def is_special(self, token_id: int) -> bool:
        """Whether the id stands outside the merges."""
        return token_id in self._special_names or token_id == self.unknown_id


def _encode_chunk(vocabulary: Vocabulary, steps: int, chunk: str) -> Segmented:
    data = vocabulary.data
    if vocabulary.alphabet.kind is AlphabetKind.BYTES:
        ids = encode_word(vocabulary.alphabet.spell(chunk), vocabulary.merges, vocabulary.ranks, steps)
        return ids, [len(data[i]) for i in ids], []
    return _encode_characters(vocabulary, steps, chunk)


def _encode_characters(vocabulary: Vocabulary, steps: int, chunk: str) -> Segmented:
    alphabet = vocabulary.alphabet
    ids: list[int] = []
    sizes: list[int] = []
    unknown: list[tuple[int, str]] = []
    run = ""

    def flush(word: str) -> None:
        for i in encode_word(word, vocabulary.merges, vocabulary.ranks, steps):
            ids.append(i)
            sizes.append(len(vocabulary.data[i]))

    for char in chunk:
        known = alphabet.ids.get(char)
        if known is not None:
            run += symbol(known)
            continue
        flush(run)
        run = ""
        unknown.append((len(ids), f"unknown character {_point(char)}"))
        ids.append(_learned_size(vocabulary, steps))
        sizes.append(len(to_bytes(char)))
    if alphabet.end_id is not None:
        run += symbol(alphabet.end_id)
    flush(run)
    return ids, sizes, unknown


def _learned_size(vocabulary: Vocabulary, steps: int) -> int:
    return len(vocabulary.alphabet) + steps


def _has_no_new_character(text: str) -> bool:
    """Whether no character is so new that one of `regex` and tiktoken may take it for a letter and the other not."""
    return text.isascii() or all(category(c) != "Cn" for c in set(text.encode().translate(None, _ASCII).decode()))


def _point(char: str) -> str:
    return f"byte 0x{ord(char) - 0xDC00:02X}" if "\udc80" <= char <= "\udcff" else f"U+{ord(char):04X}"
