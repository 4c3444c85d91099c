"""When Python's collector goes through all objects: while nobody waits for a key, who would wait for 100 ms more."""

from __future__ import annotations

import gc
import time
from typing import Final

QUIET: Final = 0.12
"""Seconds without a key after which it may be done."""
SELDOM: Final = 20
"""How many of the collector's own shorter rounds may pass before it does it on its own; usually 10."""


class Collecting:
    """Does nothing before `begin`, which any thread may call; the rest belongs to the main thread."""

    def __init__(self) -> None:
        self.begun = False
        self._touched = 0.0

    def begin(self) -> None:
        """What lasts is loaded: pass over it from now on, and wait for quiet moments."""
        gc.freeze()
        young, middle, _ = gc.get_threshold()
        gc.set_threshold(young, middle, SELDOM)
        self.begun = True

    def touched(self) -> None:
        """The user has done something."""
        self._touched = time.monotonic()

    def collect(self) -> float:
        """Collect if the user has been quiet for a while: 0; else for how many seconds to wait."""
        wait = self._touched + QUIET - time.monotonic()
        if wait > 0:
            return wait
        gc.collect()
        return 0.0
