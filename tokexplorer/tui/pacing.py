"""The pace of an auto-run: it gathers speed until it is as fast as the engine, or keeps the speed that was set."""

from __future__ import annotations

from typing import Final

START: Final = 6.0
"""Steps a second at the beginning."""
DOUBLING: Final = 0.8
"""Seconds in which the speed doubles."""
FREE: Final = 3000.0
"""Steps a second above which nothing is held back any more."""


class Pace:
    """When the next step of a run is due. `fixed` is a speed in steps a second, None while it gathers speed."""

    def __init__(self, fixed: float | None = None) -> None:
        self.fixed = fixed
        self._due = 0.0

    @property
    def rate(self) -> float:
        """Steps a second now."""
        return self.fixed if self.fixed is not None else START * 2.0 ** min(self._due / DOUBLING, 40.0)

    def __call__(self, steps: int) -> float:
        """Seconds since the start before which the step after `steps` must not be made."""
        rate = self.rate
        if rate >= FREE:
            return 0.0
        self._due += 1.0 / rate
        return self._due

    def change(self, direction: int) -> None:
        """Double the speed, or halve it; it then stays."""
        self.fixed = min(2 * FREE, max(0.5, self.rate * 2.0**direction))

    @property
    def words(self) -> str:
        """The speed for the screen."""
        if self.rate >= FREE:
            return "full speed"
        return f"{self.rate:.0f}/s" if self.rate >= 1 else "1 in 2 s"
