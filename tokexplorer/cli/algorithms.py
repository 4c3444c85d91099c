"""Training by each algorithm up to the target of the call: what comes out, in one shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tokexplorer.engine import unigram, wordpiece
from tokexplorer.engine.algorithms import Algorithm, make_trainer, stop_words
from tokexplorer.engine.alphabet import MAX_ID, AlphabetKind
from tokexplorer.engine.corpus import Corpus, ShouldStop
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.engine.model import Model, Piece
from tokexplorer.engine.training import BpeTrainer, Merge, StopReason
from tokexplorer.engine.unigram_training import Round, UnigramTrainer
from tokexplorer.engine.wordpiece import WordPieceTrainer

if TYPE_CHECKING:
    from tokexplorer.cli.learning import Options
    from tokexplorer.cli.progress import ProgressBar

ENDLESS: Final = 1 << 30
"""More rounds than any Unigram training has."""


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A training's outcome. `merges` are in the order made, none for Unigram, whose `rounds` tell what was removed;
    `labels` and `data` name the tokens by id; `extra`: ids after the vocabulary's that are taken, for `<unk>`."""

    model: Model
    alphabet: AlphabetKind
    vocab_size: int
    start_tokens: int
    tokens: int
    stop: StopReason
    merges: Sequence[Merge] = ()
    rounds: Sequence[Round] = ()
    labels: Sequence[bytes | str] = ()
    data: Sequence[bytes] = ()
    extra: int = 0

    @property
    def stop_words(self) -> str:
        """Why training ended, in a clause for readers."""
        if self.model.algorithm == "unigram" and self.stop is StopReason.NO_PAIRS:
            return "the text gives no more pieces to start from"
        return stop_words(Algorithm(self.model.algorithm), self.stop)


def train(corpus: Corpus, options: Options, bar: ProgressBar, should_stop: ShouldStop) -> Trained:
    """Train as the options say. UsageError where a target or an alphabet does not suit the algorithm."""
    algorithm = Algorithm(options.algorithm)
    kind = options.alphabet
    if kind is None and corpus.word_counts and algorithm is Algorithm.BPE:
        kind = AlphabetKind.WORDS
    if algorithm is Algorithm.UNIGRAM and options.vocab_size is None:
        raise UsageError("--algorithm unigram removes pieces and makes no merges: give --vocab-size, not --merges")
    trainer = make_trainer(
        algorithm,
        corpus,
        kind,
        options.ties,
        options.min_count,
        options.vocab_size or 0,
        on_progress=lambda done, total: bar.show("finding pieces", done, total, "chunks"),
        should_stop=should_stop,
    )
    bar.restart()
    if isinstance(trainer, UnigramTrainer):
        return _prune(trainer, options, bar, should_stop)
    assert isinstance(trainer, BpeTrainer | WordPieceTrainer)
    stop = _merge(trainer, options, bar, should_stop)
    return _of_bpe(trainer, stop) if isinstance(trainer, BpeTrainer) else _of_wordpiece(trainer, stop)


def _merge(
    trainer: BpeTrainer | WordPieceTrainer, options: Options, bar: ProgressBar, should_stop: ShouldStop
) -> StopReason:
    base = len(trainer.alphabet)
    what = (
        f"the alphabet {trainer.alphabet.kind.value}" if isinstance(trainer, BpeTrainer) else "this text in WordPiece"
    )
    target = steps_to(options, base, what)

    def tell(_: object) -> None:
        bar.show("training", trainer.step_count, target, "merges")

    stop = trainer.run(min(target, MAX_ID + 1 - base), should_stop, tell)
    if stop is StopReason.TARGET and trainer.step_count < target:
        raise InputError(f"more than {MAX_ID + 1:,} tokens cannot be held")
    return stop


def steps_to(options: Options, base: int, what: str) -> int:
    """The merges that the target asks for, where there are `base` symbols of some alphabet."""
    if options.merges is not None:
        return options.merges
    assert options.vocab_size is not None
    if options.vocab_size < base:
        raise UsageError(
            f"--vocab-size {options.vocab_size} is below the {base} base symbols of {what}; ask for {base} or more"
        )
    return options.vocab_size - base


def _of_bpe(trainer: BpeTrainer, stop: StopReason) -> Trained:
    vocabulary, kind = trainer.vocabulary, trainer.alphabet.kind
    in_bytes = kind is AlphabetKind.BYTES
    return Trained(
        model=Model("bpe", trainer.alphabet, trainer.corpus.split, tuple(vocabulary.merges)),
        alphabet=kind,
        vocab_size=trainer.vocab_size,
        start_tokens=trainer.start_tokens,
        tokens=trainer.tokens,
        stop=stop,
        merges=vocabulary.merges,
        labels=vocabulary.data if in_bytes else vocabulary.labels,
        data=vocabulary.data,
        extra=0 if in_bytes else 1,
    )


def _of_wordpiece(trainer: WordPieceTrainer, stop: StopReason) -> Trained:
    vocabulary = trainer.vocabulary
    pieces = tuple(map(Piece, vocabulary.labels))
    unknown = wordpiece.UNKNOWN, wordpiece.UNKNOWN_ID
    merges = tuple(trainer.history)
    return Trained(
        model=Model("wordpiece", trainer.alphabet, trainer.corpus.split, merges, pieces, unknown=unknown),
        alphabet=trainer.alphabet.kind,
        vocab_size=trainer.vocab_size,
        start_tokens=trainer.start_tokens,
        tokens=trainer.tokens,
        stop=stop,
        merges=merges,
        labels=vocabulary.labels,
        data=vocabulary.data,
    )


def _prune(trainer: UnigramTrainer, options: Options, bar: ProgressBar, should_stop: ShouldStop) -> Trained:
    asked = options.vocab_size or 0
    least = 1 + len(trainer.singles)
    if asked < least:
        raise UsageError(
            f"--vocab-size {asked} is below {unigram.UNKNOWN} and the {least - 1} single symbols of this text; "
            f"ask for {least} or more"
        )
    stop = trainer.run(ENDLESS, should_stop, on_progress=lambda done, total: bar.show("round", done, total, "chunks"))
    encoder = trainer.encoder()
    pieces = tuple(map(Piece, encoder.labels, encoder.scores))
    unknown = unigram.UNKNOWN, unigram.UNKNOWN_ID
    return Trained(
        model=Model("unigram", trainer.alphabet, trainer.corpus.split, pieces=pieces, unknown=unknown),
        alphabet=trainer.kind,
        vocab_size=trainer.vocab_size,
        start_tokens=trainer.start_tokens,
        tokens=trainer.tokens,
        stop=stop if stop is not StopReason.TARGET or trainer.vocab_size == asked else StopReason.NO_PAIRS,
        rounds=trainer.history,
    )
