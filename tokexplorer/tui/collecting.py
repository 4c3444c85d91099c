"""When Python's collector goes through objects: while nobody waits for a key, who would wait for 100 ms more."""

from __future__ import annotations

import gc
import time
from typing import Final

QUIET: Final = 0.12
"""Seconds without a key after which what came with the last keys is looked through, in a few milliseconds."""
LONG: Final = 2.0
"""Seconds without a key after which all is looked through."""
MANY: Final = 40
"""After so many looks at the last keys the next one is at all, even where the user never pauses for LONG."""
YOUNG: Final = 100_000
"""New objects at which the collector begins on its own, usually 700: more than a key makes."""


class Collecting:
    """Does nothing before `begin`, which any thread may call; the rest belongs to the main thread."""

    def __init__(self) -> None:
        self.begun = False
        self._touched = 0.0
        self._looked = False
        self._looks = 0

    def begin(self) -> None:
        """What lasts is loaded: pass over it from now on, and wait for quiet moments."""
        gc.freeze()
        gc.set_threshold(YOUNG, *gc.get_threshold()[1:])
        self.begun = True

    def touched(self) -> None:
        """The user has done something."""
        self._touched = time.monotonic()
        self._looked = False

    def collect(self) -> float:
        """Collect what may be collected by now. For how many seconds to wait until more may be; 0: that was all."""
        quiet = time.monotonic() - self._touched
        if quiet < QUIET:
            return QUIET - quiet
        if quiet >= LONG or self._looks >= MANY:
            self._looks = 0
            gc.collect()
            return 0.0
        if not self._looked:
            self._looked = True
            self._looks += 1
            gc.collect(1)
        return LONG - quiet
