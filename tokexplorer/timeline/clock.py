"""The clock of a run: when a snapshot is due, how fast it goes, and how long it waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from tokexplorer.engine.algorithms import AnyTrainer
from tokexplorer.engine.corpus import ShouldStop

FRAME: Final = 0.05
"""Seconds between two snapshots of a run."""
SHARE: Final = 8
"""How many times its own cost a snapshot of a run must wait for the next: the run keeps most of its speed."""


class Clock:
    """Begins when it is made. `tell(speed)` takes a snapshot; `pace(steps made)` is the time in seconds since the start
    before which the next step must not be made."""

    def __init__(
        self,
        trainer: AnyTrainer,
        tell: Callable[[float], None] | None,
        should_stop: ShouldStop | None = None,
        pace: Callable[[int], float] | None = None,
    ) -> None:
        self._trainer = trainer
        self._tell = tell
        self._should_stop = should_stop
        self._pace = pace
        self._first = trainer.step_count
        self._begin = time.monotonic()
        self._due = self._begin + FRAME

    @property
    def _made(self) -> int:
        return self._trainer.step_count - self._first

    @property
    def speed(self) -> float:
        """Steps a second so far."""
        seconds = time.monotonic() - self._begin
        return self._made / seconds if seconds > 0 else 0.0

    def tick(self, _: Any = None) -> None:
        """A step was made."""
        now = time.monotonic()
        if self._tell is not None and now >= self._due:
            self._tell(self.speed)
            cost = time.monotonic() - now
            self._due = now + cost + max(FRAME, SHARE * cost)
        if self._pace is not None:
            self._wait(self._begin + self._pace(self._made))

    def _wait(self, moment: float) -> None:
        should_stop = self._should_stop
        while (left := moment - time.monotonic()) > 0 and not (should_stop is not None and should_stop()):
            time.sleep(min(left, FRAME))
