"""Session: the one mutable object. It owns the corpus and the training; every verb returns a new immutable Snapshot."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.corpus import Corpus, Document, Progress, ShouldStop
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.splits import compile_split
from tokexplorer.engine.training import BpeTrainer, Candidate, Merge, StopReason, Vocabulary
from tokexplorer.sources import load_corpus
from tokexplorer.tokenizers.learned import LearnedTokenizer

SHOWN_PAIRS: Final = 200
"""Pairs that a snapshot carries."""
FRAME: Final = 0.05
"""Seconds between two snapshots of a run."""

SNAPSHOT_SHARE: Final = 8
"""How many times its own cost a snapshot of a run must wait for the next: the run keeps most of its speed."""

OnSnapshot = Callable[["Snapshot"], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """What training depends on. `split`: a name or a pattern; `target`: a vocabulary size, None for one that suits."""

    algorithm: str = "bpe"
    alphabet: AlphabetKind = AlphabetKind.BYTES
    split: str = "gpt2"
    ties: TieRule = TieRule.FIRST
    min_count: int = 1
    target: int | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot:
    """All that a screen shows of one moment. Stays true: what it shares with later ones only grows at its end."""

    settings: Settings
    corpus: Corpus
    vocabulary: Vocabulary
    step: int
    known: int
    """merges known, those beyond `step` being undone"""
    tokens: int
    start_tokens: int
    candidates: tuple[Candidate, ...]
    pair_total: int
    target_step: int
    stop: StopReason | None = None
    speed: float = 0.0
    """merges a second of the run that gave this snapshot; 0 where none did"""
    branch: int = 0
    """how many times another path was taken than the one known"""

    @property
    def base_size(self) -> int:
        """Base symbols."""
        return len(self.vocabulary.alphabet)

    @property
    def vocab_size(self) -> int:
        """Base symbols and merges made."""
        return self.base_size + self.step

    @property
    def merges(self) -> Sequence[Merge]:
        """The known merges; only the first `known` belong to this snapshot, only the first `step` are made."""
        return self.vocabulary.merges

    @property
    def last(self) -> Merge | None:
        """The merge that was made last."""
        return self.vocabulary.merges[self.step - 1] if self.step else None

    @property
    def winner(self) -> Candidate | None:
        """The pair that the next step merges if nothing else is chosen."""
        return self.candidates[0] if self.candidates else None

    @property
    def text_bytes(self) -> int:
        """Bytes that the tokens stand for, weighted."""
        return self.corpus.stats.bytes if not self.corpus.word_counts else self.corpus.stats.characters

    @property
    def bytes_per_token(self) -> float:
        """Bytes of text per token now; 0 for an empty text."""
        return self.text_bytes / self.tokens if self.tokens else 0.0

    def tokens_after(self, step: int) -> int:
        """Tokens in the corpus after a known step."""
        return self.vocabulary.merges[step - 1].tokens_after if step else self.start_tokens

    def tokenizer(self) -> LearnedTokenizer:
        """Our own merges at this step."""
        return LearnedTokenizer(self.vocabulary, self.step, self.corpus.split)


def default_target(corpus: Corpus) -> int:
    """A vocabulary size that suits a text: small texts run dry early, large ones deserve GPT-2's order of size."""
    size = corpus.stats.bytes
    if size < 1 << 18:
        return 1000
    return 8192 if size < 1 << 22 else 32768


class Session:
    """Documents, settings and training. Not thread-safe: while a worker runs a verb, nobody else may call one."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self._documents: tuple[Document, ...] = ()
        self._word_counts: bool | None = None
        self._trainer: BpeTrainer | None = None
        self._branch = 0
        self._stop: StopReason | None = None
        self._speed = 0.0

    @property
    def documents(self) -> tuple[Document, ...]:
        """What is open."""
        return self._documents

    @property
    def trainer(self) -> BpeTrainer:
        """The training; UsageError before anything was opened."""
        if self._trainer is None:
            raise UsageError("no text is open")
        return self._trainer

    def open(
        self,
        documents: Sequence[Document],
        on_progress: Progress | None = None,
        should_stop: ShouldStop | None = None,
        word_counts: bool | None = None,
    ) -> Snapshot:
        """Open documents in place of what was open. On an error, or where it was cancelled, nothing has changed."""
        trainer, settings = self._train(documents, self.settings, on_progress, should_stop, word_counts)
        self._documents, self._word_counts = tuple(documents), word_counts
        return self._begin(trainer, settings)

    def configure(
        self, settings: Settings, on_progress: Progress | None = None, should_stop: ShouldStop | None = None
    ) -> Snapshot:
        """Take other settings; the corpus is kept, the merges start afresh unless only the target changed."""
        old = self.settings
        if self._trainer is not None and settings == replace(old, target=settings.target):
            self.settings = settings
            self._stop = None
            return self.snapshot()
        if not self._documents:
            compile_split(settings.split)
            self.settings = settings
            raise UsageError("no text is open")
        trainer, settings = self._train(self._documents, settings, on_progress, should_stop, self._word_counts)
        return self._begin(trainer, settings)

    def _train(
        self,
        documents: Sequence[Document],
        settings: Settings,
        on_progress: Progress | None,
        should_stop: ShouldStop | None,
        word_counts: bool | None,
    ) -> tuple[BpeTrainer, Settings]:
        corpus = self._corpus(documents, settings, on_progress, should_stop, word_counts)
        if corpus.word_counts and settings.alphabet is AlphabetKind.BYTES and not self._has_word_counts():
            settings = replace(settings, alphabet=AlphabetKind.WORDS)
        elif not corpus.word_counts and settings.alphabet is AlphabetKind.WORDS and self._has_word_counts():
            settings = replace(settings, alphabet=AlphabetKind.BYTES)
        return BpeTrainer(corpus, settings.alphabet, settings.ties, settings.min_count), settings

    def _has_word_counts(self) -> bool:
        return self._trainer is not None and self._trainer.corpus.word_counts

    def _corpus(
        self,
        documents: Sequence[Document],
        settings: Settings,
        on_progress: Progress | None,
        should_stop: ShouldStop | None,
        word_counts: bool | None,
    ) -> Corpus:
        split = compile_split(settings.split)
        trainer = self._trainer
        if (
            trainer is not None
            and tuple(documents) == self._documents
            and split.pattern == trainer.corpus.split.pattern
        ):
            return trainer.corpus
        return load_corpus(documents, split, word_counts, on_progress, should_stop)

    def _begin(self, trainer: BpeTrainer, settings: Settings) -> Snapshot:
        self._trainer, self.settings = trainer, settings
        self._branch, self._stop, self._speed = 0, None, 0.0
        return self.snapshot()

    @property
    def target_step(self) -> int:
        """The step at which the target vocabulary size is reached."""
        trainer = self.trainer
        target = self.settings.target or default_target(trainer.corpus)
        return max(0, target - len(trainer.alphabet))

    def snapshot(self) -> Snapshot:
        """This moment."""
        trainer = self.trainer
        return Snapshot(
            settings=self.settings,
            corpus=trainer.corpus,
            vocabulary=trainer.vocabulary,
            step=trainer.step_count,
            known=len(trainer.vocabulary.merges),
            tokens=trainer.tokens,
            start_tokens=trainer.start_tokens,
            candidates=trainer.candidates(SHOWN_PAIRS),
            pair_total=len(trainer.table.counts),
            target_step=self.target_step,
            stop=self._stop,
            speed=self._speed,
            branch=self._branch,
        )

    def step(self, count: int = 1) -> Snapshot:
        """Make the next `count` merges, fewer where no pair is left; `stop` then says why."""
        self._stop, self._speed = None, 0.0
        for _ in range(count):
            self._stop = self.trainer.step()
            if self._stop is not None:
                break
        return self.snapshot()

    def back(self, count: int = 1) -> Snapshot:
        """Undo the last `count` merges; they stay known."""
        self._stop, self._speed = None, 0.0
        for _ in range(count):
            if not self.trainer.back():
                break
        return self.snapshot()

    def merge(self, left: int, right: int) -> Snapshot:
        """Merge a pair of the user's choice; what was known beyond this step is given up if it differs."""
        vocabulary = self.trainer.vocabulary
        self.trainer.merge(left, right)
        if self.trainer.vocabulary is not vocabulary or self.trainer.merges[-1].chosen:
            self._branch += 1
        self._stop, self._speed = None, 0.0
        return self.snapshot()

    def number_branch(self, branch: int) -> Snapshot:
        """Go on counting branches from `branch`, as a session does that was restored."""
        self._branch = branch
        return self.snapshot()

    def goto(self, step: int, should_stop: ShouldStop | None = None, on_snapshot: OnSnapshot | None = None) -> Snapshot:
        """Travel to a step, back or forward; beyond the known merges it trains on."""
        if step < 0:
            raise UsageError(f"step {step}: the first step is 0")
        known = len(self.trainer.vocabulary.merges)
        self._stop, self._speed = None, 0.0
        if step <= known:
            self.trainer.goto(step, should_stop)
            if should_stop is not None and self.trainer.step_count != step:
                self._stop = StopReason.CANCELLED
            return self.snapshot()
        return self.run(step, should_stop, on_snapshot)

    def run(
        self,
        until: int | None = None,
        should_stop: ShouldStop | None = None,
        on_snapshot: OnSnapshot | None = None,
        pace: Callable[[int], float] | None = None,
    ) -> Snapshot:
        """Step to `until` (the target where None), giving a snapshot at most every FRAME seconds.

        `pace(steps made)` is the time in seconds since the start before which the next step must not be made.
        """
        trainer = self.trainer
        until = self.target_step if until is None else until
        begin = time.monotonic()
        due = begin + FRAME
        first = trainer.step_count
        self._stop = None

        def on_step(_: BpeTrainer) -> None:
            nonlocal due
            now = time.monotonic()
            if on_snapshot is not None and now >= due:
                self._speed = (trainer.step_count - first) / (now - begin)
                on_snapshot(self.snapshot())
                cost = time.monotonic() - now
                due = now + cost + max(FRAME, SNAPSHOT_SHARE * cost)
            if pace is not None:
                self._wait(begin + pace(trainer.step_count - first), should_stop)

        self._stop = trainer.run(until, should_stop, on_step)
        seconds = time.monotonic() - begin
        self._speed = (trainer.step_count - first) / seconds if seconds > 0 else 0.0
        return self.snapshot()

    @staticmethod
    def _wait(moment: float, should_stop: ShouldStop | None) -> None:
        while (left := moment - time.monotonic()) > 0 and not (should_stop is not None and should_stop()):
            time.sleep(min(left, FRAME))
