"""How often each merged token is used at any step: what its merges made, less what later merges took of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from tokexplorer.engine.training import Merge


class _Events:
    """What happened to one token: at which steps, and how many uses each changed."""

    def __init__(self) -> None:
        self._steps: list[int] = []
        self._amounts: list[int] = []
        self._sums: list[int] = []

    def add(self, step: int, amount: int) -> None:
        self._steps.append(step)
        self._amounts.append(amount)
        self._sums = []

    def up_to(self, step: int) -> int:
        if not self._sums:
            self._sums = list(accumulate(self._amounts, initial=0))
        return self._sums[bisect_right(self._steps, step)]


class Uses:
    """Follows one list of merges as it grows. Asking costs a look-up, whatever the step."""

    def __init__(self, rows: Sequence[Merge]) -> None:
        self.rows = rows
        self._read = 0
        self._made: dict[int, _Events] = {}
        self._taken: dict[int, _Events] = {}

    def _follow(self) -> None:
        end = len(self.rows)
        for merge in self.rows[self._read : end]:
            self._made.setdefault(merge.new, _Events()).add(merge.step, merge.replaced)
            for parent in {merge.left, merge.right}:
                times = 2 if merge.left == merge.right else 1
                self._taken.setdefault(parent, _Events()).add(merge.step, merge.replaced * times)
        self._read = end

    def taken(self, token_id: int, step: int) -> int:
        """Uses of a token that merges up to `step` have taken away."""
        self._follow()
        events = self._taken.get(token_id)
        return events.up_to(step) if events is not None else 0

    def of(self, token_id: int, step: int) -> int | None:
        """Uses of a merged token in the corpus at `step`; 0 before it was made, None for what no known merge makes."""
        self._follow()
        events = self._made.get(token_id)
        return events.up_to(step) - self.taken(token_id, step) if events is not None else None
