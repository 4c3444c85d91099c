"""A trained tokenizer as one immutable value: everything that a file of our own holds, and that other formats hold
in part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tokexplorer.engine.alphabet import Alphabet
from tokexplorer.engine.splits import Split
from tokexplorer.engine.training import Merge, Vocabulary


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a WordPiece or Unigram vocabulary. `score` is the log probability (Unigram), else 0."""

    text: str
    score: float = 0.0


@dataclass(frozen=True, eq=False, slots=True)
class Model:
    """A trained tokenizer. `algorithm` is bpe, wordpiece or unigram; BPE has merges, the others pieces in id order."""

    algorithm: str
    alphabet: Alphabet
    split: Split | None
    merges: tuple[Merge, ...] = ()
    pieces: tuple[Piece, ...] = ()
    specials: Mapping[str, int] = field(default_factory=dict)
    ties: str = "first"
    min_count: int = 1
    provenance: Mapping[str, str] = field(default_factory=dict)
    """where it came from: names and sizes of the texts, the program's version, bytes and tokens of the corpus"""

    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the merges, ready to encode with."""
        vocabulary = Vocabulary(self.alphabet)
        for merge in self.merges:
            vocabulary.add(merge)
        return vocabulary
