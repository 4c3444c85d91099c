"""From settings and a corpus to a trainer; and the settings that suit an algorithm or a corpus."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tokexplorer.engine.algorithms import Algorithm, AnyTrainer, make_trainer
from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.corpus import Corpus, Progress, ShouldStop
from tokexplorer.replaying import Replays
from tokexplorer.timeline.snapshots import Settings

WORDS: Final = "words"
"""The split that WordPiece is made for: words without their spaces."""
USUAL: Final = "gpt2"
"""The split of those who have no other."""


def default_target(corpus: Corpus, algorithm: Algorithm = Algorithm.BPE) -> int:
    """A vocabulary size that suits a text: small texts run dry early, large ones deserve GPT-2's order of size.

    Unigram prunes down to it, so there it is no more than a piece for each character and each chunk.
    """
    size = corpus.stats.bytes
    usual = 1000 if size < 1 << 18 else 8192 if size < 1 << 22 else 32768
    if algorithm is Algorithm.UNIGRAM and len(corpus.chunks) < usual:
        return min(usual, len(corpus.chunks) + len(set().union(*corpus.chunks)))
    return usual


def trainer_for(
    settings: Settings,
    corpus: Corpus,
    replays: Replays,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> AnyTrainer:
    """A trainer at step 0. Raises what `make_trainer` and `Replays.merges` raise."""
    return make_trainer(
        settings.algorithm,
        corpus,
        settings.alphabet if settings.alphabets else None,
        settings.ties,
        settings.min_count,
        settings.target or default_target(corpus, settings.algorithm),
        replays.merges(settings.replay) if settings.algorithm is Algorithm.REPLAY else None,
        on_progress,
        should_stop,
    )


def suited_to_corpus(settings: Settings, corpus: Corpus, had_word_counts: bool) -> Settings:
    """Settings whose alphabet goes with the algorithm. BPE on words with counts begins with the alphabet of words, and
    leaves it with them; what the user chose while they are open stays."""
    if settings.algorithm is Algorithm.BPE:
        if corpus.word_counts and settings.alphabet is AlphabetKind.BYTES and not had_word_counts:
            settings = replace(settings, alphabet=AlphabetKind.WORDS)
        elif not corpus.word_counts and settings.alphabet is AlphabetKind.WORDS and had_word_counts:
            settings = replace(settings, alphabet=AlphabetKind.BYTES)
    return settings.suited()


def other_algorithm(
    settings: Settings, algorithm: Algorithm, replay: str | None, replays: Replays, word_counts: bool
) -> Settings:
    """Settings for another algorithm: with its own alphabet, and its own split where it has one; who leaves it
    has the usual one again."""
    new = replace(settings, algorithm=algorithm, replay=replay or settings.replay)
    wanted, had = _own_split(new, replays), _own_split(settings, replays)
    split = wanted or (USUAL if settings.split == had else settings.split)
    kind = new.alphabets[0] if new.alphabets else new.alphabet
    if algorithm is Algorithm.BPE and word_counts:
        kind = AlphabetKind.WORDS
    return replace(new, split=split, alphabet=kind)


def _own_split(settings: Settings, replays: Replays) -> str | None:
    if settings.algorithm is Algorithm.REPLAY:
        return replays.split(settings.replay)
    return WORDS if settings.algorithm is Algorithm.WORDPIECE else None
