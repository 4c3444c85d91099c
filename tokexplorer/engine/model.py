"""A trained tokenizer as one immutable value: everything that a file of our own holds, and that other formats hold
in part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tokexplorer.engine.alphabet import Alphabet, AlphabetKind
from tokexplorer.engine.splits import Split
from tokexplorer.engine.training import Merge, Vocabulary


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a WordPiece or Unigram vocabulary. `score` is the log probability (Unigram), else 0."""

    text: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Loose:
    """A token that no merge makes: it stands for a whole chunk, or is never used."""

    id: int
    data: bytes


@dataclass(frozen=True, eq=False, slots=True)
class Model:
    """A trained tokenizer. `algorithm` is bpe, wordpiece or unigram; BPE has merges, the others pieces in id order.

    Merges number tokens from 0: base symbols first, then merge after merge; so do `ids`.
    """

    algorithm: str
    alphabet: Alphabet
    split: Split | None
    merges: tuple[Merge, ...] = ()
    pieces: tuple[Piece, ...] = ()
    specials: Mapping[str, int] = field(default_factory=dict)
    ties: str = "first"
    """first, lowest, or unknown where the file that it was read from does not say"""
    min_count: int = 1
    provenance: Mapping[str, str] = field(default_factory=dict)
    """where it came from: names and sizes of the texts, the program's version, bytes and tokens of the corpus"""
    ids: tuple[int, ...] = ()
    """the id of each base symbol and merge (BPE) where ids do not simply count from 0; else empty"""
    loose: tuple[Loose, ...] = ()
    """tokens that no merge makes; empty in what was trained here"""
    whole: bool = False
    """a chunk that is a token is taken as it stands, whether or not the merges lead there (tiktoken's rule)"""
    unknown: tuple[str, int] | None = None
    """the name and id of the token that stands for what the vocabulary cannot spell, where there is one"""
    max_chars: int = 100
    """characters of a word above which WordPiece gives the unknown token"""
    handling: str = ""
    """`bert-uncased` or `bert-cased`: texts are cleaned and cut as BERT does it; then there is no split"""
    left_out: tuple[str, ...] = ()
    """clauses on what the file that it was read from holds beyond this, e.g. `the normaliser NFKC`"""

    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the merges, ready to encode with."""
        vocabulary = Vocabulary(self.alphabet)
        for merge in self.merges:
            vocabulary.add(merge)
        return vocabulary

    @property
    def is_bytes(self) -> bool:
        """Whether it is BPE over bytes."""
        return self.algorithm == "bpe" and self.alphabet.kind is AlphabetKind.BYTES

    @property
    def learned_size(self) -> int:
        """Base symbols and merges, or pieces."""
        return len(self.alphabet) + len(self.merges) if self.algorithm == "bpe" else len(self.pieces)

    def id_of(self, number: int) -> int:
        """The id of a base symbol or merge, by its number."""
        return self.ids[number] if self.ids else number

    @property
    def size(self) -> int:
        """Highest id + 1, special tokens included."""
        highest = max(self.ids, default=-1) if self.ids else self.learned_size - 1
        others = [*self.specials.values(), *(token.id for token in self.loose)]
        if self.unknown is not None:
            others.append(self.unknown[1])
        return max(highest, *others, -1) + 1 if others else highest + 1
