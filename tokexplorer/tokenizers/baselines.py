"""Two plain baselines beside the real tokenizers: every character a token, and every word of a corpus a token."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, islice
from typing import Final

from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.engine.corpus import byte_spans
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import Split, named
from tokexplorer.tokenizers.base import Encoded, SpecialMode
from tokexplorer.tokenizers.special import cut_at_specials, refuse_specials

UNKNOWN: Final = "<|unk|>"
_POINTS: Final = 0x110000


class CharacterTokenizer:
    """Every character is a token, its id the code point. A byte that is no part of valid UTF-8 is a token of its own,
    with the id of the lone surrogate that stands for it (U+DC80 to U+DCFF)."""

    name: Final = "characters"
    size: Final = _POINTS
    specials: Final[Mapping[str, int]] = {}
    split: Final[Split | None] = None

    def encode(self, text: bytes, special: SpecialMode = SpecialMode.TEXT) -> Encoded:
        """The characters of `text`; there are no special tokens, so the mode changes nothing."""
        decoded = to_text(text)
        if decoded.isascii():
            return Encoded(text, array("I", iter(text)), array("q", range(1, len(text) + 1)))
        sizes = {char: len(to_bytes(char)) for char in set(decoded)}
        return Encoded(text, array("I", map(ord, decoded)), array("q", accumulate(map(sizes.__getitem__, decoded))))

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes of the characters; InputError on an id that is no character."""
        return b"".join(_known(self.token_bytes(i), i, self.name) for i in ids)

    def token_bytes(self, token_id: int) -> bytes | None:
        """The character in UTF-8; None for surrogates that stand for no byte, and out of range."""
        if not 0 <= token_id < _POINTS or 0xD800 <= token_id < 0xDC80 or 0xDD00 <= token_id < 0xE000:
            return None
        return to_bytes(chr(token_id))

    def label(self, token_id: int) -> str:
        """The character itself."""
        return to_text(self.token_bytes(token_id) or b"")

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """Nothing is merged."""
        return None

    def is_special(self, token_id: int) -> bool:
        """No token is special."""
        return False


class WordTokenizer:
    """Every chunk of a corpus is a token (with the gpt2 split: a word with its leading space), ids in the given order;
    any other chunk becomes `<|unk|>`, whose id is the last. What the split leaves out belongs to the token before."""

    name: Final = "words"

    def __init__(self, chunks: Iterable[str], split: Split | None = None) -> None:
        self.split: Split | None = split or named("gpt2")
        self._split = self.split
        self._ids = {chunk: i for i, chunk in enumerate(dict.fromkeys(chunks))}
        self._data = [to_bytes(chunk) for chunk in self._ids]
        self.unknown_id = len(self._data)
        self._data.append(UNKNOWN.encode())
        self.specials: Mapping[str, int] = {UNKNOWN: self.unknown_id}

    @classmethod
    def of_text(cls, text: bytes, split: Split | None = None) -> WordTokenizer:
        """The words of a text, in the order in which they first occur."""
        split = split or named("gpt2")
        return cls(split.chunks(to_text(text)), split)

    @property
    def size(self) -> int:
        return len(self._data)

    def encode(self, text: bytes, special: SpecialMode = SpecialMode.TEXT) -> Encoded:
        """The words of `text`, unknown ones with a note; InputError only in mode FORBID."""
        if special is SpecialMode.FORBID:
            refuse_specials(text, self.specials)
        ids, ends = array("I"), array("q")
        notes: dict[int, str] = {}
        for start, end, is_special in cut_at_specials(text, self.specials if special is SpecialMode.TOKEN else ()):
            if is_special:
                ids.append(self.unknown_id)
                ends.append(end)
            else:
                self._encode_part(text, start, end, ids, ends, notes)
        return Encoded(text, ids, ends, notes)

    def _encode_part(
        self, text: bytes, start: int, end: int, ids: array[int], ends: array[int], notes: dict[int, str]
    ) -> None:
        decoded, first, at = to_text(text[start:end]), len(ids), start
        for chunk in self._split.chunks(decoded):
            token_id = self._ids.get(chunk)
            if token_id is None:
                notes[len(ids)] = "a word that is not in the corpus"
                token_id = self.unknown_id
                at += len(to_bytes(chunk))
            else:
                at += len(self._data[token_id])
            ids.append(token_id)
            ends.append(at)
        if not ids:
            notes[0] = "nothing but what the split leaves out"
            ids.append(self.unknown_id)
            ends.append(end)
        elif self._split.covers or len(ids) == first:
            ends[-1] = end
        else:
            starts = (a for a, _ in byte_spans(decoded, self._split, start))
            ends[first:] = array("q", [*islice(starts, 1, None), end])

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes of the words; InputError on an id that is not in the vocabulary."""
        return b"".join(_known(self.token_bytes(i), i, self.name) for i in ids)

    def token_bytes(self, token_id: int) -> bytes | None:
        """The word in UTF-8, None out of range."""
        return self._data[token_id] if 0 <= token_id < len(self._data) else None

    def label(self, token_id: int) -> str:
        """The word itself."""
        return to_text(self.token_bytes(token_id) or b"")

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """Nothing is merged."""
        return None

    def is_special(self, token_id: int) -> bool:
        """Only `<|unk|>` stands outside the words."""
        return token_id == self.unknown_id


def _known(data: bytes | None, token_id: int, name: str) -> bytes:
    if data is None:
        raise InputError(f"id {token_id} is not in the vocabulary of {name}")
    return data
