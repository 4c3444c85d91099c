"""The work of `train`: from texts and options to what was learned, with progress and an orderly stop."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tokexplorer.cli.algorithms import Trained, train
from tokexplorer.cli.common import named_split
from tokexplorer.cli.progress import ProgressBar
from tokexplorer.engine.alphabet import AlphabetKind, to_bytes, to_text
from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.corpus import Corpus, Document, ShouldStop
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.model import Model
from tokexplorer.engine.splits import Split
from tokexplorer.exporting import provenance
from tokexplorer.loading import load_corpus

WORDS: Final = "words"
"""The split and the alphabet of words that come with counts."""


@dataclass(frozen=True, slots=True)
class Options:
    """What `train` was asked for; exactly one of `vocab_size` and `merges` is set."""

    files: Sequence[str]
    vocab_size: int | None = None
    merges: int | None = None
    split: str | None = None
    alphabet: AlphabetKind | None = None
    algorithm: str = "bpe"
    ties: TieRule = TieRule.FIRST
    min_count: int = 1
    specials: Sequence[str] = ()
    word_counts: bool = False
    min_chunk_count: int = 1
    max_chunks: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What was learned from a corpus."""

    options: Options
    corpus: Corpus
    trained: Trained
    model: Model
    """to be written: with special tokens and provenance"""

    @property
    def split_name(self) -> str:
        """The split's name, or the pattern itself where it has none."""
        return split_name(self.corpus.split)

    @property
    def text_bytes(self) -> int:
        """Bytes that the tokens stand for: of the texts, or of the words, each as often as it is counted."""
        return self.kept_bytes if self.corpus.word_counts else self.corpus.stats.bytes

    @property
    def kept_bytes(self) -> int:
        """The same without the chunks that were left out."""
        corpus = self.corpus
        if not corpus.word_counts and not corpus.left_out:
            return corpus.stats.bytes
        return sum(len(to_bytes(chunk)) * count for chunk, count in zip(corpus.chunks, corpus.counts, strict=True))


def split_name(split: Split) -> str:
    """The split's name, or the pattern itself where it is a user's own."""
    return split.pattern if split.name == "custom" else split.name


def learn(
    options: Options, split: Split, documents: Sequence[Document], bar: ProgressBar, should_stop: ShouldStop
) -> Learned:
    """Count and train. UsageError where the target makes no sense, InputError where a file cannot be read or is no
    list of words, Cancelled where `should_stop` says so before the first merge."""
    specials = special_texts(options.specials)
    corpus = load_corpus(
        documents,
        split,
        options.word_counts or None,
        lambda done, total: bar.show("reading", done, total, "bytes"),
        should_stop,
        options.min_chunk_count,
        options.max_chunks,
    )
    if corpus.listed is not None and options.split is not None and corpus.split.pattern != split.pattern:
        raise UsageError(f"--split: the chunks were counted with the split {split_name(corpus.split)}")
    bar.restart()
    trained = train(corpus, options, bar, should_stop)
    first = trained.vocab_size + trained.extra
    model = replace(
        trained.model,
        specials={text: first + number for number, text in enumerate(specials)},
        ties=options.ties.value,
        min_count=options.min_count,
        provenance=provenance(corpus, trained.tokens),
    )
    return Learned(options, corpus, trained, model)


def split_for(options: Options) -> Split:
    """The split that was asked for, or the one that suits the alphabet. UsageError where a pattern is wrong."""
    default = WORDS if options.alphabet is AlphabetKind.WORDS or options.algorithm == "wordpiece" else "gpt2"
    return named_split(options.split if options.split is not None else default)


def special_texts(given: Sequence[str]) -> list[str]:
    """Special tokens as texts. UsageError for an empty one and for one that is given twice."""
    texts = [to_text(os.fsencode(text)) for text in given]
    for text in texts:
        if not text:
            raise UsageError("--special: a special token cannot be empty")
        if texts.count(text) > 1:
            raise UsageError(f"--special: {text} is given twice")
    return texts
