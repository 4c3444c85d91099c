"""The moment that conditions look at, as the trainer stands."""

from __future__ import annotations

from tokexplorer.engine.algorithms import AnyTrainer
from tokexplorer.engine.alphabet import id_of
from tokexplorer.engine.training import BpeTrainer
from tokexplorer.engine.wordpiece import WordPieceTrainer
from tokexplorer.timeline.histories import History
from tokexplorer.timeline.until import Moment, Next


class TrainerMoment(Moment):
    """Follows a trainer: always its present step."""

    def __init__(self, trainer: AnyTrainer, history: History, text_bytes: int) -> None:
        self._trainer = trainer
        self.history = history
        self.text_bytes = text_bytes

    @property
    def step(self) -> int:
        return self._trainer.step_count

    @property
    def tokens(self) -> int:
        return self._trainer.tokens

    def next(self) -> Next | None:
        trainer = self._trainer
        if not isinstance(trainer, BpeTrainer | WordPieceTrainer):
            return None
        if trainer.step_count < len(trainer.history):
            known = trainer.history[trainer.step_count]
            return Next(known.left, known.right, known.count, known.tied)
        best = trainer.chooser.best()
        if best is None or best.count < trainer.min_count:
            return None
        return Next(id_of(best.pair[0]), id_of(best.pair[1]), best.count, best.tied)
