"""Base symbols: what a text is made of before the first merge, and the spelling of chunks as strings of symbols."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

END_MARK: Final = "</w>"
"""What ends a word in the alphabet `words` (Sennrich et al. 2016)."""

_SURROGATES: Final = 0xD800
_GAP: Final = 0x800
MAX_ID: Final = 0x10FFFF - _GAP
"""The highest token id that a symbol can stand for."""


def symbol(token_id: int) -> str:
    """The one character that stands for a token id in a word; the surrogates U+D800-DFFF are skipped."""
    return chr(token_id if token_id < _SURROGATES else token_id + _GAP)


def id_of(char: str) -> int:
    """The token id that a word's character stands for."""
    point = ord(char)
    return point if point < _SURROGATES else point - _GAP


def ids_of(word: str) -> list[int]:
    """The token ids of a word."""
    return [p if p < _SURROGATES else p - _GAP for p in map(ord, word)]


def to_bytes(text: str) -> bytes:
    """The bytes of a text that was decoded with `surrogateescape`."""
    return text.encode("utf-8", "surrogateescape")


def to_text(data: bytes) -> str:
    """Bytes as text; a byte that is not valid UTF-8 becomes one lone surrogate, so nothing is lost."""
    return data.decode("utf-8", "surrogateescape")


class AlphabetKind(StrEnum):
    """Which base symbols a tokenizer starts from."""

    BYTES = "bytes"
    CHARS = "chars"
    WORDS = "words"


@dataclass(frozen=True, slots=True, eq=False)
class Alphabet:
    """The base symbols, id by id. `labels[i]` is symbol i as text, `data[i]` its bytes (b"" for the end mark)."""

    kind: AlphabetKind
    labels: tuple[str, ...]
    data: tuple[bytes, ...]
    ids: dict[str, int]
    """character -> id; empty for bytes, where the byte's value is its id"""

    def __len__(self) -> int:
        return len(self.data)

    @property
    def end_id(self) -> int | None:
        """The id of the end mark `</w>`, None where the alphabet has none."""
        return len(self.data) - 1 if self.kind is AlphabetKind.WORDS else None

    def spell(self, chunk: str) -> str:
        """A chunk as a word: one character per base symbol. KeyError on a character that is not in the alphabet."""
        if self.kind is AlphabetKind.BYTES:
            return chunk.encode("utf-8", "surrogateescape").decode("latin-1")
        word = "".join([symbol(self.ids[c]) for c in chunk])
        return word + symbol(len(self.data) - 1) if self.kind is AlphabetKind.WORDS else word


def byte_alphabet() -> Alphabet:
    """The 256 bytes; id = byte value."""
    data = tuple(bytes([b]) for b in range(256))
    labels = tuple(chr(b) if 33 <= b <= 126 else f"<0x{b:02X}>" for b in range(256))
    return Alphabet(AlphabetKind.BYTES, labels, data, {})


def character_alphabet(chunks: Iterable[str], end_mark: bool) -> Alphabet:
    """All characters of the chunks in code point order, then `</w>` where `end_mark` is set."""
    return fixed_alphabet(sorted(set().union(*chunks)), end_mark)


def fixed_alphabet(characters: Sequence[str], end_mark: bool) -> Alphabet:
    """An alphabet of the given characters in the given order."""
    labels = tuple(characters) + ((END_MARK,) if end_mark else ())
    data = tuple(to_bytes(c) for c in characters) + ((b"",) if end_mark else ())
    kind = AlphabetKind.WORDS if end_mark else AlphabetKind.CHARS
    return Alphabet(kind, labels, data, {c: i for i, c in enumerate(characters)})


def build_alphabet(kind: AlphabetKind, chunks: Iterable[str]) -> Alphabet:
    """The alphabet of a kind for a corpus of chunks."""
    if kind is AlphabetKind.BYTES:
        return byte_alphabet()
    return character_alphabet(chunks, kind is AlphabetKind.WORDS)
