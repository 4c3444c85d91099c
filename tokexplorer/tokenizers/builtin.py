"""The embedded tokenizers: OpenAI's encodings from the data in this package, with no network and no cache folder."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate, islice
from typing import Final

from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import Split, named
from tokexplorer.tokenizers.base import Encoded, SpecialMode
from tokexplorer.tokenizers.bulk import BulkEncoder
from tokexplorer.tokenizers.names import DEFINITIONS, Definition, find, models, names, resolve
from tokexplorer.tokenizers.ranks import Ranks, load_ranks
from tokexplorer.tokenizers.special import cut_at_specials, refuse_specials

__all__ = ["BuiltinTokenizer", "find", "load", "models", "names", "resolve"]

_LOCK: Final = threading.RLock()
_BLOCK: Final = 1 << 14
"""Ids decoded at once: `bytes.join` takes 80 bytes of memory for each of its parts."""


class BuiltinTokenizer:
    """One of OpenAI's encodings. Nothing is loaded until it is needed: the vocabulary with the first token that is
    looked up, tiktoken with the first text that is encoded. Safe from any thread."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self._split = named(definition.split)
        # Where an id has two names (200018 in o200k_harmony) the first one is its name.
        self._special_names = {i: text for text, i in reversed([*definition.specials.items()])}
        self._ranks: Ranks | None = None
        self._table: list[bytes | None] = []
        self._sizes: array[int] = array("H")
        self._encoder: BulkEncoder | None = None

    @property
    def name(self) -> str:
        return self._definition.name

    @property
    def size(self) -> int:
        return self._definition.size

    @property
    def specials(self) -> Mapping[str, int]:
        return self._definition.specials

    @property
    def split(self) -> Split:
        return self._split

    @property
    def ranks(self) -> Ranks:
        """The vocabulary without the special tokens; read at the first use."""
        if self._ranks is None:
            self._ranks = load_ranks(self._definition.ranks)
        return self._ranks

    def encode(self, text: bytes, special: SpecialMode = SpecialMode.TEXT) -> Encoded:
        """Tokens of `text`, the ids of tiktoken's own encoder; bytes that are not valid UTF-8 are kept, each counts as
        a character that is neither letter, number nor space. InputError only in mode FORBID."""
        if special is SpecialMode.FORBID:
            refuse_specials(text, self.specials)
        encoder, sizes = self._loaded_encoder(), self._loaded_sizes()
        ids, ends = array("I"), array("q")
        for start, end, is_special in cut_at_specials(text, self.specials if special is SpecialMode.TOKEN else ()):
            if is_special:
                ids.append(self.specials[text[start:end].decode()])
                ends.append(end)
                continue
            for batch in encoder.encode(text[start:end]):
                ids.extend(batch)
                ends.extend(islice(accumulate(map(sizes.__getitem__, batch), initial=start), 1, None))
                start = ends[-1]
        return Encoded(text, ids, ends)

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes that `ids` stand for; InputError names the first id that stands for none."""
        table = self._loaded_table()
        text = bytearray()
        for at in range(0, len(ids), _BLOCK):
            parts = [table[i] if 0 <= i < len(table) else None for i in ids[at : at + _BLOCK]]
            known = [part for part in parts if part is not None]
            if len(known) < len(parts):
                raise InputError(self._why_not(ids[at + parts.index(None)]))
            text += b"".join(known)
        return bytes(text)

    def _why_not(self, token_id: int) -> str:
        if 0 <= token_id < self.size:
            return f"id {token_id} is not assigned in {self.name}: no token has it"
        return f"id {token_id} is out of range: the ids of {self.name} go from 0 to {self.size - 1}"

    def token_bytes(self, token_id: int) -> bytes | None:
        """The bytes of one token, None for an id that is unassigned or out of range."""
        return self._loaded_table()[token_id] if 0 <= token_id < self.size else None

    def label(self, token_id: int) -> str:
        """The token's text (a byte that is not valid UTF-8 as a lone surrogate); empty for an unassigned id."""
        return to_text(self.token_bytes(token_id) or b"")

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """The pair that the token was merged from; None for single bytes, special tokens and unassigned ids. OpenAI
        publishes ranks only: the pairs were recovered (parents.py), which succeeds for every token."""
        return self.ranks.pair(token_id)

    def merges(self) -> list[tuple[int, int, int]]:
        """All merges as (left id, right id, new id), in rank order."""
        return self.ranks.merges()

    def is_special(self, token_id: int) -> bool:
        """Whether the id stands outside the merges."""
        return token_id in self._special_names

    def _loaded_table(self) -> list[bytes | None]:
        if not self._table:
            table = [*self.ranks.tokens]
            table += [None] * (self.size - len(table))
            for token_id, text in self._special_names.items():
                table[token_id] = to_bytes(text)
            self._table = table
        return self._table

    def _loaded_sizes(self) -> array[int]:
        if not self._sizes:
            self._sizes = array("H", [len(data or b"") for data in self._loaded_table()])
        return self._sizes

    def _loaded_encoder(self) -> BulkEncoder:
        with _LOCK:
            if self._encoder is None:
                import tiktoken

                ranks = self.ranks.ids
                encoding = tiktoken.Encoding(
                    self.name,
                    pat_str=self._split.pattern,
                    mergeable_ranks=ranks,
                    special_tokens=dict(self.specials),
                )
                self._encoder = BulkEncoder(encoding, ranks, self._split)
            return self._encoder


def load(name: str) -> BuiltinTokenizer:
    """The embedded tokenizer of an encoding's or a model's name, always the same object; cheap, since its data come
    with the first use. UsageError on an unknown name."""
    encoding = resolve(name)
    with _LOCK:
        return _tokenizer(encoding)


@cache
def _tokenizer(encoding: str) -> BuiltinTokenizer:
    return BuiltinTokenizer(DEFINITIONS[encoding])
