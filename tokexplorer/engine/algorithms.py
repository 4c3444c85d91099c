"""Every algorithm behind one shape: the names, the verbs that all trainers share, and the factory that makes one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, Final, Protocol

from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.baselines import BaselineTrainer
from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.corpus import Corpus, Progress, ShouldStop
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.merge_encoder import vocabulary_encoder
from tokexplorer.engine.replay import MergeList, ReplayTrainer
from tokexplorer.engine.segments import Encoder
from tokexplorer.engine.training import BpeTrainer, StopReason
from tokexplorer.engine.unigram_training import UnigramTrainer
from tokexplorer.engine.wordpiece import WordPieceTrainer


class Algorithm(StrEnum):
    """How a vocabulary is made."""

    BPE = "bpe"
    WORDPIECE = "wordpiece"
    UNIGRAM = "unigram"
    REPLAY = "replay"
    CHARACTERS = "characters"
    WORDS = "words"


HELP: Final[dict[Algorithm, str]] = {
    Algorithm.BPE: "byte-pair encoding: merge the most frequent pair, again and again",
    Algorithm.WORDPIECE: "WordPiece: merge the pair that is most frequent for its parts; inner pieces begin with ##",
    Algorithm.UNIGRAM: "Unigram: start from many substrings, prune those that the likelihood misses least",
    Algorithm.REPLAY: "replay: apply the merge list of another tokenizer, in its order",
    Algorithm.CHARACTERS: "baseline: every character is a token",
    Algorithm.WORDS: "baseline: every chunk of the corpus is a token, all else is <|unk|>",
}

ALPHABETS: Final[dict[Algorithm, tuple[AlphabetKind, ...]]] = {
    Algorithm.BPE: (AlphabetKind.BYTES, AlphabetKind.CHARS, AlphabetKind.WORDS),
    Algorithm.WORDPIECE: (AlphabetKind.CHARS,),
    Algorithm.UNIGRAM: (AlphabetKind.CHARS, AlphabetKind.BYTES),
    Algorithm.REPLAY: (),
    Algorithm.CHARACTERS: (AlphabetKind.CHARS,),
    Algorithm.WORDS: (),
}
"""The alphabets that may be chosen, the default first; none where there is no choice."""

HAS_TIES: Final = frozenset({Algorithm.BPE, Algorithm.WORDPIECE})
"""The algorithms with a tie rule."""


class Trainer(Protocol):
    """The verbs of a debugger, the same for every algorithm. Rows are frozen values; their type is the algorithm's."""

    @property
    def corpus(self) -> Corpus:
        """What is trained on."""

    @property
    def step_count(self) -> int:
        """Where we stand: merges or rounds made and not undone."""

    @property
    def vocab_size(self) -> int:
        """Tokens in the vocabulary now."""

    @property
    def tokens(self) -> int:
        """Tokens in the corpus now."""

    @property
    def start_tokens(self) -> int:
        """Tokens in the corpus at step 0."""

    @property
    def history(self) -> Sequence[Any]:
        """A row for each known step, those beyond `step_count` being undone. It only grows; a branch makes another."""

    def stop_reason(self) -> StopReason | None:
        """Why no step can follow here, or None."""

    def step(self) -> StopReason | None:
        """Make the next step, the known one after a rewind. Returns why there is none, or None."""

    def back(self) -> bool:
        """Undo the last step; False at step 0. It stays known."""

    def goto(self, step: int, should_stop: ShouldStop | None = None) -> None:
        """Travel to a known step; UsageError beyond. Where `should_stop` says so, it ends at a step on the way."""

    def run(
        self, target: int, should_stop: ShouldStop | None = None, on_step: Callable[[Any], None] | None = None
    ) -> StopReason:
        """Step until `step_count` is `target`; `on_step` is called after each step, in the same thread."""

    def candidates(self, limit: int) -> Sequence[Any]:
        """What may come next, the winner first, at most `limit` rows."""


AnyTrainer = BpeTrainer | WordPieceTrainer | UnigramTrainer | ReplayTrainer | BaselineTrainer


def make_trainer(
    algorithm: Algorithm,
    corpus: Corpus,
    kind: AlphabetKind | None = None,
    ties: TieRule = TieRule.FIRST,
    min_count: int = 1,
    target_size: int = 8000,
    merge_list: MergeList | None = None,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> AnyTrainer:
    """A trainer at step 0. `kind`: None is the algorithm's default. `target_size` is for Unigram, which prunes towards
    it; `merge_list` for replay. Progress is told while Unigram finds its seed vocabulary; the stop is obeyed there and
    while BPE looks for pairs.

    UsageError where the alphabet does not go with the algorithm or the merge list is missing; Cancelled.
    """
    allowed = ALPHABETS[algorithm]
    if kind is not None and allowed and kind not in allowed:
        names = " or ".join(allowed)
        raise UsageError(f"{algorithm} does not work on the alphabet {kind}: choose {names}")
    match algorithm:
        case Algorithm.BPE:
            return BpeTrainer(corpus, kind or allowed[0], ties, min_count, should_stop=should_stop)
        case Algorithm.WORDPIECE:
            return WordPieceTrainer(corpus, ties, min_count)
        case Algorithm.UNIGRAM:
            return UnigramTrainer(
                corpus, kind or allowed[0], target_size, min_count, on_progress=on_progress, should_stop=should_stop
            )
        case Algorithm.REPLAY:
            if merge_list is None:
                raise UsageError("replay needs a merge list: name a tokenizer or a file that has one")
            return ReplayTrainer(corpus, merge_list)
        case Algorithm.CHARACTERS | Algorithm.WORDS:
            return BaselineTrainer(corpus, by_character=algorithm is Algorithm.CHARACTERS)


def encoder_of(trainer: AnyTrainer) -> Encoder:
    """The vocabulary at the trainer's present step, to encode with; it stays as it is whatever the trainer does."""
    if isinstance(trainer, BpeTrainer):
        return vocabulary_encoder(trainer.vocabulary, trainer.step_count)
    return trainer.encoder()


def stop_words(algorithm: Algorithm, reason: StopReason) -> str:
    """Why a run ended, as one short clause for the screen."""
    if reason is StopReason.NO_PAIRS:
        match algorithm:
            case Algorithm.UNIGRAM:
                return "only single symbols are left, which are kept"
            case Algorithm.REPLAY:
                return "the merge list has ended"
            case Algorithm.CHARACTERS | Algorithm.WORDS:
                return "a baseline is not trained"
    if reason is StopReason.TARGET and algorithm is Algorithm.UNIGRAM:
        return "target size reached"
    return reason.words
