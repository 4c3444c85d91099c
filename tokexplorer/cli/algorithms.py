"""Training by each algorithm up to the target of the call: what comes out, in one shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tokexplorer.engine.alphabet import MAX_ID, AlphabetKind
from tokexplorer.engine.corpus import Corpus, ShouldStop
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.engine.model import Model, Piece
from tokexplorer.engine.training import BpeTrainer, Merge, StopReason

if TYPE_CHECKING:
    from tokexplorer.cli.learning import Options
    from tokexplorer.cli.progress import ProgressBar
    from tokexplorer.engine.unigram_training import Round

UNREACHABLE: Final = 1 << 30
"""More rounds than any Unigram training has."""


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A training's outcome. `merges` are in the order made, none for Unigram, whose `rounds` tell what was removed;
    `labels` and `data` name the tokens by id; `extra`: the id of an unknown token that stands after the others."""

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
        return self.stop.words


def train(corpus: Corpus, options: Options, bar: ProgressBar, should_stop: ShouldStop) -> Trained:
    """Train as the options say. UsageError where a target or an alphabet does not suit the algorithm."""
    by_name = {"bpe": _train_bpe, "wordpiece": _train_wordpiece, "unigram": _train_unigram}
    return by_name[options.algorithm](corpus, options, bar, should_stop)


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


def _train_bpe(corpus: Corpus, options: Options, bar: ProgressBar, should_stop: ShouldStop) -> Trained:
    kind = options.alphabet or (AlphabetKind.WORDS if corpus.word_counts else AlphabetKind.BYTES)
    trainer = BpeTrainer(corpus, kind, options.ties, options.min_count)
    target = steps_to(options, len(trainer.alphabet), f"the alphabet {kind.value}")
    bound = min(target, MAX_ID + 1 - len(trainer.alphabet))
    stop = trainer.run(bound, should_stop, lambda t: bar.show("training", t.step_count, target, "merges"))
    _refuse_overflow(stop, trainer.step_count, target)
    vocabulary = trainer.vocabulary
    labels = vocabulary.data if kind is AlphabetKind.BYTES else vocabulary.labels
    model = Model("bpe", trainer.alphabet, corpus.split, tuple(vocabulary.merges))
    return Trained(
        model=model,
        alphabet=kind,
        vocab_size=trainer.vocab_size,
        start_tokens=trainer.start_tokens,
        tokens=trainer.tokens,
        stop=stop,
        merges=vocabulary.merges,
        labels=labels,
        data=vocabulary.data,
        extra=int(kind is not AlphabetKind.BYTES),
    )


def _refuse_overflow(stop: StopReason, made: int, target: int) -> None:
    if stop is StopReason.TARGET and made < target:
        raise InputError(f"more than {MAX_ID + 1:,} tokens cannot be held")


def _train_wordpiece(corpus: Corpus, options: Options, bar: ProgressBar, should_stop: ShouldStop) -> Trained:
    from tokexplorer.engine.wordpiece import UNKNOWN, UNKNOWN_ID, WordPieceTrainer

    if options.alphabet not in (None, AlphabetKind.CHARS):
        raise UsageError("--algorithm wordpiece works on characters: leave --alphabet out or say chars")
    trainer = WordPieceTrainer(corpus, options.ties, options.min_count)
    target = steps_to(options, len(trainer.alphabet), "this text in WordPiece")
    bound = min(target, MAX_ID + 1 - len(trainer.alphabet))
    stop = trainer.run(bound, should_stop, lambda t: bar.show("training", t.step_count, target, "merges"))
    _refuse_overflow(stop, trainer.step_count, target)
    vocabulary = trainer.vocabulary
    model = Model(
        "wordpiece",
        trainer.alphabet,
        corpus.split,
        tuple(trainer.history),
        tuple(Piece(label) for label in vocabulary.labels),
        unknown=(UNKNOWN, UNKNOWN_ID),
    )
    return Trained(
        model=model,
        alphabet=AlphabetKind.CHARS,
        vocab_size=trainer.vocab_size,
        start_tokens=trainer.start_tokens,
        tokens=trainer.tokens,
        stop=stop,
        merges=trainer.history,
        labels=vocabulary.labels,
        data=vocabulary.data,
    )


def _train_unigram(corpus: Corpus, options: Options, bar: ProgressBar, should_stop: ShouldStop) -> Trained:
    from tokexplorer.engine.unigram import UNKNOWN, UNKNOWN_ID
    from tokexplorer.engine.unigram_training import UnigramTrainer

    if options.vocab_size is None:
        raise UsageError("--algorithm unigram removes pieces and makes no merges: give --vocab-size, not --merges")
    kind = options.alphabet or AlphabetKind.CHARS
    trainer = UnigramTrainer(
        corpus,
        kind,
        options.vocab_size,
        options.min_count,
        on_progress=lambda done, total: bar.show("finding pieces", done, total, "chunks"),
        should_stop=should_stop,
    )
    least = 1 + len(trainer.singles)
    if options.vocab_size < least:
        raise UsageError(
            f"--vocab-size {options.vocab_size} is below {UNKNOWN} and the {least - 1} single symbols of this text; "
            f"ask for {least} or more"
        )
    bar.restart()
    stop = trainer.run(
        UNREACHABLE, should_stop, on_progress=lambda done, total: bar.show("round", done, total, "chunks")
    )
    encoder = trainer.encoder()
    pieces = tuple(map(Piece, encoder.labels, encoder.scores))
    model = Model("unigram", trainer.alphabet, corpus.split, pieces=pieces, unknown=(UNKNOWN, UNKNOWN_ID))
    return Trained(
        model=model,
        alphabet=kind,
        vocab_size=trainer.vocab_size,
        start_tokens=trainer.start_tokens,
        tokens=trainer.tokens,
        stop=stop if trainer.vocab_size >= options.vocab_size else StopReason.NO_PAIRS,
        rounds=trainer.history,
        labels=encoder.labels,
    )
