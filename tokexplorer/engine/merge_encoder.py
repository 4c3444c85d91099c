"""Encoding chunks with merges in the order learned, as segments with spans: our own BPE and given merge lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tokexplorer.engine.alphabet import MAX_ID, AlphabetKind, ids_of, symbol, to_text
from tokexplorer.engine.encoding import encode_word
from tokexplorer.engine.segments import Segment, name_character
from tokexplorer.engine.training import Merge, Vocabulary

UNKNOWN_SYMBOL = symbol(MAX_ID)
"""What stands in a word for a symbol that the vocabulary does not know."""


@dataclass(frozen=True, slots=True, eq=False)
class MergeEncoder:
    """The first `limit` merges of `rows`. Immutable, though the rows that it shares with a trainer may grow."""

    spell: Callable[[str], str]
    """a chunk as a word of base symbols, with UNKNOWN_SYMBOL for what is not known"""
    width: Callable[[int], int]
    """how many symbols of a chunk a token covers; the end mark is none"""
    rows: Sequence[Merge]
    ranks: Mapping[tuple[int, int], int]
    """(left id, right id) -> index in the rows"""
    limit: int
    unknown_id: int

    def ids(self, chunk: str) -> list[int]:
        """The ids of a chunk; `unknown_id` for each unknown symbol."""
        return self._known(encode_word(self.spell(chunk), self.rows, self.ranks, self.limit))

    def base_ids(self, chunk: str) -> list[int]:
        """The base symbols of a chunk, before any merge."""
        return self._known(ids_of(self.spell(chunk)))

    def _known(self, ids: list[int]) -> list[int]:
        return [self.unknown_id if i == MAX_ID else i for i in ids]

    def encode(self, chunk: str) -> tuple[Segment, ...]:
        """The tokens of a chunk with their spans in characters (bytes for the alphabet `bytes`). An unknown character
        is one token; an end mark on its own has an empty span."""
        return self.segments(chunk, self.ids(chunk))

    def segments(self, chunk: str, ids: Iterable[int]) -> tuple[Segment, ...]:
        """Any way to cut a chunk into tokens, given by ids, with spans."""
        found: list[Segment] = []
        at = 0
        for token in ids:
            if token == self.unknown_id:
                found.append(Segment(token, at, at + 1, f"unknown {name_character(chunk[at])}"))
                at += 1
            else:
                end = at + self.width(token)
                found.append(Segment(token, at, end))
                at = end
        return tuple(found)


def vocabulary_encoder(vocabulary: Vocabulary, steps: int) -> MergeEncoder:
    """The first `steps` merges of our own BPE. The unknown id is one past the last token, as `<unk>` of
    `tokenizers.learned` has it."""
    alphabet = vocabulary.alphabet
    symbols = {char: symbol(i) for char, i in alphabet.ids.items()}
    end = "" if alphabet.end_id is None else symbol(alphabet.end_id)

    def spell(chunk: str) -> str:
        if alphabet.kind is AlphabetKind.BYTES:
            return alphabet.spell(chunk)
        return "".join([symbols.get(char, UNKNOWN_SYMBOL) for char in chunk]) + end

    def width(token: int) -> int:
        return symbols_of(vocabulary.data[token], alphabet.kind)

    unknown_id = len(alphabet) + steps
    return MergeEncoder(spell, width, vocabulary.merges, vocabulary.ranks, steps, unknown_id)


def symbols_of(data: bytes, kind: AlphabetKind) -> int:
    """How many symbols of a chunk the bytes of a token are."""
    return len(data) if kind is AlphabetKind.BYTES else len(to_text(data))
