"""The tokenizer protocol and its values: a token with its byte span, an encoded text, the special-token mode."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

from tokexplorer.engine.splits import Split


class SpecialMode(StrEnum):
    """What special strings inside a text become."""

    TEXT = "text"
    """ordinary text, encoded like any other (the safe default)"""
    TOKEN = "token"
    """their special token (a user's text can then smuggle control tokens)"""
    FORBID = "forbid"
    """an InputError naming the string and its place"""


@dataclass(frozen=True, slots=True)
class Token:
    """One token of an encoded text: its id, its own bytes, and the span [start, end) in bytes of the text."""

    id: int
    data: bytes
    start: int
    end: int
    note: str = ""
    """why it is not an ordinary token, e.g. `unknown character U+00E9`; empty for ordinary tokens"""


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """An encoded text, compact: token i has id `ids[i]` and spans bytes [ends[i-1], ends[i]) of `text`.

    The spans tile the text. `notes` maps a token's index to the reason why it is not ordinary (unknown and such).
    """

    text: bytes
    ids: Sequence[int]
    ends: array[int]
    notes: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def start(self, index: int) -> int:
        """The byte offset at which token `index` starts."""
        return self.ends[index - 1] if index else 0

    def token(self, index: int, data: bytes | None = None) -> Token:
        """Token `index`; `data` is its own bytes where they differ from its span's (special, unknown)."""
        start, end = self.start(index), self.ends[index]
        own = self.text[start:end] if data is None else data
        return Token(self.ids[index], own, start, end, self.notes.get(index, ""))

    def __iter__(self) -> Iterator[Token]:
        return (self.token(i) for i in range(len(self.ids)))


@runtime_checkable
class Tokenizer(Protocol):
    """What every tokenizer can do. Texts are bytes, which need not be valid UTF-8."""

    @property
    def name(self) -> str:
        """Short display name: `gpt2`, `cl100k_base`, `own@137`, or a file's name."""

    @property
    def size(self) -> int:
        """Highest id + 1, special tokens and unassigned ids included."""

    @property
    def specials(self) -> Mapping[str, int]:
        """Special token text -> id."""

    @property
    def split(self) -> Split | None:
        """The pre-tokenization, or None where there is none or where it is not known."""

    def encode(self, text: bytes, special: SpecialMode = SpecialMode.TEXT) -> Encoded:
        """Tokens of `text`; raises InputError only in mode FORBID."""

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes that `ids` stand for; raises InputError on an id that is not in the vocabulary."""

    def token_bytes(self, token_id: int) -> bytes | None:
        """The bytes of one token, None for an unassigned id. Special tokens give their text in UTF-8."""

    def label(self, token_id: int) -> str:
        """How the token is named where bytes alone do not say it all: `est</w>`, `##ing`, `<|endoftext|>`."""

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """The two ids that the token was merged from; None for base symbols, specials and where unknown."""

    def is_special(self, token_id: int) -> bool:
        """Whether the id stands outside the merges."""
