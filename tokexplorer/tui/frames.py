"""When a frame may go over the wire: never faster than the link takes it, and on slow links at a steady, low rate."""

from __future__ import annotations

from typing import Final

SLOW_FRAME: Final = 0.5
"""Seconds between two frames under --low-bandwidth."""
SLOW_RATE: Final = 7000.0
"""Bytes a second that frames take at most under --low-bandwidth; a large frame makes the next one wait."""
BACKLOG: Final = 4096
"""Bytes that the terminal may have not taken yet when a frame is written."""


class Frames:
    """Decides on frames. Times are seconds of one monotonic clock."""

    def __init__(self, slow: bool = False) -> None:
        self.slow = slow
        self._due = 0.0

    def may_pass(self, now: float, backlog: int) -> bool:
        """Whether a frame may be written at `now`, `backlog` bytes being on their way."""
        return backlog <= BACKLOG and now >= self._due

    def passed(self, now: float, size: int) -> None:
        """A frame of `size` bytes was written."""
        if self.slow:
            self._due = now + max(SLOW_FRAME, size / SLOW_RATE)

    def wait(self, now: float) -> float:
        """Seconds until a frame is due that was held back; a backlog may hold it longer."""
        return max(0.0, self._due - now)
