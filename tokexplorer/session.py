"""Session: the one mutable object. It owns the corpus and the training; every verb returns a new immutable Snapshot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from tokexplorer.engine.algorithms import Algorithm, AnyTrainer, stop_words
from tokexplorer.engine.corpus import Document, Progress, ShouldStop
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.replay import ReplayTrainer
from tokexplorer.engine.splits import compile_split
from tokexplorer.engine.training import BpeTrainer, StopReason
from tokexplorer.engine.unigram_training import UnigramTrainer
from tokexplorer.engine.wordpiece import WordPieceTrainer
from tokexplorer.loading import load_corpus
from tokexplorer.preparing import default_target as default_target
from tokexplorer.preparing import other_algorithm, suited_to_corpus, trainer_for
from tokexplorer.replaying import Replays
from tokexplorer.timeline.branches import MAIN, Branch, Branches, shared_steps
from tokexplorer.timeline.clock import FRAME as FRAME
from tokexplorer.timeline.clock import Clock
from tokexplorer.timeline.histories import History, RoundHistory, history_of
from tokexplorer.timeline.moments import TrainerMoment
from tokexplorer.timeline.snapshots import Settings as Settings
from tokexplorer.timeline.snapshots import Snapshot as Snapshot
from tokexplorer.timeline.snapshots import text_bytes
from tokexplorer.timeline.until import Condition

SHOWN_PAIRS: Final = 200
"""Pairs that a snapshot carries."""
SHOWN_PIECES: Final = 2000
"""Pieces that a snapshot carries: they change only once a round."""
FAR: Final = 1 << 30
"""A step that no training reaches."""
OnSnapshot = Callable[[Snapshot], None]
Merger = BpeTrainer | WordPieceTrainer


class Session:
    """Documents, settings and training. Not thread-safe: while a worker runs a verb, nobody else may call one."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.replays = Replays()
        self._documents: tuple[Document, ...] = ()
        self._word_counts: bool | None = None
        self._trainer: AnyTrainer | None = None
        self._history: History | None = None
        self._branches = Branches()
        self._stop: StopReason | None = None
        self._words = ""
        self._speed = 0.0

    @property
    def documents(self) -> tuple[Document, ...]:
        """What is open."""
        return self._documents

    @property
    def trainer(self) -> AnyTrainer:
        """The training; UsageError before anything was opened."""
        if self._trainer is None:
            raise UsageError("no text is open")
        return self._trainer

    @property
    def merger(self) -> Merger:
        """The training where it merges pairs of choice; UsageError where it does not."""
        trainer = self.trainer
        if not isinstance(trainer, BpeTrainer | WordPieceTrainer):
            raise UsageError(f"{self.settings.algorithm} leaves no pair to choose")
        return trainer

    def open(
        self,
        documents: Sequence[Document],
        on_progress: Progress | None = None,
        should_stop: ShouldStop | None = None,
        word_counts: bool | None = None,
    ) -> Snapshot:
        """Open documents in place of what was open. On an error, or where it was cancelled, nothing has changed."""
        trainer, settings = self._prepare(documents, self.settings, on_progress, should_stop, word_counts)
        self._documents, self._word_counts = tuple(documents), word_counts
        return self._begin(trainer, settings)

    def configure(
        self, settings: Settings, on_progress: Progress | None = None, should_stop: ShouldStop | None = None
    ) -> Snapshot:
        """Take other settings; the corpus is kept, the training starts afresh unless only the target changed."""
        old = self.settings
        if self._trainer is not None and settings == replace(old, target=settings.target):
            self.settings = settings
            self._retarget()
            self._rest()
            return self.snapshot()
        if not self._documents:
            compile_split(settings.split)
            self.settings = settings
            raise UsageError("no text is open")
        trainer, settings = self._prepare(self._documents, settings, on_progress, should_stop, self._word_counts)
        return self._begin(trainer, settings)

    def choose(
        self,
        algorithm: Algorithm,
        replay: str | None = None,
        on_progress: Progress | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Snapshot:
        """Take another algorithm, with the alphabet and the split that suit it: replay cuts as its tokenizer does,
        WordPiece takes words without spaces; who leaves them has the usual split again."""
        settings = other_algorithm(self.settings, algorithm, replay, self.replays, self._has_word_counts())
        return self.configure(settings, on_progress, should_stop)

    def _prepare(
        self,
        documents: Sequence[Document],
        settings: Settings,
        on_progress: Progress | None,
        should_stop: ShouldStop | None,
        word_counts: bool | None,
    ) -> tuple[AnyTrainer, Settings]:
        had = self._trainer.corpus if self._trainer is not None else None
        corpus = None
        if had is not None and tuple(documents) == self._documents:
            corpus = had if compile_split(settings.split).pattern == had.split.pattern else None
        if corpus is None:
            corpus = load_corpus(documents, compile_split(settings.split), word_counts, on_progress, should_stop)
        settings = suited_to_corpus(settings, corpus, self._has_word_counts())
        return trainer_for(settings, corpus, self.replays, on_progress, should_stop), settings

    def _has_word_counts(self) -> bool:
        return self._trainer is not None and self._trainer.corpus.word_counts

    def _begin(self, trainer: AnyTrainer, settings: Settings) -> Snapshot:
        self._trainer, self._history, self.settings = trainer, None, settings
        self._branches = Branches()
        self._rest()
        return self.snapshot()

    def _rest(self, stop: StopReason | None = None, words: str = "") -> None:
        """Nothing runs any more, and why."""
        self._stop, self._speed = stop, 0.0
        self._words = stop_words(self.settings.algorithm, stop) if stop is not None and not words else words

    def _retarget(self) -> None:
        trainer = self.trainer
        if isinstance(trainer, UnigramTrainer):
            trainer.retarget(self.settings.target or default_target(trainer.corpus, Algorithm.UNIGRAM))
            self._history = None

    @property
    def history(self) -> History:
        """What the snapshots of the present line share."""
        if self._history is None:
            self._history = history_of(self.trainer, self.settings.algorithm)
        return self._history

    @property
    def target_step(self) -> int:
        """The step at which the target is reached: a vocabulary size, or the end of a merge list."""
        trainer, target = self.trainer, self.settings.target
        if isinstance(trainer, ReplayTrainer):
            length = len(trainer.merge_list.merges)
            return length if target is None else min(length, max(0, target - trainer.merge_list.base_size))
        if isinstance(trainer, Merger):
            return max(0, (target or default_target(trainer.corpus)) - len(trainer.alphabet))
        history = self.history
        return len(history.sizes()) - 1 if isinstance(history, RoundHistory) else 0

    def snapshot(self) -> Snapshot:
        """This moment."""
        trainer, history = self.trainer, self.history
        table = trainer.table if isinstance(trainer, BpeTrainer | WordPieceTrainer | ReplayTrainer) else None
        now = self._branch_now() if isinstance(trainer, Merger) else None
        return Snapshot(
            settings=self.settings,
            corpus=trainer.corpus,
            history=history,
            step=trainer.step_count,
            known=len(trainer.history),
            tokens=trainer.tokens,
            rows=trainer.candidates(SHOWN_PAIRS if table is not None else SHOWN_PIECES),
            row_total=len(table.counts) if table is not None else trainer.vocab_size,
            target_step=self.target_step,
            stop=self._stop,
            stop_words=self._words,
            speed=self._speed,
            branch=self._branches.name,
            branches=self._branches.all(now) if now is not None else (),
        )

    def step(
        self, count: int = 1, should_stop: ShouldStop | None = None, on_progress: Progress | None = None
    ) -> Snapshot:
        """Make the next `count` steps, fewer where none can follow; `stop` then says why. Progress and stopping are
        for Unigram, whose rounds take long."""
        stop = None
        for _ in range(count):
            stop = self._one_step(should_stop, on_progress)
            if stop is not None:
                break
        self._rest(stop)
        return self.snapshot()

    def _one_step(self, should_stop: ShouldStop | None, on_progress: Progress | None) -> StopReason | None:
        trainer = self.trainer
        if isinstance(trainer, UnigramTrainer):
            return trainer.step(should_stop, on_progress)
        return trainer.step()

    def back(self, count: int = 1) -> Snapshot:
        """Undo the last `count` steps; they stay known."""
        self._rest()
        for _ in range(count):
            if not self.trainer.back():
                break
        return self.snapshot()

    def merge(self, left: int, right: int) -> Snapshot:
        """Merge a pair of the user's choice. Where it is not the one that would come by itself, or the one that came
        before a rewind, a branch begins; what was known stays on the branch that was left."""
        trainer, before = self.merger, self._branch_now()
        line = trainer.vocabulary
        trainer.merge(left, right)
        turned = trainer.vocabulary is not line
        if turned:
            self._history = None
        again = before.step < before.known and not turned
        if turned or (not again and trainer.history[-1].chosen and before.name == MAIN):
            self._branches.part(before)
        self._rest()
        return self.snapshot()

    def _branch_now(self) -> Branch:
        trainer = self.merger
        return self._branches.now(
            trainer.history, trainer.step_count, len(trainer.history), trainer.start_tokens, len(trainer.alphabet)
        )

    def enter(
        self, branch: Branch, on_progress: Progress | None = None, should_stop: ShouldStop | None = None
    ) -> Snapshot:
        """Return to a branch, to the step where it was left. Where it was stopped on the way, the rest of the branch
        stays known to its name."""
        trainer, now = self.merger, self._branch_now()
        if branch.name == now.name:
            return self.snapshot()
        self._branches.keep(now)
        shared = shared_steps(now, branch)
        trainer.goto(shared)
        trainer.forget_undone()
        self._branches.enter(branch)
        self._history = None
        stop = None
        for row in branch.rows[shared : branch.known]:
            if should_stop is not None and should_stop():
                stop = StopReason.CANCELLED
                break
            trainer.merge(row.left, row.right)
            if on_progress is not None:
                on_progress(trainer.step_count - shared, branch.known - shared)
        else:
            trainer.goto(branch.step)
        self._rest(stop)
        return self.snapshot()

    def take_branches(self, kept: Sequence[Branch], now: Branch | None) -> Snapshot:
        """Know branches from elsewhere; `now` says which one we are on, None for the main line."""
        for branch in kept:
            self._branches.put(branch)
        if now is not None:
            self._branches.enter(now)
        return self.snapshot()

    def drop(self, branch: Branch) -> Snapshot:
        """Forget a branch that we are not on."""
        self._branches.drop(branch.name)
        return self.snapshot()

    def goto(
        self,
        step: int,
        should_stop: ShouldStop | None = None,
        on_snapshot: OnSnapshot | None = None,
        on_progress: Progress | None = None,
    ) -> Snapshot:
        """Travel to a step, back or forward; beyond the known ones it trains on."""
        if step < 0:
            raise UsageError(f"step {step}: the first step is 0")
        if step > len(self.trainer.history):
            self.run(step, should_stop, on_snapshot, on_progress=on_progress)
            if self._stop is StopReason.TARGET and self.trainer.step_count != self.target_step:
                self._rest()
            return self.snapshot()
        self.trainer.goto(step, should_stop)
        stopped = should_stop is not None and self.trainer.step_count != step
        self._rest(StopReason.CANCELLED if stopped else None)
        return self.snapshot()

    def fire(self, should_stop: ShouldStop | None = None, on_snapshot: OnSnapshot | None = None) -> Snapshot:
        """Run a replay to the next merge that replaces something, or to the end of the list where none does."""
        trainer = self.trainer
        if not isinstance(trainer, ReplayTrainer):
            raise UsageError("every step fires here; only a replay has merges that do not")
        step = trainer.next_firing()
        snapshot = self.run(FAR if step is None else step, should_stop, on_snapshot)
        if step is None and self._stop is not StopReason.CANCELLED:
            self._words = "no merge that was left stands in this text: the list has ended"
        elif snapshot.step == step:
            self._stop, self._words = None, ""
        return self.snapshot()

    def run(
        self,
        until: int | None = None,
        should_stop: ShouldStop | None = None,
        on_snapshot: OnSnapshot | None = None,
        pace: Callable[[int], float] | None = None,
        on_progress: Progress | None = None,
    ) -> Snapshot:
        """Step to `until` (the target where None), giving a snapshot at most every FRAME seconds.

        `pace(steps made)` is the time in seconds since the start before which the next step must not be made.
        `on_progress` is told of the progress inside a round (Unigram).
        """
        trainer = self.trainer
        until = self.target_step if until is None else until
        clock = Clock(self.trainer, self._told(on_snapshot), should_stop, pace)
        if isinstance(trainer, UnigramTrainer):
            stop = trainer.run(until, should_stop, clock.tick, on_progress)
        else:
            stop = trainer.run(until, should_stop, clock.tick)
        self._rest(stop)
        self._speed = clock.speed
        return self.snapshot()

    def moment(self) -> TrainerMoment:
        """What conditions look at; it follows the training."""
        return TrainerMoment(self.trainer, self.history, text_bytes(self.trainer.corpus))

    def _told(self, on_snapshot: OnSnapshot | None) -> Callable[[float], None] | None:
        """What takes the speed of a run, when it is time for a snapshot."""
        self._rest()
        if on_snapshot is None:
            return None

        def tell(speed: float) -> None:
            self._speed = speed
            on_snapshot(self.snapshot())

        return tell

    def run_until(
        self,
        condition: Condition,
        should_stop: ShouldStop | None = None,
        on_snapshot: OnSnapshot | None = None,
        on_progress: Progress | None = None,
    ) -> Snapshot:
        """Step until a condition is met, whatever the target; `stop_words` says what ended it. UsageError where the
        condition is met already."""
        moment = self.moment()
        condition.begin(moment)
        clock = Clock(self.trainer, self._told(on_snapshot), should_stop)
        stop, words = None, ""
        while stop is None and not words:
            stop = StopReason.CANCELLED if should_stop is not None and should_stop() else None
            stop = stop or self._one_step(should_stop, on_progress)
            if stop is None:
                words = condition.met(moment)
                clock.tick()
        ended = f"{stop_words(self.settings.algorithm, stop)}, before {condition.words}" if stop is not None else ""
        self._rest(stop, words or ended)
        self._speed = clock.speed
        return self.snapshot()
